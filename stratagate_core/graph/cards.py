"""Nodes as plain JSON: a hit of a search, a complete expansion, an entry of recall (05 §5–7).

Times are written in the display timezone.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import Any

from stratagate_core.cards.instants import written
from stratagate_core.graph.read import Asked
from stratagate_core.graph.rules.match import GraphHit
from stratagate_core.graph.rules.resolver import Resolution
from stratagate_core.graph.rules.view import View, state_line
from stratagate_core.model.event import Event
from stratagate_core.model.graph import Edge, Fact, Node
from stratagate_core.text.redact import redact

Card = dict[str, Any]


def hit_card(hit: GraphHit, events: Mapping[str, Event], asked: Asked, timezone: tzinfo) -> Card:
    """A hit as a card; its history is labelled and stands apart from the present."""
    shown = hit.view
    present = (*shown.current_facts, *shown.stale_facts)
    card = {
        **_node(shown.node),
        "match_type": hit.match_type,
        "current_state": redact(shown.state),
        "facts": [_fact_card(fact) for fact in present],
        "relations": [_edge_card(edge, shown) for edge in shown.current_edges],
        "historical_matches": [_fact_card(fact) for fact in shown.historical_facts],
        "historical_relations": [_edge_card(edge, shown) for edge in shown.historical_edges],
        "provenance_event_ids": list(hit.provenance),
        "metadata_evidence_status": hit.metadata_evidence,
        "timeline": _timeline(hit.provenance, events),
        **_instants(asked),
    }
    return dict(written(filled(card), timezone))


def expanded_card(
    shown: View,
    provenance: Sequence[str],
    metadata_evidence: str,
    resolutions: Iterable[Resolution],
    events: Mapping[str, Event],
    asked: Asked,
    timezone: tzinfo,
) -> Card:
    """The expansion of a node: all that is shown of it, with who won for each key."""
    current = [_edge_card(edge, shown) for edge in shown.current_edges]
    past = [_edge_card(edge, shown) for edge in shown.historical_edges]
    card = {
        "node": filled({**_node(shown.node), "current_state": redact(shown.state)}),
        "edges": current + past,
        "current_facts": [_fact_card(fact) for fact in shown.current_facts],
        "stale_facts": [_fact_card(fact) for fact in shown.stale_facts],
        "historical_facts": [_fact_card(fact) for fact in shown.historical_facts],
        "current_edges": current,
        "historical_edges": past,
        "resolution": [_resolution(one) for one in resolutions],
        "provenance_event_ids": list(provenance),
        "metadata_evidence_status": metadata_evidence,
        "timeline": _timeline(provenance, events),
        **_instants(asked),
    }
    return dict(written(card, timezone))


def _node(node: Node) -> Card:
    return {
        "id": node.id,
        "name": redact(node.name),
        "type": node.type,
        "aliases": redact(list(node.aliases)),
        "tags": redact(list(node.tags)),
        "status": node.status,
        "confidence": node.confidence,
    }


def _fact_card(fact: Fact) -> Card:
    """A fact as JSON; a stale one says why."""
    value = fact.value if isinstance(fact.value, str) else list(fact.value)
    return filled(
        {
            "key": redact(fact.key),
            "value": redact(value),
            "status": fact.status,
            "valid_from": fact.valid_from,
            "valid_to": fact.valid_to,
            "stale_reason": redact(fact.stale_reason),
            "stale_since": fact.stale_since,
            "depends_on": [
                f"{one.node}: {one.key}" if one.node else one.key for one in fact.depends_on
            ],
            "source_event_ids": list(fact.source_event_ids),
        }
    )


def _edge_card(edge: Edge, shown: View) -> Card:
    """An edge as JSON, with the names of both ends."""
    names = {shown.node.id: shown.node.name, **{k: end.name for k, end in shown.ends.items()}}
    return filled(
        {
            "from_node_id": edge.from_node_id,
            "from": redact(names[edge.from_node_id]),
            "relation": redact(edge.relation),
            "to": redact(names[edge.to_node_id]),
            "to_node_id": edge.to_node_id,
            "status": edge.status,
            "valid_from": edge.valid_from,
            "valid_to": edge.valid_to,
            "source_event_ids": list(edge.source_event_ids),
        }
    )


def _resolution(one: Resolution) -> Card:
    value = one.value if one.value is None or isinstance(one.value, str) else list(one.value)
    return {
        "key": redact(one.key),
        "value": redact(value),
        "status": one.status,
        "decided_by": one.rule,
        "losing": [redact(state_line(fact).partition(": ")[2]) for fact in one.losing],
    }


def _timeline(ids: Sequence[str], events: Mapping[str, Event]) -> list[Card]:
    """The events behind a hit as they happened."""
    known = sorted(
        (events[key] for key in ids if key in events), key=lambda one: (one.chronology, one.id)
    )
    return [
        {
            "id": event.id,
            "title": redact(event.title),
            "summary": redact(event.summary),
            "status": event.status,
            "time": event.chronology,
        }
        for event in known
    ]


def _instants(asked: Asked) -> Card:
    """The instants that a result is of, if any were asked for."""
    return filled({"as_of": asked.as_of, "known_at": asked.known_at})


def filled(card: Mapping[str, Any]) -> Card:
    """A card without what is empty."""
    return {key: value for key, value in card.items() if value not in (None, "", [])}
