"""Reads a whole database and tells what does not fit together. Writes nothing.

A check looks at rows of all namespaces and gives the ids of those that are damaged. Damage
should be impossible; this is how one can be sure.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from stratagate_core.model.event import RELATIONS
from stratagate_core.store import schema
from stratagate_core.store.tx import AdminTx, Row

_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check saw: how many rows, and which are damaged."""

    check: str
    looked_at: int
    #: where it is and what is wrong, one line each
    faults: tuple[str, ...] = ()


#: column of a table -> the table and column that must hold its value, if it has one
_REFERENCES: tuple[tuple[sa.Table, str, sa.Table, str], ...] = (
    (schema.messages, "turn", schema.turns, "number"),
    (schema.messages, "block_id", schema.blocks, "id"),
    (schema.turns, "block_id", schema.blocks, "id"),
    (schema.blocks, "anchor_block", schema.blocks, "id"),
    (schema.events, "source_block_id", schema.blocks, "id"),
    (schema.events, "superseded_by", schema.events, "id"),
    (schema.event_sources, "event_id", schema.events, "id"),
    (schema.event_sources, "message_id", schema.messages, "id"),
    (schema.event_supersedes, "event_id", schema.events, "id"),
    (schema.event_supersedes, "target_id", schema.events, "id"),
    (schema.graph_sources, "event_id", schema.events, "id"),
    (schema.graph_members, "answer_id", schema.graph_answers, "id"),
    (schema.graph_members, "node_id", schema.nodes, "id"),
    (schema.facts, "node_id", schema.nodes, "id"),
    (schema.edges, "from_node_id", schema.nodes, "id"),
    (schema.edges, "to_node_id", schema.nodes, "id"),
    (schema.topic_members, "topic_id", schema.topics, "id"),
    (schema.topic_members, "event_id", schema.events, "id"),
    (schema.topic_sections, "topic_id", schema.topics, "id"),
    (schema.topic_section_members, "topic_id", schema.topics, "id"),
    (schema.topic_section_members, "event_id", schema.events, "id"),
    (schema.topic_sources, "event_id", schema.events, "id"),
    (schema.topic_sources, "topic_id", schema.topics, "id"),
    (schema.dream_steps, "run", schema.dream_runs, "number"),
    (schema.topic_queue, "event_id", schema.events, "id"),
    (schema.topic_queue, "batch_id", schema.topic_batches, "id"),
    (schema.reinforcements, "event_id", schema.events, "id"),
    (schema.use_receipts, "batch_id", schema.batches, "id"),
    (schema.memory_records, "event_id", schema.events, "id"),
)
_IDENTITIES: tuple[tuple[sa.Table, str], ...] = (
    (schema.messages, "id"),
    (schema.turns, "number"),
    (schema.blocks, "id"),
    (schema.events, "id"),
    (schema.graph_answers, "id"),
    (schema.nodes, "id"),
    (schema.facts, "id"),
    (schema.edges, "id"),
    (schema.topics, "id"),
    (schema.batches, "id"),
    (schema.jobs, "id"),
)
_COUNTERS: Mapping[sa.Table, tuple[str, ...]] = {
    schema.namespaces: ("current_turn", "block_sequence", "batch_sequence", "revision"),
    schema.threads: ("epoch", "turns", "tail", "sealed"),
    schema.events: ("mention_count", "last_adopted_turn", "formed_turn", "floor_weight"),
    schema.jobs: ("attempts",),
    schema.index_stats: ("documents", "length"),
}


def schema_version(tx: AdminTx) -> int:
    """The schema version that is stored."""
    query = sa.select(schema.meta.c.value).where(schema.meta.c.key == "schema_version")
    return int(tx.scalar(query))


def findings(tx: AdminTx) -> Iterator[Finding]:
    """All checks, one after the other."""
    checks: tuple[Callable[[AdminTx], Finding], ...] = (
        _file,
        _unique_ids,
        _references,
        _relations,
        _sources_in_block,
        _ready_blocks,
        _counters,
    )
    return (check(tx) for check in checks)


def _file(tx: AdminTx) -> Finding:
    """SQLite's own check of its pages; another database looks after itself."""
    if tx.is_postgresql:
        return Finding(check="database pages", looked_at=0)
    answers = [str(row[0]) for row in tx.rows(sa.text("PRAGMA quick_check"))]
    faults = () if answers == ["ok"] else tuple(answers)
    pages = int(tx.scalar(sa.text("PRAGMA page_count")))
    return Finding(check="database pages", looked_at=pages, faults=faults)


def _unique_ids(tx: AdminTx) -> Finding:
    faults: list[str] = []
    looked_at = 0
    for table, name in _IDENTITIES:
        looked_at += _count(tx, table)
        identity = (table.c.namespace, table.c[name].label("id"))
        doubled = sa.select(*identity).group_by(*identity).having(sa.func.count() > 1)
        faults += [_fault(row.namespace, table, row.id, "stands twice") for row in tx.rows(doubled)]
    return Finding(check="ids are unique", looked_at=looked_at, faults=tuple(faults))


def _references(tx: AdminTx) -> Finding:
    faults: list[str] = []
    looked_at = 0
    for table, name, target, key in _REFERENCES:
        source, held = table.c[name], target.alias("held")
        looked_at += int(tx.scalar(sa.select(sa.func.count(source))))
        same = sa.and_(held.c.namespace == table.c.namespace, held.c[key] == source)
        lost = sa.select(table).where(source.is_not(None), ~sa.exists().where(same))
        for row in tx.rows(lost):
            what = f"{name} {row._mapping[source]!r} is not among the {target.name}"
            faults.append(_fault(row.namespace, table, _identity(row, table), what))
    return Finding(check="references resolve", looked_at=looked_at, faults=tuple(faults))


def _relations(tx: AdminTx) -> Finding:
    """What stands inside JSON values: relations of events and evidence of batches."""
    known = {
        (row.namespace, row.id)
        for row in tx.rows(sa.select(schema.events.c.namespace, schema.events.c.id))
    }
    faults: list[str] = []
    looked_at = 0
    for table, namespace, key, named in _named_events(tx):
        looked_at += 1
        if (namespace, named) not in known:
            faults.append(_fault(namespace, table, key, f"names the unknown event {named!r}"))
    return Finding(check="relations resolve", looked_at=looked_at, faults=tuple(faults))


def _named_events(tx: AdminTx) -> Iterator[tuple[sa.Table, str, str, str]]:
    events, batches = schema.events, schema.batches
    query = sa.select(events.c.namespace, events.c.id, events.c.temporal)
    for row in tx.connection.execute(query.execution_options(yield_per=_PAGE)):
        times = row.temporal if isinstance(row.temporal, dict) else {}
        for relation in RELATIONS:
            for named in times.get(relation) or ():
                yield events, row.namespace, row.id, named
    query = sa.select(batches.c.namespace, batches.c.id, batches.c.evidence)
    for row in tx.connection.execute(query.execution_options(yield_per=_PAGE)):
        for evidence in row.evidence or ():
            for named in evidence.get("event_ids") or ():
                yield batches, row.namespace, row.id, named


def _sources_in_block(tx: AdminTx) -> Finding:
    """An event's sources are the messages its row lists, and stand in its block."""
    events, links, messages = schema.events, schema.event_sources, schema.messages
    joined = links.join(events, _same(links, events, links.c.event_id == events.c.id)).join(
        messages, _same(links, messages, links.c.message_id == messages.c.id)
    )
    outside = (
        sa.select(events.c.namespace, events.c.id, messages.c.id.label("message"))
        .select_from(joined)
        .where(
            events.c.source_block_id.is_not(None),
            messages.c.block_id.is_distinct_from(events.c.source_block_id),
        )
    )
    faults = [
        _fault(row.namespace, events, row.id, f"source {row.message!r} is outside its block")
        for row in tx.rows(outside)
    ]
    linked = sa.select(sa.func.count()).where(_same(links, events, links.c.event_id == events.c.id))
    query = sa.select(
        events.c.namespace,
        events.c.id,
        events.c.source_message_ids,
        linked.scalar_subquery().label("linked"),
    )
    looked_at = 0
    for row in tx.connection.execute(query.execution_options(yield_per=_PAGE)):
        looked_at += 1
        if not row.source_message_ids or len(set(row.source_message_ids)) != row.linked:
            faults.append(_fault(row.namespace, events, row.id, "its list of sources is damaged"))
    return Finding(check="sources stand in their block", looked_at=looked_at, faults=tuple(faults))


def _ready_blocks(tx: AdminTx) -> Finding:
    blocks = schema.blocks
    ready = blocks.c.status == "ready"
    looked_at = int(tx.scalar(sa.select(sa.func.count()).select_from(blocks).where(ready)))
    blank = sa.or_(
        sa.func.coalesce(sa.func.trim(blocks.c.title), "") == "",
        sa.func.coalesce(sa.func.trim(blocks.c.summary), "") == "",
        blocks.c.key_points.is_(None),
    )
    faults = tuple(
        _fault(row.namespace, blocks, row.id, "is ready without its levels L0 to L2")
        for row in tx.rows(sa.select(blocks).where(ready, blank))
    )
    return Finding(check="ready blocks have L0 to L2", looked_at=looked_at, faults=faults)


def _counters(tx: AdminTx) -> Finding:
    faults: list[str] = []
    looked_at = 0
    for table, names in _COUNTERS.items():
        looked_at += _count(tx, table) * len(names)
        for name in names:
            below = sa.select(table).where(table.c[name] < 0)
            faults += [
                _fault(row.namespace, table, _identity(row, table), f"{name} is negative")
                for row in tx.rows(below)
            ]
    return Finding(check="counters are not negative", looked_at=looked_at, faults=tuple(faults))


def _same(
    one: sa.Table, other: sa.Table, condition: sa.ColumnElement[bool]
) -> sa.ColumnElement[bool]:
    return sa.and_(one.c.namespace == other.c.namespace, condition)


def _count(tx: AdminTx, table: sa.Table) -> int:
    return int(tx.scalar(sa.select(sa.func.count()).select_from(table)))


def _identity(row: Row, table: sa.Table) -> str:
    keys = [key.name for key in table.primary_key.columns if key.name != "namespace"]
    return "/".join(str(row._mapping[key]) for key in keys)


def _fault(namespace: str, table: sa.Table, key: object, what: str) -> str:
    place = f"{table.name} {key}" if key else table.name
    return f"{namespace}: {place}: {what}"
