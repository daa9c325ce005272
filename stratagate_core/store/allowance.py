"""Writes the allowance in `meta`: how much work on older events the whole database may do."""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from stratagate_core.store.schema import meta
from stratagate_core.store.tx import AdminTx, Tx
from stratagate_core.store.types import to_utc

_KEY = "topic_allowance"


def reserve(tx: Tx, now: datetime, *, most: int, window: timedelta) -> datetime | None:
    """Take one of the places in this stretch of time for good.

    None if there was one; else when the next one is free. Damaged bookkeeping counts as used up.
    """
    whole = AdminTx(tx.connection)
    whole.upsert(meta, {"key": _KEY, "value": []}, replace=False)
    row = whole.row(sa.select(meta.c.value).where(meta.c.key == _KEY).with_for_update())
    taken = _instants(row.value if row else None)
    if taken is None:
        _store(whole, [now] * most)
        return now + window
    recent = sorted(at for at in taken if at > now - window)
    if len(recent) >= most:
        return recent[-most] + window
    _store(whole, [*recent, now])
    return None


def _store(whole: AdminTx, taken: list[datetime]) -> None:
    whole.upsert(meta, {"key": _KEY, "value": [to_utc(at).isoformat() for at in taken]})


def _instants(value: Any) -> list[datetime] | None:
    try:
        return [to_utc(datetime.fromisoformat(at)) for at in value]
    except (TypeError, ValueError):
        return None
