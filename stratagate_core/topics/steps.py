"""What changes the directory: events are queued, an answer is written, a topic loses its words."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from stratagate_core.engine import Work
from stratagate_core.errors import Conflict
from stratagate_core.jobs.rules import MAX_ATTEMPTS
from stratagate_core.llm.offline import is_offline
from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.model.facts import FilingQueued
from stratagate_core.model.topic import FALLBACK
from stratagate_core.store import (
    allowance,
    event_order,
    events,
    jobs,
    topic_members,
    topic_queue,
    topics,
)
from stratagate_core.store.jobs import JobRow
from stratagate_core.store.topic_queue import BatchRow
from stratagate_core.text.normalise import label_identity
from stratagate_core.topics.queue import KIND, PRIORITIES, fill_sections, in_time, leave, queue
from stratagate_core.topics.rules.compact import fingerprint
from stratagate_core.topics.rules.labels import PROJECTOR_VERSION
from stratagate_core.topics.rules.projection import Filed
from stratagate_core.topics.writes import (
    invalidate,
    list_unfiled,
    new_topic,
    put_topic,
    standing,
    take_out,
    with_members,
)

POOLS = ("passive", "agent")
#: the mark that the events of a namespace from before its directory were queued
_FROZEN = ""
#: how often a model is asked about older events in a stretch of time, in the whole database
ALLOWANCE, WINDOW = 2, timedelta(minutes=10)


def events_added(work: Work, event_ids: Sequence[str]) -> None:
    """Queue new events; the first time, those from before the directory behind them."""
    if not work.settings.topics_enabled:
        return
    known = events.by_ids(work.tx, event_ids)
    queue(work, [known[key] for key in dict.fromkeys(event_ids) if key in known], "incremental")
    freeze(work)


def is_settled(work: Work) -> bool:
    """Whether all that was there before the directory, or before its rules changed, is queued."""
    mark = topic_queue.batch(work.tx, _FROZEN)
    if mark is not None:
        return mark.number == PROJECTOR_VERSION
    pages = (event_order.visible_ids(work.tx, pool, "id", size=1) for pool in POOLS)
    return not work.settings.topics_enabled or all(next(page, None) is None for page in pages)


def freeze(work: Work) -> None:
    """Queue the events that were there before the directory, once for a namespace.

    Topics of other rules keep their words but for the overview, and get their sections anew.
    """
    mark = topic_queue.batch(work.tx, _FROZEN)
    if not work.settings.topics_enabled or (mark and mark.number == PROJECTOR_VERSION):
        return
    topic_queue.delete_batch(work.tx, _FROZEN)
    topic_queue.put_batch(work.tx, BatchRow(id=_FROZEN, work="frozen", number=PROJECTOR_VERSION))
    if mark is not None:
        for row in topics.everything(work.tx):
            if row.valid and row.projector_version != PROJECTOR_VERSION:
                topic_members.clear_sections(work.tx, row.id)
                put_topic(work, replace(row, overview=()))
                fill_sections(work, row.id)
        return
    older = []
    for pool in POOLS:
        for page in event_order.visible_ids(work.tx, pool, "first"):
            older += list(page)
    waiting = topic_queue.batches_with(work.tx, older)
    known = events.by_ids(work.tx, [key for key in older if key not in waiting])
    queue(work, in_time(known.values()), "historical")


def put_off(work: Work, batch_id: str) -> datetime | None:
    """Until when older events must wait; what is new, and what rules file, need not."""
    batch = topic_queue.batch(work.tx, batch_id)
    if batch is None or batch.work == "incremental" or is_offline(work.env.model):
        return None
    return allowance.reserve(work.tx, work.now, most=ALLOWANCE, window=WINDOW)


def retry(work: Work, job: JobRow) -> str:
    """Queue what is left of a failed batch once more, by hand; the id of the new batch.

    Raises:
        Conflict: it runs, waits for its next attempt, was done, or was asked for already.

    """
    batch = topic_queue.batch(work.tx, job.subject)
    waiting = topic_queue.waiting(work.tx, job.subject)
    if job.status != "failed" or job.attempts < MAX_ATTEMPTS or batch is None or not waiting:
        raise Conflict(
            f"job {job.id!r} is not a filing that failed for good; jobs(kind={KIND!r}) lists them"
        )
    again = replace(batch, id=work.new_id("filing"), depth=0)
    topic_queue.put_batch(work.tx, again)
    topic_queue.enter(work.tx, again.id, waiting)
    topic_queue.delete_batch(work.tx, batch.id)
    work.emit(FilingQueued(again.id, PRIORITIES[batch.work]))
    return again.id


def events_changed(work: Work, event_ids: Sequence[str]) -> None:
    """Take the words of hidden or changed events out of the directory at once, and file again."""
    known = events.by_ids(work.tx, event_ids)
    shown = {key: event for key, event in known.items() if event.status in VISIBLE}
    filed = topic_members.topics_of(work.tx, event_ids)
    waiting = topic_queue.batches_with(work.tx, event_ids)
    changed = [
        key
        for key in dict.fromkeys(event_ids)
        if key not in shown
        or (key not in filed and key not in waiting)
        or any(print_ != fingerprint(shown[key]) for print_ in filed.get(key, {}).values())
    ]
    hidden = [key for key in changed if key not in shown]
    survivors = _without(work, changed, hidden)
    leave(work, hidden)
    topics.drop_entries(work.tx, [f"{FALLBACK}{key}" for key in hidden])
    again = [shown[key] for key in changed if key in shown]
    list_unfiled(work, again)
    if work.settings.topics_enabled:
        asked = [event for event in again if not _about_to_be_asked(work, event.id)]
        queue(work, asked, "incremental")
        _file_again(work, survivors - set(changed))


def _about_to_be_asked(work: Work, event_id: str) -> bool:
    batch = topic_queue.batches_with(work.tx, [event_id]).get(event_id)
    job = jobs.by_subject(work.tx, KIND, batch) if batch else None
    return job is not None and job.status == "pending"


def _file_again(work: Work, event_ids: Collection[str]) -> None:
    """Queue events that nothing happened to; those that wait already have an entry at least."""
    known = events.by_ids(work.tx, sorted(event_ids))
    shown = [event for event in in_time(known.values()) if event.status in VISIBLE]
    list_unfiled(work, shown)
    waiting = topic_queue.batches_with(work.tx, known)
    queue(work, [event for event in shown if event.id not in waiting], "historical")


def _without(work: Work, changed: Sequence[str], hidden: Sequence[str]) -> set[str]:
    """Take changed events out of topics; the members of topics that lost their words."""
    filed = topic_members.topics_of(work.tx, changed)
    touched = {topic for held in filed.values() for topic in held}
    touched |= topic_members.resting_on(work.tx, changed)
    survivors: set[str] = set()
    for row in topics.by_ids(work.tx, touched).values():
        if row.by_rules:
            take_out(work, row, changed)
        else:
            survivors |= invalidate(work, row, hidden)
    return survivors


def file_events(
    work: Work,
    filed: Sequence[Filed],
    known: Mapping[str, Event],
    *,
    retired: Iterable[str] = (),
    by_rules: bool,
    prompt_hash: str,
) -> None:
    """Write an admitted answer; members of topics that it ends are queued again."""
    left: set[str] = set()
    for topic_id in sorted(retired):
        left |= {member.event_id for member in topic_members.members(work.tx, topic_id)}
        topic_members.clear(work.tx, topic_id)
        topics.delete(work.tx, [topic_id])
    for one in filed:
        _file(work, one, known, by_rules=by_rules, prompt_hash=prompt_hash)
    topics.drop_entries(work.tx, [f"{FALLBACK}{key}" for key in known])
    _file_again(work, left - set(known))


def _file(
    work: Work, one: Filed, known: Mapping[str, Event], *, by_rules: bool, prompt_hash: str
) -> None:
    row = topics.by_ids(work.tx, [one.topic_id]).get(one.topic_id) if one.topic_id else None
    if row is None:
        row = new_topic(work)
    row = with_members(work, row, [known[key] for key in one.events])
    topic_members.leave_sections(work.tx, row.id, one.events)
    places = topic_members.held(work.tx, row.id, one.events)
    entering = {
        key: {event_id: places[event_id] for event_id in inside}
        for key, inside in one.sections.items()
    }
    topic_members.enter_sections(work.tx, row.id, one.titles, entering)
    pure = by_rules and row.by_rules
    if not pure:
        topic_members.put_sources(work.tx, row.id, known)
    put_topic(
        work,
        replace(
            row,
            title=one.title,
            label=label_identity(one.title),
            description=one.description,
            overview=(*standing(work, row), *one.paragraphs),
            valid=True,
            by_rules=pure,
            agent=row.agent or (not pure and any(e.pool == "agent" for e in known.values())),
            prompt_hash=prompt_hash,
            projector_version=PROJECTOR_VERSION,
        ),
    )
