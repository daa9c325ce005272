"""Between LangChain's messages and the core's: what was said, what was done, what is ours.

Pure functions. A message that carries ``lc_source`` was put in by software: ours are *marked*,
and no such message is ever captured.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Literal

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    BaseMessageChunk,
    HumanMessage,
    MessageLikeRepresentation,
    ToolMessage,
    convert_to_messages,
    message_chunk_to_message,
)

from stratagate_core import ended_text, parse_arguments
from stratagate_core.model.message import UNSET, Message, ToolTrace
from stratagate_lc.langchain.compat import add_notification, notification_source
from stratagate_lc.langchain.sequence import valid_sequence
from stratagate_lc.langchain.text import text_of

__all__ = [
    "IsUserMessage",
    "as_messages",
    "is_marked",
    "is_real_user",
    "mark",
    "text_of",
    "to_core_messages",
    "turns_of",
    "valid_sequence",
]

_SOURCE = "stratagate."
IsUserMessage = Callable[[HumanMessage], bool]


def as_messages(messages: Iterable[MessageLikeRepresentation]) -> list[BaseMessage]:
    """Messages of any accepted form, dicts, pairs and chunks too, as message objects."""
    return [
        message_chunk_to_message(message) if isinstance(message, BaseMessageChunk) else message
        for message in convert_to_messages(list(messages))
    ]


def mark(text: str, kind: Literal["recall", "view", "gate"]) -> HumanMessage:
    """A message of ours with this text: shown to the model, never captured."""
    return add_notification(HumanMessage(text), _SOURCE + kind)


def is_marked(message: BaseMessage) -> bool:
    """Whether the message is one of ours."""
    return (notification_source(message) or "").startswith(_SOURCE)


def is_real_user(message: BaseMessage, is_user_message: IsUserMessage | None = None) -> bool:
    """Whether a user wrote the message; `is_user_message` may know more."""
    return (
        isinstance(message, HumanMessage)
        and notification_source(message) is None
        and (is_user_message is None or is_user_message(message))
    )


def turns_of(
    messages: Sequence[BaseMessage], is_user_message: IsUserMessage | None = None
) -> tuple[tuple[BaseMessage, ...], ...]:
    """The messages cut into turns; what stands before the first user message is one of its own.

    User messages in a row open one turn together.
    """
    turns: list[list[BaseMessage]] = []
    answered = True
    for message in messages:
        starts = is_real_user(message, is_user_message)
        if not turns or (starts and answered):
            turns.append([])
        if starts or isinstance(message, AIMessage):
            answered = not starts
        turns[-1].append(message)
    return tuple(tuple(turn) for turn in turns)


def to_core_messages(
    messages: Iterable[MessageLikeRepresentation],
    *,
    tool_names: Set[str],
    ended: str | None = None,
    is_open: bool = False,
) -> tuple[Message, ...]:
    """The messages of one turn as they are captured.

    Calls of the tools in `tool_names` and messages put in by software are left out. `ended` is
    the reason why the turn stopped early; the answer of a turn that `is_open` is still to come.
    Without anything said or done the result is empty.
    """
    spoken = [m for m in as_messages(messages) if notification_source(m) is None]
    results = _first_results(spoken)
    known: set[str] = set()
    turn = []
    for message in spoken:
        if isinstance(message, HumanMessage):
            turn.append(_said("user", message))
        elif isinstance(message, AIMessage):
            traces = tuple(_traces(message, results, tool_names, known))
            turn.append(_said("assistant", message, traces))
    return _spoken(turn) if is_open else _ended(turn, ended)


def _said(
    role: Literal["user", "assistant"], message: BaseMessage, traces: tuple[ToolTrace, ...] = ()
) -> Message:
    return Message(
        role=role,
        content=text_of(message),
        name=message.name,
        tool_calls=traces,
        metadata={"message_id": message.id} if message.id else {},
    )


def _first_results(messages: Sequence[BaseMessage]) -> dict[str, ToolMessage]:
    results: dict[str, ToolMessage] = {}
    for message in messages:
        if isinstance(message, ToolMessage):
            results.setdefault(message.tool_call_id, message)
    return results


def _traces(
    message: AIMessage, results: dict[str, ToolMessage], tool_names: Set[str], known: set[str]
) -> Iterator[ToolTrace]:
    """One trace for each call id that was not seen before."""
    for call in (*message.tool_calls, *message.invalid_tool_calls):
        name, call_id = call["name"] or "", call["id"] or ""
        if name in tool_names or call_id in known:
            continue
        if call_id:
            known.add(call_id)
        result = results.get(call_id) if call_id else None
        yield ToolTrace(
            name=name,
            arguments=parse_arguments(call["args"]),
            result=UNSET if result is None else text_of(result),
            call_id=call_id or None,
            is_error=result is not None and result.status == "error",
        )


def _spoken(turn: list[Message]) -> tuple[Message, ...]:
    """The turn without empty answers."""
    return tuple(m for m in turn if m.role == "user" or m.tool_calls or m.content.strip())


def _ended(turn: list[Message], reason: str | None) -> tuple[Message, ...]:
    """The turn without empty answers, or with the stock text when it has no answer at all."""
    kept = _spoken(turn)
    answers = [m for m in turn if m.role == "assistant"]
    if not (answers or reason) or any(m.content.strip() for m in answers):
        return kept
    if not turn:
        return ()
    text = ended_text(reason)
    if kept and kept[-1].role == "assistant":
        return (*kept[:-1], replace(kept[-1], content=text))
    return (*kept, Message(role="assistant", content=text))
