"""The best documents of a query's posting lists, by BM25.

Scores are those of `rank.bm25`, bit for bit: every share is computed by the same operations, and
the shares of a document are added in the order of the terms.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stratagate_core.rank.packed import Numbers, Postings

Scores = NDArray[np.float64]

#: scores that differ by less may be equal when they are rounded
_SLACK = 1e-9
#: no score that counts is smaller, see `rank.bm25.rounded`
_SMALLEST = 1e-13
#: so many postings are summed together: larger arrays are given back to the system and asked for
#: anew by each query, which takes longer than to fill them
_CHUNK = 8192
#: fewer postings than one in so many documents are summed by place, not in an array of all
_SPARSE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What the share of a posting in a score depends on, beside the posting."""

    average: float
    k1: float
    b: float

    def shares(self, held: Postings, idf: float) -> Scores:
        """The share of each posting."""
        count = held.frequencies.astype(np.float64)
        # the operations of `rank.bm25_term`, each in place
        below = held.lengths * np.float64(self.b)
        below /= self.average
        below += 1 - self.b
        below *= self.k1
        below += count
        count *= self.k1 + 1
        count /= below
        count *= idf
        return count


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A term of a query with its postings."""

    term: str
    idf: float
    held: Postings


def best(
    terms: Sequence[Term],
    measure: Measure,
    *,
    most: int | None = None,
    among: Numbers | None = None,
    without: Numbers | None = None,
) -> tuple[Numbers, Scores]:
    """The documents that hold one of the terms, with their scores, in no order.

    Args:
        terms: the query's terms.
        measure: how a posting counts.
        most: the best so many are wanted; those that share the last place are given all.
        among: only these documents, ascending.
        without: not these documents.

    """
    order = sorted((one for one in terms if len(one.held)), key=lambda one: one.term)
    if not order:
        return np.empty(0, dtype=np.int32), np.empty(0)
    room = None if most is None or among is not None else most + _count(without)
    numbers, scores = _summed(order, measure, room)
    if among is not None:
        kept = np.isin(numbers, among)
        numbers, scores = numbers[kept], scores[kept]
    if without is not None and len(without):
        kept = ~np.isin(numbers, without)
        numbers, scores = numbers[kept], scores[kept]
    floor = 0.0 if most is None else _last(scores, most)
    kept = scores >= floor - _SLACK
    return numbers[kept], scores[kept]


def _count(numbers: Numbers | None) -> int:
    return 0 if numbers is None else len(numbers)


def _summed(order: Sequence[Term], measure: Measure, room: int | None) -> tuple[Numbers, Scores]:
    """The documents of all lists, or those that can be among the best `room`, by number."""
    size = max(int(one.held.numbers[-1]) for one in order) + 1
    known: Numbers | None = None
    if sum(len(one.held) for one in order) * _SPARSE < size:
        known = _union([one.held.numbers for one in order])
    sums: Scores = np.zeros(size if known is None else len(known))
    for one in order:
        for at in range(0, len(one.held), _CHUNK):
            part = one.held.part(at, at + _CHUNK)
            places = part.numbers if known is None else np.searchsorted(known, part.numbers)
            sums[places.astype(np.intp)] += measure.shares(part, one.idf)
    floor = 0.0 if room is None or known is not None else _floor(order, sums, room)
    found = np.flatnonzero(sums >= max(floor - _SLACK, _SMALLEST))
    return (found.astype(np.int32) if known is None else known[found]), sums[found]


def _floor(order: Sequence[Term], sums: Scores, room: int) -> float:
    """What the last of the best has at least, by the documents of the rarest terms alone."""
    numbers: Numbers = np.empty(0, dtype=np.int32)
    for one in sorted(order, key=lambda one: len(one.held)):
        numbers = _union([numbers, one.held.numbers])
        if len(numbers) >= room:
            break
    return _last(sums[numbers], room)


def _union(parts: Sequence[Numbers]) -> Numbers:
    """What stands in any part, ascending; a plain sort is quicker than numpy's own union."""
    merged: Numbers = np.sort(np.concatenate(parts))
    first: NDArray[np.bool_] = np.append(True, merged[1:] != merged[:-1])
    return merged[first]


def _last(scores: Scores, room: int) -> float:
    """The score of the last of the best `room`; 0 while there are not so many."""
    if len(scores) < room or not room:
        return 0.0
    return float(np.partition(scores, len(scores) - room)[len(scores) - room])
