"""The form of a grammar: patterns, each with a reader that turns a match into an interval.

In a pattern a space stands for one to three white-space characters and `~` for none to three, so
that every repetition is bounded and a hostile text costs linear time.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property

from stratagate_core.text.times.calendar import Interval, Tense, minute
from stratagate_core.text.times.lean import Lean, lean

#: `I'm meeting her on Friday` speaks of the future
_UNDER_WAY = re.compile(
    r"(?:'(?:m|re|s)|\b(?:am|are|is)) (?:\w{1,12} )?\w{2,12}ing\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Clause:
    """What a reader knows of the place of a match: the moment of speaking and the words around."""

    #: the moment of speaking, in the caller's zone
    now: datetime
    #: the words of the sentence before and behind the match
    before: str
    after: str

    @property
    def today(self) -> date:
        """The local day of speaking."""
        return self.now.date()

    def moment(self, away: timedelta) -> Interval:
        """The minute this far from the moment of speaking, in elapsed time."""
        there = (self.now.astimezone(UTC) + away).astimezone(self.now.tzinfo)
        return minute(there.replace(tzinfo=None), "relative")

    @cached_property
    def lean(self) -> Lean:
        """Where the words around say that it lies."""
        return lean(self.before, self.after)

    @property
    def tense(self) -> Tense:
        """The side on which a date without its year is looked for."""
        return "open" if self.lean == "unclear" else self.lean

    @property
    def awaits(self) -> bool:
        """A weekday without more is the coming one: it is set, or the verbs are under way."""
        under_way = _UNDER_WAY.search(f"{self.before} {self.after}") is not None
        return self.lean in ("future", "ahead") or (self.lean == "open" and under_way)


#: None when the match turns out to be no time
Reader = Callable[[re.Match[str], Clause], Interval | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and its reader. The words of the time are group `t`, or else the whole match."""

    pattern: re.Pattern[str]
    read: Reader

    def span(self, match: re.Match[str]) -> tuple[int, int]:
        """Where the words of the time stand."""
        return match.span("t") if "t" in self.pattern.groupindex else match.span()


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern with bounded white space, ASCII word classes and letters of any case."""
    bounded = pattern.replace(" ", r"\s{1,3}").replace("~", r"\s{0,3}")
    return re.compile(bounded, re.IGNORECASE | re.ASCII)


def rule(pattern: str, read: Reader) -> Rule:
    """A rule from a pattern of the grammar."""
    return Rule(compile_pattern(pattern), read)
