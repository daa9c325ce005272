"""What a query asks for besides its words: whose words, which days, and whether it asks when.

The names of speakers leave the text query: whom a message is about is a prior, never a filter.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo

from stratagate_core.text.normalise import normalise
from stratagate_core.text.times import TimeExpression, find_times
from stratagate_core.text.tokens import query_tokens, telling_tokens

#: no further into a pasted text are names and dates looked for
_LOOKED_AT = 2000
_MOST_MENTIONS = 600
_WORD = re.compile(r"[^\W\d_]+(?:[-’'](?![sS]\b)[^\W\d_]+)*")
_HAN = re.compile(r"[\u3400-\u9fff]{2,}")
_NAME_WORDS, _HAN_NAME = 3, (4, 3, 2)
_POSSESSIVE = re.compile(r"['’](?:[sS]\b)?")
_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which)\s+(?:date|day|month|year|time|season)\b|\bhow\s+long\s+ago\b"
    r"|什么时[候间]|何时|啥时候|哪[一]?[天年月日]|几[月号点]|多久以?前",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\d{4}|[一二三四五六七八九〇零]{4}年")


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a query that may name a speaker, and the token that would say so."""

    start: int
    end: int
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A query as the ranking reads it."""

    #: the tokens of the text query, in reading order
    terms: tuple[str, ...]
    #: how telling each of them is; only those that some document holds
    weights: Mapping[str, float]
    #: tokens of a message of the collection on average
    average: float = 0.0
    #: speaker tokens of the persons it names
    speakers: frozenset[str] = frozenset()
    #: it asks for a time
    when: bool = False
    #: the days it names; an explicit one without a year counts in every year
    days: tuple[TimeExpression, ...] = ()


def speaker_tokens(name: str) -> tuple[str, ...]:
    """What a speaker is known by: the whole name, and the first of several words."""
    whole = normalise(name)
    first = whole.split(" ", 1)[0]
    return tuple(dict.fromkeys(f"s:{one[:128]}" for one in (whole, first) if one))


def mentions(query: str) -> tuple[Mention, ...]:
    """All places of a query that may name a speaker, longer ones first."""
    found = [*_words(query[:_LOOKED_AT]), *_han(query[:_LOOKED_AT])][:_MOST_MENTIONS]
    return tuple(sorted(found, key=lambda one: (one.start - one.end, one.start)))


def _words(query: str) -> Iterator[Mention]:
    words = [word for word in _WORD.finditer(query) if not _HAN.match(word[0])]
    cased = query != query.lower()
    for at, word in enumerate(words):
        if cased and word[0][0].islower():
            continue  # where capitals are used, a name has one
        for last in words[at : at + _NAME_WORDS]:
            name = query[word.start() : last.end()]
            if last is not word and name.count(" ") != len(name.split()) - 1:
                break
            yield Mention(word.start(), last.end(), f"s:{normalise(name)}")


def _han(query: str) -> Iterator[Mention]:
    for run in _HAN.finditer(query):
        for size in _HAN_NAME:
            for start in range(run.start(), run.end() - size + 1):
                yield Mention(start, start + size, f"s:{normalise(query[start : start + size])}")


def without_names(query: str, known: Collection[str]) -> tuple[str, frozenset[str]]:
    """The query without the names among the `known` speaker tokens, and those found."""
    taken: list[Mention] = []
    for one in mentions(query):
        if one.token in known and all(one.end <= x.start or x.end <= one.start for x in taken):
            taken.append(one)
    rest = query
    for one in sorted(taken, key=lambda one: -one.start):
        own = _POSSESSIVE.match(rest, one.end)
        rest = f"{rest[: one.start]} {rest[own.end() if own else one.end :]}"
    return rest, frozenset(one.token for one in taken)


def text_terms(query: str, known: Collection[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """The tokens of the text query and the speakers named; a query of names keeps their words."""
    rest, speakers = without_names(query, known)
    return tuple(telling_tokens(rest) or query_tokens(query)), speakers


def asks_when(query: str) -> bool:
    """Whether a time is asked for."""
    return _WHEN.search(query[:_LOOKED_AT]) is not None


def days_named(query: str, now: datetime, timezone: tzinfo) -> tuple[TimeExpression, ...]:
    """The times a query names, counted from the moment of asking."""
    return find_times(query[:_LOOKED_AT], reference=now, timezone=timezone)


def overlaps(day: TimeExpression, start: datetime, end: datetime) -> bool:
    """Whether `day` and the half-open stretch share a moment, in any year if none was named."""
    if day.start < end and start < day.end:
        return True
    if day.basis != "explicit" or _YEAR.search(day.text):
        return False
    years = start.year - day.start.year
    try:
        first = day.start.replace(year=day.start.year + years)
        last = day.end.replace(year=day.end.year + years)
    except ValueError:  # the 29th of February
        return False
    return first < end and start < last
