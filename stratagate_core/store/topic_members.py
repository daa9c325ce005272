"""Writes who stands in a topic: members, sections, their members, and what was read for it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from stratagate_core.store.lists import among
from stratagate_core.store.schema import (
    events,
    topic_members,
    topic_section_members,
    topic_sections,
    topic_sources,
)
from stratagate_core.store.tx import Row, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An event in a topic."""

    event_id: str
    position: int
    fingerprint: str
    category: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionRow:
    """A section: how many members it has, and the place of the first one in the topic."""

    key: str
    title: str
    first: int
    members: int


# --- members ----------------------------------------------------------------------------------


def add(tx: Tx, topic_id: str, members: Sequence[Member]) -> None:
    """Add members at their positions."""
    names = tuple(Member.__dataclass_fields__)
    rows = [{name: getattr(member, name) for name in names} for member in members]
    tx.insert(topic_members, [{"topic_id": topic_id, **row} for row in rows])


def remove(tx: Tx, topic_id: str, event_ids: Iterable[str]) -> None:
    """Take events out of a topic and out of its sections; empty sections vanish."""
    wanted = sorted(set(event_ids))
    leave_sections(tx, topic_id, wanted)
    here = (topic_members.c.topic_id == topic_id, among(tx, topic_members.c.event_id, wanted))
    tx.change(sa.delete(topic_members).where(tx.of(topic_members), *here))


def clear(tx: Tx, topic_id: str) -> None:
    """Remove all members, sections and sources of a topic."""
    clear_sections(tx, topic_id)
    for table in (topic_members, topic_sources):
        tx.change(sa.delete(table).where(tx.of(table), table.c.topic_id == topic_id))


def members(
    tx: Tx, topic_id: str, *, limit: int | None = None, offset: int = 0, newest: bool = False
) -> tuple[Member, ...]:
    """The members of a topic, the oldest or the newest first."""
    place = topic_members.c.position
    query = sa.select(topic_members).where(
        tx.of(topic_members), topic_members.c.topic_id == topic_id
    )
    ordered = query.order_by(place.desc() if newest else place).offset(offset or None)
    rows = tx.rows(ordered if limit is None else ordered.limit(limit))
    return tuple(_member(row) for row in rows)


def some(tx: Tx, topic_id: str, event_ids: Iterable[str]) -> tuple[Member, ...]:
    """Those members of a topic that are among these events, in member order."""
    wanted = among(tx, topic_members.c.event_id, sorted(set(event_ids)))
    query = sa.select(topic_members).where(
        tx.of(topic_members), topic_members.c.topic_id == topic_id, wanted
    )
    return tuple(_member(row) for row in tx.rows(query.order_by(topic_members.c.position)))


def remark(tx: Tx, topic_id: str, fingerprints: Mapping[str, str]) -> None:
    """Note what members say now."""
    for event_id, value in fingerprints.items():
        here = (topic_members.c.topic_id == topic_id, topic_members.c.event_id == event_id)
        statement = sa.update(topic_members).where(tx.of(topic_members), *here)
        tx.change(statement.values(fingerprint=value))


def _member(row: Row) -> Member:
    return Member(**{name: row._mapping[name] for name in Member.__dataclass_fields__})


def topics_of(tx: Tx, event_ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """The topics that hold each of these events, with its fingerprint there."""
    wanted = among(tx, topic_members.c.event_id, sorted(set(event_ids)))
    query = sa.select(
        topic_members.c.event_id, topic_members.c.topic_id, topic_members.c.fingerprint
    ).where(tx.of(topic_members), wanted)
    found: dict[str, dict[str, str]] = {}
    for row in tx.rows(query.order_by(topic_members.c.event_id, topic_members.c.topic_id)):
        found.setdefault(row.event_id, {})[row.topic_id] = row.fingerprint
    return found


def held(tx: Tx, topic_id: str, event_ids: Iterable[str]) -> dict[str, int]:
    """Which of these events are in a topic, and at which position."""
    wanted = among(tx, topic_members.c.event_id, sorted(set(event_ids)))
    query = sa.select(topic_members.c.event_id, topic_members.c.position).where(
        tx.of(topic_members), topic_members.c.topic_id == topic_id, wanted
    )
    return {row.event_id: row.position for row in tx.rows(query)}


# --- sections ---------------------------------------------------------------------------------


def sections(tx: Tx, topic_id: str) -> tuple[SectionRow, ...]:
    """The sections of a topic in their order: by their earliest member, then by key."""
    joined = topic_sections.join(
        topic_section_members,
        sa.and_(
            topic_section_members.c.namespace == topic_sections.c.namespace,
            topic_section_members.c.topic_id == topic_sections.c.topic_id,
            topic_section_members.c.key == topic_sections.c.key,
        ),
    )
    first = sa.func.min(topic_section_members.c.position).label("first")
    query = (
        sa.select(
            topic_sections.c.key, topic_sections.c.title, first, sa.func.count().label("number")
        )
        .select_from(joined)
        .where(tx.of(topic_sections), topic_sections.c.topic_id == topic_id)
        .group_by(topic_sections.c.key, topic_sections.c.title)
    )
    rows = sorted(tx.rows(query), key=lambda row: (row.first, row.key))
    return tuple(
        SectionRow(key=row.key, title=row.title, first=row.first, members=row.number)
        for row in rows
    )


def titles(tx: Tx, topic_id: str) -> dict[str, str]:
    """The titles of the sections of a topic by their keys."""
    here = (tx.of(topic_sections), topic_sections.c.topic_id == topic_id)
    return {row.key: row.title for row in tx.rows(sa.select(topic_sections).where(*here))}


def section_members(tx: Tx, topic_id: str) -> dict[str, tuple[str, ...]]:
    """The events of every section of a topic, in member order."""
    table = topic_section_members
    query = sa.select(table).where(tx.of(table), table.c.topic_id == topic_id)
    found: dict[str, tuple[str, ...]] = {}
    for row in tx.rows(query.order_by(table.c.key, table.c.position)):
        found[row.key] = (*found.get(row.key, ()), row.event_id)
    return found


def sections_of(tx: Tx, topic_id: str, event_ids: Iterable[str]) -> dict[str, frozenset[str]]:
    """The keys of the sections that each of these events stands in."""
    table = topic_section_members
    wanted = among(tx, table.c.event_id, sorted(set(event_ids)))
    query = sa.select(table.c.event_id, table.c.key)
    rows = tx.rows(query.where(tx.of(table), table.c.topic_id == topic_id, wanted))
    found: dict[str, frozenset[str]] = {}
    for row in rows:
        found[row.event_id] = found.get(row.event_id, frozenset()) | {row.key}
    return found


def emptied(tx: Tx, topic_id: str, event_ids: Collection[str]) -> frozenset[str]:
    """The keys of the sections that hold no one else than these events."""
    table = topic_section_members
    keys = {key for held_ in sections_of(tx, topic_id, event_ids).values() for key in held_}
    lost = set()
    for key in keys:
        query = sa.select(table.c.event_id).where(
            tx.of(table), table.c.topic_id == topic_id, table.c.key == key
        )
        rows = tx.rows(query.limit(len(event_ids) + 1))
        if {row.event_id for row in rows} <= set(event_ids):
            lost.add(key)
    return frozenset(lost)


def enter_sections(
    tx: Tx, topic_id: str, titles_: Mapping[str, str], entering: Mapping[str, Mapping[str, int]]
) -> None:
    """Put events into sections: key of the section -> event -> its position in the topic."""
    for key in entering:
        row = {"topic_id": topic_id, "key": key, "title": titles_[key]}
        tx.upsert(topic_sections, row, replace=False)
        for event_id, position in entering[key].items():
            place = {"topic_id": topic_id, "key": key, "event_id": event_id}
            tx.upsert(topic_section_members, {**place, "position": position})


def leave_sections(tx: Tx, topic_id: str, event_ids: Iterable[str]) -> None:
    """Take events out of all sections of a topic; empty sections vanish."""
    table = topic_section_members
    wanted = sorted(set(event_ids))
    here = (tx.of(table), table.c.topic_id == topic_id, among(tx, table.c.event_id, wanted))
    left = {row.key for row in tx.rows(sa.select(table.c.key).where(*here).distinct())}
    if not left:
        return
    tx.change(sa.delete(table).where(*here))
    for key in sorted(left):
        inside = (table.c.topic_id == topic_id, table.c.key == key)
        if tx.row(sa.select(table.c.event_id).where(tx.of(table), *inside).limit(1)) is None:
            gone = (topic_sections.c.topic_id == topic_id, topic_sections.c.key == key)
            tx.change(sa.delete(topic_sections).where(tx.of(topic_sections), *gone))


def drop_section(tx: Tx, topic_id: str, key: str) -> None:
    """Remove a section; its events stay members of the topic."""
    for table in (topic_section_members, topic_sections):
        here = (tx.of(table), table.c.topic_id == topic_id, table.c.key == key)
        tx.change(sa.delete(table).where(*here))


def clear_sections(tx: Tx, topic_id: str) -> None:
    """Remove all sections of a topic; its members stay."""
    for table in (topic_section_members, topic_sections):
        tx.change(sa.delete(table).where(tx.of(table), table.c.topic_id == topic_id))


def without_section(tx: Tx, topic_id: str, *, limit: int | None = None) -> tuple[str, ...]:
    """The members of a topic that are in none of its sections, in member order."""
    inside = topic_section_members
    placed = sa.exists().where(
        inside.c.namespace == topic_members.c.namespace,
        inside.c.topic_id == topic_members.c.topic_id,
        inside.c.event_id == topic_members.c.event_id,
    )
    query = sa.select(topic_members.c.event_id).where(
        tx.of(topic_members), topic_members.c.topic_id == topic_id, ~placed
    )
    ordered = query.order_by(topic_members.c.position)
    rows = tx.rows(ordered if limit is None else ordered.limit(limit))
    return tuple(row.event_id for row in rows)


# --- what was read ----------------------------------------------------------------------------


def put_sources(tx: Tx, topic_id: str, event_ids: Iterable[str]) -> None:
    """Note events that were read when a topic got its words."""
    for event_id in sorted(set(event_ids)):
        tx.upsert(topic_sources, {"event_id": event_id, "topic_id": topic_id}, replace=False)


def sources_of(tx: Tx, topic_id: str) -> tuple[str, ...]:
    """The events that were read for a topic."""
    query = sa.select(topic_sources.c.event_id).where(
        tx.of(topic_sources), topic_sources.c.topic_id == topic_id
    )
    return tuple(row.event_id for row in tx.rows(query.order_by(topic_sources.c.event_id)))


def clear_sources(tx: Tx, topic_id: str) -> None:
    """The topic has no words any more."""
    here = topic_sources.c.topic_id == topic_id
    tx.change(sa.delete(topic_sources).where(tx.of(topic_sources), here))


def any_of_agent(tx: Tx, topic_id: str) -> bool:
    """Whether an event that an agent recorded is a member, or was read for the topic."""
    for table in (topic_members, topic_sources):
        same = sa.and_(events.c.namespace == table.c.namespace, events.c.id == table.c.event_id)
        query = (
            sa.select(events.c.id)
            .select_from(table.join(events, same))
            .where(tx.of(table), table.c.topic_id == topic_id, events.c.pool == "agent")
        )
        if tx.row(query.limit(1)) is not None:
            return True
    return False


def resting_on(tx: Tx, event_ids: Iterable[str]) -> frozenset[str]:
    """The topics for which one of these events was read."""
    wanted = among(tx, topic_sources.c.event_id, sorted(set(event_ids)))
    query = sa.select(topic_sources.c.topic_id).where(tx.of(topic_sources), wanted).distinct()
    return frozenset(row.topic_id for row in tx.rows(query))
