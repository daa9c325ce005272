"""What stands around messages in their threads, looked up for many messages at once."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from stratagate_core.store.lists import among_bound, bound
from stratagate_core.store.schema import messages
from stratagate_core.store.tx import Tx

#: how far around a message is looked
REACH = 2


def chains(tx: Tx, ids: Sequence[str]) -> tuple[tuple[str | None, ...], ...]:
    """For each message the ids of what was said around it, in order, itself in the middle.

    Two before and two after; None where the thread has no such message.
    """
    asked = {"of": tx.namespace, "asked": bound(tx, ids)}
    rows = tx.connection.execute(_chains(tx.is_postgresql), asked).all()
    found = {row[REACH]: tuple(row) for row in rows}
    return tuple(found[key] for key in dict.fromkeys(ids) if key in found)


@cache
def _chains(is_postgresql: bool) -> sa.Select[Any]:
    """The query of `chains`, built once."""
    here = messages.alias("here")
    columns: list[sa.ColumnElement[Any]] = [
        *(_near(here, -distance) for distance in range(REACH, 0, -1)),
        here.c.id,
        *(_near(here, distance) for distance in range(1, REACH + 1)),
    ]
    return sa.select(*columns).where(
        here.c.namespace == sa.bindparam("of"), among_bound(is_postgresql, here.c.id, "asked")
    )


def _near(here: sa.FromClause, distance: int) -> sa.ColumnElement[Any]:
    """The id of the message `distance` places after (negative: before) one of the same thread."""
    there = messages.alias()
    place = sa.tuple_(there.c.turn, there.c.position)
    own = sa.tuple_(here.c.turn, here.c.position)
    back = distance < 0
    order = (there.c.turn, there.c.position)
    return (
        sa.select(there.c.id)
        .where(
            there.c.namespace == sa.bindparam("of"),
            there.c.thread == here.c.thread,
            there.c.superseded_in.is_(None),
            place < own if back else place > own,
        )
        .order_by(*(column.desc() if back else column for column in order))
        .limit(1)
        .offset(abs(distance) - 1)
        .scalar_subquery()
        .label(f"at_{distance}".replace("-", "minus_"))
    )


def said_between(
    tx: Tx, start: datetime, end: datetime, *, limit: int, thread: str | None = None
) -> tuple[str, ...]:
    """Ids of the first messages said in a half-open stretch of time, in order."""
    where = [messages.c.created_at >= start, messages.c.created_at < end]
    where += [messages.c.superseded_in.is_(None)]
    if thread is not None:
        where.append(messages.c.thread == thread)
    query = sa.select(messages.c.id).where(tx.of(messages), *where)
    ordered = query.order_by(messages.c.created_at, messages.c.id).limit(limit)
    return tuple(row.id for row in tx.rows(ordered))
