"""Effects on cards that several steps share: adding with relations, reinforcing."""

from collections.abc import Sequence
from dataclasses import replace

from stratagate_core.cards.normalise import occurrence_interval
from stratagate_core.engine import Work
from stratagate_core.events.rules.relations import permitted
from stratagate_core.events.rules.weight import reinforced, superseded
from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.model.facts import EventsAdded, EventsChanged
from stratagate_core.store import events, index, uses


def add(
    work: Work, cards: Sequence[Event], *, block_sequence: int, prompt_hash: str | None = None
) -> tuple[Event, ...]:
    """Store new cards, index them and put their supersedes relations into effect.

    Relations to events that are not visible by now are removed. Returns the cards as stored;
    who adds them says so when all are (`announce`).
    """
    added = []
    for card in cards:
        stored = _with_visible_relations(work, card)
        events.insert(
            work.tx,
            stored,
            block_sequence=block_sequence,
            prompt_hash=prompt_hash,
            occurrence=occurrence_interval(stored.temporal, work.settings.timezone),
        )
        index.index_event(work.tx, stored)
        for target in stored.temporal.supersedes_event_ids:
            _supersede(work, target, by=stored.id)
        added.append(stored)
    return tuple(added)


def announce(work: Work, added: Sequence[Event], *, wanted: bool = False) -> None:
    """Say which cards were added; `wanted`: recorded on purpose or imported."""
    if added:
        work.emit(EventsAdded(tuple(card.id for card in added), wanted))


def link_back(work: Work, card: Event) -> None:
    """Let the cards that a stored one conflicts with name it too (02 §6)."""
    for other in events.by_ids(work.tx, card.temporal.conflicts_with_event_ids).values():
        named = (*other.temporal.conflicts_with_event_ids, card.id)
        both = replace(other.temporal, conflicts_with_event_ids=tuple(dict.fromkeys(named)))
        events.put_relations(work.tx, other.id, both, now=work.now)


def _with_visible_relations(work: Work, card: Event) -> Event:
    known = events.by_ids(work.tx, card.temporal.all_related_ids)
    visible = {key for key, event in known.items() if event.status in VISIBLE}
    return replace(card, temporal=permitted(card.temporal, visible - {card.id}))


def _supersede(work: Work, event_id: str, *, by: str) -> None:
    """Mark an event as superseded and hold its weight down; its text stays as it is."""
    old = events.by_ids(work.tx, [event_id])[event_id]
    events.put_status(work.tx, event_id, status="superseded", superseded_by=by, now=work.now)
    events.put_weight(work.tx, event_id, superseded(old.weight), now=work.now)
    work.emit(EventsChanged((event_id,)))


def reinforce(work: Work, event_ids: Sequence[str], *, receipt: str) -> tuple[str, ...]:
    """Strengthen each visible event once for this receipt; the ids that were strengthened."""
    turn = work.current_turn()
    found = events.by_ids(work.tx, event_ids)
    done = []
    for event_id in dict.fromkeys(event_ids):
        event = found.get(event_id)
        if event is None or event.status not in VISIBLE:
            continue
        if uses.reinforce(work.tx, event_id, receipt=receipt, turn=turn, now=work.now):
            weight = reinforced(event.weight, turn)
            events.put_weight(work.tx, event_id, weight, now=work.now)
            done.append(event_id)
    return tuple(done)
