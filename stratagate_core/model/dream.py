"""A run that tidies the directory, and what it did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

DreamStatus = Literal["running", "paused", "completed", "stopped"]
DreamReason = Literal[
    "",
    "user",
    "no-action",
    "repeated-invalid",
    "request-failed",
    "source-changed",
    "interrupted",
]
DreamKind = Literal["direction", "edit", "refused", "show", "batch-done", "no-action", "paused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamRun:
    """One run; `reason` says why it is paused."""

    number: int
    status: DreamStatus
    reason: DreamReason
    directions: tuple[str, ...]
    batches_done: int
    batches_planned: int
    #: entries of the transcript
    steps: int
    #: estimated consumption; no bill
    spent: Mapping[str, int]
    started_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamStep:
    """One entry of the transcript; empty where it spoke of events that are hidden by now."""

    number: int
    kind: DreamKind
    at: datetime
    content: Mapping[str, Any] = field(default_factory=dict)
