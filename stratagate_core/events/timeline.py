"""The events an extractor is shown: related ones, then the newest (02 §5)."""

from datetime import tzinfo
from typing import Any

from stratagate_core.cards.normalise import temporal_to_json
from stratagate_core.engine import Work
from stratagate_core.model.event import Event
from stratagate_core.rank.fusion import rrf
from stratagate_core.store import events, index
from stratagate_core.store.blocks import BlockRow
from stratagate_core.text.clip import clip
from stratagate_core.text.tokens import query_tokens

RELATED, RECENT, SUMMARY = 8, 4, 400


def timeline(work: Work, block: BlockRow) -> tuple[Event, ...]:
    """At most 8 events related to a block, then the 4 newest; an overlap is not back-filled."""
    words = query_tokens(" ".join((block.title or "", block.summary or "", *block.key_points)))
    found = events.by_ids(work.tx, related := _related(work, words))
    newest = events.recent(work.tx, limit=RECENT)
    shown = [found[key] for key in related if key in found]
    return (*shown, *(event for event in newest if event.id not in found))


def _related(work: Work, words: list[str]) -> list[str]:
    lanes = [_lane(work, pool, words) for pool in (index.PASSIVE, index.AGENT)]
    weights = (1.0, work.settings.agent_memory_retrieval_weight)
    return [event_id for event_id, _ in rrf(lanes, weights)[:RELATED]]


def _lane(work: Work, pool: str, words: list[str]) -> list[str]:
    if index.state(work.tx, pool) != "ready":  # until it is rebuilt the newest events must do
        return []
    k1, b = work.settings.bm25_k1, work.settings.bm25_b
    best = index.best(work.tx, pool, words, k1=k1, b=b, limit=RELATED)
    return [event_id for event_id, _ in best]


def entry(event: Event, timezone: tzinfo) -> dict[str, Any]:
    """An event as the extractor sees it: a copy, its keys in this order."""
    return {
        "id": event.id,
        "title": event.title,
        "summary": clip(event.summary, SUMMARY),
        "scope": event.scope,
        "criticality": event.criticality,
        "status": event.status,
        "superseded_by": event.superseded_by,
        "temporal": temporal_to_json(event.temporal, timezone),
    }
