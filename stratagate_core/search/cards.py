"""Compact cards (04 §5): enough to judge a result by; the full content comes by expanding it.

What is empty is left out. All texts are redacted, ids stay as they are; times are written in the
display timezone.
"""

from datetime import tzinfo
from typing import Any

from stratagate_core.cards.instants import written
from stratagate_core.model.event import Event, Temporal
from stratagate_core.model.message import Message
from stratagate_core.model.search import Card
from stratagate_core.text.clip import clip, clip_line
from stratagate_core.text.redact import redact

SCORE_MEANING = (
    "rank_score only orders the results of this search; "
    "it is no probability, confidence or accuracy"
)
_TITLE, _SUMMARY, _EXCERPT = 240, 800, 500


def event_card(event: Event, score: float, timezone: tzinfo) -> Card:
    """The card of an event."""
    times = event.temporal
    source_time = times.happened_start or times.mentioned_at or event.created_at
    card = {
        "id": event.id,
        "title": clip(redact(event.title), _TITLE),
        "summary": clip_line(redact(event.summary), _SUMMARY),
        "source_time": source_time,
        "temporal": _temporal(times),
        "source_block_id": event.source_block_id,
        "status": event.status,
        "scope": event.scope,
        "criticality": event.criticality,
        "source": "agent-recorded" if event.pool == "agent" else None,
    }
    scored = {"rank_score": score, "score_meaning": SCORE_MEANING}
    return {**written(_filled(card), timezone), **scored}


def raw_card(message: Message, turn_range: tuple[int, int] | None, timezone: tzinfo) -> Card:
    """The card of a message; `turn_range` is that of its block."""
    card = {
        "id": message.id,
        "block_id": message.block_id,
        "turn_range": list(turn_range) if turn_range else None,
        "message": {
            "id": message.id,
            "role": message.role,
            "content": clip_line(redact(message.content), _EXCERPT),
            "created_at": message.created_at,
            "thread_id": message.thread,
        },
        "source_time": message.created_at,
        "thread_id": message.thread,
        "detail_hint": _hint(message),
    }
    return dict(written(_filled(card), timezone))


def _temporal(times: Temporal) -> dict[str, Any]:
    return _filled(
        {
            "mentioned_at": times.mentioned_at,
            "happened_start": times.happened_start,
            "happened_end": times.happened_end,
            "precision": times.precision,
            "status": times.status,
            "event_type": times.event_type,
            "supersedes_event_ids": list(times.supersedes_event_ids),
            "conflicts_with_event_ids": list(times.conflicts_with_event_ids),
        }
    )


def _filled(card: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in card.items() if value not in (None, "", [])}


def _hint(message: Message) -> str:
    if message.block_id is None:
        return "not sealed into a block yet: it stands in the open conversation of its thread"
    return f"expand_block with id {message.block_id} shows the conversation around it in full"
