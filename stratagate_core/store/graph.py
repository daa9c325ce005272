"""Writes `graph_batches`, `graph_sources`, `graph_answers`, `graph_members` and `graph_names`.

That is: what was asked about, what was answered, and which node each part of an answer became.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from stratagate_core.store.lists import among
from stratagate_core.store.schema import (
    events,
    graph_answers,
    graph_batches,
    graph_members,
    graph_names,
    graph_sources,
)
from stratagate_core.store.tx import Row, Tx

#: (answer id, ref)
Ref = tuple[str, str]


def queue(tx: Tx, batch_id: str, event_ids: Iterable[str], *, version: int) -> None:
    """Note which events a batch holds."""
    rows = [{"event_id": key, "version": version, "batch_id": batch_id} for key in event_ids]
    tx.insert(graph_batches, rows)


def queued(tx: Tx, event_ids: Iterable[str], *, version: int) -> frozenset[str]:
    """Which of these events stand in a batch of this version."""
    held = graph_batches.c
    query = sa.select(held.event_id).where(
        tx.of(graph_batches),
        held.version == version,
        among(tx, held.event_id, list(event_ids)),
    )
    return frozenset(row.event_id for row in tx.rows(query))


def batch_events(tx: Tx, batch_id: str) -> tuple[str, ...]:
    """The events of a batch."""
    query = sa.select(graph_batches.c.event_id).where(
        tx.of(graph_batches), graph_batches.c.batch_id == batch_id
    )
    return tuple(row.event_id for row in tx.rows(query.order_by(graph_batches.c.event_id)))


def batches_of(tx: Tx, event_ids: Iterable[str]) -> tuple[str, ...]:
    """The batches that hold one of these events."""
    query = sa.select(graph_batches.c.batch_id).where(
        tx.of(graph_batches), among(tx, graph_batches.c.event_id, list(event_ids))
    )
    return tuple(row.batch_id for row in tx.rows(query.distinct().order_by("batch_id")))


def put_source(tx: Tx, event_id: str, **values: Any) -> None:
    """Note an event behind the graph, once."""
    tx.upsert(graph_sources, {"event_id": event_id, **values}, replace=False)


def sources(tx: Tx, event_ids: Iterable[str]) -> tuple[Row, ...]:
    """The noted events among these, with their present status and superseder."""
    joined = sa.join(
        graph_sources,
        events,
        sa.and_(
            events.c.namespace == graph_sources.c.namespace,
            events.c.id == graph_sources.c.event_id,
        ),
    )
    query = (
        sa.select(*graph_sources.c, events.c.status, events.c.superseded_by)
        .select_from(joined)
        .where(
            tx.of(graph_sources),
            among(tx, graph_sources.c.event_id, sorted(set(event_ids))),
        )
    )
    return tuple(tx.rows(query))


def put_answer(
    tx: Tx,
    answer_id: str,
    answer: Mapping[str, Any],
    *,
    reason: str,
    prompt_hash: str,
    now: datetime,
) -> None:
    """Store an admitted answer."""
    row = {"id": answer_id, "answer": answer, "reason": reason}
    tx.insert(graph_answers, [{**row, "prompt_hash": prompt_hash, "created_at": now}])


def answers(tx: Tx, ids: Iterable[str]) -> dict[str, Any]:
    """Stored answers by id."""
    query = sa.select(graph_answers.c.id, graph_answers.c.answer).where(
        tx.of(graph_answers), among(tx, graph_answers.c.id, sorted(set(ids)))
    )
    return {row.id: row.answer for row in tx.rows(query.order_by(graph_answers.c.id))}


def put_statements(tx: Tx, answer_id: str, answer: Mapping[str, Any]) -> None:
    """Store what is left of an answer after a purge."""
    where = (tx.of(graph_answers), graph_answers.c.id == answer_id)
    tx.change(sa.update(graph_answers).where(*where).values(answer=dict(answer)))


def forget_reasons(tx: Tx) -> None:
    """Blank the reasons of all answers: a model saw more of the graph than it answered about."""
    told = graph_answers.c.reason != ""
    tx.change(sa.update(graph_answers).where(tx.of(graph_answers), told).values(reason=""))


def forget_events(tx: Tx, event_ids: Iterable[str]) -> None:
    """Drop what is known of deleted events."""
    gone = list(event_ids)
    for table in (graph_sources, graph_batches):
        tx.change(sa.delete(table).where(tx.of(table), among(tx, table.c.event_id, gone)))


def keep_names(tx: Tx, answer_id: str, kept: Mapping[str, Collection[str]]) -> None:
    """Of the nodes of an answer keep these refs, each known by these keys only."""
    of = (tx.of(graph_names), graph_names.c.answer_id == answer_id)
    for row in tx.rows(sa.select(graph_names.c.ref, graph_names.c.key).where(*of)):
        if row.key not in kept.get(row.ref, ()):
            one = (graph_names.c.ref == row.ref, graph_names.c.key == row.key)
            tx.change(sa.delete(graph_names).where(*of, *one))
    members = (tx.of(graph_members), graph_members.c.answer_id == answer_id)
    other = graph_members.c.ref.not_in(list(kept))
    tx.change(sa.delete(graph_members).where(*members, other))


def delete_answer(tx: Tx, answer_id: str) -> None:
    """Delete an answer of which nothing is left."""
    for table, name in ((graph_answers, "id"), (graph_members, "answer_id")):
        tx.change(sa.delete(table).where(tx.of(table), table.c[name] == answer_id))
    names = (tx.of(graph_names), graph_names.c.answer_id == answer_id)
    tx.change(sa.delete(graph_names).where(*names))


def answer_ids(tx: Tx) -> tuple[str, ...]:
    """The ids of all stored answers."""
    query = sa.select(graph_answers.c.id).where(tx.of(graph_answers))
    return tuple(row.id for row in tx.rows(query.order_by(graph_answers.c.id)))


def put_names(tx: Tx, answer_id: str, names: Sequence[tuple[str, str, Collection[str]]]) -> None:
    """Note the nodes of an answer, as (ref, type, keys), and what they are known by."""
    of = {"answer_id": answer_id}
    tx.insert(graph_members, [{**of, "ref": ref, "node_id": None} for ref, _, _ in names])
    tx.insert(
        graph_names,
        [
            {**of, "ref": ref, "type": kind, "key": key}
            for ref, kind, keys in names
            for key in sorted(keys)
        ],
    )


def forget_names(tx: Tx) -> None:
    """Drop what `put_names` noted, for all answers."""
    for table in (graph_members, graph_names):
        tx.change(sa.delete(table).where(tx.of(table)))


def named(tx: Tx, keys: Collection[tuple[str, str]]) -> frozenset[Ref]:
    """The nodes of answers that are known by one of these (type, key)."""
    wanted = frozenset(keys)
    query = sa.select(graph_names).where(
        tx.of(graph_names), among(tx, graph_names.c.key, sorted({key for _, key in wanted}))
    )
    rows = tx.rows(query)
    return frozenset((row.answer_id, row.ref) for row in rows if (row.type, row.key) in wanted)


def keys_of(tx: Tx, refs: Collection[Ref]) -> frozenset[tuple[str, str]]:
    """What these nodes of answers are known by."""
    wanted = frozenset(refs)
    inside = among(tx, graph_names.c.answer_id, sorted({answer for answer, _ in wanted}))
    rows = tx.rows(sa.select(graph_names).where(tx.of(graph_names), inside))
    return frozenset((row.type, row.key) for row in rows if (row.answer_id, row.ref) in wanted)


def named_nodes(tx: Tx, keys: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The nodes that are known by each key, whatever their type, in the order of their ids."""
    joined = sa.join(
        graph_names,
        graph_members,
        sa.and_(
            graph_members.c.namespace == graph_names.c.namespace,
            graph_members.c.answer_id == graph_names.c.answer_id,
            graph_members.c.ref == graph_names.c.ref,
        ),
    )
    query = (
        sa.select(graph_names.c.key, graph_members.c.node_id)
        .select_from(joined)
        .where(
            tx.of(graph_names),
            among(tx, graph_names.c.key, sorted(set(keys))),
            graph_members.c.node_id.is_not(None),
        )
        .distinct()
        .order_by(graph_names.c.key, graph_members.c.node_id)
    )
    found: dict[str, tuple[str, ...]] = {}
    for row in tx.rows(query):
        found[row.key] = (*found.get(row.key, ()), row.node_id)
    return found


def members_of_answers(tx: Tx, ids: Iterable[str]) -> dict[Ref, str | None]:
    """The nodes of these answers and what each became."""
    inside = among(tx, graph_members.c.answer_id, sorted(set(ids)))
    return _members(tx, inside)


def members_of_nodes(tx: Tx, ids: Iterable[str]) -> dict[Ref, str | None]:
    """The nodes of answers that became one of these nodes."""
    return _members(tx, among(tx, graph_members.c.node_id, sorted(set(ids))))


def _members(tx: Tx, condition: sa.ColumnElement[bool]) -> dict[Ref, str | None]:
    query = sa.select(graph_members).where(tx.of(graph_members), condition)
    ordered = query.order_by(graph_members.c.answer_id, graph_members.c.ref)
    return {(row.answer_id, row.ref): row.node_id for row in tx.rows(ordered)}


def put_members(tx: Tx, members: Mapping[Ref, str | None]) -> None:
    """Note what nodes of answers became."""
    for (answer, ref), node in sorted(members.items()):
        here = (graph_members.c.answer_id == answer, graph_members.c.ref == ref)
        tx.change(sa.update(graph_members).where(tx.of(graph_members), *here).values(node_id=node))
