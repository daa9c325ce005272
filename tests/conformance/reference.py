"""The project's own function behind the name of each conformance vector, in plain JSON values."""

from collections.abc import Callable
from typing import Any

from stratagate_core.cards.normalise import catalog_hints, event_type
from stratagate_core.conversation.rules.decay import (
    block_weight,
    decayed_level,
    level_label,
    parse_level,
)
from stratagate_core.conversation.rules.render import layers, render_l3, render_l4, render_l5
from stratagate_core.gate.rules import assess
from stratagate_core.model.event import Weight
from stratagate_core.model.message import Message, ToolTrace
from stratagate_core.rank.bm25 import rank, weighted
from stratagate_core.rank.fusion import rrf
from stratagate_core.rank.weight import criticality_floor, weight_at
from stratagate_core.text.estimate import estimate_tokens
from stratagate_core.text.tokens import fuzzy_match, plain_tokens


def call(fn: str, args: list[Any]) -> object:
    """Run the project's own function behind a vector's name and return plain JSON values."""
    return _FUNCTIONS[fn](*args)


def _bm25(items: list[dict[str, Any]], query: str) -> object:
    documents = [
        (item["id"], weighted((plain_tokens(text), weight) for text, weight in item["fields"]))
        for item in items
    ]
    return _scored(rank(documents, plain_tokens(query), k1=1.2, b=0.75))


def _rrf(lists: list[list[str]], weights: list[float] | None = None) -> object:
    return _scored(rrf(lists, weights))


def _scored(hits: tuple[tuple[str, float], ...]) -> object:
    return [{"id": item, "score": score} for item, score in hits]


def _decayed_level(anchor_level: int, anchor: int, latest: int, decay: float | None = None) -> int:
    if decay is None:
        return decayed_level(anchor_level, anchor, latest)
    return decayed_level(anchor_level, anchor, latest, decay)


def _layers(messages: list[dict[str, Any]]) -> object:
    l3, l4 = layers(_messages(messages))
    return {"L3": l3, "L4": l4}


def _rendering(render: Callable[[list[Message]], str]) -> Callable[[list[dict[str, Any]]], str]:
    return lambda messages: render(_messages(messages))


def _messages(raw: list[dict[str, Any]]) -> list[Message]:
    return [
        Message(
            role=message["role"],
            content=message["content"],
            tool_calls=tuple(ToolTrace(**trace) for trace in message.get("tool_calls") or ()),
        )
        for message in raw
    ]


def _weight_at(event: dict[str, Any], current_turn: int) -> float:
    weight = Weight(
        mention_count=event["mention_count"],
        last_adopted_turn=event["last_adopted_turn"],
        pinned=event["pinned"],
        floor_weight=event["floor"],
        forced_cap=event["cap"],
    )
    return weight_at(weight, event["status"], current_turn)


def _catalog_hints(raw: object) -> object:
    hints = catalog_hints(raw)
    return None if hints is None else list(hints)


def _assess(raw: dict[str, Any], refs: list[str]) -> object:
    judged = assess(raw, refs)
    return {
        "verdict": judged.verdict,
        "evidence_refs": list(judged.evidence_refs),
        "rejected": [
            {"input_index": each.input_index, "ref": each.ref, "reason": each.reason}
            for each in judged.rejected_evidence_refs
        ],
        "fit": judged.fit,
        "next_strategy": judged.next_strategy,
    }


_FUNCTIONS: dict[str, Callable[..., object]] = {
    "tokens": plain_tokens,
    "fuzzy_match": fuzzy_match,
    "bm25": _bm25,
    "rrf": _rrf,
    "block_weight": block_weight,
    "decayed_level": _decayed_level,
    "parse_level": parse_level,
    "level_label": level_label,
    "render_l3": _rendering(render_l3),
    "render_l4": _rendering(render_l4),
    "render_l5": _rendering(render_l5),
    "layers": _layers,
    "estimate_tokens": estimate_tokens,
    "weight_at": _weight_at,
    "criticality_floor": criticality_floor,
    "event_type": event_type,
    "catalog_hints": _catalog_hints,
    "assess": _assess,
}
