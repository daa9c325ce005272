"""How a block fades: its level falls with the number of ready blocks after it (01 §8-9)."""

import math
import re
from typing import Any

from stratagate_core.errors import InvalidArgument
from stratagate_core.text.language import Language

DEEPEST = 5
#: a weight above the n-th of these drops n levels, a weight above none of them drops all
_STEPS = (0.7, 0.5, 0.3, 0.15, 0.08)
_NAMES: dict[Language, tuple[str, ...]] = {
    "en": (
        "title and tags",
        "narrative summary",
        "key points",
        "rule-condensed transcript",
        "readable near-verbatim transcript",
        "raw transcript",
    ),
    "zh": ("标题与标签", "叙述摘要", "关键事实", "规则精简对话", "近原文可读对话", "原始记录"),
}
_LEVEL = re.compile(r"l?([0-5])")


def block_weight(anchor: int, latest: int, decay: float = 0.3) -> float:
    """e^(-decay·age); anchor and latest are positions among the thread's ready blocks."""
    if not (math.isfinite(decay) and decay >= 0):
        raise InvalidArgument(f"decay must be finite and at least 0, not {decay}")
    return math.exp(-decay * max(0, latest - anchor))


def decayed_level(anchor_level: int, anchor: int, latest: int, decay: float = 0.3) -> int:
    """The level a block has faded to since it had `anchor_level`."""
    weight = block_weight(anchor, latest, decay)
    dropped = sum(weight <= step for step in _STEPS)
    return _clamped(anchor_level - dropped)


def parse_level(target: Any, current: int) -> int:
    """The level an expansion leads to; what is no target means one level deeper (01 §9)."""
    if isinstance(target, str):
        return _named_level(target.strip().lower(), current)
    if isinstance(target, bool) or not isinstance(target, int | float):
        return _clamped(current + 1)
    if isinstance(target, int):
        return _clamped(target)
    return _clamped(math.floor(target + 0.5)) if math.isfinite(target) else _clamped(current + 1)


def level_label(level: int, language: Language = "en") -> str:
    """`L1 narrative summary`."""
    return f"L{level} {_NAMES[language][level]}"


def _named_level(name: str, current: int) -> int:
    if name == "raw":
        return DEEPEST
    if found := _LEVEL.fullmatch(name):
        return int(found[1])
    return _clamped(current + 1)


def _clamped(level: int) -> int:
    return max(0, min(DEEPEST, level))
