"""Reading a reply: one call of the expected tool or, without a call, one JSON object in the text.

What is ambiguous, cut off or incomplete is refused with the reason, never guessed. Every
character is looked at a fixed number of times, however broken the text is.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stratagate_core.llm.port import Reply

CUT = frozenset({"length", "max_tokens"})
_OBJECT_START = re.compile(r'\{\s*["}]')
#: a string, closed or running to the end of the text, or a brace outside of strings
_IN_OBJECT = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}]', re.DOTALL)
_DEPTH = {"{": 1, "}": -1}
_FENCE = re.compile(r"```[\w-]*")
_WORD = re.compile(r"\w")


class Unreadable(ValueError):
    """The reply holds no answer that could be checked; the message says why."""


def compact_json(value: Any) -> str:
    """`value` as JSON without spaces, other scripts unescaped; half surrogate pairs escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def is_cut(reply: Reply) -> bool:
    """Whether the model reports that it reached its output limit."""
    return (reply.finish_reason or "").lower() in CUT


def answer_text(reply: Reply) -> str:
    """What the model answered as text: the arguments of its calls, else its words."""
    parts = [
        call.arguments if isinstance(call.arguments, str) else compact_json(call.arguments)
        for call in reply.tool_calls
    ]
    return "\n".join(parts) if parts else reply.text


def read_answer(reply: Reply, *, tool: str, required: Sequence[str]) -> Mapping[str, Any]:
    """The JSON object a reply answers with.

    `required` are the top-level keys an object in plain text must have. Raises `Unreadable`.
    """
    if is_cut(reply):
        raise Unreadable("answer: cut off at the output limit")
    if reply.tool_calls:
        return _from_calls(reply, tool)
    return _from_text(reply.text, tool, required)


def _from_calls(reply: Reply, tool: str) -> Mapping[str, Any]:
    names = [call.name for call in reply.tool_calls]
    if names != [tool]:
        raise Unreadable(f"answer: expected one call of {tool}, got {', '.join(names)}")
    arguments = reply.tool_calls[0].arguments
    return _as_object(_load(arguments) if isinstance(arguments, str) else arguments)


def _from_text(text: str, tool: str, required: Sequence[str]) -> Mapping[str, Any]:
    text = _without_thinking(text)
    spans = list(_objects(text))
    if not spans:
        raise Unreadable(f"answer: no call of {tool} and no JSON object")
    if len(spans) > 1 and _adjacent(text[spans[-2].stop : spans[-1].start]):
        raise Unreadable("answer: several JSON objects next to each other")
    found = _as_object(_load(text[spans[-1]]))
    missing = [key for key in required if key not in found]
    if missing:
        raise Unreadable("; ".join(f"{key}: missing" for key in missing))
    return found


def _without_thinking(text: str) -> str:
    """The text after a leading block of reasoning, which some models write inline."""
    if not text.lstrip("\ufeff \t\r\n").startswith("<think>"):
        return text
    return text.partition("</think>")[2]


def _objects(text: str) -> Iterator[slice]:
    """The outermost balanced objects of `text`; braces inside their strings do not count."""
    end = 0
    while start := _OBJECT_START.search(text, end):
        end = _object_end(text, start.start())
        yield slice(start.start(), end)


def _object_end(text: str, start: int) -> int:
    depth = 0
    for token in _IN_OBJECT.finditer(text, start):
        depth += _DEPTH.get(token[0], 0)
        if depth == 0:
            return token.end()
    raise Unreadable("answer: the JSON object is cut off")


def _adjacent(between: str) -> bool:
    """Whether no word of explanation stands between two objects."""
    return not _WORD.search(_FENCE.sub("", between))


def _load(text: str) -> Any:
    try:
        return json.loads(text.strip().removeprefix("\ufeff"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"answer: not valid JSON ({error})") from error


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _as_object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise Unreadable(f"answer: expected a JSON object, got {type(value).__name__}")
    return value
