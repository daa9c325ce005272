"""Writes `topics` and `topic_entries`: the chapters, and the directory in its order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from stratagate_core.model.topic import CATEGORIES
from stratagate_core.store.lists import among
from stratagate_core.store.schema import topic_entries, topics
from stratagate_core.store.tx import Row, Tx

#: places in the directory: topics stand before events that are in none
TOPIC, EVENT = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRow:
    """One topic as it is stored, without its members and sections."""

    id: str
    title: str
    label: str
    description: str
    category: str
    created_at: datetime
    updated_at: datetime
    #: paragraphs: {kind, text, source_event_ids, section} and a title if it has one
    overview: tuple[Mapping[str, Any], ...] = ()
    #: {id, title, text, source_event_ids}
    experiences: tuple[Mapping[str, Any], ...] = ()
    agent: bool = False
    valid: bool = True
    by_rules: bool = False
    places: int = 0
    #: how many members are of each category
    tally: Mapping[str, int] = field(default_factory=dict)
    projector_version: int = 1
    prompt_hash: str = ""
    revision: int = 0

    @property
    def members(self) -> int:
        """How many members it has."""
        return sum(self.tally.values())


_NAMES = tuple(TopicRow.__dataclass_fields__)
_LISTS = ("overview", "experiences")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the directory: a topic, or an event that is in none."""

    id: str
    place: int
    category: str
    created_at: datetime
    agent: bool = False

    @property
    def order(self) -> tuple[int, datetime, str]:
        """Where it stands."""
        return self.place, self.created_at, self.id


# --- topics -----------------------------------------------------------------------------------


def put(tx: Tx, topic: TopicRow) -> None:
    """Store a topic; it counts as changed."""
    values = {name: getattr(topic, name) for name in _NAMES}
    values |= {name: [dict(part) for part in values[name]] for name in _LISTS}
    values["tally"] = dict(topic.tally)
    tx.upsert(topics, {**values, "revision": topic.revision + 1})


def delete(tx: Tx, ids: Iterable[str]) -> None:
    """Delete topics with their entries."""
    wanted = sorted(set(ids))
    tx.change(sa.delete(topics).where(tx.of(topics), among(tx, topics.c.id, wanted)))
    drop_entries(tx, wanted)


def by_ids(tx: Tx, ids: Iterable[str]) -> dict[str, TopicRow]:
    """Topics by id; unknown ids are absent."""
    query = sa.select(topics).where(tx.of(topics), among(tx, topics.c.id, sorted(set(ids))))
    return {row.id: _topic(row) for row in tx.rows(query)}


def by_labels(tx: Tx, labels: Iterable[str]) -> dict[str, TopicRow]:
    """Topics by what makes their titles one; titles that no topic has are absent."""
    wanted = sorted({label for label in labels if label})
    query = sa.select(topics).where(tx.of(topics), among(tx, topics.c.label, wanted))
    return {row.label: _topic(row) for row in tx.rows(query.order_by(topics.c.id))}


def all_labels(tx: Tx) -> dict[str, str]:
    """The topics that have words, by what makes their titles one."""
    query = sa.select(topics.c.label, topics.c.id).where(tx.of(topics), topics.c.label > "")
    return {row.label: row.id for row in tx.rows(query.order_by(topics.c.id))}


def last_changed(tx: Tx, *, limit: int) -> tuple[str, ...]:
    """The topics that were changed last."""
    order = (topics.c.updated_at.desc(), topics.c.id)
    query = sa.select(topics.c.id).where(tx.of(topics)).order_by(*order).limit(limit)
    return tuple(row.id for row in tx.rows(query))


def everything(tx: Tx) -> tuple[TopicRow, ...]:
    """All topics in directory order."""
    query = sa.select(topics).where(tx.of(topics)).order_by(topics.c.created_at, topics.c.id)
    return tuple(_topic(row) for row in tx.rows(query))


def _topic(row: Row) -> TopicRow:
    values = {name: row._mapping[name] for name in _NAMES}
    values |= {name: _parts(values[name]) for name in _LISTS}
    values["tally"] = values["tally"] or {}
    return TopicRow(**values)


def _parts(value: Any) -> tuple[Mapping[str, Any], ...]:
    """The parts in a stored list; none in a damaged one."""
    return (
        tuple(part for part in value if isinstance(part, dict)) if isinstance(value, list) else ()
    )


# --- the directory ----------------------------------------------------------------------------


def put_entries(tx: Tx, entries: Sequence[Entry]) -> None:
    """List entries in the directory, in place of those with the same ids."""
    drop_entries(tx, [entry.id for entry in entries])
    names = tuple(Entry.__dataclass_fields__)
    tx.insert(topic_entries, [{name: getattr(one, name) for name in names} for one in entries])


def drop_entries(tx: Tx, ids: Iterable[str]) -> None:
    """List these no more."""
    wanted = among(tx, topic_entries.c.id, sorted(set(ids)))
    tx.change(sa.delete(topic_entries).where(tx.of(topic_entries), wanted))


def listed(tx: Tx, ids: Iterable[str]) -> frozenset[str]:
    """Which of these are listed."""
    wanted = among(tx, topic_entries.c.id, sorted(set(ids)))
    query = sa.select(topic_entries.c.id).where(tx.of(topic_entries), wanted)
    return frozenset(row.id for row in tx.rows(query))


def counts(tx: Tx, *, agent: bool) -> dict[str, int]:
    """How many entries each category has; without `agent` not those that rest on its events."""
    category = topic_entries.c.category
    where = [tx.of(topic_entries), category.in_(CATEGORIES)]
    if not agent:
        where.append(topic_entries.c.agent.is_(False))
    query = sa.select(category, sa.func.count().label("number")).where(*where).group_by(category)
    found = {row.category: int(row.number) for row in tx.rows(query)}
    return {name: found[name] for name in CATEGORIES if name in found}


def first_entries(tx: Tx, category: str, *, agent: bool, limit: int) -> tuple[Entry, ...]:
    """The first entries of a category, in directory order."""
    query = sa.select(topic_entries).where(*_of_category(tx, category, agent=agent))
    order = (topic_entries.c.place, topic_entries.c.created_at, topic_entries.c.id)
    return tuple(_entry(row) for row in tx.rows(query.order_by(*order).limit(limit)))


def hidden_topics(tx: Tx) -> tuple[str, ...]:
    """The topics that rest on events of the agent, in directory order."""
    agents = [
        row
        for category in CATEGORIES
        for row in tx.rows(
            sa.select(topic_entries).where(
                *_of_category(tx, category, agent=True),
                topic_entries.c.place == TOPIC,
                topic_entries.c.agent.is_(True),
            )
        )
    ]
    return tuple(row.id for row in sorted(agents, key=lambda row: (row.created_at, row.id)))


def _of_category(tx: Tx, category: str, *, agent: bool) -> list[sa.ColumnElement[bool]]:
    where = [tx.of(topic_entries), topic_entries.c.category == category]
    return where if agent else [*where, topic_entries.c.agent.is_(False)]


def _entry(row: Row) -> Entry:
    return Entry(
        id=row.id,
        place=row.place,
        category=row.category,
        created_at=row.created_at,
        agent=row.agent,
    )
