"""What changes cards on request: direct adding, pin, forget, archive, restore."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stratagate_core.engine import Work
from stratagate_core.errors import Conflict, InvalidArgument, NotFound
from stratagate_core.events import writes
from stratagate_core.events.rules.admission import (
    card_of,
    checked_quotes,
    permitted,
    related_ids,
)
from stratagate_core.events.rules.weight import restored, superseded
from stratagate_core.model.event import VISIBLE, Draft, Event, EventStatus, Weight
from stratagate_core.model.facts import EventsChanged
from stratagate_core.model.message import Message
from stratagate_core.store import blocks, events, index, turns
from stratagate_core.store.blocks import BlockRow


def ingest_events(work: Work, drafts: Sequence[Draft]) -> tuple[Event, ...]:
    """Add events of a caller's own extraction, checked like extracted ones (02 §6)."""
    added: list[Event] = []
    for number, draft in enumerate(drafts):
        if not isinstance(draft, Mapping):
            raise InvalidArgument(f"event {number}: expected a mapping with title and summary")
        block = _source_block(work, draft, number)
        card = _draft_card(work, draft, block, number)
        if events.existing(work.tx, [card.id]):
            raise Conflict(f"event {number}: the id {card.id!r} is taken")
        writes.add(work, [card], block_sequence=block.sequence)
        added.append(card)
    writes.announce(work, added)
    return tuple(added)


def _source_block(work: Work, draft: Draft, number: int) -> BlockRow:
    block_id = draft.get("source_block_id")
    if block_id is None:
        sources = [str(name) for name in draft.get("source_message_ids") or ()]
        known = turns.messages_by_id(work.tx, sources)
        block_id = next((m.block_id for m in known.values() if m.block_id), None)
    block = blocks.get(work.tx, str(block_id)) if block_id is not None else None
    if block is None:
        raise NotFound(
            f"event {number}: no block {block_id!r}; cite messages of a sealed block, "
            "see blocks() and sources(block_id)"
        )
    return block


def _draft_card(work: Work, draft: Draft, block: BlockRow, number: int) -> Event:
    messages = {str(m.id): m for m in turns.block_messages(work.tx, block.id)}
    wanted = [str(name) for name in draft.get("source_message_ids") or ()]
    foreign = [name for name in wanted if name not in messages]
    if not wanted or foreign:
        raise InvalidArgument(
            f"event {number}: source_message_ids must name at least one message of block "
            f"{block.id!r} and no other" + (f"; foreign: {', '.join(foreign)}" if foreign else "")
        )
    card = card_of(
        draft,
        event_id=str(draft.get("id") or work.new_id("evt")),
        block_id=block.id,
        messages=messages,
        formed_turn=block.last_number if not block.synthetic else work.current_turn(),
        thread=block.thread,
        timezone=work.settings.timezone,
        now=work.now,
        default_scope="user",
    )
    if isinstance(card, str):
        raise InvalidArgument(f"event {number}: {card}")
    cited = [messages[name] for name in card.source_message_ids]
    quotes, _ = checked_quotes(card.quotes, _texts(cited))
    return _with_known_relations(work, replace(card, quotes=quotes))


def _texts(messages: Sequence[Message]) -> list[str]:
    return [message.content for message in messages]


def _with_known_relations(work: Work, card: Event) -> Event:
    """Relations to events that do not exist, or are hidden, are removed."""
    known = events.by_ids(work.tx, related_ids(card.temporal))
    visible = {key for key, event in known.items() if event.status in VISIBLE}
    return replace(card, temporal=permitted(card.temporal, visible - {card.id}))


def pin(work: Work, event_id: str) -> Event:
    """Keep an event at full weight."""
    return _reweigh(work, event_id, pinned=True)


def unpin(work: Work, event_id: str) -> Event:
    """Let a pinned event fade again."""
    return _reweigh(work, event_id, pinned=False)


def _reweigh(work: Work, event_id: str, **changes: Any) -> Event:
    event = _known(work, event_id)
    weight = replace(event.weight, **changes)
    events.put_weight(work.tx, event_id, weight, now=work.now)
    return _known(work, event_id)


def forget(work: Work, event_id: str) -> Event:
    """Hide an event from every read; sources and relations stay."""
    return _hide(work, event_id, "forgotten")


def archive(work: Work, event_id: str) -> Event:
    """Put an event away; hidden like a forgotten one."""
    return _hide(work, event_id, "archived")


def _hide(work: Work, event_id: str, status: EventStatus) -> Event:
    event = _known(work, event_id)
    events.put_status(
        work.tx, event_id, status=status, superseded_by=event.superseded_by, now=work.now
    )
    if event.status in VISIBLE:
        index.unindex_event(work.tx, event)
    work.emit(EventsChanged((event_id,)))
    return _known(work, event_id)


def restore(work: Work, event_id: str) -> Event:
    """Active again; still superseded if a visible event supersedes it."""
    event = _known(work, event_id)
    by = next(iter(events.superseders(work.tx, event_id)), None)
    change: Callable[[Weight], Weight] = superseded if by else restored
    status = "superseded" if by else "active"
    events.put_status(work.tx, event_id, status=status, superseded_by=by, now=work.now)
    events.put_weight(work.tx, event_id, change(event.weight), now=work.now)
    if event.status not in VISIBLE:
        index.index_event(work.tx, event)
    work.emit(EventsChanged((event_id,)))
    return _known(work, event_id)


def _known(work: Work, event_id: str) -> Event:
    event = events.get(work.tx, event_id)
    if event is None:
        raise NotFound(f"no event {event_id!r}; search_events finds events")
    return event
