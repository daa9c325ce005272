"""Writes `blocks`: sealed turns with their levels, their decay anchor and their lifts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from stratagate_core.store.schema import blocks
from stratagate_core.store.tx import Row, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockRow:
    """One block as it is stored."""

    id: str
    thread: str
    sequence: int
    start_turn: int
    end_turn: int
    #: namespace-wide number of its last turn
    last_number: int
    status: str
    l3: str
    l4: str
    anchor_block: str
    anchor_sequence: int
    created_at: datetime
    synthetic: bool = False
    title: str | None = None
    tags: tuple[str, ...] = ()
    summary: str | None = None
    key_points: tuple[str, ...] = ()
    should_extract: bool | None = None
    level: int = 5
    anchor_level: int = 5
    lifted_at: datetime | None = None
    lifted_by: str | None = None
    prompt_hash: str | None = None
    #: after a purge: the messages that new events may cite; None for all
    reread: tuple[str, ...] | None = None


_NAMES = tuple(BlockRow.__dataclass_fields__)


def _block(row: Row) -> BlockRow:
    values = {name: row._mapping[name] for name in _NAMES}
    lists = {name: tuple(values[name] or ()) for name in ("tags", "key_points")}
    again = None if values["reread"] is None else tuple(values["reread"])
    return BlockRow(**(values | lists | {"reread": again}))


def insert(tx: Tx, block: BlockRow) -> None:
    """Store a new block."""
    tx.insert(blocks, [{name: getattr(block, name) for name in _NAMES}])


def _change(tx: Tx, block_id: str, **values: Any) -> None:
    tx.change(sa.update(blocks).where(tx.of(blocks), blocks.c.id == block_id).values(**values))


def put_summary(
    tx: Tx,
    block_id: str,
    *,
    title: str,
    tags: Sequence[str],
    summary: str,
    key_points: Sequence[str],
    should_extract: bool,
    prompt_hash: str,
) -> None:
    """Store L0–L2. The rule levels and the source are not touched."""
    _change(
        tx,
        block_id,
        title=title,
        tags=list(tags),
        summary=summary,
        key_points=list(key_points),
        should_extract=should_extract,
        prompt_hash=prompt_hash,
    )


def make_ready(tx: Tx, block_id: str) -> None:
    """A block whose summary and extraction are settled: raw again, anchored at itself."""
    _change(
        tx,
        block_id,
        status="ready",
        level=5,
        anchor_level=5,
        anchor_block=blocks.c.id,
        anchor_sequence=blocks.c.sequence,
    )


def remake(tx: Tx, block_id: str, *, l3: str, l4: str, reread: list[str] | None) -> None:
    """A block that lost messages: new rule levels, and a summary to come."""
    _change(
        tx,
        block_id,
        status="pending",
        l3=l3,
        l4=l4,
        title=None,
        tags=None,
        summary=None,
        key_points=None,
        should_extract=None,
        prompt_hash=None,
        reread=reread,
    )


def delete(tx: Tx, ids: Sequence[str]) -> None:
    """Delete blocks without messages; what was anchored at one keeps its place in the order."""
    gone = blocks.c.anchor_block.in_(ids)
    tx.change(sa.update(blocks).where(tx.of(blocks), gone).values(anchor_block=blocks.c.id))
    tx.change(sa.delete(blocks).where(tx.of(blocks), blocks.c.id.in_(ids)))


def lift(tx: Tx, block_id: str, *, level: int, anchor: BlockRow, by: str, at: datetime) -> None:
    """Store a chosen level with its anchor, time and author."""
    _change(
        tx,
        block_id,
        level=level,
        anchor_level=level,
        anchor_block=anchor.id,
        anchor_sequence=anchor.sequence,
        lifted_by=by,
        lifted_at=at,
    )


def get(tx: Tx, block_id: str) -> BlockRow | None:
    """One block, or None."""
    row = tx.row(sa.select(blocks).where(tx.of(blocks), blocks.c.id == block_id))
    return None if row is None else _block(row)


def by_ids(tx: Tx, ids: Sequence[str]) -> dict[str, BlockRow]:
    """Blocks by id; unknown ids are absent."""
    query = sa.select(blocks).where(tx.of(blocks), blocks.c.id.in_(list(ids)))
    return {row.id: _block(row) for row in tx.rows(query)} if ids else {}


def of_thread(
    tx: Tx, thread: str | None = None, *, status: str | None = None, latest: int | None = None
) -> tuple[BlockRow, ...]:
    """Blocks of a thread, or of the whole namespace, oldest first; synthetic ones left out.

    With `latest` only the newest so many.
    """
    query = sa.select(blocks).where(tx.of(blocks), blocks.c.synthetic.is_(False))
    if thread is not None:
        query = query.where(blocks.c.thread == thread)
    if status is not None:
        query = query.where(blocks.c.status == status)
    newest = tx.rows(query.order_by(blocks.c.sequence.desc()).limit(latest))
    return tuple(_block(row) for row in reversed(newest))


def latest_ready(tx: Tx, thread: str) -> BlockRow | None:
    """The newest ready block of a thread."""
    where = (tx.of(blocks), blocks.c.thread == thread, blocks.c.status == "ready")
    row = tx.row(sa.select(blocks).where(*where).order_by(blocks.c.sequence.desc()).limit(1))
    return None if row is None else _block(row)


def ready_after(tx: Tx, thread: str, sequence: int) -> int:
    """How many ready blocks of the thread came after a sequence number: an age."""
    where = (tx.of(blocks), blocks.c.thread == thread, blocks.c.status == "ready")
    query = sa.select(sa.func.count()).select_from(blocks)
    return int(tx.scalar(query.where(*where, blocks.c.sequence > sequence)) or 0)


def last_end_turn(tx: Tx, thread: str) -> int:
    """The thread-local number of the last sealed turn."""
    query = sa.select(sa.func.max(blocks.c.end_turn))
    return int(tx.scalar(query.where(tx.of(blocks), blocks.c.thread == thread)) or 0)


def neighbours(tx: Tx, block: BlockRow) -> tuple[BlockRow, ...]:
    """The nearest earlier and the nearest later block of the thread that has L2."""
    described = (
        tx.of(blocks),
        blocks.c.thread == block.thread,
        blocks.c.summary.is_not(None),
    )
    earlier = sa.select(blocks).where(*described, blocks.c.sequence < block.sequence)
    later = sa.select(blocks).where(*described, blocks.c.sequence > block.sequence)
    found = (
        tx.row(earlier.order_by(blocks.c.sequence.desc()).limit(1)),
        tx.row(later.order_by(blocks.c.sequence).limit(1)),
    )
    return tuple(_block(row) for row in found if row is not None)


def count(tx: Tx, *, status: str | None = None, thread: str | None = None) -> int:
    """How many blocks there are; synthetic ones left out."""
    where = [tx.of(blocks), blocks.c.synthetic.is_(False)]
    if status is not None:
        where.append(blocks.c.status == status)
    if thread is not None:
        where.append(blocks.c.thread == thread)
    return int(tx.scalar(sa.select(sa.func.count()).select_from(blocks).where(*where)) or 0)


def threads(tx: Tx) -> tuple[str, ...]:
    """Threads that have blocks; synthetic ones left out."""
    query = sa.select(blocks.c.thread).where(tx.of(blocks), blocks.c.synthetic.is_(False))
    return tuple(row.thread for row in tx.rows(query.distinct().order_by(blocks.c.thread)))
