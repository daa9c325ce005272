"""Effects on cards that several steps share: adding with relations, reinforcing."""

from collections.abc import Sequence

from stratagate_core.cards.normalise import occurrence_interval
from stratagate_core.engine import Work
from stratagate_core.events.rules.weight import reinforced, superseded
from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.model.facts import EventsAdded, EventsChanged
from stratagate_core.store import events, index, uses


def add(
    work: Work, cards: Sequence[Event], *, block_sequence: int, prompt_hash: str | None = None
) -> None:
    """Store new cards, index them and put their supersedes relations into effect.

    Who adds them says so when all are stored (`announce`).
    """
    for card in cards:
        interval = occurrence_interval(card.temporal, work.settings.timezone)
        events.insert(
            work.tx,
            card,
            block_sequence=block_sequence,
            prompt_hash=prompt_hash,
            occurrence=interval,
        )
        index.index_event(work.tx, card)
        for target in card.temporal.supersedes_event_ids:
            supersede(work, target, by=card.id)


def announce(work: Work, cards: Sequence[Event]) -> None:
    """Say which cards were added."""
    if cards:
        work.emit(EventsAdded(tuple(card.id for card in cards)))


def supersede(work: Work, event_id: str, *, by: str) -> None:
    """Mark a visible event as superseded and hold its weight down; its text stays as it is."""
    old = events.get(work.tx, event_id)
    if old is None or old.status not in VISIBLE:
        return
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
