"""Candidates by text, best first: from the index, or by a scan while it must be rebuilt.

The scan reads the sources a page at a time and keeps only numbers of those that match, so both
ways give the same documents with the same scores.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from stratagate_core.engine import Work
from stratagate_core.model.message import Message
from stratagate_core.rank.bm25 import bm25_term, idf, rounded
from stratagate_core.search import sources
from stratagate_core.search.sources import Source
from stratagate_core.store import index, scoring
from stratagate_core.store.scoring import ANYWHERE, Scored, Weighed, Within

_PAGE = 200


def is_stale(work: Work, name: str) -> bool:
    """Whether the index of a collection cannot be used."""
    return index.state(work.tx, name) == "rebuilding"


def candidates(
    work: Work,
    name: str,
    terms: Sequence[str],
    *,
    within: Within = ANYWHERE,
    limit: int | None = None,
) -> Iterator[tuple[Scored, ...]]:
    """Pages of (document, relevance) for the tokens of a query, best first, then by id."""
    if is_stale(work, name):
        hits = iter(_scan(work, name, terms, within)[:limit])
        return iter(lambda: tuple(islice(hits, _PAGE)), ())
    k1, b = work.settings.bm25_k1, work.settings.bm25_b
    return index.pages(work.tx, name, terms, k1=k1, b=b, within=within, limit=limit, size=_PAGE)


def weigh(work: Work, name: str, terms: Iterable[str]) -> Weighed:
    """How telling each term is that some document of the collection holds."""
    if not is_stale(work, name):
        return scoring.weigh(work.tx, name, terms)
    return _counted(work, name, tuple(terms), Within(ids=()))[1]


def any_match(work: Work, name: str, terms: Sequence[str], *, within: Within = ANYWHERE) -> bool:
    """Whether anything matches at all: to say why a result is empty."""
    return next(candidates(work, name, terms, within=within, limit=1), None) is not None


def _scan(work: Work, name: str, terms: Sequence[str], within: Within) -> list[Scored]:
    matching, weighed = _counted(work, name, terms, within)
    scored = [(key, _score(work, size, counts, weighed)) for key, size, counts in matching]
    return sorted(scored, key=lambda hit: (-hit[1], hit[0]))


def _counted(
    work: Work, name: str, terms: Sequence[str], within: Within
) -> tuple[list[tuple[str, int, Counter[str]]], Weighed]:
    """The documents that match, with their length and counts; what all say about the terms."""
    wanted = frozenset(terms)
    matching: list[tuple[str, int, Counter[str]]] = []
    held: Counter[str] = Counter()
    number = length = 0
    for page in sources.pages(work, name):
        for source in page:
            number, length = number + 1, length + len(source.tokens)
            counts = Counter(token for token in source.tokens if token in wanted)
            held.update(counts.keys())
            if counts and _is_within(source, within):
                matching.append((source.id, len(source.tokens), counts))
    weights = {term: idf(number, holding) for term, holding in held.items()}
    return matching, Weighed(weights=weights, documents=number, average=length / max(1, number))


def _score(work: Work, length: int, counts: Counter[str], weighed: Weighed) -> float:
    k1, b = work.settings.bm25_k1, work.settings.bm25_b
    shares = (
        bm25_term(count, length, weighed.average, idf=weighed.weights[term], k1=k1, b=b)
        for term, count in sorted(counts.items())
    )
    return rounded(sum(shares))


def _is_within(source: Source, within: Within) -> bool:
    if within.ids is not None and source.id not in within.ids:
        return False
    return source.message is None or _message_is_within(source.message, within)


def _message_is_within(message: Message, within: Within) -> bool:
    if within.thread is not None and message.thread != within.thread:
        return False
    return message.block_id is not None or message.thread != within.without_tail
