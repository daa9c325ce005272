"""Effects on topics that several steps share: members come and go, words are lost."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stratagate_core.engine import Work
from stratagate_core.model.event import Event
from stratagate_core.model.topic import FALLBACK
from stratagate_core.store import topic_members, topics
from stratagate_core.store.topic_members import Member
from stratagate_core.store.topics import Entry, TopicRow
from stratagate_core.topics.rules.compact import fingerprint
from stratagate_core.topics.rules.labels import category_of, main_category


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
            overview=_without(standing(work, row), held),
            experiences=_without(row.experiences, held),
        ),
    )


def _without(
    parts: Sequence[Mapping[str, Any]], gone: Collection[str]
) -> tuple[Mapping[str, Any], ...]:
    """The parts that rest on none of these events."""
    return tuple(one for one in parts if not set(gone) & set(one["source_event_ids"]))


def standing(work: Work, row: TopicRow) -> tuple[Mapping[str, Any], ...]:
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


def new_topic(work: Work) -> TopicRow:
    """A topic that has neither words nor members yet, and is not stored."""
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


def with_members(work: Work, row: TopicRow, filed: Sequence[Event]) -> TopicRow:
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
