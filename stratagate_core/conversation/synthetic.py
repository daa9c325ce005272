"""A text that is no conversation, stored as a source: one message in a ready block of its own.

It has a thread of its own and no number among the turns, so it makes no memory older and stands
in no transcript and no list of blocks. It is searched, expanded and cited like anything else.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from stratagate_core.conversation.rules.capture import body_hash, text_hash
from stratagate_core.conversation.rules.incoming import prepared_message
from stratagate_core.conversation.rules.render import layers
from stratagate_core.engine import Work
from stratagate_core.model.message import Message
from stratagate_core.store import blocks, index, namespaces, turns
from stratagate_core.store.blocks import BlockRow
from stratagate_core.store.turns import TurnRow
from stratagate_core.text.clip import clip, clip_line
from stratagate_core.text.redact import redact

TITLE, SUMMARY, POINTS, POINT = 80, 500, 8, 2000


def add_source(
    work: Work,
    text: str,
    *,
    title: str,
    kind: str,
    role: str,
    at: datetime | None = None,
    metadata: Mapping[str, Any] = {},
) -> BlockRow:
    """Store a text as a ready block that is never read for events.

    Args:
        work: the open write transaction.
        text: the whole text, kept as it is.
        title: what the block is called.
        kind: tag of the block and start of the name of its thread.
        role: who speaks in it.
        at: when it was written; None means now.
        metadata: plain JSON, kept with the message.

    """
    block_id = work.new_id("blk")
    sequence = namespaces.advance(work.tx, "block_sequence")
    redacted = work.settings.redact_on_write
    # below zero: numbers of turns belong to conversations, and weights fade by them
    number, thread = -sequence, f"{kind}:{block_id}"
    message = prepared_message(
        Message(role=role, content=text, metadata=metadata),
        message_id=work.new_id("msg"),
        at=at or work.now,
        thread=thread,
        turn=number,
        redacted=redacted,
    )
    turn = TurnRow(
        number=number,
        thread=thread,
        epoch=0,
        ordinal=1,
        receipt=None,
        state="complete",
        version=1,
        body_hash=body_hash([message]),
        text_hash=text_hash([message]),
        block_id=None,
        created_at=at or work.now,
    )
    turns.insert_turn(work.tx, turn)
    turns.insert_messages(work.tx, [message], start=0)
    index.index_message(work.tx, message)
    row = _block(work, message, block_id, sequence, redact(title) if redacted else title, kind)
    blocks.insert(work.tx, row)
    turns.seal_turns(work.tx, [number], block_id)
    return row


def _block(
    work: Work, message: Message, block_id: str, sequence: int, title: str, kind: str
) -> BlockRow:
    l3, l4 = layers([message], work.env.count_tokens)
    lines = [line.strip() for line in message.content.splitlines() if line.strip()]
    return BlockRow(
        id=block_id,
        thread=str(message.thread),
        sequence=sequence,
        start_turn=1,
        end_turn=1,
        last_number=work.current_turn(),
        status="ready",
        synthetic=True,
        title=clip_line(title, TITLE),
        tags=(kind,),
        summary=clip_line(message.content, SUMMARY),
        key_points=tuple(clip(line, POINT) for line in lines[:POINTS]),
        should_extract=False,
        l3=l3,
        l4=l4,
        anchor_block=block_id,
        anchor_sequence=sequence,
        created_at=message.created_at or work.now,
    )
