"""A stored unit of background work."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

JobStatus = Literal["pending", "running", "succeeded", "skipped", "failed", "superseded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job: `subject` is the id of what it works on."""

    id: str
    kind: str
    subject: str
    status: JobStatus
    attempts: int
    next_retry_at: datetime | None = None
    error: str | None = None
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
