"""Writes `purges`, the receipts of what was deleted for good, and empties a namespace."""

from typing import Any

import sqlalchemy as sa

from stratagate_core.model.purge import PurgeReceipt
from stratagate_core.store.schema import metadata, namespaces, purges
from stratagate_core.store.tx import Row, Tx

_LISTS = ("message_ids", "block_ids", "event_ids", "remade_block_ids")


def insert(tx: Tx, receipt: PurgeReceipt) -> None:
    """Store a receipt."""
    lists = {name: list(getattr(receipt, name)) for name in _LISTS}
    row = {"id": receipt.id, "at": receipt.at, "whole_namespace": receipt.whole_namespace}
    tx.insert(purges, [row | lists])


def receipts(tx: Tx) -> tuple[PurgeReceipt, ...]:
    """All receipts, oldest first."""
    query = sa.select(purges).where(tx.of(purges)).order_by(purges.c.at, purges.c.id)
    return tuple(_receipt(row) for row in tx.rows(query))


def _receipt(row: Row) -> PurgeReceipt:
    lists: dict[str, Any] = {name: tuple(row._mapping[name] or ()) for name in _LISTS}
    return PurgeReceipt(
        id=row.id, at=row.at, whole_namespace=row.whole_namespace, files_clean=True, **lists
    )


def empty_namespace(tx: Tx) -> None:
    """Delete every row of the namespace in every table; counters and receipts stay."""
    for table in metadata.tables.values():
        if "namespace" in table.c and table not in (namespaces, purges):
            tx.change(sa.delete(table).where(tx.of(table)))
