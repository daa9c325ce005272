"""What the command line prints: text for people, one JSON object for programs."""

import json
from collections.abc import Mapping
from typing import Any

from stratagate_core.apps.demo.screen import clip, table, wrap
from stratagate_core.apps.doctor import Report as Visit
from stratagate_core.model.search import Card, Hit, Results
from stratagate_core.text.clip import clip_line

_WIDTH = 100
_SHOWN_FAULTS = 20
_EXCERPT = 300
_MARKS: Mapping[str, str] = {"ok": "ok", "note": "note", "fault": "DAMAGED", "failed": "FAILED"}
_REASONS: Mapping[str, str] = {
    "no_match": "no stored text has a word of the query",
    "no_data": "nothing of this kind is stored yet",
    "filtered_out": "the filters leave nothing",
    "other_thread": "only other threads have a match",
    "below_floor": "nothing is near enough",
    "index_rebuilding": "the index waits to be rebuilt, so everything was scanned",
}


def as_json(value: Any) -> str:
    """The value as one JSON text."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def found_json(query: str, namespace: str, found: Results[Card]) -> dict[str, Any]:
    """The result of a search as plain JSON."""
    hits = [{"ref": hit.ref, "score": hit.score, "card": dict(hit.item)} for hit in found.hits]
    return {"query": query, "namespace": namespace, "reason": found.reason, "hits": hits}


def found_text(found: Results[Card]) -> str:
    """The result of a search for a person."""
    parts = [_hit(number, hit) for number, hit in enumerate(found.hits, 1)]
    if found.reason:
        parts.append(("" if parts else "Nothing found: ") + _REASONS[found.reason])
    return "\n\n".join(parts)


def _hit(number: int, hit: Hit[Card]) -> str:
    card = hit.item
    day = str(card.get("source_time", ""))[:10]
    if "title" in card:
        head, text = card["title"], card["summary"]
    else:
        message = card["message"]
        head, text = message["role"], message["content"]
    lines = [clip(f"{number:>2}. {day}  {head}", _WIDTH)]
    if text != head:
        lines.append(wrap(clip_line(text, _EXCERPT), indent="    ", columns=_WIDTH))
    return "\n".join([*lines, f"    {hit.ref}"])


def visit_text(visit: Visit) -> str:
    """What the doctor saw, as a table, with the faults below it."""
    rows = [(line.what, line.found, _MARKS[line.health]) for line in visit.lines]
    parts = [visit.title, table(("looked at", "found", "health"), rows)]
    parts += [f"   ! {fault}" for fault in visit.faults[:_SHOWN_FAULTS]]
    if len(visit.faults) > _SHOWN_FAULTS:
        parts.append(f"   ! and {len(visit.faults) - _SHOWN_FAULTS} more")
    if visit.spent:
        parts += ["", _spent_table(visit.spent)]
    return "\n".join(parts)


def _spent_table(spent: Mapping[str, Mapping[str, int]]) -> str:
    """What the model was asked, a row for each kind of job; tokens are sent and answered."""
    rows = []
    for kind, counts in spent.items():
        told = [f"{counts['model_calls']:,}", f"{counts['retries']:,}"]
        for source in ("estimated", "reported"):
            pair = [counts[f"{source}_{way}_tokens"] for way in ("input", "output")]
            told.append(" + ".join(f"{number:,}" for number in pair) if any(pair) else "–")
        rows.append([kind, *told])
    head = ("model asked for", "calls", "retries", "estimated tokens", "reported tokens")
    return table(head, rows, right=range(1, len(head)))
