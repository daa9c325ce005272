"""Reading cards: one, their counts, and the source messages behind anything."""

from stratagate_core.engine import Work
from stratagate_core.errors import NotFound
from stratagate_core.model.event import Event
from stratagate_core.model.message import Message
from stratagate_core.store import blocks, events, turns

_STATUSES = ("active", "superseded", "forgotten", "archived")


def event(work: Work, event_id: str) -> Event | None:
    """One event of either pool, whatever its status."""
    return events.get(work.tx, event_id)


def counts(work: Work) -> dict[str, int]:
    """How many events there are by status."""
    found = events.counts(work.tx)
    return {status: found.get(status, 0) for status in _STATUSES}


def sources(work: Work, ref: str) -> tuple[Message, ...]:
    """The messages behind an event id, block id, message id or evidence ref, in order.

    Raises:
        NotFound: nothing is stored under it.

    """
    key = _subject(ref)
    found = events.get(work.tx, key)
    if found is not None:
        known = turns.messages_by_id(work.tx, found.source_message_ids)
        return tuple(known[name] for name in found.source_message_ids if name in known)
    if blocks.get(work.tx, key) is not None:
        return turns.block_messages(work.tx, key)
    message = turns.messages_by_id(work.tx, [key])
    if not message:
        raise NotFound(f"nothing is stored under {ref!r}; give an event, block or message id")
    return tuple(message.values())


def _subject(ref: str) -> str:
    """The id inside an evidence ref (06 §2); anything else is an id already."""
    kind, _, rest = ref.partition(":")
    if kind == "event" and rest:
        return rest
    if kind == "raw" and rest.count(":") >= 2:
        return rest.split(":", 1)[1].rsplit(":", 1)[0]
    if kind == "block" and rest:
        return rest.split(":level:")[0]
    return ref
