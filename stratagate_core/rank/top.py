"""The best documents of a query's posting lists, by BM25.

Scores are those of `rank.bm25`, bit for bit: every share is computed by the same operations, and
the shares of a document are added in the order of the terms. Lists of common length are summed
outright. Of longer ones common words are looked up only for the documents that can still be among
the best, once no other can (the MaxScore rule).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from stratagate_core.rank.bm25 import bm25_term
from stratagate_core.rank.packed import Numbers, Postings

Scores = NDArray[np.float64]
Places = NDArray[np.intp]

#: partial sums differ from exact ones by less, whatever the order they are added in
_SLACK = 1e-9
#: so many postings are summed in less time than it takes to leave some out
_FEW = 60_000
#: so many are summed together: larger arrays are given back to the system and asked for anew by
#: each query, which takes longer than to fill them
_CHUNK = 8192
#: no score that counts is smaller, see `rank.bm25.rounded`
_SMALLEST = 1e-13
#: fewer postings than one in so many documents are summed by place, not in an array of all
_SPARSE = 16
#: so many times the wanted number of documents are looked at for a lower bound
_SAMPLE = 8


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

    def largest(self, held: Postings, idf: float) -> float:
        """No posting of the list has a larger share."""
        frequency, length = int(held.frequencies.max()), int(held.lengths.min())
        return bm25_term(frequency, length, self.average, idf=idf, k1=self.k1, b=self.b)


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
    few: int = _FEW,
) -> tuple[Numbers, Scores]:
    """The documents that hold one of the terms, with their scores, in no order.

    Args:
        terms: the query's terms.
        measure: how a posting counts.
        most: the best so many are wanted; those that share the last place are given all.
        among: only these documents, ascending.
        without: not these documents.
        few: so many postings are summed outright, without a thought of what could be left out.

    """
    room = None if most is None else most + (0 if without is None else len(without))
    shares = _Shares(measure)
    if among is not None:
        numbers = among[_held_by_any(terms, among)]
        scores = _exact(terms, shares, numbers)
    elif room is None or sum(len(one.held) for one in terms) <= few:
        numbers, scores = _outright(terms, measure, room)
    else:
        numbers = _candidates(terms, shares, room)
        scores = _exact(terms, shares, numbers)
    if without is not None and len(without):
        kept = ~np.isin(numbers, without)
        numbers, scores = numbers[kept], scores[kept]
    return _cut(numbers, scores, most)


def _outright(terms: Sequence[Term], measure: Measure, room: int | None) -> tuple[Numbers, Scores]:
    """All postings summed at once, in the order of the terms: for lists that are not long."""
    order = sorted((one for one in terms if len(one.held)), key=lambda one: one.term)
    if not order:
        return np.empty(0, dtype=np.int32), np.empty(0)
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
    if known is not None:
        return known, sums
    found = np.flatnonzero(sums >= max(_floor(order, sums, room) - _SLACK, _SMALLEST))
    return found.astype(np.int32), sums[found]


def _floor(terms: Sequence[Term], sums: Scores, room: int | None) -> float:
    """What the last of the best has at least, by the documents of the rarest terms."""
    numbers: Numbers = np.empty(0, dtype=np.int32)
    for one in sorted(terms, key=lambda one: len(one.held)):
        numbers = _union([numbers, one.held.numbers])
        if room is not None and len(numbers) >= room:
            break
    return _last(sums[numbers], room) or 0.0


class _Shares:
    """The shares of postings, those of a whole list computed once."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self._whole: dict[str, Scores] = {}

    def of(self, one: Term) -> Scores:
        """Of all postings of a term."""
        found = self._whole[one.term] = self.measure.shares(one.held, one.idf)
        return found

    def at(self, one: Term, places: Places) -> Scores:
        """Of some."""
        whole = self._whole.get(one.term)
        if whole is not None:
            return whole[places]
        return self.measure.shares(_taken(one.held, places), one.idf)


def _held_by_any(terms: Sequence[Term], numbers: Numbers) -> NDArray[np.bool_]:
    found = np.zeros(len(numbers), dtype=bool)
    for one in terms:
        found |= _places(one.held.numbers, numbers)[1]
    return found


def _places(held: Numbers, wanted: Numbers) -> tuple[Places, NDArray[np.bool_]]:
    """Where in `held` the wanted numbers stand, and which of them stand there."""
    at = np.searchsorted(held, wanted)
    at[at == len(held)] = 0
    return at, (held[at] == wanted) if len(held) else np.zeros(len(wanted), dtype=bool)


def _candidates(terms: Sequence[Term], shares: _Shares, room: int) -> Numbers:
    """Documents among which the best `room` are.

    Rare terms come first. As soon as what is left to add could not lift a new document to the
    last place, the lists of common terms are read for the known ones only.
    """
    order = sorted((one for one in terms if len(one.held)), key=lambda one: (-one.idf, one.term))
    lists = [one.held.numbers for one in order]
    if not order:
        return _union(lists)
    above = [shares.measure.largest(one.held, one.idf) for one in order]
    got, left, done = 0.0, float(sum(above)), 0
    sums = _Sums(lists, room)
    for one, most in zip(order, above, strict=True):
        # nobody has more than the terms so far can give
        if left < got and left + _SLACK < sums.floor():
            break
        sums.add(one.held.numbers, shares.of(one))
        got, left, done = got + most, left - most, done + 1
    rest = order[done:]
    # a few that lead so far, with all their shares, tell better what is to be reached
    ahead = _with(rest, shares, *sums.sample())[1]
    numbers, scores = sums.reaching((_last(ahead, room) or 0.0) - left - _SLACK)
    for one, most in zip(rest, above[done:], strict=True):
        numbers, scores = _with([one], shares, numbers, scores)
        left -= most
        numbers, scores = _still(numbers, scores, room, left)
    return _still(numbers, scores, room, 0.0)[0]


def _with(
    terms: Sequence[Term], shares: _Shares, numbers: Numbers, scores: Scores
) -> tuple[Numbers, Scores]:
    """The documents with the shares of these terms added to their scores."""
    for one in terms:
        at, there = _places(one.held.numbers, numbers)
        scores[there] += shares.at(one, at[there])
    return numbers, scores


class _Sums:
    """What documents have of their score so far, and what the last of the best has at least."""

    def __init__(self, lists: Sequence[Numbers], room: int) -> None:
        self._room = room
        size = max(int(numbers[-1]) for numbers in lists) + 1
        few = sum(map(len, lists)) * _SPARSE < size
        #: the documents by place; None if the place of each is its number
        self._numbers = _union(lists) if few else None
        self._sums: Scores = np.zeros(size if self._numbers is None else len(self._numbers))
        #: the places of each term so far
        self._added: list[Places] = []
        #: places among which the last of the best is at least so good as it gets
        self._sample: Places = np.empty(0, dtype=np.intp)

    def add(self, numbers: Numbers, shares: Scores) -> None:
        """Add the postings of a term."""
        if self._numbers is None:
            places = numbers.astype(np.intp)
        else:
            places = np.searchsorted(self._numbers, numbers)
        self._sums[places] += shares
        self._added.append(places)
        if len(self._sample) < self._room:
            self._sample = _union([self._sample, places])

    def floor(self) -> float:
        """What the last of the best has at least; 0 while it is not known."""
        return _last(self.sample()[1], self._room) or 0.0

    def sample(self) -> tuple[Numbers, Scores]:
        """Some documents that lead so far, with what they have; the numbers are in no order."""
        sums = self._sums[self._sample]
        most = _SAMPLE * self._room
        if len(sums) > most:
            best = np.argpartition(sums, len(sums) - most)[len(sums) - most :]
            self._sample, sums = self._sample[best], sums[best]
        return self._of(self._sample), sums

    def reaching(self, least: float) -> tuple[Numbers, Scores]:
        """The documents that have so much, by ascending number."""
        places = _union([at[self._sums[at] >= least] for at in self._added])
        return self._of(places), self._sums[places]

    def _of(self, places: Places) -> Numbers:
        return places.astype(np.int32) if self._numbers is None else self._numbers[places]


Sorted = TypeVar("Sorted", Numbers, Places)


def _union(parts: Sequence[Sorted]) -> Sorted:
    """What stands in any part, ascending; a plain sort is quicker than numpy's own union."""
    if not parts:
        return np.empty(0, dtype=np.int32)
    merged = np.sort(np.concatenate(parts))
    return merged[np.append(True, merged[1:] != merged[:-1])] if len(merged) else merged


def _still(numbers: Numbers, scores: Scores, room: int, left: float) -> tuple[Numbers, Scores]:
    """Those of the documents that can be among the best if each gets at most `left` more."""
    floor = _last(scores, room)
    if floor is None:
        return numbers, scores
    kept = scores >= floor - left - _SLACK
    return numbers[kept], scores[kept]


def _last(scores: Scores, room: int | None) -> float | None:
    """The score of the last of the best `room`; None while there are not so many."""
    if room is None or len(scores) < room or not room:
        return None
    return float(np.partition(scores, len(scores) - room)[len(scores) - room])


def _taken(held: Postings, at: Places) -> Postings:
    return Postings(
        numbers=held.numbers[at], frequencies=held.frequencies[at], lengths=held.lengths[at]
    )


def _exact(terms: Sequence[Term], shares: _Shares, numbers: Numbers) -> Scores:
    """The scores of documents, added in the order of the terms."""
    scores = np.zeros(len(numbers))
    for one in sorted(terms, key=lambda one: one.term):
        at, there = _places(one.held.numbers, numbers)
        scores[there] += shares.at(one, at[there])
    return scores


def _cut(numbers: Numbers, scores: Scores, most: int | None) -> tuple[Numbers, Scores]:
    floor = _last(scores, most)
    if floor is None:
        return numbers, scores
    # scores that are equal when rounded share a place
    kept = scores >= floor - _SLACK
    return numbers[kept], scores[kept]
