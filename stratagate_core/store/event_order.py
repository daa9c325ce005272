"""Reads the ids of visible events in the orders in which they are listed and scanned."""

from collections.abc import Iterator
from typing import Literal

import sqlalchemy as sa

from stratagate_core.model.event import VISIBLE
from stratagate_core.store.schema import events
from stratagate_core.store.tx import Tx

Order = Literal["id", "first", "latest", "adopted"]

_ORDERS = {
    "id": (events.c.id,),
    "first": (events.c.chronology, events.c.id),
    "latest": (events.c.chronology.desc(), events.c.id.desc()),
    "adopted": (events.c.last_adopted_turn.desc(), events.c.id.desc()),
}


def visible_ids(tx: Tx, pool: str, order: Order, *, size: int = 200) -> Iterator[tuple[str, ...]]:
    """The ids of the visible events of a pool, a page at a time."""
    where = (tx.of(events), events.c.pool == pool, events.c.status.in_(VISIBLE))
    query = sa.select(events.c.id).where(*where).order_by(*_ORDERS[order])
    with tx.connection.execute(query.execution_options(yield_per=size)) as result:
        for rows in result.partitions():
            yield tuple(row.id for row in rows)
