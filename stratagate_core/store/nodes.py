"""Writes `nodes`, `facts` and `edges`: the graph as it was folded last."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from stratagate_core.model.graph import Edge, Fact, Node, Provenance, Support
from stratagate_core.store.lists import among
from stratagate_core.store.schema import edges, facts, nodes
from stratagate_core.store.tx import Row, Tx


def put_nodes(tx: Tx, gone: Iterable[str], folded: Sequence[Node]) -> None:
    """Store nodes with their facts, in place of those with the same ids and of those gone."""
    ids = sorted({*gone, *(node.id for node in folded)})
    tx.change(sa.delete(nodes).where(tx.of(nodes), among(tx, nodes.c.id, ids)))
    tx.change(sa.delete(facts).where(tx.of(facts), among(tx, facts.c.node_id, ids)))
    tx.insert(nodes, [_node_row(node) for node in folded])
    tx.insert(facts, [row for node in folded for row in _fact_rows(node)])


def put_edges(tx: Tx, starts: Iterable[str], folded: Sequence[Edge]) -> None:
    """Store the edges that leave these nodes, in place of those that left them."""
    leaving = among(tx, edges.c.from_node_id, sorted(set(starts)))
    tx.change(sa.delete(edges).where(tx.of(edges), leaving))
    tx.insert(edges, [_edge_row(edge, at) for at, edge in enumerate(folded)])


def clear(tx: Tx) -> None:
    """Remove the whole graph of the namespace."""
    for table in (nodes, facts, edges):
        tx.change(sa.delete(table).where(tx.of(table)))


def by_ids(tx: Tx, ids: Iterable[str]) -> dict[str, Node]:
    """Nodes with their facts by id; unknown ids are absent."""
    wanted = sorted(set(ids))
    query = sa.select(nodes).where(tx.of(nodes), among(tx, nodes.c.id, wanted))
    rows = tx.rows(query)
    of_node: dict[str, list[Fact]] = {}
    stored = sa.select(facts).where(tx.of(facts), among(tx, facts.c.node_id, wanted))
    for row in tx.rows(stored.order_by(facts.c.node_id, facts.c.position)):
        of_node.setdefault(row.node_id, []).append(_fact(row))
    return {row.id: _node(row, tuple(of_node.get(row.id, ()))) for row in rows}


def metadata(tx: Tx, ids: Iterable[str]) -> dict[str, Node]:
    """As `by_ids`, without the facts."""
    query = sa.select(nodes).where(tx.of(nodes), among(tx, nodes.c.id, sorted(set(ids))))
    return {row.id: _node(row, ()) for row in tx.rows(query)}


def edges_at(tx: Tx, ids: Iterable[str]) -> dict[str, tuple[Edge, ...]]:
    """The edges that leave or reach each of these nodes: leaving ones first."""
    wanted = frozenset(ids)
    # one query for each end: no planner uses two indexes for one query everywhere
    ends = [among(tx, end, sorted(wanted)) for end in (edges.c.from_node_id, edges.c.to_node_id)]
    touching = {
        row.id: row for end in ends for row in tx.rows(sa.select(edges).where(tx.of(edges), end))
    }
    found: dict[str, list[tuple[tuple[Any, ...], Edge]]] = {key: [] for key in wanted}
    for row in sorted(touching.values(), key=lambda row: (row.position, row.id)):
        edge = _edge(row)
        for node in {edge.from_node_id, edge.to_node_id} & wanted:
            order = (edge.from_node_id != node, edge.from_node_id, row.position)
            found[node].append((order, edge))
    return {
        key: tuple(edge for _, edge in sorted(ordered, key=lambda entry: entry[0]))
        for key, ordered in found.items()
    }


def recent_ids(tx: Tx, *, limit: int) -> tuple[str, ...]:
    """The nodes that were changed last."""
    order = (nodes.c.updated_at.desc(), nodes.c.id)
    query = sa.select(nodes.c.id).where(tx.of(nodes)).order_by(*order).limit(limit)
    return tuple(row.id for row in tx.rows(query))


def shown_page(tx: Tx, *, limit: int, offset: int) -> tuple[tuple[str, ...], int]:
    """Ids of the nodes that are not set aside, the last changed first, and how many there are."""
    shown = (tx.of(nodes), nodes.c.status.in_(("active", "disputed")))
    order = (nodes.c.updated_at.desc(), nodes.c.id)
    query = sa.select(nodes.c.id).where(*shown).order_by(*order).limit(limit).offset(offset)
    total = tx.scalar(sa.select(sa.func.count()).select_from(nodes).where(*shown))
    return tuple(row.id for row in tx.rows(query)), int(total)


def pages(tx: Tx, *, size: int = 200) -> Iterator[tuple[str, ...]]:
    """The ids of all nodes in their order, a page at a time."""
    last = ""
    while True:
        query = sa.select(nodes.c.id).where(tx.of(nodes), nodes.c.id > last)
        page = tuple(row.id for row in tx.rows(query.order_by(nodes.c.id).limit(size)))
        if not page:
            return
        last = page[-1]
        yield page


def counts(tx: Tx) -> dict[str, int]:
    """How many nodes, facts and edges there are."""
    return {
        table.name: int(
            tx.scalar(sa.select(sa.func.count()).select_from(table).where(tx.of(table)))
        )
        for table in (nodes, facts, edges)
    }


def _node_row(node: Node) -> dict[str, Any]:
    proof = node.provenance
    lists = ("aliases", "tags", "source_event_ids")
    plain = ("id", "name", "type", "status", "confidence", "created_at", "updated_at")
    return {
        **{name: getattr(node, name) for name in plain},
        **{name: list(getattr(node, name)) for name in lists},
        "provenance": None
        if proof is None
        else {
            "name": list(proof.name),
            "aliases": {key: list(ids) for key, ids in proof.aliases.items()},
            "tags": {key: list(ids) for key, ids in proof.tags.items()},
        },
    }


_SHARED = ("id", "status", "valid_from", "valid_to", "confidence", "created_at", "updated_at")


def _fact_rows(node: Node) -> list[dict[str, Any]]:
    return [
        {
            **{name: getattr(fact, name) for name in (*_SHARED, "node_id", "key", "mode")},
            "position": at,
            "value": list(fact.value) if isinstance(fact.value, tuple) else fact.value,
            "depends_on": [{"key": one.key, "node": one.node} for one in fact.depends_on],
            "source_event_ids": list(fact.source_event_ids),
        }
        for at, fact in enumerate(node.facts)
    ]


def _edge_row(edge: Edge, position: int) -> dict[str, Any]:
    own = ("from_node_id", "to_node_id", "relation", "cardinality")
    return {
        **{name: getattr(edge, name) for name in (*_SHARED, *own)},
        "position": position,
        "source_event_ids": list(edge.source_event_ids),
    }


def _node(row: Row, held: tuple[Fact, ...]) -> Node:
    return Node(
        id=row.id,
        name=row.name,
        type=row.type,
        aliases=tuple(row.aliases or ()),
        tags=tuple(row.tags or ()),
        provenance=_provenance(row.provenance),
        facts=held,
        status=row.status,
        confidence=row.confidence,
        source_event_ids=tuple(row.source_event_ids or ()),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _provenance(raw: Any) -> Provenance | None:
    """What proves the metadata; damaged provenance counts as none."""
    if not isinstance(raw, dict):
        return None
    return Provenance(
        name=tuple(raw.get("name") or ()),
        aliases={key: tuple(ids) for key, ids in (raw.get("aliases") or {}).items()},
        tags={key: tuple(ids) for key, ids in (raw.get("tags") or {}).items()},
    )


def _fact(row: Row) -> Fact:
    values = row._mapping
    return Fact(
        **{name: values[name] for name in (*_SHARED, "node_id", "key", "mode")},
        value=tuple(row.value) if isinstance(row.value, list) else row.value,
        depends_on=tuple(Support(**one) for one in row.depends_on or ()),
        source_event_ids=tuple(row.source_event_ids or ()),
    )


def _edge(row: Row) -> Edge:
    own = ("from_node_id", "to_node_id", "relation", "cardinality")
    return Edge(
        **{name: row._mapping[name] for name in (*_SHARED, *own)},
        source_event_ids=tuple(row.source_event_ids or ()),
    )
