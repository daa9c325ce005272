"""A block's text at its levels: L3 to L5 by rules, L0 and L2 from what a model wrote (01 §4-5).

L5 is the source. L4 drops what is no conversation. L3 also drops fillers and repeated pastes.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from stratagate_core.conversation.rules.fillers import without_fillers
from stratagate_core.conversation.rules.jsontext import compact_json
from stratagate_core.conversation.rules.toolrecord import record_line, tool_text_line, trace_line
from stratagate_core.model.message import Message, ToolTrace, trace_to_json
from stratagate_core.text.estimate import estimate_tokens
from stratagate_core.text.normalise import collapse

REPEATED = "[repeated paste omitted; original remains in L5]"
#: from this length on, whitespace collapsed, a paragraph counts as pasted
PASTE_LENGTH = 80

_FENCED = re.compile(r"(```.*?```)", re.DOTALL)
_BLANK_LINES = re.compile(r"\n\s*\n")
_CODE = re.compile(
    r"=>|[{};]"
    r"|^\s*(?:const|let|var|function|class|import|export|def|SELECT|INSERT|UPDATE)\b",
    re.MULTILINE,
)


def render_l5(messages: Sequence[Message]) -> str:
    """The raw transcript: every message and every trace, untouched."""
    return "\n\n".join(entry for message in messages for entry in _raw_entries(message))


def render_l4(messages: Sequence[Message]) -> str:
    """The readable near-verbatim transcript, before the length guard."""
    entries = []
    for message in _spoken(messages):
        content = message.content.strip()
        line = tool_text_line(content) if _role(message) == "tool" else None
        if text := line or content:
            entries.append(f"{_label(message)}: {text}")
        entries.extend(trace_line(trace) for trace in message.tool_calls)
    return "\n\n".join(entries)


def render_l3(messages: Sequence[Message]) -> str:
    """The rule-condensed transcript, before the length guard."""
    seen: set[str] = set()
    entries = []
    for message in _spoken(messages):
        parts = [*_text_parts(message, seen), *map(trace_line, message.tool_calls)]
        if parts:
            entries.append(f"{_label(message)}: " + "\n\n".join(parts))
    return "\n\n".join(entries)


def layers(
    messages: Sequence[Message], count: Callable[[str], int] = estimate_tokens
) -> tuple[str, str]:
    """L3 and L4 after the length guard: in tokens, L3 ≤ L4 ≤ L5."""
    l4 = min(render_l4(messages), render_l5(messages), key=count)  # on a tie, the first
    l3 = min(render_l3(messages), l4, key=count)
    return l3, l4


def render_l2(points: Sequence[str], summary: str) -> str:
    """The key points one a line, or the summary where there are none."""
    return "\n".join(f"- {point}" for point in points) or summary


def render_l0(title: str, tags: Sequence[str]) -> str:
    """The title and the tags."""
    return f"{title}\nTags: {', '.join(tags) or 'none'}"


def trace_json(trace: ToolTrace) -> str:
    """The trace as compact JSON with only the keys it has."""
    return compact_json(trace_to_json(trace))


def _raw_entries(message: Message) -> Iterator[str]:
    yield f"{_role(message)}: {message.content}"
    for trace in message.tool_calls:
        yield f"Tool call (raw): {trace_json(trace)}"


def _spoken(messages: Sequence[Message]) -> Iterator[Message]:
    return (message for message in messages if _role(message) != "system")


def _role(message: Message) -> str:
    return message.role.lower()


def _label(message: Message) -> str:
    return _role(message).capitalize()


def _text_parts(message: Message, seen: set[str]) -> Iterator[str]:
    content = message.content.strip()
    line = tool_text_line(content) if _role(message) == "tool" else record_line(content)
    if line is not None:
        yield line
        return
    for position, piece in enumerate(_FENCED.split(content)):
        if position % 2:  # the fences are the odd pieces
            yield _once(piece.strip(), seen)
        else:
            yield from (_once(part, seen, pasted=_is_paste(part)) for part in _paragraphs(piece))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in _BLANK_LINES.split(text):
        if kept := without_fillers(paragraph.strip()):
            yield kept


def _is_paste(paragraph: str) -> bool:
    code_like = "\n" in paragraph and _CODE.search(paragraph) is not None
    return code_like or len(collapse(paragraph)) >= PASTE_LENGTH


def _once(part: str, seen: set[str], *, pasted: bool = True) -> str:
    """The part itself, or the marker when the same paste was seen before."""
    if not pasted:
        return part
    key = collapse(part).lower()
    if key in seen:
        return REPEATED
    seen.add(key)
    return part
