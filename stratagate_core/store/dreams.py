"""Writes `dream_runs` and `dream_steps`: runs that tidy the directory, and their transcripts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from stratagate_core.store.schema import dream_runs, dream_steps
from stratagate_core.store.tx import Row, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One run as it is stored."""

    number: int
    status: str
    fingerprint: str
    created_at: datetime
    updated_at: datetime
    reason: str = ""
    directions: Sequence[str] = ()
    plan: Sequence[Sequence[Mapping[str, Any]]] = ()
    batches_done: int = 0
    waiting: Sequence[Mapping[str, Any]] = ()
    shown: Mapping[str, Sequence[str]] = field(default_factory=dict)
    idle: int = 0
    steps: int = 0
    spent: Mapping[str, int] = field(default_factory=dict)
    lease: str | None = None
    lease_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """One entry of a transcript."""

    number: int
    kind: str
    content: Mapping[str, Any]
    event_ids: Sequence[str]
    created_at: datetime


_RUN = tuple(RunRow.__dataclass_fields__)
_STEP = tuple(StepRow.__dataclass_fields__)
_EMPTY: Mapping[str, Any] = {"directions": [], "plan": [], "waiting": [], "shown": {}, "spent": {}}


def put(tx: Tx, run: RunRow) -> None:
    """Store a run."""
    values = {name: getattr(run, name) for name in _RUN}
    lists = {name: list(values[name]) for name in ("directions", "plan", "waiting")}
    tx.upsert(dream_runs, {**values, **lists, "spent": dict(run.spent), "shown": dict(run.shown)})


def last(tx: Tx) -> RunRow | None:
    """The run that was started last, or None."""
    query = sa.select(dream_runs).where(tx.of(dream_runs), dream_runs.c.number > 0)
    row = tx.row(query.order_by(dream_runs.c.number.desc()).limit(1))
    return None if row is None else _run(row)


def run(tx: Tx, number: int) -> RunRow | None:
    """One run, or None."""
    row = tx.row(sa.select(dream_runs).where(tx.of(dream_runs), dream_runs.c.number == number))
    return None if row is None else _run(row)


def _run(row: Row) -> RunRow:
    values = {name: row._mapping[name] for name in _RUN}
    return RunRow(**values | {k: values[k] or empty for k, empty in _EMPTY.items()})


def add_step(tx: Tx, number: int, step: StepRow) -> None:
    """Add an entry to the transcript of a run."""
    values = {name: getattr(step, name) for name in _STEP}
    tx.insert(dream_steps, [{"run": number, **values, "event_ids": list(step.event_ids)}])


def steps(
    tx: Tx, number: int, *, limit: int | None = None, offset: int = 0, kind: str | None = None
) -> tuple[StepRow, ...]:
    """Entries of the transcript of a run, oldest first."""
    query = sa.select(dream_steps).where(tx.of(dream_steps), dream_steps.c.run == number)
    if kind is not None:
        query = query.where(dream_steps.c.kind == kind)
    ordered = query.order_by(dream_steps.c.number).offset(offset or None)
    rows = tx.rows(ordered if limit is None else ordered.limit(limit))
    return tuple(
        StepRow(**{name: row._mapping[name] for name in _STEP} | {"content": row.content or {}})
        for row in rows
    )


def scrub(tx: Tx, event_ids: Collection[str]) -> None:
    """Take the words out of what was done after these events were read."""
    gone = set(event_ids)
    for row in tx.rows(sa.select(dream_steps).where(tx.of(dream_steps))):
        if gone & set(row.event_ids or ()):
            here = (dream_steps.c.run == row.run, dream_steps.c.number == row.number)
            left = [key for key in row.event_ids if key not in gone]
            statement = sa.update(dream_steps).where(tx.of(dream_steps), *here)
            tx.change(statement.values(content={}, event_ids=left))
    statement = sa.update(dream_runs).where(tx.of(dream_runs))
    tx.change(statement.values(waiting=[]))
