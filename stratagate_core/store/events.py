"""Writes `events`, `event_sources` and `event_supersedes`: the cards.

A card is never edited: after it was inserted only status, relations and weight change.
"""

from collections.abc import Sequence, Set
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from stratagate_core.cards import normalise
from stratagate_core.cards.fingerprint import fingerprint
from stratagate_core.model.event import VISIBLE, Event, Temporal, Weight
from stratagate_core.store.lists import among
from stratagate_core.store.schema import (
    event_sources,
    event_supersedes,
    events,
    graph_batches,
)
from stratagate_core.store.tx import Row, Tx

_UTC = ZoneInfo("UTC")
_CHUNK = 500
_SAFETY = "safety"


def insert(
    tx: Tx,
    event: Event,
    *,
    block_sequence: int,
    prompt_hash: str | None = None,
    occurrence: tuple[datetime, datetime] | None = None,
) -> None:
    """Store a new card with its sources and the events it supersedes."""
    weight = event.weight
    row = {
        "id": event.id,
        "pool": event.pool,
        "title": event.title,
        "summary": event.summary,
        "tags": list(event.tags),
        "quotes": list(event.quotes),
        "source_message_ids": list(event.source_message_ids),
        "source_block_id": event.source_block_id,
        "temporal": normalise.temporal_to_json(event.temporal),
        "scope": event.scope,
        "criticality": event.criticality,
        "status": event.status,
        "superseded_by": event.superseded_by,
        "mention_count": weight.mention_count,
        "last_adopted_turn": weight.last_adopted_turn,
        "pinned": weight.pinned,
        "floor_weight": weight.floor_weight,
        "forced_cap": weight.forced_cap,
        "formed_turn": event.formed_turn,
        "catalog_hints": None if event.catalog_hints is None else list(event.catalog_hints),
        "extractor_version": event.extractor_version,
        "prompt_hash": prompt_hash,
        "fingerprint": fingerprint(event.title, event.summary),
        "chronology": event.chronology,
        "happened_from": occurrence[0] if occurrence else None,
        "happened_to": occurrence[1] if occurrence else None,
        "block_sequence": block_sequence,
        "created_at": event.created_at,
        "updated_at": event.updated_at,
    }
    tx.insert(events, [row])
    sources = dict.fromkeys(event.source_message_ids)
    tx.insert(event_sources, [{"message_id": key, "event_id": event.id} for key in sources])
    targets = dict.fromkeys(event.temporal.supersedes_event_ids)
    tx.insert(event_supersedes, [{"target_id": key, "event_id": event.id} for key in targets])


def _change(tx: Tx, event_id: str, **values: Any) -> None:
    tx.change(sa.update(events).where(tx.of(events), events.c.id == event_id).values(**values))


def put_weight(tx: Tx, event_id: str, weight: Weight, *, now: datetime) -> None:
    """Store the weight of a card: the fold of its receipts, its pin and its cap."""
    _change(
        tx,
        event_id,
        mention_count=weight.mention_count,
        last_adopted_turn=weight.last_adopted_turn,
        pinned=weight.pinned,
        floor_weight=weight.floor_weight,
        forced_cap=weight.forced_cap,
        updated_at=now,
    )


def put_status(
    tx: Tx, event_id: str, *, status: str, superseded_by: str | None, now: datetime
) -> None:
    """Store the status of a card and what superseded it."""
    _change(tx, event_id, status=status, superseded_by=superseded_by, updated_at=now)


def put_participant_nodes(tx: Tx, event_id: str, node_ids: Sequence[str]) -> None:
    """Store which nodes of the graph rest on a card; nothing else of it changes."""
    raw = tx.scalar(sa.select(events.c.temporal).where(tx.of(events), events.c.id == event_id))
    times = {key: item for key, item in (raw or {}).items() if key != "participant_node_ids"}
    if node_ids:
        times["participant_node_ids"] = list(node_ids)
    if times != (raw or {}):
        _change(tx, event_id, temporal=times)


def put_temporal(tx: Tx, event_id: str, temporal: Temporal) -> None:
    """Store times and relations from which deleted events were taken out."""
    _change(tx, event_id, temporal=normalise.temporal_to_json(temporal))


def put_relations(tx: Tx, event_id: str, temporal: Temporal, *, now: datetime) -> None:
    """Store relations to which a later card was added."""
    _change(tx, event_id, temporal=normalise.temporal_to_json(temporal), updated_at=now)


def put_superseder(tx: Tx, event_id: str, *, status: str, by: str | None, now: datetime) -> None:
    """What supersedes a card now that another card is gone; a hidden card stays hidden."""
    shown = sa.case((events.c.status.in_(VISIBLE), status), else_=events.c.status)
    cap = sa.case((sa.literal(by is None), None), else_=events.c.forced_cap)
    _change(tx, event_id, status=shown, superseded_by=by, forced_cap=cap, updated_at=now)


def delete(tx: Tx, ids: Sequence[str]) -> None:
    """Delete cards for good, with their sources and what they superseded; only a purge does."""
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        for column in (
            event_sources.c.event_id,
            event_supersedes.c.event_id,
            event_supersedes.c.target_id,
            events.c.id,
        ):
            table = column.table
            tx.change(sa.delete(table).where(tx.of(table), column.in_(chunk)))


def citing(tx: Tx, message_ids: Sequence[str]) -> frozenset[str]:
    """The cards that cite one of these messages."""
    found: set[str] = set()
    for start in range(0, len(message_ids), _CHUNK):
        chunk = event_sources.c.message_id.in_(message_ids[start : start + _CHUNK])
        query = sa.select(event_sources.c.event_id).where(tx.of(event_sources), chunk)
        found |= {row.event_id for row in tx.rows(query)}
    return frozenset(found)


def superseded_by(tx: Tx, ids: Sequence[str]) -> tuple[str, ...]:
    """The cards that one of these superseded."""
    query = sa.select(events.c.id).where(tx.of(events), events.c.superseded_by.in_(ids))
    return tuple(row.id for row in tx.rows(query.order_by(events.c.id)))


def naming(tx: Tx, ids: Set[str]) -> tuple[Event, ...]:
    """Other cards that relate to one of these: all cards are looked at."""
    others = (tx.of(events), ~among(tx, events.c.id, sorted(ids)))
    cards = (_event(row) for row in tx.rows(sa.select(events).where(*others)))
    return tuple(card for card in cards if not ids.isdisjoint(card.temporal.all_related_ids))


def get(tx: Tx, event_id: str) -> Event | None:
    """One card, whatever its status, or None."""
    return by_ids(tx, [event_id]).get(event_id)


def by_ids(tx: Tx, ids: Sequence[str]) -> dict[str, Event]:
    """Cards by id, whatever their status; unknown ids are absent."""
    found: dict[str, Event] = {}
    values = list(ids)
    for start in range(0, len(values), _CHUNK):
        chunk = events.c.id.in_(values[start : start + _CHUNK])
        found |= {row.id: _event(row) for row in tx.rows(_select(tx, chunk))}
    return found


def existing(tx: Tx, ids: Sequence[str]) -> frozenset[str]:
    """Which of these ids are taken, in either pool."""
    query = sa.select(events.c.id).where(tx.of(events), events.c.id.in_(list(ids)))
    return frozenset(row.id for row in tx.rows(query))


def by_fingerprint(tx: Tx, mark: str) -> tuple[Event, ...]:
    """The active cards of either pool whose title and summary say the same, oldest first."""
    same = sa.and_(events.c.fingerprint == mark, events.c.status == "active")
    query = _select(tx, same).order_by(events.c.created_at, events.c.id)
    return tuple(_event(row) for row in tx.rows(query))


def waiting_for_graph(tx: Tx, version: int, *, limit: int) -> tuple[str, ...]:
    """Visible events that no batch of this projector version holds, the most telling first."""
    known = sa.select(graph_batches.c.event_id).where(
        tx.of(graph_batches), graph_batches.c.version == version
    )
    active = sa.case((events.c.status == "active", 10_000), else_=0)
    project = sa.case((events.c.scope == "project", 500), else_=0)
    telling = active + 100 * events.c.mention_count + project
    query = (
        sa.select(events.c.id)
        .where(tx.of(events), events.c.status.in_(VISIBLE), events.c.id.not_in(known))
        .order_by(telling.desc(), events.c.chronology.desc(), events.c.id.desc())
        .limit(limit)
    )
    return tuple(row.id for row in tx.rows(query))


def superseders(tx: Tx, event_id: str) -> tuple[str, ...]:
    """The visible events that supersede one, newest first."""
    joined = sa.join(
        event_supersedes,
        events,
        sa.and_(
            events.c.namespace == event_supersedes.c.namespace,
            events.c.id == event_supersedes.c.event_id,
        ),
    )
    query = (
        sa.select(events.c.id)
        .select_from(joined)
        .where(
            tx.of(event_supersedes),
            event_supersedes.c.target_id == event_id,
            events.c.status.in_(VISIBLE),
        )
        .order_by(events.c.created_at.desc(), events.c.id.desc())
    )
    return tuple(row.id for row in tx.rows(query))


def recent(tx: Tx, *, limit: int) -> tuple[Event, ...]:
    """The newest visible passive events: by source block, formed turn, time and id (02 §5)."""
    order = (
        events.c.block_sequence.desc(),
        events.c.formed_turn.desc(),
        events.c.created_at.desc(),
        events.c.id.desc(),
    )
    passive = sa.and_(events.c.pool == "passive", events.c.status.in_(VISIBLE))
    return tuple(_event(row) for row in tx.rows(_select(tx, passive).order_by(*order).limit(limit)))


def always_on(tx: Tx, *, limit: int, pools: Sequence[str]) -> tuple[Event, ...]:
    """Visible events that are pinned or of criticality safety, newest anchor first."""
    chosen = sa.or_(events.c.pinned.is_(True), events.c.criticality == _SAFETY)
    visible = sa.and_(chosen, events.c.status.in_(VISIBLE), events.c.pool.in_(pools))
    order = (events.c.last_adopted_turn.desc(), events.c.id.desc())
    return tuple(_event(row) for row in tx.rows(_select(tx, visible).order_by(*order).limit(limit)))


def counts(tx: Tx) -> dict[str, int]:
    """How many events there are by status."""
    query = sa.select(events.c.status, sa.func.count().label("number")).where(tx.of(events))
    return {row.status: row.number for row in tx.rows(query.group_by(events.c.status))}


def _select(tx: Tx, *conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return sa.select(events).where(tx.of(events), *conditions)


def _event(row: Row) -> Event:
    """The card of a row; damaged optional values are dropped, they never break a read."""
    values = row._mapping
    return Event(
        id=row.id,
        pool=row.pool,
        title=row.title,
        summary=row.summary,
        tags=normalise.texts(row.tags),
        quotes=normalise.texts(row.quotes),
        source_message_ids=_ids(row.source_message_ids),
        source_block_id=row.source_block_id,
        temporal=normalise.temporal(row.temporal, timezone=_UTC),
        scope=normalise.scope(row.scope) or "session",
        criticality=normalise.criticality(row.criticality),
        status=row.status,
        superseded_by=row.superseded_by,
        weight=Weight(**{name: values[name] for name in Weight.__dataclass_fields__}),
        formed_turn=row.formed_turn,
        catalog_hints=normalise.catalog_hints(row.catalog_hints),
        extractor_version=normalise.extractor_version(row.extractor_version),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _ids(value: Any) -> tuple[str, ...]:
    """The ids in a stored list; none in a damaged one."""
    return tuple(key for key in value if isinstance(key, str)) if isinstance(value, list) else ()
