"""What a query asks for besides its words: whose words, which days, and whether it asks when.

The names of speakers leave the text query: whom a message is about is a prior, never a filter.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import lru_cache

from stratagate_core.text.normalise import normalise
from stratagate_core.text.times import TimeExpression, find_times
from stratagate_core.text.tokens import query_tokens, telling_tokens

#: no further into a pasted text are names and dates looked for
_LOOKED_AT = 2000
_MOST_MENTIONS = 600
_WORD = re.compile(r"[^\W\d_]+(?:[-’'](?![sS]\b)[^\W\d_]+)*")
_HAN = re.compile(r"[\u3400-\u9fff]{2,}")
_NAME_WORDS, _HAN_NAME = 3, (4, 3, 2)
_POSSESSIVE = re.compile(r"['’](?:[sS]\b)?|的")
_AND = re.compile(r"\s*(?:,|and|or|&|和|与|跟|、)\s*", re.IGNORECASE)
_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which)\s+(?:date|day|month|year|time|season)\b|\bhow\s+long\s+ago\b"
    r"|什么时[候间]|何时|啥时候|哪[一]?[天年月日]|几[月号点]|多久以?前",
    re.IGNORECASE,
)
#: the words that a question word asks for: `what instruments does`, 哪些城市
_HEAD = re.compile(
    r"\b(?:what|which|how\s+many|how\s+much|whose)\s+(?P<head>(?:[\w'’-]+\s+){0,3}?[\w'’-]+)"
    r"(?=\s*(?:\s(?:do|does|did|has|have|had|can|could|would|will|might|that|is|are|was|were)\b|"
    r"\s{2,}|[?,.]|$))"
    r"|\bwhat\s+(?:is|are|was|were)\s+(?P<being>[^?,.]{1,60})"
    r"|(?:什么|哪些|哪个|哪种|哪家|几[个只种本部]|多少[个只种]?)(?P<han>[\u3400-\u9fff]{1,4})"
    r"|(?P<han_before>[\u3400-\u9fff]{2,4})(?:是|有|叫)(?:什么|哪些|啥)",
    re.IGNORECASE,
)
#: Chinese words that only ask; inside a run of characters they would make pairs that mean nothing
_ASKING_HAN = re.compile(
    r"为什么|什么时[候间]|什么样?|哪[些个里儿种家位]|怎么样?|怎样|如何|多少|多久|是不是|有没有|请问|谁"
    r"|[吗呢吧](?![\u3400-\u9fff])"
)
_HOW_MUCH = re.compile(
    r"\bhow\s+(?:many|much|often|long|old|far|big|tall|fast)\b|\bwhat\s+(?:age|number|percent\w*)\b"
    r"|多少|几[个只次年天岁位本]|多[久长大远高]",
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
    #: how telling a term is that one document alone holds
    rarest: float = 1.0
    #: members of the kind asked for, and of kinds that are only touched on, with their weights
    members: Mapping[str, float] = field(default_factory=dict)
    touched: Mapping[str, float] = field(default_factory=dict)
    #: speaker tokens of the persons it is about
    speakers: frozenset[str] = frozenset()
    #: it asks for a number
    how_much: bool = False
    #: it asks for a time
    when: bool = False
    #: the days it names; an explicit one without a year counts in every year
    days: tuple[TimeExpression, ...] = ()


@lru_cache(maxsize=1024)
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
    """The query without the names among the `known` speaker tokens, and whom it is about.

    Of several it is about those that do or are something, not about those that have something:
    in `What does Ana think of Ben's plan?` about Ana.
    """
    taken: list[Mention] = []
    for one in mentions(query):
        if one.token in known and all(one.end <= x.start or x.end <= one.start for x in taken):
            taken.append(one)
    taken.sort(key=lambda one: one.start)
    rest = query
    for one in reversed(taken):
        own = _POSSESSIVE.match(rest, one.end)
        rest = f"{rest[: one.start]}  {rest[own.end() if own else one.end :]}"
    return rest, _subjects(query, taken)


def _subjects(query: str, taken: Sequence[Mention]) -> frozenset[str]:
    acting = [one for one in taken if not _POSSESSIVE.match(query, one.end)] or taken
    first = list(acting[:1])
    for one in acting[1:]:
        if _AND.fullmatch(query[first[-1].end : one.start]):
            first.append(one)
    return frozenset(one.token for one in first)


def text_terms(query: str, rest: str) -> tuple[str, ...]:
    """The tokens of the text query, `rest` being what is left without names.

    A query of nothing but names keeps their words.
    """
    return tuple(
        telling_tokens(_ASKING_HAN.sub(" ", rest)) or telling_tokens(rest) or query_tokens(query)
    )


def head_terms(rest: str) -> frozenset[str]:
    """The tokens of what is asked for by its kind."""
    found = _HEAD.finditer(rest[:_LOOKED_AT])
    return frozenset(
        token
        for match in found
        for part in match.groups()
        if part
        for token in telling_tokens(part)
    )


def asks_how_much(query: str) -> bool:
    """Whether a number is asked for."""
    return _HOW_MUCH.search(query[:_LOOKED_AT]) is not None


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
