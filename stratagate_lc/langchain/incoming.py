"""Messages given to a chat history: which of them are new, and the turns they make.

What comes back from an agent repeats its input and the history it was shown; only what nobody
has stored yet is kept. An answer that is still to come leaves its turn open.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby, takewhile
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, MessageLikeRepresentation

from stratagate_core import Message
from stratagate_lc.langchain.capture import Work, finish, memory_tool_names
from stratagate_lc.langchain.compat import notification_source
from stratagate_lc.langchain.convert import (
    as_messages,
    is_real_user,
    text_of,
    to_core_messages,
    turns_of,
)
from stratagate_lc.langchain.identity import Place, receipt_of
from stratagate_lc.langchain.native import native, native_id, recent


def given(messages: Iterable[MessageLikeRepresentation]) -> tuple[BaseMessage, ...]:
    """The messages that may be stored, each once, with an id, so that storing can be repeated."""
    spoken = [m for m in as_messages(messages) if notification_source(m) is None]
    named = [
        message if message.id else message.model_copy(update={"id": uuid4().hex})
        for message in spoken[_restated(spoken) :]
    ]
    return tuple({message.id: message for message in reversed(named)}.values())[::-1]


def _restated(messages: Sequence[BaseMessage]) -> int:
    """How many leading user messages got their ids inside the run and are repeated with them."""
    leading = list(takewhile(lambda m: is_real_user(m) and m.id is None, messages))
    rest = [m for m in messages[len(leading) :] if is_real_user(m) and m.id]
    repeated = rest[-len(leading) :] if leading else []
    return len(leading) if _texts(repeated) == _texts(leading) else 0


def _texts(messages: Sequence[BaseMessage]) -> list[str]:
    return [text_of(message) for message in messages]


def store(
    place: Place,
    messages: Sequence[BaseMessage],
    shown: frozenset[str],
    at: datetime,
    work: Work,
) -> None:
    """Store what is new of the messages, turn by turn; doing it twice changes nothing.

    Args:
        place: the conversation.
        messages: as `given` returned them.
        shown: ids of what the history handed out before.
        at: when they were said; a write that has to wait keeps this time.
        work: what to do after a turn is stored.

    """
    _, stored = recent(place)
    known = {native_id(message) for message in stored} | shown
    turns = turns_of([message for message in messages if message.id not in known])
    continued = _open_turn(stored)
    for number, turn in enumerate(turns):
        is_last = number == len(turns) - 1
        if number or is_real_user(turn[0]):
            continued = None
        _store_turn(place, turn, continued, is_last=is_last, at=at, work=work)


@dataclass(frozen=True, slots=True)
class _OpenTurn:
    receipt: str
    messages: tuple[Message, ...]


def _open_turn(stored: Sequence[Message]) -> _OpenTurn | None:
    """The last turn, if a history opened it and its answer is still to come."""
    turns = [tuple(turn) for _, turn in groupby(stored, key=lambda message: message.turn)]
    if not turns:
        return None
    *_, last = turns[-1]
    receipt = last.extra.get("open") if isinstance(last.extra, dict) else None
    return _OpenTurn(receipt, turns[-1]) if receipt else None


def _store_turn(
    place: Place,
    turn: Sequence[BaseMessage],
    continued: _OpenTurn | None,
    *,
    is_last: bool,
    at: datetime,
    work: Work,
) -> None:
    whole = [*native(continued.messages), *turn] if continued else turn
    is_open = is_last and not _is_answered(whole)
    said = to_core_messages(whole, tool_names=memory_tool_names(place), is_open=is_open)
    if not said:
        return
    receipt = continued.receipt if continued else receipt_of(place.thread, _key_of(turn))
    place.memory.add_messages(
        _with_extra(said, whole, receipt if is_open else None),
        thread=place.thread,
        at=at,
        receipt=receipt,
        complete=not is_open,
        work=work,
    )
    if not is_open:
        finish(place)


def _is_answered(turn: Sequence[BaseMessage]) -> bool:
    last = turn[-1]
    return isinstance(last, AIMessage) and not (last.tool_calls or last.invalid_tool_calls)


def _key_of(turn: Sequence[BaseMessage]) -> str:
    """The id of the last user message, or of the message a turn without one begins with."""
    users = [message for message in turn if is_real_user(message)]
    return str((users or turn)[-1 if users else 0].id)


def _with_extra(
    said: Sequence[Message], turn: Sequence[BaseMessage], receipt: str | None
) -> list[Message]:
    """The messages with what only LangChain understands, and the receipt of an open turn."""
    rich = {m.id: m.content for m in turn if not isinstance(m.content, str)}
    kept = []
    for message in said:
        extra = {"open": receipt, "content": rich.get(native_id(message))}
        given_parts = {key: value for key, value in extra.items() if value}
        kept.append(replace(message, extra=given_parts or None))
    return kept
