"""Writes `jobs` and `answers`: durable work, claimed with a lease, and its last good answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from stratagate_core.model.job import Job
from stratagate_core.store.schema import answers, jobs
from stratagate_core.store.tx import AdminTx, Row, Tx

#: answers kept for diagnostics (12 §6)
ANSWERS_KEPT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """One job as it is stored."""

    namespace: str
    id: str
    kind: str
    subject: str
    status: str
    attempts: int
    priority: int
    created_at: datetime
    updated_at: datetime
    next_retry_at: datetime | None = None
    lease: str | None = None
    lease_until: datetime | None = None
    error: str | None = None
    diagnostics: Mapping[str, Any] = field(default_factory=dict)

    def value(self) -> Job:
        """The public value."""
        return Job(
            id=self.id,
            kind=self.kind,
            subject=self.subject,
            status=self.status,  # type: ignore[arg-type]  # the writers store only these
            attempts=self.attempts,
            next_retry_at=self.next_retry_at,
            error=self.error,
            diagnostics=self.diagnostics,
        )


_NAMES = tuple(JobRow.__dataclass_fields__)


def _job(row: Row) -> JobRow:
    values = {name: row._mapping[name] for name in _NAMES}
    return JobRow(**(values | {"diagnostics": values["diagnostics"] or {}}))


def enqueue(
    tx: Tx,
    *,
    job_id: str,
    kind: str,
    subject: str,
    now: datetime,
    priority: int = 0,
    status: str = "pending",
) -> None:
    """Queue a job; a subject has one job of a kind."""
    row = {"id": job_id, "kind": kind, "subject": subject, "status": status, "attempts": 0}
    tx.insert(jobs, [{**row, "priority": priority, "created_at": now, "updated_at": now}])


def update(tx: Tx, job_id: str, **values: Any) -> None:
    """Change the state of a job."""
    tx.change(sa.update(jobs).where(tx.of(jobs), jobs.c.id == job_id).values(**values))


def rename(tx: Tx, job_id: str, new_id: str) -> None:
    """Give a job another id: what was begun under the old one is refused."""
    update(tx, job_id, id=new_id)


def prune(tx: Tx, kind: str, *, kept: int) -> None:
    """Delete the oldest finished jobs of a kind."""
    finished = (tx.of(jobs), jobs.c.kind == kind, jobs.c.status.in_(("succeeded", "superseded")))
    order = (jobs.c.updated_at.desc(), jobs.c.id.desc())
    old = [row.id for row in tx.rows(sa.select(jobs.c.id).where(*finished).order_by(*order))]
    tx.change(sa.delete(jobs).where(tx.of(jobs), jobs.c.id.in_(old[kept:])))


def get(tx: Tx, job_id: str) -> JobRow | None:
    """One job, or None."""
    row = tx.row(sa.select(jobs).where(tx.of(jobs), jobs.c.id == job_id))
    return None if row is None else _job(row)


def by_subject(tx: Tx, kind: str, subject: str) -> JobRow | None:
    """The job of a kind that works on `subject`, or None."""
    where = (tx.of(jobs), jobs.c.kind == kind, jobs.c.subject == subject)
    row = tx.row(sa.select(jobs).where(*where))
    return None if row is None else _job(row)


def is_open(tx: Tx, kind: str, subject: str) -> bool:
    """Whether such a job waits, runs or has failed: nothing else has to be queued."""
    known = by_subject(tx, kind, subject)
    return known is not None and known.status in ("pending", "running", "failed")


def delete_of(tx: Tx, subjects: Sequence[str]) -> None:
    """Delete the jobs of subjects that are gone."""
    tx.change(sa.delete(jobs).where(tx.of(jobs), jobs.c.subject.in_(subjects)))


def scrub(tx: Tx) -> None:
    """Take words out of all jobs: counts stay, and that a job failed."""
    for row in tx.rows(sa.select(jobs.c.id, jobs.c.error, jobs.c.diagnostics).where(tx.of(jobs))):
        known = row.diagnostics if isinstance(row.diagnostics, dict) else {}
        counts_ = {key: item for key, item in known.items() if isinstance(item, int | float)}
        error = None if row.error is None else "the message was purged"
        if counts_ != known or error != row.error:
            update(tx, row.id, error=error, diagnostics=counts_)


def forget_answers(tx: Tx) -> None:
    """Delete the answers that were kept for diagnostics."""
    tx.change(sa.delete(answers).where(tx.of(answers)))


def listing(
    tx: Tx, *, kind: str | None = None, status: str | None = None, limit: int, offset: int = 0
) -> tuple[JobRow, ...]:
    """Jobs of the namespace, oldest first."""
    query = sa.select(jobs).where(tx.of(jobs))
    if kind is not None:
        query = query.where(jobs.c.kind == kind)
    if status is not None:
        query = query.where(jobs.c.status == status)
    ordered = query.order_by(jobs.c.created_at, jobs.c.id).limit(limit).offset(offset)
    return tuple(_job(row) for row in tx.rows(ordered))


def counts(tx: Tx) -> dict[tuple[str, str], int]:
    """How many jobs there are by kind and status."""
    query = sa.select(jobs.c.kind, jobs.c.status, sa.func.count().label("number"))
    grouped = query.where(tx.of(jobs)).group_by(jobs.c.kind, jobs.c.status)
    return {(row.kind, row.status): row.number for row in tx.rows(grouped)}


#: counts that jobs keep of what they asked a model (12 §6)
SPENT = (
    "model_calls",
    "retries",
    "estimated_input_tokens",
    "estimated_output_tokens",
    "reported_input_tokens",
    "reported_output_tokens",
)


def ledger(tx: Tx) -> dict[str, dict[str, int]]:
    """What the jobs of each kind have spent on the model."""
    text = sa.type_coerce(jobs.c.diagnostics, sa.Text)
    sums = [sa.func.coalesce(sa.func.sum(_number(tx, text, name)), 0).label(name) for name in SPENT]
    query = sa.select(jobs.c.kind, *sums).where(tx.of(jobs)).group_by(jobs.c.kind)
    rows = tx.rows(query.order_by(jobs.c.kind))
    return {row.kind: {name: int(row._mapping[name]) for name in SPENT} for row in rows}


def _number(tx: Tx, text: sa.ColumnElement[str], name: str) -> sa.ColumnElement[Any]:
    """A whole number of a JSON object; damaged text counts nothing and breaks nothing (16 §5)."""
    if tx.is_postgresql:
        # its JSON functions refuse damaged text; the writers leave no space around the colon
        digits = sa.func.substring(text, f'"{name}":([0-9]+)')
        return sa.cast(digits, sa.Numeric)
    kept = sa.type_coerce(sa.case((sa.func.json_valid(text) == 1, text)), sa.JSON)
    number: sa.ColumnElement[Any] = kept[name].as_integer()
    return number


def next_runnable(
    tx: Tx,
    *,
    now: datetime,
    max_attempts: int,
    ignore_wait: bool,
    kinds: Sequence[str],
    done: Sequence[str],
    lock: bool = True,
) -> JobRow | None:
    """The next job that may run; with `lock` held until the transaction ends.

    Pending before failed, then by priority, then the oldest. `done` were run in this round.
    """
    wait = jobs.c.next_retry_at
    due = sa.or_(wait.is_(None), wait <= now, sa.literal(ignore_wait))
    failed = (jobs.c.status == "failed", jobs.c.attempts < max_attempts, due)
    for state in ((jobs.c.status == "pending", due), failed):
        where = [tx.of(jobs), jobs.c.kind.in_(kinds), *state]
        if done:
            where.append(jobs.c.id.not_in(done))
        order = (jobs.c.priority.desc(), jobs.c.created_at, jobs.c.id)
        query = sa.select(jobs).where(*where).order_by(*order).limit(1)
        row = tx.row(query.with_for_update(skip_locked=True) if lock else query)
        if row is not None:
            return _job(row)
    return None


def running(tx: Tx, *, expired_at: datetime | None = None) -> tuple[JobRow, ...]:
    """Running jobs; with `expired_at` only those whose lease has ended by then."""
    query = sa.select(jobs).where(tx.of(jobs), jobs.c.status == "running")
    if expired_at is not None:
        query = query.where(jobs.c.lease_until <= expired_at)
    return tuple(_job(row) for row in tx.rows(query.order_by(jobs.c.id)))


def namespaces_with_work(tx: AdminTx) -> tuple[str, ...]:
    """Namespaces that have jobs which are not settled for good."""
    query = sa.select(jobs.c.namespace).where(jobs.c.status.in_(("pending", "running", "failed")))
    return tuple(row.namespace for row in tx.rows(query.distinct().order_by(jobs.c.namespace)))


def keep_answer(tx: Tx, *, answer_id: str, kind: str, text: str, now: datetime) -> None:
    """Keep a successful answer and drop all but the last few."""
    tx.insert(answers, [{"id": answer_id, "kind": kind, "text": text, "created_at": now}])
    newest = sa.select(answers.c.id).where(tx.of(answers))
    newest = newest.order_by(answers.c.created_at.desc(), answers.c.id.desc()).limit(ANSWERS_KEPT)
    kept = [row.id for row in tx.rows(newest)]
    tx.change(sa.delete(answers).where(tx.of(answers), answers.c.id.not_in(kept)))


def kept_answers(tx: Tx) -> tuple[dict[str, Any], ...]:
    """The last successful answers, newest first: {id, kind, text, created_at}."""
    query = sa.select(answers.c.id, answers.c.kind, answers.c.text, answers.c.created_at)
    ordered = query.where(tx.of(answers)).order_by(answers.c.created_at.desc(), answers.c.id.desc())
    return tuple(dict(row._mapping) for row in tx.rows(ordered))
