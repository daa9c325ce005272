"""Writes `memory_records`: what an agent recorded on purpose, by the call that did it."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from stratagate_core.store.schema import memory_records
from stratagate_core.store.tx import Row, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRow:
    """One record as it is stored."""

    thread: str
    key: str
    body_hash: str
    event_id: str | None
    result: Mapping[str, Any]
    at: datetime


_NAMES = tuple(RecordRow.__dataclass_fields__)


def _record(row: Row) -> RecordRow:
    return RecordRow(**{name: row._mapping[name] for name in _NAMES})


def insert(tx: Tx, record: RecordRow) -> None:
    """Store a record."""
    tx.insert(memory_records, [{name: getattr(record, name) for name in _NAMES}])


def get(tx: Tx, thread: str, key: str) -> RecordRow | None:
    """The record stored under a key of a thread, or None."""
    where = (memory_records.c.thread == thread, memory_records.c.key == key)
    row = tx.row(sa.select(memory_records).where(tx.of(memory_records), *where))
    return None if row is None else _record(row)


def scrub(tx: Tx, *, gone: Set[str]) -> None:
    """Take out the ids of purged events, and reasons, which may tell of what was purged."""
    for row in tx.rows(sa.select(memory_records).where(tx.of(memory_records))):
        left = _left(row.result or {}, gone)
        lost = row.event_id in gone
        if left == row.result and not lost:
            continue
        bare: dict[str, Any] = {"event_id": None, "body_hash": ""} if lost else {}
        here = (memory_records.c.thread == row.thread, memory_records.c.key == row.key)
        change = sa.update(memory_records).where(tx.of(memory_records), *here)
        tx.change(change.values(result=left, **bare))


def _left(result: Mapping[str, Any], gone: Set[str]) -> dict[str, Any]:
    left = {
        name: value
        for name, value in result.items()
        if not (isinstance(value, str) and value in gone)
    }
    left["reason"] = ""
    left["existing_event_ids"] = [
        key for key in result.get("existing_event_ids", ()) if key not in gone
    ]
    return left
