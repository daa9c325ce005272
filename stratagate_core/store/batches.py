"""Writes `batches`: what each retrieval call of a thread returned, and how it was judged."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from stratagate_core.model.evidence import BatchInfo, BatchStatus, Evidence
from stratagate_core.store.schema import batches
from stratagate_core.store.tx import Row, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRow:
    """One batch as it is stored."""

    id: str
    thread: str
    #: counts the batches of the namespace
    sequence: int
    #: `current_turn` of the namespace when it was opened
    turn: int
    operation: str
    evidence: tuple[Evidence, ...]
    created_at: datetime
    status: BatchStatus = "unresolved"
    #: verdict, evidence_refs, fit, missing and next_strategy of the last assessment
    assessment: Mapping[str, Any] | None = None
    closed_at: datetime | None = None

    @property
    def refs(self) -> tuple[str, ...]:
        """The refs in the order of the results."""
        return tuple(item.ref for item in self.evidence)

    def info(self) -> BatchInfo:
        """The batch as a caller sees it."""
        return BatchInfo(
            id=self.id,
            thread=self.thread,
            operation=self.operation,
            refs=self.refs,
            status=self.status,
            assessed=self.assessment is not None,
            verdict=None if self.assessment is None else self.assessment["verdict"],
        )


def _batch(row: Row) -> BatchRow:
    values = dict(row._mapping)
    values.pop("namespace")
    values["evidence"] = tuple(
        Evidence(**{**item, "event_ids": tuple(item.get("event_ids", ()))})
        for item in values["evidence"] or ()
    )
    return BatchRow(**values)


def _evidence_json(item: Evidence) -> dict[str, Any]:
    return {key: value for key, value in asdict(item).items() if value not in (None, ())}


def insert(tx: Tx, batch: BatchRow) -> None:
    """Store a new batch."""
    row = {name: getattr(batch, name) for name in BatchRow.__dataclass_fields__}
    tx.insert(batches, [{**row, "evidence": [_evidence_json(item) for item in batch.evidence]}])


def _change(tx: Tx, batch_id: str, **values: Any) -> None:
    tx.change(sa.update(batches).where(tx.of(batches), batches.c.id == batch_id).values(**values))


def put_assessment(tx: Tx, batch_id: str, assessment: Mapping[str, Any]) -> None:
    """Store the judgement of a batch; it replaces an earlier one."""
    _change(tx, batch_id, assessment=dict(assessment))


def close(tx: Tx, batch_id: str, status: BatchStatus, at: datetime) -> None:
    """Settle a batch for good."""
    _change(tx, batch_id, status=status, closed_at=at)


def all_of(tx: Tx) -> tuple[BatchRow, ...]:
    """Every batch of the namespace, oldest first."""
    query = sa.select(batches).where(tx.of(batches)).order_by(batches.c.sequence)
    return tuple(_batch(row) for row in tx.rows(query))


def scrub(
    tx: Tx, batch: BatchRow, evidence: Sequence[Evidence], *, expired_at: datetime | None
) -> None:
    """Store what a purge left of a batch; what was said about it goes. It may be over by that."""
    judged = batch.assessment and {**batch.assessment, "fit": "", "missing": ""}
    ended = {"status": "expired", "closed_at": expired_at} if expired_at else {}
    left = [_evidence_json(item) for item in evidence]
    _change(tx, batch.id, evidence=left, assessment=judged, **ended)


def get(tx: Tx, thread: str, batch_id: str) -> BatchRow | None:
    """A batch of this thread; None also for one of another thread."""
    query = sa.select(batches).where(tx.of(batches), batches.c.id == batch_id)
    row = tx.row(query.where(batches.c.thread == thread))
    return None if row is None else _batch(row)


def latest(tx: Tx, thread: str) -> BatchRow | None:
    """The batch of this thread that was opened last, whatever its status."""
    query = sa.select(batches).where(tx.of(batches), batches.c.thread == thread)
    row = tx.row(query.order_by(batches.c.sequence.desc()).limit(1))
    return None if row is None else _batch(row)


def unresolved(tx: Tx, thread: str) -> tuple[BatchRow, ...]:
    """The open batches of a thread, oldest first."""
    where = (batches.c.thread == thread, batches.c.status == "unresolved")
    query = sa.select(batches).where(tx.of(batches), *where).order_by(batches.c.sequence)
    return tuple(_batch(row) for row in tx.rows(query))


def latest_ids(tx: Tx, thread: str, limit: int = 20) -> Sequence[str]:
    """The ids of the newest batches of a thread, newest first."""
    query = sa.select(batches.c.id).where(tx.of(batches), batches.c.thread == thread)
    return [row.id for row in tx.rows(query.order_by(batches.c.sequence.desc()).limit(limit))]
