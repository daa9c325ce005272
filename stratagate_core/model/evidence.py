"""The evidence gate's values: batches, assessments, receipts of use."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Verdict = Literal["sufficient", "partial", "wrong"]
Strategy = Literal[
    "answer",
    "search_events",
    "expand_event",
    "search_graph",
    "expand_graph_node",
    "search_raw",
    "expand_block",
]
VERDICTS: tuple[str, ...] = get_args(Verdict)
STRATEGIES: tuple[str, ...] = get_args(Strategy)
BatchStatus = Literal["unresolved", "recorded", "expired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One piece of evidence inside a batch: what its ref points to."""

    ref: str
    kind: Literal["event", "graph", "block"]
    id: str
    title: str
    #: the events that recorded use of this ref reinforces
    event_ids: tuple[str, ...] = ()
    detail_kind: str | None = None
    level: int | None = None
    expanded: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchInfo:
    """One evidence batch: what one retrieval call returned."""

    id: str
    thread: str
    operation: str
    refs: tuple[str, ...]
    status: BatchStatus
    assessed: bool
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A ref that was not accepted, and why."""

    input_index: int
    ref: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The normalised judgement of a batch (06 §3)."""

    verdict: Verdict
    evidence_refs: tuple[str, ...]
    fit: str
    missing: str
    next_strategy: Strategy
    rejected_evidence_refs: tuple[Rejection, ...] = ()
    batch_id: str = ""
    batch_status: BatchStatus = "unresolved"
    latest_batch_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """What an adopted ref points to."""

    kind: Literal["event", "graph", "block"]
    id: str
    title: str
    evidence_ref: str
    batch_id: str
    detail_kind: str | None = None
    level: int | None = None
    expanded: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UseReceipt:
    """Stored proof that the use of a batch was recorded once (06 §4)."""

    batch_id: str
    batch_status: BatchStatus
    recorded: bool
    namespace: str
    retrieval_sequence: int
    retrieved_count: int
    retrieved_memories: tuple[str, ...]
    #: how many distinct events were reinforced
    incremented: int
    evidence_refs: tuple[str, ...]
    event_ids: tuple[str, ...]
    citations: tuple[Citation, ...]
    duplicate_evidence_refs: tuple[str, ...] = ()
    verdict: Verdict | None = None
    missing: str = ""
    next_strategy: Strategy | None = None
    unresolved_batch_ids: tuple[str, ...] = ()


#: one row of the usage audit: plain JSON
AuditRow = Mapping[str, Any]
