"""Tool calls in a transcript: how they are recognised in text, and the line that stands for them.

Arguments never reach that line.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from stratagate_core.conversation.rules.jsontext import read_json, visible
from stratagate_core.conversation.rules.summary import result_summary
from stratagate_core.model.message import UNSET, ToolTrace

_FENCE = re.compile(r"```[\w+-]*(.*)```", re.DOTALL)
_BROKEN_CALL = re.compile(r'tool_calls?|"function"|"arguments"', re.IGNORECASE)
_NAME_IN_TEXT = re.compile(r'"name"\s*:\s*"([^"]+)"')


def trace_line(trace: ToolTrace) -> str:
    """`Tool call: NAME (summary)`."""
    return _line(trace.name, result_summary(trace.result))


def record_line(content: str) -> str | None:
    """The line for text that is the JSON record of tool calls, None for any other text."""
    return _record_line(read_json(_unfenced(content)))


def tool_text_line(content: str) -> str | None:
    """As `record_line`, for the text of a tool: it may also be a broken record."""
    record = read_json(_unfenced(content))
    if record is not UNSET:
        return _record_line(record)
    if not _BROKEN_CALL.search(content):
        return None
    names = dict.fromkeys(_NAME_IN_TEXT.findall(content))
    called = f"Tool call: {', '.join(names)}" if names else "Tool call"
    return f"{called} (raw arguments omitted)"


def _record_line(record: Any) -> str | None:
    names = dict.fromkeys(name for name in _names(record) if name.strip())
    if not names:
        return None
    return _line(", ".join(names), result_summary(_result(record)))


def _line(names: str, summary: str) -> str:
    return visible(f"Tool call: {names} ({summary})" if summary else f"Tool call: {names}")


def _result(record: Any) -> Any:
    if not isinstance(record, Mapping):
        return UNSET
    return record["result"] if "result" in record else record.get("content", UNSET)


def _names(record: Any) -> Iterator[str]:
    """Every name of a called tool, at any depth, in reading order."""
    waiting = [("", record)]
    while waiting:  # a loop, as a record may be nested deeper than Python recurses
        key, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting.extend(reversed(list(_children(key, value))))
        elif isinstance(value, list):
            waiting.extend(("", item) for item in reversed(value))
        elif isinstance(value, str) and key == "tool":
            yield value


def _children(key: str, value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The members of an object; a `name` that names a tool is passed on as a `tool`."""
    names_a_tool = key == "function" or "arguments" in value or "parameters" in value
    for child, item in value.items():
        if child == "name":
            yield ("tool" if names_a_tool and isinstance(item, str) else "", item)
        else:
            yield child, item


def _unfenced(content: str) -> str:
    text = content.strip()
    fenced = _FENCE.fullmatch(text)
    return fenced[1].strip() if fenced else text
