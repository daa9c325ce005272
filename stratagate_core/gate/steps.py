"""What changes evidence: a batch is opened, assessed, used, or expires with its turn (06)."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from stratagate_core.engine import Work
from stratagate_core.errors import Conflict, EvidenceError, InvalidArgument
from stratagate_core.events.writes import reinforce
from stratagate_core.gate import rules
from stratagate_core.gate.lookup import (
    find_batch,
    ids_of,
    language_of,
    must_be_unresolved,
    situation,
    unresolved_batch,
)
from stratagate_core.gate.receipts import (
    audit_of,
    body_hash,
    cite,
    plain,
    receipt_from_json,
    receipt_to_json,
)
from stratagate_core.model.evidence import (
    Assessment,
    AuditRow,
    BatchInfo,
    BatchStatus,
    Evidence,
    UseReceipt,
)
from stratagate_core.model.search import Page
from stratagate_core.store import batches, namespaces, uses
from stratagate_core.store.batches import BatchRow

_JUDGEMENT = ("verdict", "evidence_refs", "fit", "missing", "next_strategy")
#: most rows on one page of the audit
_LARGEST_PAGE = 100


def open_batch(
    work: Work, thread: str, operation: str, evidence: Sequence[Evidence], *, result: object
) -> BatchInfo:
    """Register what a retrieval call returned.

    Args:
        work: the open transaction.
        thread: the asking thread; no other thread will see the batch.
        operation: the name of the call.
        evidence: what may be referred to, in the order of the results.
        result: everything the call returns.

    Raises:
        InvalidArgument: the result cannot be written as JSON without loss; no batch is left.

    """
    rules.strict_json(result)
    batch = BatchRow(
        id=work.new_id("batch"),
        thread=thread,
        sequence=namespaces.advance(work.tx, "batch_sequence"),
        turn=work.current_turn(),
        operation=operation,
        evidence=tuple({item.ref: item for item in evidence}.values()),
        created_at=work.now,
    )
    batches.insert(work.tx, batch)
    return batch.info()


def open_batches(work: Work, thread: str) -> tuple[BatchInfo, ...]:
    """The unresolved batches of a thread, oldest first."""
    return tuple(row.info() for row in batches.unresolved(work.tx, thread))


def assess(
    work: Work,
    thread: str,
    *,
    verdict: object,
    evidence_refs: object,
    fit: object = "",
    missing: object = "",
    next_strategy: object = "answer",
    batch_id: str | None = None,
) -> Assessment:
    """Judge a batch of this thread; the last judgement counts.

    Raises:
        BatchError: no such batch, or it was settled already.

    """
    batch = unresolved_batch(work, thread, batch_id)
    values = (verdict, evidence_refs, fit, missing, next_strategy)
    raw = dict(zip(_JUDGEMENT, values, strict=True))
    judged = rules.assess(raw, batch.refs, language=language_of(work, fit, missing))
    kept = {name: getattr(judged, name) for name in _JUDGEMENT}
    batches.put_assessment(work.tx, batch.id, plain(kept))
    latest = batches.latest(work.tx, thread) or batch
    return replace(judged, batch_id=batch.id, batch_status=batch.status, latest_batch_id=latest.id)


def record_use(
    work: Work,
    thread: str,
    *,
    evidence_refs: Sequence[object],
    batch_id: str | None = None,
    receipt: str | None = None,
) -> UseReceipt:
    """Settle a batch with the refs an answer used; each event behind them is reinforced once.

    Raises:
        BatchError: no such batch, or it was settled already.
        EvidenceError: a ref may not be used; nothing was written.
        Conflict: this receipt stands for another batch or other refs.
        InvalidArgument: the refs are no list.

    """
    if isinstance(evidence_refs, str) or not isinstance(evidence_refs, Sequence):
        raise InvalidArgument("evidence_refs must be a list of refs, or [] if none was used")
    key = (receipt or "").strip() or find_batch(work, thread, batch_id).id
    if known := uses.receipt(work.tx, thread, key):
        return _again(known, batch_id, evidence_refs)
    batch = find_batch(work, thread, batch_id)
    must_be_unresolved(work, batch)
    used, duplicates = _checked_refs(work, batch, evidence_refs)
    return _settle(work, batch, key, used, duplicates, body=body_hash(batch.id, evidence_refs))


def expire(work: Work, thread: str) -> tuple[str, ...]:
    """Close what a finished turn left unresolved, without any use; the ids of the batches."""
    left = batches.unresolved(work.tx, thread)
    for batch in left:
        key = f"expired:{batch.id}"
        _settle(work, batch, key, (), (), body=body_hash(batch.id, ()), status="expired")
    return tuple(batch.id for batch in left)


def usage(work: Work, *, limit: int = 50, offset: int = 0) -> Page[AuditRow]:
    """The usage audit, newest first: which answer used which memories, and why."""
    limit, offset = max(1, min(limit, _LARGEST_PAGE)), max(0, offset)
    total = uses.count_receipts(work.tx)
    rows = uses.receipts(work.tx, limit=limit, offset=offset)
    after = offset + len(rows)
    return Page(
        items=tuple(
            {"thread": row.thread, "turn": row.turn, "at": row.at, "receipt": row.key, **row.audit}
            for row in rows
        ),
        total=total,
        next_offset=after if after < total else None,
    )


def _again(
    known: "uses.ReceiptRow", batch_id: str | None, evidence_refs: Sequence[object]
) -> UseReceipt:
    batch = (batch_id or "").strip() or known.batch_id
    if known.body_hash != body_hash(batch, evidence_refs):
        raise Conflict(
            f"the receipt {known.key!r} already recorded batch {known.batch_id!r} with "
            f"{list(known.result['evidence_refs'])}; a repeated call needs the same batch and refs",
            batch_id=known.batch_id,
            evidence_refs=list(known.result["evidence_refs"]),
        )
    return receipt_from_json(known.result)


def _settle(
    work: Work,
    batch: BatchRow,
    key: str,
    used: tuple[str, ...],
    duplicates: tuple[str, ...],
    *,
    body: str,
    status: BatchStatus = "recorded",
) -> UseReceipt:
    cited = [item for item in batch.evidence if item.ref in used]
    event_ids = tuple(dict.fromkeys(event for item in cited for event in item.event_ids))
    reinforced = reinforce(work, event_ids, receipt=f"{batch.thread}/use/{key}")
    batches.close(work.tx, batch.id, status, work.now)
    judged = batch.assessment or {}
    receipt = UseReceipt(
        batch_id=batch.id,
        batch_status=status,
        recorded=status == "recorded",
        namespace=work.namespace,
        retrieval_sequence=batch.sequence,
        retrieved_count=len(batch.evidence),
        retrieved_memories=batch.refs,
        incremented=len(reinforced),
        evidence_refs=used,
        event_ids=event_ids,
        citations=tuple(cite(item, batch.id) for item in cited),
        duplicate_evidence_refs=duplicates,
        verdict=judged.get("verdict"),
        missing=judged.get("missing", ""),
        next_strategy=judged.get("next_strategy"),
        unresolved_batch_ids=ids_of(batches.unresolved(work.tx, batch.thread)),
    )
    uses.put_receipt(
        work.tx,
        uses.ReceiptRow(
            thread=batch.thread,
            key=key,
            batch_id=batch.id,
            turn=work.current_turn(),
            body_hash=body,
            result=receipt_to_json(receipt),
            audit=audit_of(receipt, batch.assessment),
            at=work.now,
        ),
    )
    return receipt


def _checked_refs(
    work: Work, batch: BatchRow, evidence_refs: Sequence[object]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The distinct refs to record and those given again, or one error that names every issue."""
    judged = batch.assessment or {}
    adopted = judged["evidence_refs"] if judged.get("verdict") == "sufficient" else None
    language = language_of(work, judged.get("fit"), judged.get("missing"))
    check = rules.check_use(evidence_refs, batch.refs, adopted, language=language)
    if not check.issues:
        return check.refs, check.duplicates
    issues = [asdict(issue) for issue in check.issues]
    listed = "; ".join(
        f"#{issue.input_index} {issue.ref!r}: {issue.reason}" for issue in check.issues
    )
    named = situation(work, batch.thread)
    raise EvidenceError(
        f"nothing was recorded, batch {batch.id!r} stays open: {listed}. Record exactly the refs "
        f"a sufficient assessment of this batch accepted, or [] to close it unused. "
        f"Adopted: {list(adopted or ())}; refs of the batch: {list(batch.refs)}; "
        f"verdict: {judged.get('verdict')}; unresolved batches: {named['unresolved_batch_ids']}",
        issues=issues,
        batch_id=batch.id,
        verdict=judged.get("verdict"),
        available_evidence_refs=list(batch.refs),
        adopted_evidence_refs=list(adopted or ()),
        latest_batch_id=named["latest_batch_id"],
        unresolved_batch_ids=named["unresolved_batch_ids"],
    )
