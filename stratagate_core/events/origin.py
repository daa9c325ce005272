"""Reads where cards come from: a block, its messages and what may be quoted from them."""

from stratagate_core.engine import Work
from stratagate_core.events.rules.admission import Origin
from stratagate_core.events.rules.quotes import citable_texts
from stratagate_core.store import turns
from stratagate_core.store.blocks import BlockRow


def origin_of(work: Work, block: BlockRow) -> Origin:
    """What cards of a block are checked against; those of a synthetic one count from now."""
    messages = turns.block_messages(work.tx, block.id)
    return Origin(
        block_id=block.id,
        thread=block.thread,
        formed_turn=work.current_turn() if block.synthetic else block.last_number,
        messages={str(message.id): message for message in messages},
        citable=citable_texts(messages),
        timezone=work.settings.timezone,
        now=work.now,
    )
