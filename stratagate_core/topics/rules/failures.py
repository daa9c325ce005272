"""Why a filing failed: a class and a reason of fixed lists, never a word of anyone (08 §7)."""

import re
from collections.abc import Mapping
from typing import Any

from stratagate_core.errors import Conflict, ModelError
from stratagate_core.topics.rules.projection import REASONS

CLASSES = (
    "max-tokens",
    "schema-invalid",
    "validation-failed",
    "timeout",
    "provider-failed",
    "source-changed",
    "worker-failed",
)
_REASON = re.compile(r"\[([a-z-]+)\]\Z")
#: words of providers for an answer that was cut at the limit
_CUT = ("length", "max_tokens")
_FINISHED = ("stop", "length", "max_tokens", "tool_calls", "tool_use", "end_turn", "content_filter")


def classify(error: Exception) -> tuple[str, str]:
    """The class of a failure and its reason; one without a reason of its own repeats its class."""
    if isinstance(error, Conflict):
        return "source-changed", "source-changed"
    if not isinstance(error, ModelError):
        return "worker-failed", "worker-failed"
    known = error.details
    if str(known.get("finish_reason")).lower() in _CUT:
        return "max-tokens", "max-tokens"
    if isinstance(error.__cause__, TimeoutError):
        return "timeout", "timeout"
    if "faults" not in known:
        return "provider-failed", str(known.get("reason", "provider-failed"))
    for fault in known["faults"]:
        found = _REASON.search(fault)
        if found and found[1] in REASONS:
            return "validation-failed", found[1]
    return "schema-invalid", "schema-invalid"


def diagnostics(error: Exception, *, events: int, depth: int) -> dict[str, Any]:
    """What is stored of a failure: numbers, and words of fixed lists."""
    kind, reason = classify(error)
    known: Mapping[str, Any] = error.details if isinstance(error, ModelError) else {}
    asked = known.get("asked", {})
    finish = str(known.get("finish_reason") or "").lower()
    return {
        "class": kind,
        "reason": reason,
        "events": events,
        "candidates": int(asked.get("candidates", 0)),
        "estimated_input": int(asked.get("estimated_input", 0)),
        "output_budget": int(asked.get("output_budget", 0)),
        "finish_reason": finish if finish in _FINISHED else "",
        "split_depth": depth,
    }
