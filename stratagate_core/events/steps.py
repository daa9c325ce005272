"""What changes cards on request: direct adding, pin, forget, archive, restore."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from stratagate_core.engine import Work
from stratagate_core.errors import Conflict, InvalidArgument, NotFound
from stratagate_core.events import writes
from stratagate_core.events.origin import origin_of
from stratagate_core.events.rules.admission import card_of
from stratagate_core.events.rules.quotes import checked_quotes
from stratagate_core.events.rules.weight import restored, superseded
from stratagate_core.model.event import VISIBLE, Draft, Event, EventStatus, Weight
from stratagate_core.model.facts import EventsChanged
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
        added += writes.add(work, [card], block_sequence=block.sequence)
    writes.announce(work, added)
    return tuple(added)


def _source_block(work: Work, draft: Draft, number: int) -> BlockRow:
    block_id = draft.get("source_block_id")
    if block_id is None:
        cited = draft.get("source_message_ids")
        sources = [str(key) for key in cited] if isinstance(cited, list | tuple) else []
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
    origin = origin_of(work, block)
    event_id = str(draft.get("id") or work.new_id("evt"))
    card = card_of(draft, origin, event_id=event_id, default_scope="user")
    if isinstance(card, str):
        raise InvalidArgument(f"event {number}: {card}")
    quotes, _ = checked_quotes(card.quotes, card.source_message_ids, origin.citable)
    return replace(card, quotes=quotes)


def pin(work: Work, event_id: str) -> Event:
    """Keep an event at full weight; nothing else of it changes."""
    return _set_pinned(work, event_id, pinned=True)


def unpin(work: Work, event_id: str) -> Event:
    """Let a pinned event fade again."""
    return _set_pinned(work, event_id, pinned=False)


def _set_pinned(work: Work, event_id: str, *, pinned: bool) -> Event:
    event = _known(work, event_id)
    weight = replace(event.weight, pinned=pinned)
    events.put_weight(work.tx, event_id, weight, now=event.updated_at)
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
    now = _known(work, event_id)
    if event.status not in VISIBLE:
        index.index_event(work.tx, now)
    work.emit(EventsChanged((event_id,)))
    return now


def _known(work: Work, event_id: str) -> Event:
    event = events.get(work.tx, event_id)
    if event is None:
        raise NotFound(f"no event {event_id!r}; search_events finds events")
    return event
