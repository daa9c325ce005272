"""An event as the filing sees it, and the fingerprint that tells whether it changed (08 §1, §4)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any

from stratagate_core.cards.normalise import temporal_to_json
from stratagate_core.model.event import Event
from stratagate_core.text.clip import clip

#: events of one batch, and the characters they may have together
BATCH_EVENTS, BATCH_CHARACTERS = 12, 16_000
#: a longer event is shown cut
LONGEST = 10_000
_TITLE, _SUMMARY, _TAGS, _TAG, _LIST, _TEXT = 120, 800, 4, 40, 12, 120
#: what the graph links, which says nothing new
_NOT_SHOWN = ("participant_node_ids", "thread_id")


def compact(event: Event, timezone: tzinfo) -> tuple[dict[str, Any], bool]:
    """The event as plain JSON without quotes and message ids, and whether it had to be cut."""
    entry = _entry(event, timezone)
    if size(entry) <= LONGEST:
        return entry, False
    return _cut(entry), True


def size(entry: Mapping[str, Any]) -> int:
    """Characters of compact JSON."""
    return len(json.dumps(entry, ensure_ascii=False, separators=(",", ":")))


def _entry(event: Event, timezone: tzinfo) -> dict[str, Any]:
    times = temporal_to_json(event.temporal, timezone)
    entry: dict[str, Any] = {
        "id": event.id,
        "title": event.title,
        "summary": event.summary,
        "tags": list(event.tags),
        "criticality": event.criticality,
        "temporal": {key: value for key, value in times.items() if key not in _NOT_SHOWN},
        "status": event.status,
    }
    if event.catalog_hints:
        entry["catalog_hints"] = list(event.catalog_hints)
    if event.superseded_by:
        entry["superseded_by"] = event.superseded_by
    return entry


def _cut(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **entry,
        "title": clip(entry["title"], _TITLE),
        "summary": clip(entry["summary"], _SUMMARY),
        "tags": [clip(tag, _TAG) for tag in entry["tags"][:_TAGS]],
        "temporal": {key: _short(value) for key, value in entry["temporal"].items()},
    }


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_short(item) for item in value[:_LIST]]
    return clip(value, _TEXT) if isinstance(value, str) else value


def fingerprint(event: Event) -> str:
    """A hash of what an event says: use, fading and links of the graph leave it as it is."""
    times = temporal_to_json(event.temporal, UTC)
    times.pop("participant_node_ids", None)
    said = [
        event.id,
        event.title,
        event.summary,
        list(event.tags),
        list(event.quotes),
        list(event.source_message_ids),
        event.source_block_id,
        times,
        event.scope,
        event.criticality,
        event.status,
        event.superseded_by,
        list(event.catalog_hints or ()),
        event.extractor_version,
        event.pool,
    ]
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def packed(sizes: Sequence[tuple[str, int]], *, held: Sequence[int] = ()) -> list[list[str]]:
    """Events in batches, in their order; `held` are the sizes that the first batch has already."""
    batches: list[list[str]] = [[]]
    number, characters = len(held), sum(held)
    for event_id, length in sizes:
        full = number >= BATCH_EVENTS or characters + length > BATCH_CHARACTERS
        if full and number:
            batches.append([])
            number = characters = 0
        batches[-1].append(event_id)
        number, characters = number + 1, characters + length
    return batches
