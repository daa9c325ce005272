"""The order of what was found: relevance first, weight and time second (04 §3)."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from stratagate_core.model.event import Event
from stratagate_core.model.message import Message

Intent = Literal["first", "latest"]

#: below this share of another's relevance, no weight brings an event past it
_CLEARLY_LESS = 0.9
#: from this share of the best relevance on, time decides when a first or latest is asked for
_RELEVANT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """An event that was found. Its score orders; relevance is 0 where nothing was asked for."""

    event: Event
    relevance: float = 0.0
    #: the effective long-term weight
    weight: float = 0.0
    score: float = 0.0
    #: relevance, the text as a share of the best in its pool
    share: float = 0.0
    #: what each signal adds to the relevance
    signals: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawMatch:
    """A message that was found; `score` is its share of the best text score."""

    message: Message
    score: float
    signals: Mapping[str, float] = field(default_factory=dict)
    #: whether it has something to do with the query itself, not only with what stands near it
    tied: bool = True


def by_score(matches: Sequence[Match]) -> list[Match]:
    """Best score first, but never a match before one that is clearly more relevant."""
    waiting = sorted(matches, key=lambda match: (-match.relevance, match.event.id))
    ordered: list[Match] = []
    taken: set[str] = set()
    eligible: list[tuple[float, str, Match]] = []
    entering = 0
    for most_relevant in waiting:
        while most_relevant.event.id not in taken:
            floor = _CLEARLY_LESS * most_relevant.relevance
            while entering < len(waiting) and waiting[entering].relevance >= floor:
                match = waiting[entering]
                heapq.heappush(eligible, (-match.score, match.event.id, match))
                entering += 1
            match = heapq.heappop(eligible)[2]
            taken.add(match.event.id)
            ordered.append(match)
    return ordered


def by_time(matches: Sequence[Match], intent: Intent) -> list[Match]:
    """Of matches in their order, the relevant ones first and among them the first or latest."""
    best = max((match.relevance for match in matches), default=0.0)
    relevant = [match for match in matches if match.relevance >= _RELEVANT * best]
    rest = [match for match in matches if match.relevance < _RELEVANT * best]
    return in_time(relevant, intent) + rest


def in_time(matches: Sequence[Match], intent: Intent) -> list[Match]:
    """Chronological order, or its reverse."""

    def place(match: Match) -> tuple[datetime, str]:
        return match.event.chronology, match.event.id

    return sorted(matches, key=place, reverse=intent == "latest")


def by_adoption(matches: Sequence[Match]) -> list[Match]:
    """The last adopted first, then by id, descending."""
    return sorted(
        matches, key=lambda match: (match.event.weight.last_adopted_turn, match.event.id)
    )[::-1]


def newest_first(matches: Sequence[RawMatch]) -> list[RawMatch]:
    """Best score first; of equal ones the newest, then by id."""
    named = sorted(matches, key=lambda match: str(match.message.id))
    newest = sorted(named, key=lambda match: _time(match.message), reverse=True)
    return sorted(newest, key=lambda match: -match.score)


def _time(message: Message) -> float:
    return message.created_at.timestamp() if message.created_at else 0.0
