"""Finds the times of a text: all grammars propose, the earliest and longest proposal stands."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo

from stratagate_core.text.times import chinese, english, numeric
from stratagate_core.text.times.calendar import Interval
from stratagate_core.text.times.clock import Span, with_clock
from stratagate_core.text.times.expression import Direction, TimeExpression
from stratagate_core.text.times.grammar import Clause, Rule, compile_pattern

#: variants of signs that the grammars write in one way; every pair keeps the length of the text
_PLAIN = str.maketrans(
    "０１２３４５６７８９：／－，’‐‑週禮點後號兩這個內時鐘幾過當來",
    "0123456789:/-,'--周礼点后号两这个内时钟几过当来",
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LETTER = re.compile(r"[A-Za-z]")
_STOP = re.compile(r"[.!?](?!\w)|[。！？\n]")
#: as far as a verb beside a time is looked for
_REACH = 160
_ANCHORED = compile_pattern(english.ANCHORED)
#: no prefix such as `the Wednesday before` is longer
_PREFIX = 30

_Proposal = tuple[Span, Interval]


def find_times(
    text: str, *, reference: datetime, timezone: tzinfo = UTC
) -> tuple[TimeExpression, ...]:
    """The times that `text` names, in reading order, none overlapping another.

    `reference` is the aware moment the text was said: relative dates count from it, on the
    calendar of `timezone`. What could be read in two ways is left out.
    """
    now = reference.astimezone(timezone)
    plain = text.translate(_PLAIN)
    proposals = sorted(_propose(plain, now), key=lambda found: (found[0][0], -found[0][1]))
    times: list[TimeExpression] = []
    for span, interval in proposals:
        if not times or span[0] >= times[-1].span[1]:
            times.append(_expression(text, span, interval, now))
    return tuple(times)


def _propose(text: str, now: datetime) -> Iterator[_Proposal]:
    for rule in _rules(text):
        for match in rule.pattern.finditer(text):
            span = rule.span(match)
            clause = Clause(now, *_words_around(text, span))
            try:
                yield from _readings(text, span, rule.read(match, clause))
            except (ValueError, OverflowError):
                continue  # a date that the calendar does not have


def _rules(text: str) -> tuple[Rule, ...]:
    rules: tuple[Rule, ...] = numeric.RULES
    if _LETTER.search(text):
        rules += english.RULES
    return rules + chinese.RULES if _HAN.search(text) else rules


def _readings(text: str, span: Span, interval: Interval | None) -> Iterator[_Proposal]:
    """The time itself, or grown by the clock beside it or by a prefix such as `the week before`."""
    if interval is None:
        return
    if interval.precision != "day":
        yield span, interval
        return
    yield with_clock(text, span, interval)
    head = max(0, span[0] - _PREFIX)
    prefix = _ANCHORED.search(text[head : span[0]])
    grown = english.anchored(prefix, interval.start.date()) if prefix else None
    if prefix and grown:
        yield (head + prefix.start(), span[1]), grown


def _words_around(text: str, span: Span) -> tuple[str, str]:
    """The words of the sentence before and behind a place."""
    before = _STOP.split(text[max(0, span[0] - _REACH) : span[0]])[-1]
    after = _STOP.split(text[span[1] : span[1] + _REACH], maxsplit=1)[0]
    return before, after


def _expression(text: str, span: Span, interval: Interval, now: datetime) -> TimeExpression:
    start = interval.start.replace(tzinfo=now.tzinfo)
    end = interval.end.replace(tzinfo=now.tzinfo)
    return TimeExpression(
        start=start,
        end=end,
        precision=interval.precision,
        basis=interval.basis,
        text=text[slice(*span)],
        span=span,
        direction=_direction(start, end, now),
    )


def _direction(start: datetime, end: datetime, now: datetime) -> Direction:
    if end <= now:
        return "past"
    return "future" if start > now else "present"
