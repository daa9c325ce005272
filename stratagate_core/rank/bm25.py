"""BM25 as the whole library scores it: by the index term by term, or here over a few documents.

A field counts by repeating its tokens, in term frequency and in document length alike.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from rank_bm25 import BM25Okapi

#: stands in for k1 = 0, where a term that is missing would divide zero by zero
SMALLEST_K1 = 1e-12
#: scores are whole multiples of 1e-12, so that equal ones are equal on every machine
UNIT = 1e12


def idf(documents: int, holding: int) -> float:
    """How telling a term is that `holding` of `documents` hold."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def bm25_term(
    frequency: float, length: float, average: float, *, idf: float, k1: float, b: float
) -> float:
    """The share of one query term in the score of a document of this length."""
    if frequency <= 0 or average <= 0:
        return 0.0
    k1 = max(k1, SMALLEST_K1)
    # the operations of `rank_bm25` in its order, so that no bit differs
    return idf * (frequency * (k1 + 1) / (frequency + k1 * (1 - b + b * length / average)))


def rounded(score: float) -> float:
    """The nearest multiple of 1e-12."""
    return round(score * UNIT) / UNIT


def weighted(fields: Iterable[tuple[Sequence[str], float]]) -> list[str]:
    """The tokens of a document, those of each (tokens, weight) repeated max(1, floor weight)."""
    return [token for tokens, weight in fields for token in [*tokens] * max(1, math.floor(weight))]


def rank(
    documents: Sequence[tuple[str, Sequence[str]]],
    query: Iterable[str],
    *,
    k1: float,
    b: float,
) -> tuple[tuple[str, float], ...]:
    """(id, score) of the (id, tokens) `documents` that match, best first, then by id.

    The index gives exactly the same: the shares are summed in the order of the terms.
    """
    terms = set(query)
    matching = [at for at, (_, tokens) in enumerate(documents) if not terms.isdisjoint(tokens)]
    if not matching:
        return ()
    scorer = _Scorer([tokens for _, tokens in documents], k1=max(k1, SMALLEST_K1), b=b)
    scores = scorer.get_batch_scores(sorted(terms), matching)
    hits = [(documents[at][0], rounded(score)) for at, score in zip(matching, scores, strict=True)]
    return tuple(sorted((hit for hit in hits if hit[1] > 0), key=lambda hit: (-hit[1], hit[0])))


class _Scorer(BM25Okapi):  # type: ignore[misc]
    """BM25 with an idf that is never negative."""

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        self.idf = {term: idf(self.corpus_size, holding) for term, holding in nd.items()}
