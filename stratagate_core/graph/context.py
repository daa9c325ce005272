"""What the projector is shown beside its events: the part of the graph they may touch (05 §2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from stratagate_core.cards.instants import written
from stratagate_core.cards.normalise import temporal_to_json
from stratagate_core.engine import Work
from stratagate_core.graph.read import scene
from stratagate_core.graph.rules.statements import name_key
from stratagate_core.graph.rules.view import View
from stratagate_core.model.event import Event
from stratagate_core.model.graph import Edge, Fact
from stratagate_core.store import index, nodes
from stratagate_core.text.normalise import label_identity, normalise
from stratagate_core.text.tokens import query_tokens

#: nodes that are shown; the newest of them come after those that the events name
NODES, NEWEST, FACTS, EDGES, SOURCES = 32, 24, 12, 60, 16
_CANDIDATES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The shown part of the graph, and which fact keys its nodes have."""

    payload: Mapping[str, Any]
    known: Mapping[str, frozenset[str]]


def event_entry(event: Event, timezone: tzinfo) -> dict[str, Any]:
    """An event as the projector sees it: without hints, extractor version and quotes."""
    return {
        "id": event.id,
        "title": event.title,
        "summary": event.summary,
        "tags": list(event.tags),
        "scope": event.scope,
        "status": event.status,
        "temporal": temporal_to_json(event.temporal, timezone),
        "source_message_ids": list(event.source_message_ids)[:SOURCES],
    }


def context(work: Work, batch: Sequence[Event]) -> Context:
    """Nodes whose name or alias the events hold, then the newest ones, and edges among them."""
    text = " ".join(part for event in batch for part in (event.title, event.summary))
    shown = _nodes(work, text)
    ids = set(shown)
    edges = {edge.id: edge for one in shown.values() for edge in one.current_edges}
    among = [edge for edge in edges.values() if {edge.from_node_id, edge.to_node_id} <= ids]
    latest = sorted(among, key=_newest_first)[:EDGES]
    known: dict[str, frozenset[str]] = {}
    for one in shown.values():
        keys = frozenset(normalise(fact.key) for fact in one.node.facts)
        for name in (one.node.name, *one.node.aliases):
            known[name_key(name)] = known.get(name_key(name), frozenset()) | keys
    payload = {
        "nodes": [_node_entry(one) for one in shown.values()],
        "edges": [_edge_entry(edge, shown) for edge in latest],
    }
    return Context(payload=written(payload, work.settings.timezone), known=known)


def _newest_first(edge: Edge) -> tuple[float, str]:
    return -(edge.updated_at.timestamp() if edge.updated_at else 0.0), edge.id


def _nodes(work: Work, text: str) -> dict[str, View]:
    settings = work.settings
    found = index.best(
        work.tx,
        index.GRAPH,
        query_tokens(text),
        k1=settings.bm25_k1,
        b=settings.bm25_b,
        limit=_CANDIDATES,
    )
    newest = nodes.recent_ids(work.tx, limit=NEWEST)
    views = scene(work, [*(key for key, _ in found), *newest]).views
    bare = label_identity(text)
    named = [key for key, _ in found if key in views and _is_named(views[key], bare)]
    chosen = dict.fromkeys((*named, *(key for key in newest if key in views)))
    return {key: views[key] for key in list(chosen)[:NODES]}


def _is_named(shown: View, text: str) -> bool:
    names = (shown.node.name, *shown.node.aliases)
    return any(label_identity(name) in text for name in names)


def _node_entry(shown: View) -> dict[str, Any]:
    node = shown.node
    facts = (*shown.current_facts, *shown.stale_facts)[:FACTS]
    return {
        "id": node.id,
        "name": node.name,
        "type": node.type,
        "aliases": list(node.aliases),
        "tags": list(node.tags),
        "source_event_ids": list(node.source_event_ids)[:SOURCES],
        "facts": [_fact_entry(fact) for fact in facts],
    }


def _fact_entry(fact: Fact) -> dict[str, Any]:
    return {
        "key": fact.key,
        "value": fact.value if isinstance(fact.value, str) else list(fact.value),
        "mode": fact.mode,
        "status": fact.status,
        "valid_from": fact.valid_from,
        "source_event_ids": list(fact.source_event_ids)[:SOURCES],
    }


def _edge_entry(edge: Edge, shown: Mapping[str, View]) -> dict[str, Any]:
    return {
        "from": shown[edge.from_node_id].node.name,
        "relation": edge.relation,
        "to": shown[edge.to_node_id].node.name,
        "cardinality": edge.cardinality,
        "status": edge.status,
        "source_event_ids": list(edge.source_event_ids)[:SOURCES],
    }
