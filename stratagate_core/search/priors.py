"""What raises a card beside its text: the day asked for, and the persons the query is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from stratagate_core.cards.normalise import occurrence_interval
from stratagate_core.engine import Work
from stratagate_core.model.event import Event
from stratagate_core.rank import asked
from stratagate_core.rank.asked import overlaps, speaker_tokens
from stratagate_core.search.candidates import weigh
from stratagate_core.search.rules import Match
from stratagate_core.text.times import TimeExpression

#: whoever is only mentioned takes part as well, so it says less than who spoke
_OF_PERSONS = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A query as the ranking of cards reads it."""

    terms: tuple[str, ...]
    persons: frozenset[str] = frozenset()
    days: tuple[TimeExpression, ...] = ()


def read_wanted(work: Work, query: str, collections: Sequence[str]) -> Wanted:
    """Names of participants leave the text and become a prior, as speakers do for messages."""
    tokens = {one.token for one in asked.mentions(query)}
    known = {token for name in collections for token in weigh(work, name, tokens).weights}
    rest, persons = asked.without_names(query, known)
    return Wanted(
        terms=asked.text_terms(query, rest),
        persons=persons,
        days=asked.days_named(query, work.now, work.settings.timezone),
    )


def raised(
    matches: Sequence[Match],
    wanted: Wanted,
    weights: Mapping[str, float],
    timezone: tzinfo,
    cosines: Mapping[str, float],
) -> list[Match]:
    """The matches with their priors added: shares of the best text score, and their signals.

    `cosines` say how near the vectors of events are to that of the query.
    """
    best = max((match.relevance for match in matches), default=0.0) or 1.0
    return [
        _raised(
            match,
            match.relevance / best,
            wanted,
            weights,
            timezone,
            cosines.get(match.event.id, 0.0),
        )
        for match in matches
    ]


def _raised(
    match: Match,
    share: float,
    wanted: Wanted,
    weights: Mapping[str, float],
    timezone: tzinfo,
    cosine: float,
) -> Match:
    parts = {
        "text": share,
        "dense": weights["dense_of_event"] * cosine,
        "date": weights["date"] * _happened(match.event, wanted, timezone),
        "speaker": _OF_PERSONS * weights["speaker"] * _takes_part(match.event, wanted),
    }
    relevance = sum(parts.values())
    score = relevance * (match.score / match.relevance) if match.relevance else relevance
    signals = {name: part for name, part in parts.items() if part}
    return replace(match, relevance=relevance, score=score, share=relevance, signals=signals)


def _happened(event: Event, wanted: Wanted, timezone: tzinfo) -> bool:
    """Whether it happened, or was spoken of, on a day that the query names."""
    if not wanted.days:
        return False
    interval = occurrence_interval(event.temporal, timezone)
    said = event.temporal.mentioned_at
    spans = [span for span in (interval, said and (said, said)) if span]
    return any(overlaps(day, *span) for day in wanted.days for span in spans)


def _takes_part(event: Event, wanted: Wanted) -> bool:
    names = event.temporal.participants or ()
    return any(not wanted.persons.isdisjoint(speaker_tokens(name)) for name in names)
