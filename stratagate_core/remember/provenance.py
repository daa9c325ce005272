"""Where a recorded fact comes from: what was said last, in the words it was said (10 §3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from stratagate_core.conversation.read import open_tail
from stratagate_core.conversation.synthetic import add_source
from stratagate_core.engine import Work
from stratagate_core.model.message import Message
from stratagate_core.remember.rules import Candidate
from stratagate_core.store import blocks, turns

#: messages that are cited at most
CITED = 6
_TAG = "agent-memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The messages an event cites, and their block if they are sealed."""

    message_ids: tuple[str, ...]
    block_id: str | None = None
    sequence: int = 0


def origin_of(work: Work, thread: str, candidate: Candidate) -> Origin:
    """The last messages of the open tail, else of the latest block, else a block of its own."""
    cited = _last_said(open_tail(work, thread))
    if cited:
        return Origin(message_ids=cited)
    for row in blocks.of_thread(work.tx, thread, latest=1):
        cited = _last_said(turns.block_messages(work.tx, row.id))
        if cited:
            return Origin(message_ids=cited, block_id=row.id, sequence=row.sequence)
    # nobody said it in this thread: it is the agent's own word, and is marked as such
    row = add_source(
        work,
        candidate.summary,
        title=candidate.title,
        kind=_TAG,
        role="assistant",
        metadata={"recorded_by": "agent"},
    )
    said = turns.block_messages(work.tx, row.id)
    return Origin(
        message_ids=tuple(str(one.id) for one in said), block_id=row.id, sequence=row.sequence
    )


def _last_said(messages: Sequence[Message]) -> tuple[str, ...]:
    said = [
        str(message.id)
        for message in messages
        if message.role in ("user", "assistant") and message.content.strip()
    ]
    return tuple(said[-CITED:])
