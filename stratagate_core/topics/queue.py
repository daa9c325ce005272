"""The queue of events that wait to be filed, each in one batch."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from stratagate_core.engine import Work
from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.model.facts import FilingEmptied, FilingQueued
from stratagate_core.store import events, jobs, topic_members, topic_queue
from stratagate_core.store.topic_queue import BatchRow
from stratagate_core.topics.rules.compact import compact, packed, size
from stratagate_core.topics.writes import list_unfiled

KIND = "topic_projection"
#: new and changed events go first
PRIORITIES = {"incremental": 900, "historical": 500, "sections": 400}
#: how often a batch is halved at most: 12, 6, 3, 2, 1
DEEPEST = 4


def queue(work: Work, wanted: Sequence[Event], kind: str) -> None:
    """Let events wait, in the batch that is not full yet or in new ones."""
    shown = [event for event in wanted if event.status in VISIBLE]
    if not shown:
        return
    list_unfiled(work, shown)
    sizes = [(event.id, size(compact(event, work.settings.timezone)[0])) for event in shown]
    last = _open_batch(work, kind)
    held = topic_queue.waiting(work.tx, last.id) if last else {}
    chunks = packed(sizes, held=list(held.values()))
    lengths = dict(sizes)
    for at, chunk in enumerate(chunks):
        inside = {key: lengths[key] for key in chunk}
        if at == 0 and last is not None:
            _enter(work, last.id, inside)
        elif inside:
            _put_batch(work, kind, inside)


def queue_again(work: Work, known: Sequence[Event]) -> None:
    """File events once more, wherever they stand."""
    queue(work, known, "incremental")


def _open_batch(work: Work, kind: str) -> BatchRow | None:
    """The last batch, if no one was asked about it yet."""
    last = topic_queue.last_batch(work.tx, kind)
    job = jobs.by_subject(work.tx, KIND, last.id) if last else None
    waits = job is not None and job.status == "pending" and job.attempts == 0
    return last if waits and last is not None and not last.depth else None


def _put_batch(
    work: Work, kind: str, sizes: Mapping[str, int], topic_id: str | None = None
) -> None:
    last = topic_queue.last_batch(work.tx, kind)
    number = last.number + 1 if last else 1
    batch = BatchRow(id=work.new_id("filing"), work=kind, number=number, topic_id=topic_id)
    topic_queue.put_batch(work.tx, batch)
    _enter(work, batch.id, sizes)
    work.emit(FilingQueued(batch.id, PRIORITIES[kind]))


def fill_sections(work: Work, topic_id: str) -> None:
    """Queue the members of a topic that are in no section, for this topic alone."""
    known = events.by_ids(work.tx, topic_members.without_section(work.tx, topic_id))
    waiting = topic_queue.batches_with(work.tx, known)
    ordered = [event for event in in_time(known.values()) if event.id not in waiting]
    sizes = [(event.id, size(compact(event, work.settings.timezone)[0])) for event in ordered]
    lengths = dict(sizes)
    for chunk in packed(sizes):
        if chunk:
            _put_batch(work, "sections", {key: lengths[key] for key in chunk}, topic_id)


def split(work: Work, batch: BatchRow) -> bool:
    """Halve a batch; False if it cannot be halved any more."""
    waiting = topic_queue.waiting(work.tx, batch.id)
    known = events.by_ids(work.tx, list(waiting))
    ids = sorted(known, key=lambda key: (known[key].chronology, key))
    if len(ids) < 2 or batch.depth >= DEEPEST:
        return False
    middle = (len(ids) + 1) // 2
    for half in (ids[:middle], ids[middle:]):
        part = replace(batch, id=work.new_id("filing"), depth=batch.depth + 1)
        topic_queue.put_batch(work.tx, part)
        topic_queue.enter(work.tx, part.id, {key: waiting[key] for key in half})
        work.emit(FilingQueued(part.id, PRIORITIES[batch.work]))
    topic_queue.delete_batch(work.tx, batch.id)
    return True


def in_time(known: Iterable[Event]) -> list[Event]:
    """Events in the order of time."""
    return sorted(known, key=lambda event: (event.chronology, event.id))


def leave(work: Work, event_ids: Sequence[str]) -> None:
    """These events wait no more."""
    before = set(topic_queue.batches_with(work.tx, event_ids).values())
    topic_queue.leave(work.tx, event_ids)
    _close_empty(work, before)


def _enter(work: Work, batch_id: str, sizes: Mapping[str, int]) -> None:
    """Let events wait in a batch and nowhere else."""
    before = set(topic_queue.batches_with(work.tx, sizes).values()) - {batch_id}
    topic_queue.enter(work.tx, batch_id, sizes)
    _close_empty(work, before)


def _close_empty(work: Work, batch_ids: Iterable[str]) -> None:
    for batch_id in sorted(batch_ids):
        if not topic_queue.waiting(work.tx, batch_id):
            topic_queue.delete_batch(work.tx, batch_id)
            work.emit(FilingEmptied(batch_id))
