"""Telling the conversation to the memory, and what was measured on the way.

Turns that a thread holds already are not told again, so that a broken off demo goes on where it
stopped.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from stratagate_core.apps.demo.story import Said
from stratagate_core.conversation.rules.jsontext import compact_json
from stratagate_core.memory import StrataGate
from stratagate_core.model.message import Message, trace_to_json
from stratagate_core.testing import ManualClock
from stratagate_core.text.estimate import estimate_tokens
from stratagate_core.text.markers import MARKERS

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from stratagate_core.apps.demo.chain import Conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One turn: the history that exists, the history that was sent, and the blocks."""

    thread: str
    at: datetime
    turns: int
    #: tokens of everything said before, results of tools included
    whole: int
    #: tokens that were sent of it: views of blocks, turns word for word, activated memories
    views: int
    latest: int
    memories: int
    #: level of each ready block of the thread, oldest first
    levels: tuple[int, ...]

    @property
    def sent(self) -> int:
        """Tokens of the history that the chat model was sent."""
        return self.views + self.latest + self.memories


def untold(memory: StrataGate, turns: Sequence[Said]) -> tuple[Said, ...]:
    """The turns that the memory does not hold yet."""
    held = Counter(
        {
            thread: sum(message.role == "user" for message in memory.thread_messages(thread))
            for thread in memory.threads()
        }
    )
    left = []
    for said in turns:
        if held[said.thread]:
            held[said.thread] -= 1
        else:
            left.append(said)
    return tuple(left)


def tell(
    memory: StrataGate,
    clock: ManualClock,
    turns: Sequence[Said],
    converse: "Callable[[StrataGate, str], Conversation]",
) -> tuple[Measured, ...]:
    """Run the turns through a chain for each thread, each at its own time."""
    chains = {said.thread: converse(memory, said.thread) for said in turns}
    measured = []
    for said in turns:
        clock.now = said.at
        before = memory.thread_messages(said.thread)
        sent = chains[said.thread].say(said)
        measured.append(
            Measured(
                thread=said.thread,
                at=said.at,
                turns=sum(message.role == "user" for message in before) + 1,
                whole=sum(_stored_tokens(message) for message in before),
                levels=ready_levels(memory, said.thread),
                **_sent_tokens(sent),
            )
        )
    return tuple(measured)


def _stored_tokens(message: Message) -> int:
    traces = [compact_json(trace_to_json(trace)) for trace in message.tool_calls]
    return sum(estimate_tokens(text) for text in (message.content, *traces))


def _sent_tokens(sent: "Sequence[BaseMessage]") -> dict[str, int]:
    """What was sent, told apart by the titles of the memory's own messages."""
    tokens = {"views": 0, "latest": 0, "memories": 0}
    for message in sent:
        calls = [compact_json(call["args"]) for call in getattr(message, "tool_calls", ())]
        size = sum(estimate_tokens(text) for text in (message.text, *calls))
        tokens[_kind(message.text)] += size
    return tokens


def _kind(text: str) -> str:
    if text.startswith(_title("block_view")):
        return "views"
    if text.startswith((_title("recall"), _title("no_recall"))):
        return "memories"
    return "latest"


def _title(marker: str) -> str:
    return f"[{MARKERS[marker]['en']}]"


def ready_levels(memory: StrataGate, thread: str) -> tuple[int, ...]:
    """The level of each ready block of a thread, oldest first."""
    return tuple(block.level for block in memory.blocks(thread) if block.status == "ready")


def by_week(measured: Sequence[Measured], thread: str) -> dict[int, Measured]:
    """The last turn of a thread in each week, counted from the first turn."""
    first = min(turn.at for turn in measured).date()
    return {
        (turn.at.date() - first).days // 7 + 1: turn for turn in measured if turn.thread == thread
    }
