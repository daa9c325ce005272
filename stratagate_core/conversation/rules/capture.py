"""What of a run becomes a turn, and how a turn is recognised when it is seen again (01 §1)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from stratagate_core.conversation.rules.jsontext import read_json
from stratagate_core.model.message import UNSET, Message, trace_to_json
from stratagate_core.text.language import Language
from stratagate_core.text.normalise import collapse

_SPEAKERS = frozenset({"user", "assistant"})


def is_blank(text: str | None) -> bool:
    """Whether there is nothing to read."""
    return text is None or not text.strip()


def has_content(messages: Sequence[Message]) -> bool:
    """Whether user or assistant said or did anything, so that there is a turn to store."""
    return any(
        _is_spoken(message) and (message.tool_calls or not is_blank(message.content))
        for message in messages
    )


def ended_text(reason: str | None = None, language: Language = "en") -> str:
    """What stands for an answer without text: the turn completed, or ended for `reason`."""
    why = collapse(reason or "").rstrip(".。")
    if language == "zh":
        return f"本轮已结束：{why}。" if why else "本轮已完成。"
    return f"Turn ended: {why}." if why else "Turn completed."


def parse_arguments(raw: Any) -> dict[str, Any]:
    """The arguments of a tool call as a JSON object, whatever the model wrote."""
    value = read_json(raw) if isinstance(raw, str) else raw
    if value is UNSET:
        return {"raw": raw}
    return dict(value) if isinstance(value, Mapping) else {"value": value}


def text_hash(messages: Sequence[Message]) -> str:
    """The hash by which a framework's history shows that it still holds this turn.

    Only what user and assistant said counts: ids and times may be new, tool results pruned.
    """
    return _hash(
        [
            [message.role.lower(), message.content.strip()]
            for message in messages
            if _is_spoken(message) and not is_blank(message.content)
        ]
    )


def body_hash(messages: Sequence[Message]) -> str:
    """The identity of a delivered body: roles, names, contents and traces, not ids or times."""
    return _hash(
        [
            [
                message.role.lower(),
                message.name,
                message.content,
                [trace_to_json(trace) for trace in message.tool_calls],
            ]
            for message in messages
        ]
    )


def _is_spoken(message: Message) -> bool:
    return message.role.lower() in _SPEAKERS


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()
