"""Receipts of use as values: their JSON, the hash that tells a replay, and the audit row."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from stratagate_core.model.evidence import Citation, Evidence, UseReceipt

_TUPLES = (
    "retrieved_memories",
    "evidence_refs",
    "event_ids",
    "duplicate_evidence_refs",
    "unresolved_batch_ids",
)


def body_hash(batch_id: str, evidence_refs: Sequence[object]) -> str:
    """What makes two requests to record use the same: the batch and the refs, in any order."""
    refs = {ref.strip() if isinstance(ref, str) else repr(ref) for ref in evidence_refs}
    body = json.dumps([batch_id, sorted(refs)], ensure_ascii=True)
    return hashlib.sha256(body.encode()).hexdigest()


def plain(value: object) -> Any:
    """A frozen value as plain JSON; what is absent is left out."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def receipt_to_json(receipt: UseReceipt) -> dict[str, Any]:
    """A receipt as plain JSON; what is absent is left out."""
    return dict(plain(asdict(receipt)))


def receipt_from_json(row: Mapping[str, Any]) -> UseReceipt:
    """The receipt that `receipt_to_json` wrote."""
    values = dict(row) | {name: tuple(row[name]) for name in _TUPLES}
    values["citations"] = tuple(Citation(**citation) for citation in row["citations"])
    return UseReceipt(**values)


def cite(evidence: Evidence, batch_id: str) -> Citation:
    """The citation of one used ref."""
    return Citation(
        kind=evidence.kind,
        id=evidence.id,
        title=evidence.title,
        evidence_ref=evidence.ref,
        batch_id=batch_id,
        detail_kind=evidence.detail_kind,
        level=evidence.level,
        expanded=evidence.expanded,
    )


def audit_of(receipt: UseReceipt, assessment: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the usage audit keeps beside thread, turn and time, which the row has."""
    kept = ("namespace", "batch_id", "batch_status", "retrieved_memories", "evidence_refs")
    row = receipt_to_json(receipt)
    audit = {name: row[name] for name in (*kept, "event_ids", "citations")}
    judged = assessment or {}
    judgement = ("verdict", "fit", "missing", "next_strategy")
    return audit | {name: judged[name] for name in judgement if name in judged}
