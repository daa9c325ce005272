"""Complete cards as plain JSON: an event with its quotes and sources, a block at its level.

Absent fields are left out. Times are written in the display timezone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import tzinfo
from typing import Any

from stratagate_core.cards.instants import written
from stratagate_core.model.block import Block
from stratagate_core.model.event import Event, Temporal, Weight
from stratagate_core.model.evidence import Evidence
from stratagate_core.model.search import Card, Hit


def event_card(event: Event, *, weight: float, timezone: tzinfo) -> dict[str, Any]:
    """The complete card of an event of either pool; `weight` is its effective weight now."""
    card = {
        "id": event.id,
        "title": event.title,
        "summary": event.summary,
        "tags": event.tags,
        "quotes": event.quotes,
        "source_message_ids": event.source_message_ids,
        "source_block_id": event.source_block_id,
        "temporal": _temporal(event.temporal),
        "scope": event.scope,
        "criticality": event.criticality,
        "status": event.status,
        "superseded_by": event.superseded_by,
        "pool": event.pool,
        "weight": {**_weight(event.weight), "effective": round(weight, 4)},
        "formed_turn": event.formed_turn,
        "created_at": event.created_at,
        "updated_at": event.updated_at,
    }
    return dict(_present(written(card, timezone)))


def block_entry(block: Block, *, timezone: tzinfo) -> dict[str, Any]:
    """One entry of the block context."""
    entry = {
        "id": block.id,
        "thread_id": block.thread,
        "turn_range": block.turn_range,
        "age": block.age,
        "level": block.level,
        "label": block.label,
        "content": block.content,
        "created_at": block.created_at,
    }
    return dict(_present(written(entry, timezone)))


def event_evidence(event: Event, detail_kind: str | None = None) -> Evidence:
    """The evidence that an event is."""
    return Evidence(
        ref=f"event:{event.id}",
        kind="event",
        id=event.id,
        title=event.title,
        event_ids=(event.id,),
        detail_kind=detail_kind,
    )


def block_evidence(entry: Mapping[str, Any], *, expanded: bool) -> Evidence:
    """The evidence that a block is at the level it is shown at."""
    first, last = entry["turn_range"]
    return Evidence(
        ref=f"block:{entry['id']}:level:{entry['level']}",
        kind="block",
        id=entry["id"],
        title=f"{entry['thread_id']} {first}-{last}",
        detail_kind=entry["label"],
        level=entry["level"],
        expanded=expanded,
    )


def node_evidence(node_id: str, name: str, event_ids: Sequence[str], kind: str) -> Evidence:
    """The evidence that a node is; use of it strengthens the events behind what was shown."""
    expanded = kind == "expanded"
    return Evidence(
        ref=f"graph-node:{node_id}" + (":expanded" if expanded else ""),
        kind="graph",
        id=node_id,
        title=name,
        event_ids=tuple(event_ids),
        detail_kind=kind,
        expanded=expanded,
    )


def hit_evidence(hit: Hit[Card]) -> Evidence:
    """The evidence that a hit of a search is: an event, a node, or a message for citation only."""
    card = hit.item
    if hit.ref.startswith("graph-node:"):
        proof = card.get("provenance_event_ids", ())
        return node_evidence(card["id"], card["name"], proof, card["match_type"])
    if hit.ref.startswith("event:"):
        return Evidence(
            ref=hit.ref,
            kind="event",
            id=card["id"],
            title=card["title"],
            event_ids=(card["id"],),
        )
    message = card["message"]
    return Evidence(
        ref=hit.ref,
        kind="block",
        id=card.get("block_id") or card["id"],
        title=f"{message['role']}, {message['created_at']}",
        detail_kind="message",
    )


def _temporal(times: Temporal) -> dict[str, Any]:
    return {field.name: getattr(times, field.name) for field in fields(times)}


def _weight(weight: Weight) -> dict[str, Any]:
    return {field.name: getattr(weight, field.name) for field in fields(weight)}


def _present(value: Any) -> Any:
    """Plain JSON without what is absent or empty."""
    if isinstance(value, dict):
        kept = {key: _present(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, [], {})}
    return [_present(item) for item in value] if isinstance(value, list) else value
