"""Writes `topic_queue` and `topic_batches`: events that wait to be filed, each in one batch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from stratagate_core.store.lists import among
from stratagate_core.store.schema import topic_batches, topic_queue
from stratagate_core.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRow:
    """A batch: what kind of work it is, and how often it was halved."""

    id: str
    work: str
    number: int
    depth: int = 0
    topic_id: str | None = None


def put_batch(tx: Tx, batch: BatchRow) -> None:
    """Store a batch."""
    names = tuple(BatchRow.__dataclass_fields__)
    tx.insert(topic_batches, [{name: getattr(batch, name) for name in names}])


def batch(tx: Tx, batch_id: str) -> BatchRow | None:
    """A batch, or None."""
    row = tx.row(
        sa.select(topic_batches).where(tx.of(topic_batches), topic_batches.c.id == batch_id)
    )
    names = tuple(BatchRow.__dataclass_fields__)
    return None if row is None else BatchRow(**{name: row._mapping[name] for name in names})


def delete_batch(tx: Tx, batch_id: str) -> None:
    """Delete a batch that is filed, with what is left of its queue."""
    for table, column in (
        (topic_batches, topic_batches.c.id),
        (topic_queue, topic_queue.c.batch_id),
    ):
        tx.change(sa.delete(table).where(tx.of(table), column == batch_id))


def last_batch(tx: Tx, work: str) -> BatchRow | None:
    """The batch of this kind that was made last, or None."""
    where = (tx.of(topic_batches), topic_batches.c.work == work)
    query = sa.select(topic_batches.c.id).where(*where).order_by(topic_batches.c.number.desc())
    row = tx.row(query.limit(1))
    return None if row is None else batch(tx, row.id)


def batches_of(tx: Tx, topic_id: str, work: str) -> tuple[BatchRow, ...]:
    """The batches of this kind that are for one topic."""
    where = (tx.of(topic_batches), topic_batches.c.work == work)
    query = sa.select(topic_batches.c.id).where(*where, topic_batches.c.topic_id == topic_id)
    found = (batch(tx, row.id) for row in tx.rows(query.order_by(topic_batches.c.number)))
    return tuple(one for one in found if one is not None)


def enter(tx: Tx, batch_id: str, sizes: Mapping[str, int]) -> None:
    """Let events wait in a batch; they leave the one they waited in."""
    for event_id, size in sizes.items():
        tx.upsert(topic_queue, {"event_id": event_id, "batch_id": batch_id, "size": size})


def leave(tx: Tx, event_ids: Iterable[str]) -> None:
    """These events wait no more."""
    wanted = among(tx, topic_queue.c.event_id, sorted(set(event_ids)))
    tx.change(sa.delete(topic_queue).where(tx.of(topic_queue), wanted))


def waiting(tx: Tx, batch_id: str) -> dict[str, int]:
    """The events that wait in a batch, with their sizes."""
    query = sa.select(topic_queue).where(tx.of(topic_queue), topic_queue.c.batch_id == batch_id)
    return {row.event_id: row.size for row in tx.rows(query.order_by(topic_queue.c.event_id))}


def batches_with(tx: Tx, event_ids: Iterable[str]) -> dict[str, str]:
    """The batch that each of these events waits in; events that do not wait are absent."""
    wanted = among(tx, topic_queue.c.event_id, sorted(set(event_ids)))
    query = sa.select(topic_queue.c.event_id, topic_queue.c.batch_id)
    rows = tx.rows(query.where(tx.of(topic_queue), wanted))
    return {row.event_id: row.batch_id for row in rows}
