"""Times of the day beside a day: `yesterday at 3pm`, 明天下午三点半.

`at 3:30` without morning, evening or a 24-hour form names two moments, so the day stays a day.
"""

import re
from datetime import timedelta

from stratagate_core.text.times import chinese, english
from stratagate_core.text.times.calendar import Interval, minute
from stratagate_core.text.times.grammar import compile_pattern

_AFTER = compile_pattern(english.CLOCK_AFTER)
_BEFORE = compile_pattern(english.CLOCK_BEFORE)
_AFTER_HAN = compile_pattern(chinese.CLOCK_AFTER)
#: no clock in front of a day is longer
_WINDOW = 24
_LATE = re.compile(r"night|evening|afternoon|下午|傍晚|晚|夜", re.IGNORECASE)
_EARLY = re.compile(r"morning|凌晨|早|晨|上午", re.IGNORECASE)

Span = tuple[int, int]


def with_clock(text: str, span: Span, day: Interval) -> tuple[Span, Interval]:
    """A day together with the time of day beside it, or the day as it was."""
    start, end = span
    head = max(0, start - _WINDOW)
    before = _BEFORE.search(text[head:start])
    found = (
        (_read(_AFTER.match(text, end), text[start:end]), _AFTER.match(text, end)),
        (_read_han(_AFTER_HAN.match(text, end), text[start:end]), _AFTER_HAN.match(text, end)),
        (_read(before, text[start:end]), before),
    )
    for minutes, match in found:
        if match is None or minutes is None:
            continue
        whole = (head + match.start(), end) if match is before else (start, match.end())
        return whole, minute(day.start + timedelta(minutes=minutes), day.basis)
    return span, day


def _read(match: re.Match[str] | None, day: str) -> int | None:
    """Minutes since midnight of an English clock, None when nothing tells morning from evening."""
    if match is None:
        return None
    if match["noon"]:
        return 12 * 60
    if match["hour"]:
        hour, minutes = int(match["hour"]), int(match["min"] or 0)
        return _of_half(hour, minutes, late=match["half"][0] in "pP")
    hour, minutes = int(match["hour24"]), int(match["min24"])
    return _of_day(hour, minutes, day, zero_led=match["hour24"].startswith("0"))


def _read_han(match: re.Match[str] | None, day: str) -> int | None:
    """Minutes since midnight of a Chinese clock, None when nothing tells morning from evening."""
    if match is None:
        return None
    hour, part = chinese.number(match["hour"]), match["day_part"] or day
    word = (match["min"] or "0").removesuffix("分")
    named = {"半": 30, "一刻": 15, "三刻": 45}
    minutes = named[word] if word in named else chinese.number(word)
    if "中午" in part:
        part = "下午" if hour < 11 else "上午"
        return hour * 60 + minutes if part == "上午" else _of_half(hour, minutes, late=True)
    if hour == 12 and re.search("晚|夜", part):
        return 24 * 60 + minutes
    return _of_day(hour, minutes, part, zero_led=match["hour"].startswith("0"))


def _of_day(hour: int, minutes: int, day: str, *, zero_led: bool) -> int | None:
    if hour > 12 or zero_led:
        return hour * 60 + minutes if hour < 24 and minutes < 60 else None
    late = _LATE.search(day) is not None
    if late or _EARLY.search(day):
        return _of_half(hour, minutes, late=late)
    return None


def _of_half(hour: int, minutes: int, *, late: bool) -> int | None:
    if not 1 <= hour <= 12 or minutes >= 60:
        return None
    return (hour % 12 + 12 * late) * 60 + minutes
