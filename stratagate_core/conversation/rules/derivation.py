"""What summary and extraction models see: all that was said, long tool data cut (01 §7)."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from stratagate_core.conversation.rules.jsontext import compact_json, read_json
from stratagate_core.model.message import Message, ToolTrace, trace_to_json
from stratagate_core.text.clip import clip_line
from stratagate_core.text.markers import without_ours

TOOL_TEXT_LIMIT = 2400
ARGUMENTS_LIMIT = 1200
RESULT_LIMIT = 2400
CODE_LIMIT = 240
SUMMARY_LIMIT = 400
TAIL_PERCENT = 20

_CODE_KEYS = frozenset({"code", "command", "program", "script", "source", "sourcecode"})
_KEY_NOISE = re.compile(r"[\s_-]+")


def derivation_view(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as plain JSON; ids, roles, names, times and threads are untouched."""
    return [_seen(message) for message in messages]


def _seen(message: Message) -> dict[str, Any]:
    row = {
        "id": message.id,
        "role": message.role,
        "name": message.name,
        "thread": message.thread,
        "created_at": message.created_at and message.created_at.isoformat(),
        "content": _seen_text(message),
        "tool_calls": [_seen_trace(trace) for trace in message.tool_calls],
    }
    return {key: value for key, value in row.items() if value is not None and value != []}


def _seen_text(message: Message) -> str:
    text = without_ours(message.content)
    if message.role.lower() != "tool" or len(text) <= TOOL_TEXT_LIMIT:
        return text
    head, tail = _ends(text, TOOL_TEXT_LIMIT, head_percent=60)
    omitted = len(text) - len(head) - len(tail)
    return f"{head}\n[{omitted} chars omitted; full value remains in L5]\n{tail}"


def _seen_trace(trace: ToolTrace) -> dict[str, Any]:
    row = trace_to_json(trace)
    if "arguments" in row:
        row["arguments"] = _excerpt(_without_code(row["arguments"]), ARGUMENTS_LIMIT)
    if "result" in row:
        row["result"] = _excerpt(row["result"], RESULT_LIMIT)
    return row


def _without_code(arguments: Any) -> Any:
    """A copy in which long texts under the keys of code are notes, at any depth."""
    return json.loads(
        compact_json(arguments),
        object_pairs_hook=lambda pairs: {key: _without_text(key, value) for key, value in pairs},
    )


def _without_text(key: str, value: Any) -> Any:
    if _KEY_NOISE.sub("", key).lower() not in _CODE_KEYS:
        return value
    if isinstance(value, list):
        return [_without_text(key, item) for item in value]
    if isinstance(value, str) and len(value) > CODE_LIMIT:
        return f"[{key} omitted: {len(value)} chars; full value remains in L5]"
    return value


def _excerpt(value: Any, limit: int) -> Any:
    text = compact_json(value)
    if len(text) <= limit:
        return value
    head, tail = _ends(text, limit, head_percent=48)
    excerpt = {
        "_stratagate": "excerpt; full value remains in L5",
        "original_chars": len(text),
        "summary": _own_summary(value),
        "head": head,
        "tail": tail,
        "omitted_chars": len(text) - len(head) - len(tail),
    }
    return {key: part for key, part in excerpt.items() if part is not None}


def _ends(text: str, limit: int, *, head_percent: int) -> tuple[str, str]:
    return text[: limit * head_percent // 100], text[-(limit * TAIL_PERCENT // 100) :]


def _own_summary(value: Any) -> str | None:
    parsed = read_json(value) if isinstance(value, str) else value
    said = parsed.get("summary") if isinstance(parsed, Mapping) else None
    return clip_line(said, SUMMARY_LIMIT) or None if isinstance(said, str) else None
