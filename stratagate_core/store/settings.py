"""Writes `meta`: the settings that are stored with the database."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from stratagate_core.store.schema import meta
from stratagate_core.store.tx import AdminTx

_PREFIX = "setting."


def stored(tx: AdminTx) -> dict[str, Any]:
    """The stored settings by name."""
    query = sa.select(meta).where(meta.c.key.startswith(_PREFIX, autoescape=True))
    return {row.key.removeprefix(_PREFIX): row.value for row in tx.rows(query)}


def store(tx: AdminTx, values: Mapping[str, Any]) -> None:
    """Store settings."""
    for name, value in values.items():
        tx.upsert(meta, {"key": _PREFIX + name, "value": value})
