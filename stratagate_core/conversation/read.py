"""Reading a conversation: blocks at their decayed level, tails, transcripts."""

from collections.abc import Sequence

from stratagate_core.conversation.rules.decay import decayed_level, level_label
from stratagate_core.conversation.rules.render import render_l0, render_l2, render_l5
from stratagate_core.conversation.rules.view import pick_level, view_text
from stratagate_core.engine import Work
from stratagate_core.model.block import Block, BlockTurn
from stratagate_core.model.message import Message
from stratagate_core.store import blocks, namespaces, turns
from stratagate_core.store.blocks import BlockRow
from stratagate_core.store.turns import TurnRow
from stratagate_core.text.language import choose_language


def level_now(work: Work, row: BlockRow) -> int:
    """The level a ready block is shown at, from its anchor and what came after it."""
    age = blocks.ready_after(work.tx, row.thread, row.anchor_sequence)
    return decayed_level(row.anchor_level, 0, age, work.settings.block_decay_lambda)


def content_at(work: Work, row: BlockRow, level: int) -> str:
    """The text of a block at a level."""
    if level == 0:
        return render_l0(row.title or "", row.tags)
    if level == 1:
        return row.summary or ""
    if level == 2:
        return render_l2(row.key_points, row.summary or "")
    if level == 3:
        return row.l3
    if level == 4:
        return row.l4
    return render_l5(turns.block_messages(work.tx, row.id))


def block_context(work: Work, thread: str | None = None) -> tuple[Block, ...]:
    """The ready blocks of a thread, or of all threads, oldest first, each at its level."""
    rows = blocks.of_thread(work.tx, thread, status="ready")
    return block_values(work, rows)


def block_values(work: Work, rows: Sequence[BlockRow]) -> tuple[Block, ...]:
    """Blocks as values."""
    taken = turns.turns_of_blocks(work.tx, [row.id for row in rows])
    return tuple(_value(work, row, taken.get(row.id, ())) for row in rows)


def _value(work: Work, row: BlockRow, taken: Sequence[TurnRow]) -> Block:
    ready = row.status == "ready"
    level = level_now(work, row) if ready else 5
    content = content_at(work, row, level) if ready else ""
    return Block(
        id=row.id,
        thread=row.thread,
        sequence=row.sequence,
        turn_range=(row.start_turn, row.end_turn),
        status="ready" if ready else "pending",
        level=level,
        age=blocks.ready_after(work.tx, row.thread, row.sequence) if ready else 0,
        label=level_label(level, choose_language(work.settings.language, content)),
        content=content,
        created_at=row.created_at,
        turns=tuple(
            BlockTurn(number=turn.number, receipt=turn.receipt, text_hash=turn.text_hash)
            for turn in taken
        ),
        lifted_by=row.lifted_by,
        lifted_at=row.lifted_at,
    )


def open_tail(work: Work, thread: str) -> tuple[Message, ...]:
    """The unsealed messages of a thread in arrival order."""
    counters = namespaces.thread(work.tx, thread)
    rows = turns.tail(work.tx, thread, counters.epoch)
    return turns.turn_messages(work.tx, [row.number for row in rows])


def transcript(work: Work, thread: str, *, since: int | None = None) -> tuple[Message, ...]:
    """The visible messages of a thread since its last reset, or from turn `since` on."""
    counters = namespaces.thread(work.tx, thread)
    rows = turns.turns_of(work.tx, thread, counters.epoch, since=since)
    return turns.turn_messages(work.tx, [row.number for row in rows])


def pick_view(work: Work, block_id: str, *, native_tokens: int, window: int | None) -> str | None:
    """The text that may stand for a ready block's native messages, or None (07 §5)."""
    row = blocks.get(work.tx, block_id)
    if row is None or row.status != "ready" or not work.settings.block_views_enabled:
        return None
    picked = pick_level(
        lambda level: _view(work, row, level),
        level_now(work, row),
        native_tokens=native_tokens,
        window=window,
        count=work.env.count_tokens,
    )
    return None if picked is None else picked[1]


def _view(work: Work, row: BlockRow, level: int) -> str:
    content = content_at(work, row, level)
    language = choose_language(work.settings.language, content)
    return view_text(row.id, (row.start_turn, row.end_turn), level, content, language)


def open_turns(work: Work) -> int:
    """How many turns of the namespace stand in open tails."""
    return turns.count_turns(work.tx)
