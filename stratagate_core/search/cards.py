"""Compact cards (04 §5): enough to judge a result by; the full content comes by expanding it.

What is empty is left out. All texts are redacted, ids stay as they are.
"""

from datetime import datetime
from typing import Any

from stratagate_core.cards.instants import write_instant
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


def event_card(event: Event, score: float) -> Card:
    """The card of an event."""
    times = event.temporal
    source_time = times.happened_start or times.mentioned_at or event.created_at
    card = {
        "id": event.id,
        "title": clip(redact(event.title), _TITLE),
        "summary": clip_line(redact(event.summary), _SUMMARY),
        "source_time": write_instant(source_time),
        "temporal": _temporal(times),
        "source_block_id": event.source_block_id,
        "status": event.status,
        "scope": event.scope,
        "criticality": event.criticality,
        "source": "agent-recorded" if event.pool == "agent" else None,
    }
    return _filled(card) | {"rank_score": score, "score_meaning": SCORE_MEANING}


def raw_card(message: Message, turn_range: tuple[int, int] | None) -> Card:
    """The card of a message; `turn_range` is that of its block."""
    said_at = _written(message.created_at)
    card = {
        "id": message.id,
        "block_id": message.block_id,
        "turn_range": list(turn_range) if turn_range else None,
        "message": {
            "id": message.id,
            "role": message.role,
            "content": clip_line(redact(message.content), _EXCERPT),
            "created_at": said_at,
            "thread_id": message.thread,
        },
        "source_time": said_at,
        "thread_id": message.thread,
        "detail_hint": _hint(message),
    }
    return _filled(card)


def _temporal(times: Temporal) -> dict[str, Any]:
    return _filled(
        {
            "mentioned_at": _written(times.mentioned_at),
            "happened_start": _written(times.happened_start),
            "happened_end": _written(times.happened_end),
            "precision": times.precision,
            "status": times.status,
            "event_type": times.event_type,
            "supersedes_event_ids": list(times.supersedes_event_ids),
            "conflicts_with_event_ids": list(times.conflicts_with_event_ids),
        }
    )


def _filled(card: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in card.items() if value not in (None, "", [])}


def _written(instant: datetime | None) -> str | None:
    return None if instant is None else write_instant(instant)


def _hint(message: Message) -> str:
    if message.block_id is None:
        return "not sealed into a block yet: it stands in the open conversation of its thread"
    return f"expand_block with id {message.block_id} shows the conversation around it in full"
