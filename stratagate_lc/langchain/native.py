"""Stored messages as LangChain's, and a conversation with its older blocks as views."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)

from stratagate_core import UNSET, Block, Message, ToolTrace
from stratagate_core.text.estimate import estimate_tokens
from stratagate_lc.langchain.convert import mark, text_of, valid_sequence
from stratagate_lc.langchain.identity import Place


@dataclass(frozen=True, slots=True)
class Shown:
    """What a conversation looks like now, and the ids of the blocks and messages it shows."""

    messages: tuple[BaseMessage, ...]
    ids: tuple[str, ...]


#: blocks that a conversation shows; what is older has faded to its title and is found by search
#: and recall, so that showing a conversation costs the same after years
BLOCKS_SHOWN = 24


def recent(place: Place) -> tuple[tuple[Block, ...], tuple[Message, ...]]:
    """The newest blocks, and the messages of them and of the open tail."""
    blocks = place.memory.blocks(place.thread, latest=BLOCKS_SHOWN)
    since = blocks[0].turns[0].number if len(blocks) == BLOCKS_SHOWN and blocks[0].turns else None
    return blocks, place.memory.thread_messages(place.thread, since=since)


def layered(place: Place) -> Shown:
    """Older blocks as views at their level where that pays, everything else verbatim."""
    blocks, stored = recent(place)
    ready = {block.id: block for block in blocks if block.status == "ready"}
    messages: list[BaseMessage] = []
    ids: list[str] = []
    for block_id, run in groupby(stored, key=lambda message: message.block_id):
        said = tuple(run)
        view = _view(place, ready.get(block_id or ""), said)
        if view is None:
            messages += native(said)
            ids += message_ids(said)
        else:
            messages.append(view)
            ids.append(str(block_id))
    return Shown(tuple(valid_sequence(messages)), tuple(ids))


def verbatim(place: Place) -> Shown:
    """The whole conversation since its last reset, word for word."""
    stored = place.memory.thread_messages(place.thread)
    return Shown(tuple(valid_sequence(native(stored))), message_ids(stored))


def message_ids(stored: Sequence[Message]) -> tuple[str, ...]:
    """The ids under which the memory knows these messages."""
    return tuple(str(message.id) for message in stored)


def native_id(message: Message) -> str:
    """The id under which LangChain knows a stored message."""
    return str(message.metadata.get("message_id") or message.id)


def native(stored: Sequence[Message]) -> list[BaseMessage]:
    """Stored messages as LangChain's; each traced call stands before its result."""
    return [message for one in stored for message in _native(one)]


def _native(stored: Message) -> Iterator[BaseMessage]:
    kept = stored.extra if isinstance(stored.extra, dict) else {}
    common: dict[str, Any] = {
        "content": kept.get("content", stored.content),
        "id": native_id(stored),
        "name": stored.name,
    }
    role = stored.role.lower()
    if role == "user":
        yield HumanMessage(**common)
    elif role == "system":
        yield SystemMessage(**common)
    elif role == "assistant":
        calls = [(_call_id(stored, n, trace), trace) for n, trace in enumerate(stored.tool_calls)]
        yield AIMessage(**common, tool_calls=[_call(call_id, trace) for call_id, trace in calls])
        yield from (
            _result(call_id, trace) for call_id, trace in calls if trace.result is not UNSET
        )


def _call_id(message: Message, number: int, trace: ToolTrace) -> str:
    return trace.call_id or f"{message.id}.{number}"


def _call(call_id: str, trace: ToolTrace) -> ToolCall:
    arguments = trace.arguments if isinstance(trace.arguments, dict) else {}
    return ToolCall(name=trace.name, args=arguments, id=call_id, type="tool_call")


def _result(call_id: str, trace: ToolTrace) -> ToolMessage:
    return ToolMessage(
        content=as_text(trace.result),
        tool_call_id=call_id,
        name=trace.name,
        status="error" if trace.is_error else "success",
    )


def as_text(value: Any) -> str:
    """A text as it is, any other value as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _view(place: Place, block: Block | None, said: Sequence[Message]) -> BaseMessage | None:
    """The message that may stand for a whole block, if it is shorter than what was said."""
    if block is None or {turn.number for turn in block.turns} != {m.turn for m in said}:
        return None
    text = place.memory.pick_view(block.id, native_tokens=_tokens(native(said)))
    return None if text is None else mark(text, "view")


def _tokens(messages: Sequence[BaseMessage]) -> int:
    return sum(
        estimate_tokens(text_of(message) + as_text(getattr(message, "tool_calls", None) or ""))
        for message in messages
    )
