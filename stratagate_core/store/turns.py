"""Writes `turns` and `messages`: the sources. Messages are never edited and never joined."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from stratagate_core.model.message import Message, trace_from_json, trace_to_json
from stratagate_core.model.turn import Turn
from stratagate_core.store.lists import among
from stratagate_core.store.schema import messages, turns
from stratagate_core.store.tx import Row, Tx

FINISHED = ("complete", "interrupted")
#: most ids in one query
_CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRow:
    """One turn as it is stored, without its messages."""

    number: int
    thread: str
    epoch: int
    #: place among the turns of its thread and epoch, from 1
    ordinal: int
    receipt: str | None
    state: str
    version: int
    body_hash: str
    text_hash: str
    block_id: str | None
    created_at: datetime
    #: it lost messages for good
    purged: bool = False


def _turn(row: Row) -> TurnRow:
    values = dict(row._mapping)
    values.pop("namespace")
    return TurnRow(**values)


def _message(row: Row) -> Message:
    return Message(
        id=row.id,
        role=row.role,
        content=row.content,
        name=row.name,
        created_at=row.created_at,
        tool_calls=tuple(trace_from_json(trace) for trace in row.tools or ()),
        metadata=row.metadata or {},
        extra=row.extra,
        thread=row.thread,
        turn=row.turn,
        block_id=row.block_id,
    )


_IN_ORDER = (messages.c.turn, messages.c.position)
_STANDING = messages.c.superseded_in.is_(None)


def insert_turn(tx: Tx, turn: TurnRow) -> None:
    """Store a new turn."""
    names = TurnRow.__dataclass_fields__
    tx.insert(turns, [{name: getattr(turn, name) for name in names}])


def update_turn(tx: Tx, number: int, **values: Any) -> None:
    """Change state, version, hashes or block of a turn."""
    tx.change(sa.update(turns).where(tx.of(turns), turns.c.number == number).values(**values))


def insert_messages(tx: Tx, values: Iterable[Message], *, start: int) -> None:
    """Store the messages of one turn, from position `start` on."""
    tx.insert(
        messages,
        [
            {
                "id": message.id,
                "thread": message.thread,
                "turn": message.turn,
                "position": position,
                "role": message.role,
                "name": message.name,
                "content": message.content,
                "created_at": message.created_at,
                "tools": [trace_to_json(trace) for trace in message.tool_calls] or None,
                "metadata": dict(message.metadata) or None,
                "extra": message.extra,
                "block_id": message.block_id,
                "superseded_in": None,
            }
            for position, message in enumerate(values, start)
        ],
    )


def supersede_messages(tx: Tx, ids: Sequence[str], version: int) -> None:
    """Keep messages for the audit only: version `version` of their turn replaced them."""
    change = sa.update(messages).where(tx.of(messages), messages.c.id.in_(ids))
    tx.change(change.values(superseded_in=version))


def delete_messages(tx: Tx, ids: Sequence[str]) -> None:
    """Delete messages for good; only a purge does."""
    for chunk in _chunks(ids):
        tx.change(sa.delete(messages).where(tx.of(messages), messages.c.id.in_(chunk)))


def seal_turns(tx: Tx, numbers: Sequence[int], block_id: str) -> int:
    """Move turns of the open tail into a block; how many were still unsealed."""
    count = tx.change(
        sa.update(turns)
        .where(tx.of(turns), turns.c.number.in_(numbers), turns.c.block_id.is_(None))
        .values(block_id=block_id)
    )
    chosen = (tx.of(messages), messages.c.turn.in_(numbers), _STANDING)
    tx.change(sa.update(messages).where(*chosen).values(block_id=block_id))
    return count


def leave_blocks(tx: Tx, block_ids: Sequence[str]) -> None:
    """Turns of blocks that are deleted stand in no block any more."""
    for chunk in _chunks(block_ids):
        gone = sa.update(turns).where(tx.of(turns), turns.c.block_id.in_(chunk))
        tx.change(gone.values(block_id=None))


def by_receipt(tx: Tx, thread: str, epoch: int, receipt: str) -> TurnRow | None:
    """The turn that was stored under a receipt."""
    where = (turns.c.thread == thread, turns.c.epoch == epoch, turns.c.receipt == receipt)
    row = tx.row(sa.select(turns).where(tx.of(turns), *where))
    return None if row is None else _turn(row)


def tail(tx: Tx, thread: str, epoch: int, limit: int | None = None) -> tuple[TurnRow, ...]:
    """The unsealed turns of a thread, oldest first."""
    where = (turns.c.thread == thread, turns.c.block_id.is_(None), turns.c.epoch == epoch)
    standing = turns.c.state != "superseded"
    query = sa.select(turns).where(tx.of(turns), *where, standing).order_by(turns.c.number)
    return tuple(_turn(row) for row in tx.rows(query.limit(limit)))


def turns_of(tx: Tx, thread: str, epoch: int, *, since: int | None = None) -> tuple[TurnRow, ...]:
    """The visible turns of one epoch of a thread, oldest first, from turn `since` on."""
    where = (turns.c.thread == thread, turns.c.epoch == epoch, turns.c.state != "superseded")
    query = sa.select(turns).where(tx.of(turns), *where).order_by(turns.c.number)
    if since is not None:
        query = query.where(turns.c.number >= since)
    return tuple(_turn(row) for row in tx.rows(query))


def by_numbers(tx: Tx, numbers: Sequence[int]) -> tuple[TurnRow, ...]:
    """Turns by number, in order."""
    found: list[TurnRow] = []
    for chunk in _chunks(numbers):
        query = sa.select(turns).where(tx.of(turns), turns.c.number.in_(chunk))
        found += [_turn(row) for row in tx.rows(query.order_by(turns.c.number))]
    return tuple(found)


def turns_of_blocks(tx: Tx, block_ids: Sequence[str]) -> dict[str, tuple[TurnRow, ...]]:
    """The turns of each block, oldest first."""
    found: dict[str, list[TurnRow]] = {}
    for ids in _chunks(block_ids):
        query = sa.select(turns).where(tx.of(turns), turns.c.block_id.in_(ids))
        for row in tx.rows(query.order_by(turns.c.number)):
            found.setdefault(row.block_id, []).append(_turn(row))
    return {block_id: tuple(rows) for block_id, rows in found.items()}


def turn_messages(tx: Tx, numbers: Sequence[int]) -> tuple[Message, ...]:
    """The standing messages of turns, in order."""
    found: list[Message] = []
    for chunk in _chunks(numbers):
        where = (tx.of(messages), messages.c.turn.in_(chunk), _STANDING)
        query = sa.select(messages).where(*where).order_by(*_IN_ORDER)
        found += [_message(row) for row in tx.rows(query)]
    return tuple(found)


def next_position(tx: Tx, number: int) -> int:
    """The first free position in a turn, superseded messages counted."""
    query = sa.select(sa.func.max(messages.c.position))
    last = tx.scalar(query.where(tx.of(messages), messages.c.turn == number))
    return 0 if last is None else int(last) + 1


def turn_with_messages(tx: Tx, row: TurnRow) -> Turn:
    """A turn as a value."""
    return Turn(
        number=row.number,
        thread=row.thread,
        messages=turn_messages(tx, [row.number]),
        state=row.state,  # type: ignore[arg-type]  # the writers store only these
        receipt=row.receipt,
    )


def versions(tx: Tx, number: int) -> tuple[tuple[int, tuple[Message, ...]], ...]:
    """The replaced messages of a turn by the version that replaced them: for the audit."""
    where = (tx.of(messages), messages.c.turn == number, messages.c.superseded_in.is_not(None))
    query = sa.select(messages).where(*where)
    rows = tx.rows(query.order_by(messages.c.superseded_in, messages.c.position))
    return tuple(
        (version, tuple(_message(row) for row in group))
        for version, group in groupby(rows, key=lambda row: int(row.superseded_in))
    )


def block_messages(tx: Tx, block_id: str) -> tuple[Message, ...]:
    """The messages of a block, in order."""
    where = (tx.of(messages), messages.c.block_id == block_id, _STANDING)
    query = sa.select(messages).where(*where).order_by(*_IN_ORDER)
    return tuple(_message(row) for row in tx.rows(query))


def places_in_blocks(tx: Tx, block_ids: Sequence[str]) -> dict[str, int]:
    """The place of each message of these blocks among those of its block, from 0."""
    columns = (messages.c.block_id, *_IN_ORDER, messages.c.id)
    inside = among(tx, messages.c.block_id, block_ids)
    # sorted here: asked for in order, SQLite would walk through all turns instead
    rows = sorted(
        tuple(row) for row in tx.rows(sa.select(*columns).where(tx.of(messages), inside, _STANDING))
    )
    counts: dict[str, int] = {}
    places = {}
    for block_id, _, _, key in rows:
        places[key] = counts.get(block_id, 0)
        counts[block_id] = places[key] + 1
    return places


def messages_by_id(tx: Tx, ids: Sequence[str]) -> dict[str, Message]:
    """Messages by id; unknown ids are absent."""
    if not ids:
        return {}
    query = sa.select(messages).where(tx.of(messages), among(tx, messages.c.id, ids))
    return {row.id: _message(row) for row in tx.rows(query)}


def existing_ids(tx: Tx, ids: Sequence[str]) -> frozenset[str]:
    """Which of these message ids are taken."""
    found: set[str] = set()
    for chunk in _chunks(ids):
        query = sa.select(messages.c.id).where(tx.of(messages), messages.c.id.in_(chunk))
        found |= {row.id for row in tx.rows(query)}
    return frozenset(found)


def ids_of_thread(tx: Tx, thread: str) -> tuple[str, ...]:
    """The ids of all messages of a thread, replaced ones and earlier epochs counted in."""
    query = sa.select(messages.c.id).where(tx.of(messages), messages.c.thread == thread)
    return tuple(row.id for row in tx.rows(query.order_by(messages.c.id)))


def replaced_with(tx: Tx, ids: Sequence[str]) -> frozenset[str]:
    """Earlier versions of messages: replaced ones of the same turn and role."""
    found: set[str] = set()
    for chunk in _chunks(ids):
        old, new = messages.alias("old"), messages.alias("new")
        same = sa.and_(
            old.c.namespace == new.c.namespace,
            old.c.turn == new.c.turn,
            old.c.role == new.c.role,
            old.c.superseded_in.is_not(None),
        )
        query = sa.select(old.c.id).select_from(old.join(new, same))
        chosen = query.where(new.c.namespace == tx.namespace, new.c.id.in_(chunk))
        found |= {row.id for row in tx.rows(chosen)}
    return frozenset(found)


def neighbours(tx: Tx, message: Message, reach: int = 1) -> tuple[Message, ...]:
    """The messages up to `reach` places before and after one, of the same thread, in order."""
    position = sa.select(messages.c.position).where(tx.of(messages), messages.c.id == message.id)
    place = sa.tuple_(sa.literal(message.turn), sa.literal(tx.scalar(position) or 0))
    here = sa.tuple_(messages.c.turn, messages.c.position)
    thread = (tx.of(messages), messages.c.thread == message.thread, _STANDING)
    before = sa.select(messages).where(*thread, here < place)
    after = sa.select(messages).where(*thread, here > place).order_by(*_IN_ORDER)
    earlier = before.order_by(messages.c.turn.desc(), messages.c.position.desc()).limit(reach)
    found = list(reversed(tx.rows(earlier))) + list(tx.rows(after.limit(reach)))
    return tuple(_message(row) for row in found)


def standing_messages(tx: Tx, *, after: str = "", limit: int = 500) -> tuple[Message, ...]:
    """A page of all messages by id: for rebuilding an index and for scans."""
    where = (tx.of(messages), _STANDING, messages.c.id > after)
    query = sa.select(messages).where(*where).order_by(messages.c.id).limit(limit)
    return tuple(_message(row) for row in tx.rows(query))


def count_turns(tx: Tx, thread: str | None = None) -> int:
    """Unsealed turns of a thread, or of the whole namespace."""
    where = [tx.of(turns), turns.c.block_id.is_(None), turns.c.state != "superseded"]
    if thread is not None:
        where.append(turns.c.thread == thread)
    return int(tx.scalar(sa.select(sa.func.count()).select_from(turns).where(*where)) or 0)


def _chunks(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    values = list(values)
    for start in range(0, len(values), _CHUNK):
        yield values[start : start + _CHUNK]
