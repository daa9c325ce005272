"""The ranking of one pool of events: candidates, filters, then weight or time (04 §3)."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain, islice

from stratagate_core.embedding.port import QueryVector
from stratagate_core.engine import Work
from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.rank.weight import weight_at
from stratagate_core.search.candidates import candidates
from stratagate_core.search.filters import Filters, passes
from stratagate_core.search.priors import Wanted, raised
from stratagate_core.search.rules import (
    Intent,
    Match,
    by_adoption,
    by_score,
    by_time,
    in_time,
)
from stratagate_core.search.vectors import near, nearest
from stratagate_core.store import events, index, turns
from stratagate_core.store.event_order import visible_ids
from stratagate_core.store.scoring import Scored, Within

#: so many of the most relevant are weighed against each other, and more for later pages
_WEIGHED, _WEIGHED_PER_HIT = 100, 10
#: keeps an absurd offset inside what databases count with
_DEEPEST = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A search, checked."""

    query: str
    wanted: Wanted
    filters: Filters
    intent: Intent | None
    factor: float
    #: how many places of the ranking are wanted: offset + limit
    places: int
    #: the vector of the query, if there is an embedder
    vector: QueryVector | None = None

    @property
    def blank(self) -> bool:
        """Whether the query asks for no words: then the filters alone decide."""
        return not self.query.strip()


def lane(work: Work, asked: Asked, pool: str) -> list[Match]:
    """The ranking of one pool, one place deeper than asked for to tell whether more follow."""
    if asked.blank:
        return list(islice(_listed(work, asked, pool), min(asked.places, _DEEPEST) + 1))
    depth = min(max(_WEIGHED, _WEIGHED_PER_HIT * asked.places), _DEEPEST)
    matches = list(islice(_relevant(work, asked, pool, depth), depth))
    matches += _near(work, asked, pool, {match.event.id for match in matches})
    settings = work.settings
    weights = settings.ranking.model_dump()
    cosines = near(work, index.collection_of(pool), asked.vector, [m.event.id for m in matches])
    ordered = by_score(raised(matches, asked.wanted, weights, settings.timezone, cosines))
    return (by_time(ordered, asked.intent) if asked.intent else ordered)[: asked.places + 1]


def _relevant(work: Work, asked: Asked, pool: str, depth: int) -> Iterator[Match]:
    """What matches the words and passes the filters, most relevant first."""
    hits = candidates(
        work,
        index.collection_of(pool),
        asked.wanted.terms,
        within=Within(ids=asked.filters.event_ids),
        limit=None if asked.filters.need_cards else depth,
    )
    turn = work.current_turn()
    for page in hits:
        for event, relevance in _passing(work, asked.filters, pool, page):
            weight = weight_at(event.weight, event.status, turn)
            score = relevance * (1 + asked.factor * weight)
            yield Match(event=event, relevance=relevance, weight=weight, score=score)


def _near(work: Work, asked: Asked, pool: str, known: Set[str]) -> list[Match]:
    """What only its vector brings in, and passes the filters."""
    hits = nearest(work, index.collection_of(pool), asked.vector)
    chosen = asked.filters.event_ids
    page = [(key, 0.0) for key, _ in hits if key not in known and (chosen is None or key in chosen)]
    turn = work.current_turn()
    return [
        Match(event=event, weight=weight_at(event.weight, event.status, turn))
        for event, _ in _passing(work, asked.filters, pool, page)
    ]


def _listed(work: Work, asked: Asked, pool: str) -> Iterator[Match]:
    """What passes the filters, in the structured order."""
    chosen = asked.filters.event_ids
    if chosen is not None:
        named = [(key, 0.0) for key in chosen]
        matches = [Match(event=e) for e, _ in _passing(work, asked.filters, pool, named)]
        return iter(in_time(matches, asked.intent) if asked.intent else by_adoption(matches))
    pages = visible_ids(work.tx, pool, asked.intent or "adopted")
    passing = (_passing(work, asked.filters, pool, [(key, 0.0) for key in page]) for page in pages)
    return (Match(event=event) for event, _ in chain.from_iterable(passing))


def _passing(
    work: Work, filters: Filters, pool: str, page: Sequence[Scored]
) -> Iterator[tuple[Event, float]]:
    found = events.by_ids(work.tx, [key for key, _ in page])
    wanted = [key for event in found.values() for key in event.source_message_ids]
    sources = turns.messages_by_id(work.tx, wanted) if filters.metadata else {}
    for key, relevance in page:
        event = found.get(key)
        if event is None or event.pool != pool or event.status not in VISIBLE:
            continue
        if passes(event, filters, sources, work.settings.timezone):
            yield event, relevance
