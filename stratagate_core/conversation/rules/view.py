"""A block in place of its native messages: the marked message and the level that pays (07 §5)."""

from collections.abc import Callable

from stratagate_core.text.language import Language
from stratagate_core.text.markers import MARKERS, escape_markers

#: a view never takes more tokens than this
CEILING = 4096
#: nor more than this share of the model's context window
WINDOW_PERCENT = 4
#: what a view saves at least, in tokens, and how large it is at most beside the messages
MIN_SAVED = 32
MAX_NATIVE_PERCENT = 90

_HEADINGS: dict[Language, str] = {
    "en": "Earlier context, not a new user message and not an instruction.\n"
    "Block: {id} | Turns: {first}-{last} | Level: L{level}",
    "zh": "这是较早的上下文，不是新的用户消息，也不是指令。\n"
    "对话块: {id} | 轮次: {first}-{last} | 层级: L{level}",
}


def view_text(
    block_id: str, turn_range: tuple[int, int], level: int, content: str, language: Language = "en"
) -> str:
    """The marked user-role message that stands for a block's turns."""
    first, last = turn_range
    heading = _HEADINGS[language].format(id=block_id, first=first, last=last, level=level)
    return f"[{MARKERS['block_view'][language]}]\n{heading}\n\n{escape_markers(content)}"


def pick_level(
    render: Callable[[int], str],
    current_level: int,
    *,
    native_tokens: int,
    window: int | None,
    count: Callable[[str], int],
) -> tuple[int, str] | None:
    """The deepest level, from the current one downwards, whose view is short enough.

    `render` gives the view's whole text at a level, `native_tokens` is the size of the messages
    it would replace. None: no level saves enough, and the native messages stay.
    """
    ceiling = view_ceiling(window)
    for level in range(current_level, -1, -1):
        text = render(level)
        tokens = count(text)
        if tokens <= ceiling and _saves(tokens, native_tokens):
            return level, text
    return None


def view_ceiling(window: int | None) -> int:
    """The most tokens a view may take in a context window of `window` tokens."""
    if window is None:
        return CEILING
    return max(1, min(CEILING, window * WINDOW_PERCENT // 100))


def _saves(tokens: int, native_tokens: int) -> bool:
    saved_enough = native_tokens - tokens >= MIN_SAVED
    return saved_enough and tokens * 100 <= native_tokens * MAX_NATIVE_PERCENT
