"""What changes a conversation: a turn is appended, a tail is sealed, a block is lifted."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from stratagate_core.conversation.read import level_now
from stratagate_core.conversation.rules.capture import body_hash, ended_text, text_hash
from stratagate_core.conversation.rules.decay import parse_level
from stratagate_core.conversation.rules.incoming import common_prefix, prepared_message
from stratagate_core.conversation.rules.render import layers
from stratagate_core.conversation.rules.summary import result_summary
from stratagate_core.conversation.rules.tail import due_slice
from stratagate_core.engine import Work
from stratagate_core.errors import Conflict, InvalidArgument, NotFound
from stratagate_core.model.facts import BlockSealed
from stratagate_core.model.message import Message
from stratagate_core.model.turn import Added
from stratagate_core.store import blocks, index, namespaces, turns
from stratagate_core.store.blocks import BlockRow
from stratagate_core.store.namespaces import Thread
from stratagate_core.store.turns import TurnRow

State = Literal["open", "complete", "interrupted"]


def append_turn(
    work: Work,
    messages: Sequence[Message],
    *,
    thread: str,
    at: datetime | None,
    receipt: str | None,
    state: State,
) -> Added:
    """Store one turn whole, or do what a repeated receipt asks for (01 §1)."""
    counters = namespaces.thread(work.tx, thread)
    if receipt is not None:
        known = turns.by_receipt(work.tx, thread, counters.epoch, receipt)
        if known is not None:
            return _deliver_again(work, known, messages, at=at, state=state)
    close_open_turns(work, thread)
    number = namespaces.advance(work.tx, "current_turn")
    turn = TurnRow(
        number=number,
        thread=thread,
        epoch=counters.epoch,
        ordinal=counters.turns + 1,
        receipt=receipt,
        state=state,
        version=1,
        body_hash=body_hash(messages),
        text_hash=text_hash(messages),
        block_id=None,
        created_at=at or work.now,
    )
    turns.insert_turn(work.tx, turn)
    _store_messages(work, turn, messages, at=at, start=0)
    counters = replace(counters, turns=counters.turns + 1, tail=counters.tail + 1)
    namespaces.put_thread(work.tx, counters)
    return Added(turn=number, thread=thread)


def _deliver_again(
    work: Work,
    known: TurnRow,
    messages: Sequence[Message],
    *,
    at: datetime | None,
    state: State,
) -> Added:
    if known.purged:  # what was deleted for good does not come back
        return Added(turn=known.number, thread=known.thread, receipt_known=True)
    same = known.body_hash == body_hash(messages)
    unchanged = same and known.state == state
    reopened = state == "open" and known.state == "complete"
    if known.block_id is not None or unchanged or reopened:
        return Added(turn=known.number, thread=known.thread, receipt_known=True)
    standing = turns.turn_messages(work.tx, [known.number])
    kept = common_prefix(standing, messages)
    _supersede(work, standing[kept:], known.version + 1)
    start = turns.next_position(work.tx, known.number)
    _store_messages(work, known, messages[kept:], at=at, start=start)
    turns.update_turn(
        work.tx,
        known.number,
        state=state,
        version=known.version + 1,
        body_hash=body_hash(messages),
        text_hash=text_hash(messages),
    )
    return Added(turn=known.number, thread=known.thread)


def _store_messages(
    work: Work, turn: TurnRow, messages: Sequence[Message], *, at: datetime | None, start: int
) -> None:
    wanted = [message.id for message in messages if message.id]
    taken = set(turns.existing_ids(work.tx, wanted))
    stored = []
    for message in messages:
        # an id that stands for another message already must not cost this one
        free = message.id is not None and message.id not in taken
        message_id = message.id if free and message.id else work.new_id("msg")
        taken.add(message_id)
        stored.append(
            prepared_message(
                message,
                message_id=message_id,
                at=at or work.now,
                thread=turn.thread,
                turn=turn.number,
                redacted=work.settings.redact_on_write,
            )
        )
    turns.insert_messages(work.tx, stored, start=start)
    for message in stored:
        summaries = [result_summary(trace.result) for trace in message.tool_calls]
        index.index_message(work.tx, message, summaries)


def _supersede(work: Work, messages: Sequence[Message], version: int) -> None:
    ids = [str(message.id) for message in messages]
    if ids:
        turns.supersede_messages(work.tx, ids, version)
        for message_id in ids:
            index.unindex_message(work.tx, message_id)


def close_open_turns(work: Work, thread: str, reason: str = "interrupted") -> None:
    """Store turns that were opened and never completed as ended (LC-40)."""
    counters = namespaces.thread(work.tx, thread)
    for turn in turns.tail(work.tx, thread, counters.epoch):
        if turn.state == "open":
            ended = Message(role="assistant", content=ended_text(reason))
            start = turns.next_position(work.tx, turn.number)
            _store_messages(work, turn, [ended], at=None, start=start)
            turns.update_turn(work.tx, turn.number, state="interrupted")


def seal_due(work: Work, thread: str) -> str | None:
    """Seal the first turns of a tail that is long enough; the new block's id, or None."""
    counters = namespaces.thread(work.tx, thread)
    size = work.settings.block_turn_size
    if counters.tail < size:
        return None
    rows = turns.tail(work.tx, thread, counters.epoch, limit=size)
    count = due_slice([row.state for row in rows], size)
    return _seal(work, counters, rows[:count]) if count else None


def _seal(work: Work, counters: Thread, rows: Sequence[TurnRow]) -> str:
    numbers = [row.number for row in rows]
    messages = turns.turn_messages(work.tx, numbers)
    l3, l4 = layers(messages, work.env.count_tokens)
    block_id = work.new_id("blk")
    sequence = namespaces.advance(work.tx, "block_sequence")
    blocks.insert(
        work.tx,
        BlockRow(
            id=block_id,
            thread=counters.thread,
            sequence=sequence,
            start_turn=counters.sealed + 1,
            end_turn=counters.sealed + len(rows),
            last_number=numbers[-1],
            status="pending",
            l3=l3,
            l4=l4,
            anchor_block=block_id,
            anchor_sequence=sequence,
            created_at=max((m.created_at for m in messages if m.created_at), default=work.now),
        ),
    )
    if turns.seal_turns(work.tx, numbers, block_id) != len(numbers):
        raise Conflict("these turns were sealed by another writer meanwhile")
    tail, sealed = counters.tail - len(rows), counters.sealed + len(rows)
    namespaces.put_thread(work.tx, replace(counters, tail=tail, sealed=sealed))
    work.emit(BlockSealed(block_id))
    return block_id


def expand_block(work: Work, block_id: str, target: object, *, by: str) -> BlockRow:
    """Show a ready block at another level and anchor its decay at the latest block."""
    row = ready_block(work, block_id)
    level = parse_level(target, level_now(work, row))
    anchor = blocks.latest_ready(work.tx, row.thread) or row
    blocks.lift(work.tx, row.id, level=level, anchor=anchor, by=by, at=work.now)
    return ready_block(work, block_id)


def ready_block(work: Work, block_id: str) -> BlockRow:
    """A block that may be read and expanded."""
    row = blocks.get(work.tx, block_id)
    if row is None:
        raise NotFound(f"no block {block_id!r}; get_blocks lists the blocks there are")
    if row.status != "ready":
        raise InvalidArgument(
            f"block {block_id!r} is still {row.status}: its messages stand in the conversation"
        )
    return row


def reset_thread(work: Work, thread: str) -> None:
    """Start a new epoch: earlier turns stay stored, sealed and searchable, but leave the tail.

    What is left of the tail becomes a block of its own, however short, so that clearing a chat
    loses nothing that was said last.
    """
    close_open_turns(work, thread)
    counters = namespaces.thread(work.tx, thread)
    rows = turns.tail(work.tx, thread, counters.epoch)
    if rows:
        _seal(work, counters, rows)
        counters = namespaces.thread(work.tx, thread)
    namespaces.put_thread(work.tx, replace(counters, epoch=counters.epoch + 1, turns=0, tail=0))


def rebase_thread(work: Work, thread: str, messages: Sequence[Message]) -> int:
    """Keep the turns that the given transcript starts with; the rest becomes superseded.

    Returns how many of the given messages were kept. Sealed turns leave the transcript only:
    their block and its sources stay.
    """
    counters = namespaces.thread(work.tx, thread)
    kept, gone = 0, 0
    diverged = False
    for row in turns.turns_of(work.tx, thread, counters.epoch):
        stored = turns.turn_messages(work.tx, [row.number])
        if not diverged and common_prefix(stored, messages[kept:]) == len(stored):
            kept += len(stored)
            continue
        diverged = True
        turns.update_turn(work.tx, row.number, state="superseded", receipt=None)
        if row.block_id is None:
            _supersede(work, stored, row.version + 1)
            gone += 1
    if diverged:
        namespaces.put_thread(work.tx, replace(counters, tail=counters.tail - gone))
    return kept
