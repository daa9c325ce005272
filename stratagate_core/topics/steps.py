"""What changes the directory: events are queued, an answer is written, a topic loses its words."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from stratagate_core.engine import Work
from stratagate_core.errors import Conflict
from stratagate_core.jobs.rules import MAX_ATTEMPTS
from stratagate_core.llm.offline import is_offline
from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.model.facts import FilingEmptied, FilingQueued
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
from stratagate_core.store.topic_members import Member
from stratagate_core.store.topic_queue import BatchRow
from stratagate_core.store.topics import Entry, TopicRow
from stratagate_core.text.normalise import label_identity
from stratagate_core.topics.rules.compact import compact, fingerprint, packed, size
from stratagate_core.topics.rules.labels import PROJECTOR_VERSION, category_of, main_category
from stratagate_core.topics.rules.projection import Filed

KIND = "topic_projection"
POOLS = ("passive", "agent")
#: new and changed events go first
PRIORITIES = {"incremental": 900, "historical": 500, "sections": 400}
#: the mark that the events of a namespace from before its directory were queued
_FROZEN = ""
#: how often a batch is halved at most: 12, 6, 3, 2, 1
DEEPEST = 4
#: how often a model is asked about older events in a stretch of time, in the whole database
ALLOWANCE, WINDOW = 2, timedelta(minutes=10)


# --- the queue --------------------------------------------------------------------------------


def events_added(work: Work, event_ids: Sequence[str]) -> None:
    """Queue new events; the first time, those from before the directory behind them."""
    if not work.settings.topics_enabled:
        return
    known = events.by_ids(work.tx, event_ids)
    _queue(work, [known[key] for key in dict.fromkeys(event_ids) if key in known], "incremental")
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
    _queue(work, _in_time(known.values()), "historical")


def fill_sections(work: Work, topic_id: str) -> None:
    """Queue the members of a topic that are in no section, for this topic alone."""
    known = events.by_ids(work.tx, topic_members.without_section(work.tx, topic_id))
    waiting = topic_queue.batches_with(work.tx, known)
    ordered = [event for event in _in_time(known.values()) if event.id not in waiting]
    sizes = [(event.id, size(compact(event, work.settings.timezone)[0])) for event in ordered]
    lengths = dict(sizes)
    for chunk in packed(sizes):
        if chunk:
            _put_batch(work, "sections", {key: lengths[key] for key in chunk}, topic_id)


def _in_time(known: Iterable[Event]) -> list[Event]:
    return sorted(known, key=lambda event: (event.chronology, event.id))


def _put_batch(
    work: Work, kind: str, sizes: Mapping[str, int], topic_id: str | None = None
) -> None:
    last = topic_queue.last_batch(work.tx, kind)
    number = last.number + 1 if last else 1
    batch = BatchRow(id=work.new_id("filing"), work=kind, number=number, topic_id=topic_id)
    topic_queue.put_batch(work.tx, batch)
    _enter(work, batch.id, sizes)
    work.emit(FilingQueued(batch.id, PRIORITIES[kind]))


def queue_again(work: Work, known: Sequence[Event]) -> None:
    """File events once more, wherever they stand."""
    _queue(work, known, "incremental")


def _queue(work: Work, wanted: Sequence[Event], kind: str) -> None:
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


def _enter(work: Work, batch_id: str, sizes: Mapping[str, int]) -> None:
    """Let events wait in a batch and nowhere else."""
    before = set(topic_queue.batches_with(work.tx, sizes).values()) - {batch_id}
    topic_queue.enter(work.tx, batch_id, sizes)
    _close_empty(work, before)


def _leave(work: Work, event_ids: Sequence[str]) -> None:
    """These events wait no more."""
    before = set(topic_queue.batches_with(work.tx, event_ids).values())
    topic_queue.leave(work.tx, event_ids)
    _close_empty(work, before)


def _close_empty(work: Work, batch_ids: Iterable[str]) -> None:
    for batch_id in sorted(batch_ids):
        if not topic_queue.waiting(work.tx, batch_id):
            topic_queue.delete_batch(work.tx, batch_id)
            work.emit(FilingEmptied(batch_id))


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


def _open_batch(work: Work, kind: str) -> BatchRow | None:
    """The last batch, if no one was asked about it yet."""
    last = topic_queue.last_batch(work.tx, kind)
    job = jobs.by_subject(work.tx, KIND, last.id) if last else None
    waits = job is not None and job.status == "pending" and job.attempts == 0
    return last if waits and last is not None and not last.depth else None


def list_unfiled(work: Work, shown: Iterable[Event]) -> None:
    """An event that is in no topic has an entry of its own."""
    known = list(shown)
    filed = topic_members.topics_of(work.tx, [event.id for event in known])
    entries = [
        Entry(
            id=f"{FALLBACK}{event.id}",
            place=topics.EVENT,
            category=category_of(event),
            created_at=event.created_at,
            agent=event.pool == "agent",
        )
        for event in known
        if event.id not in filed
    ]
    topics.put_entries(work.tx, entries)


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


# --- sources that change ----------------------------------------------------------------------


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
    _leave(work, hidden)
    topics.drop_entries(work.tx, [f"{FALLBACK}{key}" for key in hidden])
    again = [shown[key] for key in changed if key in shown]
    list_unfiled(work, again)
    if work.settings.topics_enabled:
        asked = [event for event in again if not _about_to_be_asked(work, event.id)]
        _queue(work, asked, "incremental")
        _file_again(work, survivors - set(changed))


def _about_to_be_asked(work: Work, event_id: str) -> bool:
    batch = topic_queue.batches_with(work.tx, [event_id]).get(event_id)
    job = jobs.by_subject(work.tx, KIND, batch) if batch else None
    return job is not None and job.status == "pending"


def _file_again(work: Work, event_ids: Collection[str]) -> None:
    """Queue events that nothing happened to; those that wait already have an entry at least."""
    known = events.by_ids(work.tx, sorted(event_ids))
    shown = [event for event in _in_time(known.values()) if event.status in VISIBLE]
    list_unfiled(work, shown)
    waiting = topic_queue.batches_with(work.tx, known)
    _queue(work, [event for event in shown if event.id not in waiting], "historical")


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


def take_out(work: Work, row: TopicRow, event_ids: Iterable[str]) -> None:
    """Remove events from a topic; without members it ends."""
    held = topic_members.held(work.tx, row.id, event_ids)
    lost = Counter(member.category for member in topic_members.some(work.tx, row.id, held))
    topic_members.remove(work.tx, row.id, held)
    left = {name: row.tally.get(name, 0) - lost[name] for name in row.tally}
    put_topic(
        work,
        replace(
            row,
            tally={name: number for name, number in left.items() if number > 0},
            agent=row.agent and topic_members.any_of_agent(work.tx, row.id),
            overview=_standing(work, row),
        ),
    )


def _standing(work: Work, row: TopicRow) -> tuple[Mapping[str, object], ...]:
    """The paragraphs whose sections are there."""
    keys = topic_members.titles(work.tx, row.id)
    return tuple(one for one in row.overview if one.get("section") in keys)


def invalidate(work: Work, row: TopicRow, hidden: Iterable[str]) -> set[str]:
    """Take all words of a topic away; its visible members stay and are given."""
    topic_members.remove(work.tx, row.id, hidden)
    topic_members.clear_sections(work.tx, row.id)
    topic_members.clear_sources(work.tx, row.id)
    left = topic_members.members(work.tx, row.id)
    put_topic(
        work,
        replace(
            row,
            title="",
            label="",
            description="",
            overview=(),
            experiences=(),
            valid=False,
            tally=dict(Counter(member.category for member in left)),
            agent=row.agent and topic_members.any_of_agent(work.tx, row.id),
        ),
    )
    return {member.event_id for member in left}


def put_topic(work: Work, row: TopicRow) -> None:
    """Store a topic and its place in the directory; without members it ends."""
    if not row.members:
        topic_members.clear(work.tx, row.id)
        topics.delete(work.tx, [row.id])
        return
    category = main_category(row.tally)
    topics.put(work.tx, replace(row, category=category, updated_at=work.now))
    entry = Entry(
        id=row.id,
        place=topics.TOPIC,
        category=category,
        created_at=row.created_at,
        agent=row.agent,
    )
    topics.put_entries(work.tx, [entry])


# --- filing -----------------------------------------------------------------------------------


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
        row = _new_topic(work)
    row = _with_members(work, row, [known[key] for key in one.events])
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
            overview=(*_standing(work, row), *one.paragraphs),
            valid=True,
            by_rules=pure,
            agent=row.agent or (not pure and any(e.pool == "agent" for e in known.values())),
            prompt_hash=prompt_hash,
            projector_version=PROJECTOR_VERSION,
        ),
    )


def _new_topic(work: Work) -> TopicRow:
    return TopicRow(
        id=work.new_id("topic"),
        title="",
        label="",
        description="",
        category="other",
        created_at=work.now,
        updated_at=work.now,
        by_rules=True,
    )


def _with_members(work: Work, row: TopicRow, filed: Sequence[Event]) -> TopicRow:
    """The topic with events that become its last members; those that are members stay so."""
    held = topic_members.held(work.tx, row.id, [event.id for event in filed])
    topic_members.remark(work.tx, row.id, {e.id: fingerprint(e) for e in filed if e.id in held})
    new = [event for event in filed if event.id not in held]
    tally = Counter(row.tally)
    rows = []
    for at, event in enumerate(new):
        category = category_of(event)
        tally[category] += 1
        rows.append(
            Member(
                event_id=event.id,
                position=row.places + at,
                fingerprint=fingerprint(event),
                category=category,
            )
        )
    topic_members.add(work.tx, row.id, rows)
    agent = row.agent or any(event.pool == "agent" for event in filed)
    return replace(row, places=row.places + len(rows), tally=dict(tally), agent=agent)
