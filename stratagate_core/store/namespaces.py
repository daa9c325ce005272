"""Writes `namespaces` and `threads`: counters that belong to a whole namespace or one thread."""

from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from stratagate_core.store.schema import namespaces, threads
from stratagate_core.store.tx import AdminTx, Tx

Counter = Literal["current_turn", "block_sequence", "batch_sequence"]

#: of the counters, on every database
_LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Thread:
    """Counters of one thread."""

    thread: str
    epoch: int = 0
    turns: int = 0
    tail: int = 0
    sealed: int = 0


def current(tx: Tx, counter: Counter) -> int:
    """The value of a counter; 0 in a namespace that nothing was written to."""
    return int(tx.scalar(sa.select(namespaces.c[counter]).where(tx.of(namespaces))) or 0)


def advance(tx: Tx, counter: Counter) -> int:
    """Raise a counter by one and return its new value. The namespace must be locked."""
    value = current(tx, counter) + 1
    tx.change(sa.update(namespaces).where(tx.of(namespaces)).values({counter: value}))
    return value


def revision(tx: Tx) -> int:
    """How many changes were committed."""
    return int(tx.scalar(sa.select(namespaces.c.revision).where(tx.of(namespaces))) or 0)


def names(tx: AdminTx) -> tuple[str, ...]:
    """All namespaces of the database."""
    query = sa.select(namespaces.c.namespace).order_by(namespaces.c.namespace)
    return tuple(row.namespace for row in tx.rows(query))


def thread(tx: Tx, name: str) -> Thread:
    """The counters of a thread; zeros for a new one."""
    query = sa.select(threads).where(tx.of(threads), threads.c.thread == name)
    row = tx.row(query)
    if row is None:
        return Thread(name)
    return Thread(row.thread, row.epoch, row.turns, row.tail, row.sealed)


def put_thread(tx: Tx, value: Thread) -> None:
    """Store the counters of a thread."""
    counters = {"epoch": value.epoch, "turns": value.turns}
    counters |= {"tail": value.tail, "sealed": value.sealed}
    tx.upsert(threads, {"thread": value.thread, **counters})


def drop_from_tail(tx: Tx, value: Thread) -> None:
    """One unsealed turn less."""
    put_thread(tx, Thread(value.thread, value.epoch, value.turns, value.tail - 1, value.sealed))


def thread_names(tx: Tx) -> tuple[str, ...]:
    """All threads of the namespace."""
    query = sa.select(threads.c.thread).where(tx.of(threads)).order_by(threads.c.thread)
    return tuple(row.thread for row in tx.rows(query))


def threads_with_tail(tx: Tx, at_least: int) -> tuple[str, ...]:
    """Threads whose tail holds at least so many turns."""
    if at_least > _LARGEST:
        return ()
    query = sa.select(threads.c.thread).where(tx.of(threads), threads.c.tail >= at_least)
    # sorted here: an ORDER BY by thread would walk through all threads instead
    return tuple(sorted(row.thread for row in tx.rows(query)))
