"""Running jobs: claim one, run it outside of any transaction, settle or fail it, take the next.

A round runs each job at most once. Neither a failing job nor a lost lease ends the round.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from stratagate_core.engine import (
    Applied,
    Env,
    Errand,
    Failed,
    Outcome,
    Settle,
    Task,
    Work,
    arun_task,
    run_errand,
    run_task,
)
from stratagate_core.errors import Conflict, ModelError
from stratagate_core.jobs import steps
from stratagate_core.llm.port import is_ready
from stratagate_core.store.jobs import JobRow

log = logging.getLogger("stratagate_core.jobs")

#: work that needs no model: a plain step on the job's subject
Step = Callable[[Work, str], None]
#: of a chain of errors this many are named in a log
_CAUSES = 3
Handler = Task[Any, Any, Any] | Errand[Any, Any] | Step
Handlers = Mapping[str, Handler]


@dataclass(slots=True)
class Round:
    """One pass over the runnable jobs of one namespace."""

    env: Env
    namespace: str
    handlers: Handlers
    retry_failed: bool = False
    #: kinds of which at most one job is run
    single: frozenset[str] = frozenset()
    #: the model was found to be away: it is not asked again in this round
    away: bool = False
    #: so was what errands need
    errands_away: bool = False
    done: list[str] = field(default_factory=list)
    done_kinds: set[str] = field(default_factory=set)

    def claim(self) -> JobRow | None:
        """The next job of this round, or None."""
        ready = not self.away and is_ready(self.env.model)
        kinds = [
            kind
            for kind, handler in self.handlers.items()
            if (ready or not isinstance(handler, Task))
            and self._can_run(handler)
            and not (kind in self.single and kind in self.done_kinds)
        ]
        with self.env.read(self.namespace) as work:
            if not steps.anything_due(
                work, kinds=kinds, ignore_wait=self.retry_failed, done=self.done
            ):
                return None
        with self.env.write(self.namespace) as work:
            job = steps.claim(
                work,
                kinds=kinds,
                ignore_wait=self.retry_failed,
                done=self.done,
                put_off=self._put_off,
            )
        if job is not None:
            self.done.append(job.id)
            self.done_kinds.add(job.kind)
        return job

    def _put_off(self, work: Work, job: JobRow) -> datetime | None:
        handler = self.handlers[job.kind]
        if isinstance(handler, Task) and handler.put_off is not None:
            return handler.put_off(work, job.subject)
        return None

    def _can_run(self, handler: object) -> bool:
        if not isinstance(handler, Errand):
            return True
        return not self.errands_away and handler.possible(self.env)

    def note(self, job: JobRow, error: Exception | None) -> None:
        """Ask nothing again in this round that was found to be away."""
        if is_away(error) and isinstance(self.handlers[job.kind], Errand):
            self.errands_away = True
        elif is_away(error):
            self.away = True


def run_round(round_: Round, limit: int | None = None) -> int:
    """Run jobs until none is runnable or `limit` were run; how many were run."""
    while limit is None or len(round_.done) < limit:
        job = round_.claim()
        if job is None:
            break
        error = run_job(round_.env, round_.namespace, round_.handlers, job)
        round_.note(job, error)
    return len(round_.done)


async def arun_round(round_: Round, limit: int | None = None) -> int:
    """As `run_round`; models are awaited on the running loop."""
    while limit is None or len(round_.done) < limit:
        job = await asyncio.to_thread(round_.claim)
        if job is None:
            break
        error = await arun_job(round_.env, round_.namespace, round_.handlers, job)
        round_.note(job, error)
    return len(round_.done)


def run_job(env: Env, namespace: str, handlers: Handlers, job: JobRow) -> Exception | None:
    """Run one claimed job; the error it failed with, if it did."""
    handler = handlers[job.kind]
    try:
        if isinstance(handler, Task):
            run_task(env, namespace, handler, job.subject, _settle(job))
        elif isinstance(handler, Errand):
            run_errand(env, namespace, handler, job.subject, _settle(job))
        else:
            _run_step(env, namespace, handler, job)
    except Exception as error:
        _fail(env, namespace, handler, job, error)
        return error
    return None


async def arun_job(env: Env, namespace: str, handlers: Handlers, job: JobRow) -> Exception | None:
    """As `run_job`, awaiting the model."""
    handler = handlers[job.kind]
    try:
        if isinstance(handler, Task):
            await arun_task(env, namespace, handler, job.subject, _settle(job))
        elif isinstance(handler, Errand):
            await asyncio.to_thread(run_errand, env, namespace, handler, job.subject, _settle(job))
        else:
            await asyncio.to_thread(_run_step, env, namespace, handler, job)
    except Exception as error:
        await asyncio.to_thread(_fail, env, namespace, handler, job, error)
        return error
    return None


def _run_step(env: Env, namespace: str, step: Step, job: JobRow) -> None:
    with env.write(namespace) as work:
        step(work, job.subject)
        steps.settle(work, job, Outcome(applied=Applied()))


def _settle(job: JobRow) -> Settle:
    return lambda work, outcome: steps.settle(work, job, outcome)


def _fail(env: Env, namespace: str, handler: Handler, job: JobRow, error: Exception) -> None:
    try:
        with env.write(namespace) as work:
            again = _record(work, handler, job, error)
    except Conflict:
        log.info("job %s was taken over by another worker", job.id)
        return
    log.warning(
        "job %s (%s) failed: %s; %s; jobs() shows the whole error",
        job.id,
        job.kind,
        _reason(error),
        "not tried again" if again is None else f"next try not before {again:%H:%M:%S %Z}",
    )


def _record(work: Work, handler: Handler, job: JobRow, error: Exception) -> datetime | None:
    """Write down a failed attempt; when the next one may start."""
    known = error.details if isinstance(error, ModelError) else {}
    spent = known.get("spent", {})
    failed = Failed(error=str(error) or type(error).__name__)
    if isinstance(handler, Task) and handler.on_failure is not None:
        failed = handler.on_failure(work, job.subject, error)
    if failed.superseded:
        steps.supersede(work, job, failed.error, spent=spent, diagnostics=failed.diagnostics)
        return None
    return steps.fail(
        work,
        job,
        failed.error,
        spent=spent,
        wait=known.get("retry_after"),
        away=is_away(error),
        diagnostics=failed.diagnostics,
    )


def is_away(error: Exception | None) -> bool:
    """Whether a job failed only because the model was not there."""
    return isinstance(error, ModelError) and error.away


def _reason(error: Exception) -> str:
    """Classes and status of an error: its message may quote what was said (12 §6)."""
    causes = [type(error).__name__]
    cause = error.__cause__
    while cause is not None and len(causes) < _CAUSES:
        causes.append(type(cause).__name__)
        cause = cause.__cause__
    known = error.details if isinstance(error, ModelError) else {}
    told = " from ".join(causes)
    if status := known.get("status"):
        told += f", HTTP {status}"
    if faults := known.get("faults"):
        told += f", {len(faults)} faults in the answer"
    return told
