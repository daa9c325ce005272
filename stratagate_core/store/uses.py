"""Writes `reinforcements` and `use_receipts`: insert-only proof of what was used, once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from stratagate_core.store.schema import reinforcements, use_receipts
from stratagate_core.store.tx import Row, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptRow:
    """One receipt of use as it is stored."""

    thread: str
    key: str
    batch_id: str
    turn: int
    body_hash: str
    result: Mapping[str, Any]
    audit: Mapping[str, Any]
    at: datetime


_NAMES = tuple(ReceiptRow.__dataclass_fields__)


def _receipt(row: Row) -> ReceiptRow:
    return ReceiptRow(**{name: row._mapping[name] for name in _NAMES})


def reinforce(tx: Tx, event_id: str, *, receipt: str, turn: int, now: datetime) -> bool:
    """Note that a receipt reinforced an event; False if it already did."""
    row = {"event_id": event_id, "receipt": receipt, "turn": turn, "at": now}
    return tx.upsert(reinforcements, row, replace=False)


def fold(tx: Tx, event_id: str) -> tuple[int, int | None]:
    """How often an event was reinforced, and the turn of the last time."""
    query = sa.select(
        sa.func.count().label("number"), sa.func.max(reinforcements.c.turn).label("turn")
    ).where(tx.of(reinforcements), reinforcements.c.event_id == event_id)
    row = tx.row(query)
    return (0, None) if row is None else (int(row.number), row.turn)


def delete_reinforcements(tx: Tx, event_ids: Sequence[str]) -> None:
    """Forget how often deleted events were reinforced."""
    of = reinforcements.c.event_id.in_(event_ids)
    tx.change(sa.delete(reinforcements).where(tx.of(reinforcements), of))


def scrub(tx: Tx, batch_ids: Sequence[str], *, gone: frozenset[str]) -> None:
    """Take titles and judgements out of the receipts of batches that held what was purged."""
    where = (tx.of(use_receipts), use_receipts.c.batch_id.in_(batch_ids))
    for row in tx.rows(sa.select(use_receipts).where(*where)):
        key = (use_receipts.c.thread == row.thread, use_receipts.c.key == row.key)
        bare = {name: _bare(row._mapping[name], gone) for name in ("result", "audit")}
        tx.change(sa.update(use_receipts).where(tx.of(use_receipts), *key).values(**bare))


def _bare(value: Mapping[str, Any], gone: frozenset[str]) -> dict[str, Any]:
    bare = {name: "" if name in ("fit", "missing") else item for name, item in value.items()}
    if isinstance(bare.get("event_ids"), list):
        bare["event_ids"] = [key for key in bare["event_ids"] if key not in gone]
    cited = bare.get("citations")
    if isinstance(cited, list):
        bare["citations"] = [{**one, "title": ""} for one in cited]
    return bare


def put_receipt(tx: Tx, receipt: ReceiptRow) -> None:
    """Store a receipt of use."""
    tx.insert(use_receipts, [{name: getattr(receipt, name) for name in _NAMES}])


def receipt(tx: Tx, thread: str, key: str) -> ReceiptRow | None:
    """The receipt stored under a key of a thread, or None."""
    where = (tx.of(use_receipts), use_receipts.c.thread == thread, use_receipts.c.key == key)
    row = tx.row(sa.select(use_receipts).where(*where))
    return None if row is None else _receipt(row)


def count_receipts(tx: Tx) -> int:
    """How many receipts there are."""
    query = sa.select(sa.func.count()).select_from(use_receipts).where(tx.of(use_receipts))
    return int(tx.scalar(query) or 0)


def receipts(tx: Tx, *, limit: int, offset: int) -> tuple[ReceiptRow, ...]:
    """A page of receipts, newest first."""
    query = sa.select(use_receipts).where(tx.of(use_receipts))
    order = (use_receipts.c.at.desc(), use_receipts.c.turn.desc(), use_receipts.c.key.desc())
    page = query.order_by(*order).limit(limit).offset(offset)
    return tuple(_receipt(row) for row in tx.rows(page))
