"""What changes a job: it is queued, claimed, settled, failed, given back."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from stratagate_core.engine import Outcome, Work
from stratagate_core.errors import Conflict, InvalidArgument, NotFound
from stratagate_core.jobs.rules import (
    MAX_ATTEMPTS,
    PATIENT,
    lease_until,
    outage_over_at,
    retry_at,
)
from stratagate_core.store import jobs
from stratagate_core.store.jobs import JobRow


def enqueue(work: Work, kind: str, subject: str, *, priority: int = 0) -> None:
    """Queue a job, once for its subject."""
    known = jobs.by_subject(work.tx, kind, subject)
    if known is None:
        jobs.enqueue(
            work.tx,
            job_id=work.new_id("job"),
            kind=kind,
            subject=subject,
            now=work.now,
            priority=priority,
        )
    elif known.status not in ("pending", "running"):
        jobs.update(
            work.tx,
            known.id,
            status="pending",
            attempts=0,
            next_retry_at=None,
            updated_at=work.now,
        )


def begin_again(work: Work, kind: str, subject: str, *, queued: bool) -> None:
    """Forget how a job ended, also one that runs: its late result is refused.

    Not `queued`: it waits to be asked for.
    """
    known = jobs.by_subject(work.tx, kind, subject)
    if known is None:
        if queued:
            enqueue(work, kind, subject)
        return
    jobs.update(
        work.tx,
        known.id,
        status="pending" if queued else "skipped",
        attempts=0,
        error=None,
        next_retry_at=None,
        lease=None,
        lease_until=None,
        updated_at=work.now,
    )


def record_skipped(work: Work, kind: str, subject: str) -> None:
    """Note that a job was settled without being run."""
    if jobs.by_subject(work.tx, kind, subject) is None:
        jobs.enqueue(
            work.tx,
            job_id=work.new_id("job"),
            kind=kind,
            subject=subject,
            now=work.now,
            status="skipped",
        )


def anything_due(
    work: Work, *, kinds: Sequence[str], ignore_wait: bool, done: Sequence[str]
) -> bool:
    """Whether claiming may find something; a look that takes no lock."""
    if jobs.running(work.tx, expired_at=work.now):
        return True
    due = jobs.next_runnable(
        work.tx,
        now=work.now,
        max_attempts=MAX_ATTEMPTS,
        ignore_wait=ignore_wait,
        kinds=kinds,
        done=done,
        lock=False,
    )
    return due is not None


def claim(
    work: Work,
    *,
    kinds: Sequence[str],
    ignore_wait: bool,
    done: Sequence[str],
    put_off: Callable[[Work, JobRow], datetime | None] = lambda _work, _job: None,
) -> JobRow | None:
    """Take the next runnable job under a fresh lease; its attempt counts from now.

    `put_off` says until when a job must wait for something else than its own back-off.
    """
    give_back(work, only_expired=True)
    passed = list(done)
    while True:
        job = jobs.next_runnable(
            work.tx,
            now=work.now,
            max_attempts=MAX_ATTEMPTS,
            ignore_wait=ignore_wait,
            kinds=kinds,
            done=passed,
        )
        if job is None:
            return None
        until = put_off(work, job)
        if until is None:
            return _start(work, job, attempts=job.attempts + 1)
        jobs.update(work.tx, job.id, next_retry_at=until)
        passed.append(job.id)


def restart(work: Work, job_id: str) -> JobRow:
    """Claim a failed job by hand: its attempts start anew."""
    job = jobs.get(work.tx, job_id)
    if job is None:
        raise NotFound(f"no job {job_id!r}; jobs() lists them")
    if job.status != "failed":
        raise InvalidArgument(f"job {job_id!r} is {job.status}; only a failed job can be retried")
    return _start(work, job, attempts=1)


def _start(work: Work, job: JobRow, *, attempts: int) -> JobRow:
    lease = work.new_id("lease")
    attempt_id = job.id
    if job.kind in PATIENT and job.attempts:
        attempt_id = work.new_id("job")
        jobs.rename(work.tx, job.id, attempt_id)
    until = lease_until(work.now, work.settings.structured_task_timeout)
    jobs.update(
        work.tx,
        attempt_id,
        status="running",
        attempts=attempts,
        next_retry_at=None,
        lease=lease,
        lease_until=until,
        updated_at=work.now,
    )
    started = jobs.get(work.tx, attempt_id)
    assert started is not None
    return started


def settle(work: Work, job: JobRow, outcome: Outcome) -> None:
    """Close a job together with its result; a late result is refused."""
    _check_lease(work, job)
    applied = outcome.applied
    known = {} if applied is None else dict(applied.diagnostics)
    status = "succeeded"
    if applied is not None and (applied.skipped or applied.more):
        status = "skipped" if applied.skipped else "pending"
    jobs.update(
        work.tx,
        job.id,
        status=status,
        attempts=0 if status == "pending" else job.attempts,
        error=None,
        lease=None,
        lease_until=None,
        diagnostics={**_added(job, outcome.spent), **known},
        updated_at=work.now,
    )
    if outcome.text:
        jobs.keep_answer(
            work.tx,
            answer_id=work.new_id("ans"),
            kind=job.kind,
            text=outcome.text,
            now=work.now,
        )


def fail(
    work: Work,
    job: JobRow,
    error: str,
    *,
    spent: Mapping[str, int],
    wait: float | None = None,
    away: bool = False,
    diagnostics: Mapping[str, Any] = {},
) -> datetime | None:
    """Record a failed attempt; when the next one may start, None: never by itself.

    `spent` are counts added to those of the job, `wait` the seconds a provider asks for. With
    `away` the model was not there: the attempt does not count.
    """
    _check_lease(work, job)
    counted = _added(job, {**spent, "outages": 1} if away else spent)
    known = {**counted, **diagnostics}
    if away:
        again: datetime | None = outage_over_at(known["outages"], work.now, asked_for=wait)
    else:
        again = retry_at(job.attempts, work.now, asked_for=wait, kind=job.kind)
    jobs.update(
        work.tx,
        job.id,
        status="failed",
        attempts=job.attempts - away,
        error=error,
        next_retry_at=again,
        lease=None,
        lease_until=None,
        diagnostics=known,
        updated_at=work.now,
    )
    return again


def close_failed(work: Work, kind: str, subject: str) -> None:
    """A failed job whose work is gone or is done by others is no failure any more."""
    known = jobs.by_subject(work.tx, kind, subject)
    if known is not None and known.status == "failed":
        supersede(work, known, known.error or "")


def supersede(
    work: Work,
    job: JobRow,
    error: str,
    *,
    spent: Mapping[str, int] = {},
    diagnostics: Mapping[str, Any] = {},
) -> None:
    """Close a job, running or failed, whose work others do."""
    if job.status == "running":
        _check_lease(work, job)
    jobs.update(
        work.tx,
        job.id,
        status="superseded",
        error=error,
        next_retry_at=None,
        lease=None,
        lease_until=None,
        diagnostics={**_added(job, spent), **diagnostics},
        updated_at=work.now,
    )


def _added(job: JobRow, spent: Mapping[str, int]) -> dict[str, Any]:
    """The diagnostics of a job with counts added."""
    sums = {name: int(job.diagnostics.get(name, 0)) + number for name, number in spent.items()}
    return {**job.diagnostics, **sums}


def _check_lease(work: Work, job: JobRow) -> None:
    current = jobs.get(work.tx, job.id)
    if current is None or current.status != "running" or current.lease != job.lease:
        raise Conflict(f"job {job.id} was taken over meanwhile; this late result is refused")


def give_back(work: Work, *, only_expired: bool) -> int:
    """Treat running jobs as interrupted: all of them, or those whose lease has ended."""
    expired_at = work.now if only_expired else None
    abandoned = jobs.running(work.tx, expired_at=expired_at)
    for job in abandoned:
        jobs.update(
            work.tx,
            job.id,
            status="failed",
            error="timeout" if job.kind in PATIENT else "interrupted",
            next_retry_at=None,
            lease=None,
            lease_until=None,
            updated_at=work.now,
        )
    return len(abandoned)
