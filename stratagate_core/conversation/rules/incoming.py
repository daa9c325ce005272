"""A message on its way in: checked, completed, made storable."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from stratagate_core.conversation.rules.capture import body_hash
from stratagate_core.errors import InvalidArgument
from stratagate_core.model.message import Message, ToolTrace, trace_from_json, trace_to_json
from stratagate_core.text.redact import redact

#: how deep JSON of a caller may be nested; far beyond what tools return
DEEPEST = 100


def checked_name(value: str | None, what: str, default: str | None = None) -> str | None:
    """A thread or receipt, trimmed; given but blank is an error."""
    if value is None:
        return default
    if not isinstance(value, str) or not value.strip():
        raise InvalidArgument(f"{what} must not be blank; leave it out instead")
    return str(storable(value.strip()))


def checked_messages(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages of one turn, each of them acceptable."""
    checked = tuple(messages)
    if not checked:
        raise InvalidArgument("a turn needs at least one message")
    for message in checked:
        if not isinstance(message, Message):
            raise InvalidArgument(f"expected a Message, got {type(message).__name__}")
        _check(message)
    return checked


def _check(message: Message) -> None:
    if not isinstance(message.role, str) or not message.role.strip():
        raise InvalidArgument("a message needs a role such as 'user' or 'assistant'")
    if not isinstance(message.content, str):
        kind = type(message.content).__name__
        raise InvalidArgument(f"the content of a message must be text, got {kind}")
    if message.created_at is not None:
        checked_time(message.created_at, "created_at")
    for trace in message.tool_calls:
        if not isinstance(trace, ToolTrace):
            raise InvalidArgument(f"a tool call must be a ToolTrace, got {type(trace).__name__}")
        _check_json(trace_to_json(trace), f"arguments and result of tool {trace.name!r}")
    _check_json(dict(message.metadata), "metadata")
    _check_json(message.extra, "extra")


def checked_time(value: datetime, what: str) -> datetime:
    """An instant in UTC; a naive datetime is refused."""
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise InvalidArgument(
            f"{what} needs a datetime with a time zone, for example datetime.now(UTC)"
        )
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise InvalidArgument(f"{what} is beyond the calendar: {value.isoformat()}") from error


def _check_json(value: Any, what: str) -> None:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument(f"{what} must be plain JSON: {error}") from error
    if _is_too_deep(value):
        raise InvalidArgument(f"{what}: lists and objects are nested more than {DEEPEST} deep")


def _is_too_deep(value: Any) -> bool:
    """Whether lists and objects stand in each other beyond `DEEPEST`, counted level by level."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list | tuple)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True


def prepared_message(
    message: Message,
    *,
    message_id: str,
    at: datetime,
    thread: str,
    turn: int,
    redacted: bool,
) -> Message:
    """The message as it is stored."""
    traces = [trace_to_json(trace) for trace in message.tool_calls]
    given = [message.content, message.name, traces, dict(message.metadata), message.extra]
    content, name, tools, metadata, extra = storable(redact(given) if redacted else given)
    return replace(
        message,
        id=message_id,
        content=content,
        name=name,
        tool_calls=tuple(trace_from_json(trace) for trace in tools),
        metadata=metadata,
        extra=extra,
        created_at=(message.created_at or at).astimezone(UTC),
        thread=thread,
        turn=turn,
        block_id=None,
    )


def storable(value: Any) -> Any:
    """The value with lone surrogates replaced: they are not text and no database keeps them."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if _has_surrogate(value) else value
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    return value


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def common_prefix(stored: Sequence[Message], given: Sequence[Message]) -> int:
    """How many messages at the start say the same."""
    count = 0
    for old, new in zip(stored, given, strict=False):
        if body_hash([old]) != body_hash([new]):
            break
        count += 1
    return count


def turn_of(
    user: str, assistant: str, tool_calls: Sequence[ToolTrace], metadata: dict[str, Any]
) -> tuple[Message, ...]:
    """The two messages of the usual turn; the traces belong to the answer."""
    return (
        Message(role="user", content=user, metadata=metadata),
        Message(
            role="assistant", content=assistant, tool_calls=tuple(tool_calls), metadata=metadata
        ),
    )
