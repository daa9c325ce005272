"""Postings as arrays: packing them into bytes, and scoring them by BM25.

The postings of a term are the numbers of the documents that hold it, ascending, with how often
each holds it and how long each is. Scores are those of `rank.bm25`, bit for bit: every share is
computed by the same operations, and the shares of a document are added in the order of the terms.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Counts = NDArray[np.uint32]
Scores = NDArray[np.float64]

#: the first byte of packed postings: two or four bytes for each count
_NARROW, _WIDE = b"\x02", b"\x04"
_NUMBER: np.dtype[Any] = np.dtype("<i4")
_COUNT: Mapping[bytes, np.dtype[Any]] = {_NARROW: np.dtype("<u2"), _WIDE: np.dtype("<u4")}
_LARGEST_NARROW = 0xFFFF
#: a single posting: number, frequency, length
_RECORD = struct.Struct("<iII")
_FIELDS = np.dtype([("number", "<i4"), ("frequency", "<u4"), ("length", "<u4")])
RECORD_SIZE = _RECORD.size
#: partial sums differ from exact ones by less, whatever the order they are added in
_SLACK = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Which documents hold a term, how often, and how long they are. Numbers ascend."""

    numbers: Numbers
    frequencies: Counts
    lengths: Counts

    def __len__(self) -> int:
        return len(self.numbers)

    def part(self, start: int, end: int) -> "Postings":
        """Those from one place up to another."""
        return Postings(
            numbers=self.numbers[start:end],
            frequencies=self.frequencies[start:end],
            lengths=self.lengths[start:end],
        )

    def without(self, number: int) -> "Postings":
        """All but the posting of one document."""
        kept = self.numbers != number
        return Postings(
            numbers=self.numbers[kept],
            frequencies=self.frequencies[kept],
            lengths=self.lengths[kept],
        )


def record(number: int, frequency: int, length: int) -> bytes:
    """One posting as bytes; records are simply written one after another."""
    return _RECORD.pack(number, frequency, length)


def of_records(data: bytes) -> Postings:
    """Postings from records by ascending number.

    Raises:
        ValueError: the bytes are cut off.

    """
    table = np.frombuffer(data, _FIELDS)
    return Postings(
        numbers=table["number"], frequencies=table["frequency"], lengths=table["length"]
    )


def joined(parts: Sequence[Postings]) -> Postings:
    """Parts of one list, in their order, as one."""
    if len(parts) == 1:
        return parts[0]
    return Postings(
        numbers=np.concatenate([part.numbers for part in parts]),
        frequencies=np.concatenate([part.frequencies for part in parts]),
        lengths=np.concatenate([part.lengths for part in parts]),
    )


def packed(held: Postings) -> bytes:
    """Postings as bytes: a mark, all numbers, all frequencies, all lengths."""
    largest = max(int(held.frequencies.max(initial=0)), int(held.lengths.max(initial=0)))
    mark = _NARROW if largest <= _LARGEST_NARROW else _WIDE
    counts = _COUNT[mark]
    return b"".join(
        (
            mark,
            held.numbers.astype(_NUMBER).tobytes(),
            held.frequencies.astype(counts).tobytes(),
            held.lengths.astype(counts).tobytes(),
        )
    )


def unpacked(data: bytes) -> Postings:
    """What `packed` made bytes of. Nothing is copied.

    Raises:
        ValueError: the bytes are not of that form.

    """
    counts = _COUNT.get(data[:1])
    if counts is None:
        raise ValueError("packed postings begin with the width of their counts")
    size, left = divmod(len(data) - 1, _NUMBER.itemsize + 2 * counts.itemsize)
    if left:
        raise ValueError("packed postings are cut off")
    at = 1 + size * _NUMBER.itemsize
    return Postings(
        numbers=np.frombuffer(data, _NUMBER, size, 1),
        frequencies=np.frombuffer(data, counts, size, at),
        lengths=np.frombuffer(data, counts, size, at + size * counts.itemsize),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What the share of a posting in a score depends on, beside the posting."""

    average: float
    k1: float
    b: float

    def shares(self, held: Postings, idf: float) -> Scores:
        """The share of each posting."""
        count = held.frequencies.astype(np.float64)
        return self._shares(count, held.lengths.astype(np.float64), idf)

    def largest(self, held: Postings, idf: float) -> float:
        """No posting of the list has a larger share."""
        if not len(held):
            return 0.0
        count, length = held.frequencies.max(keepdims=True), held.lengths.min(keepdims=True)
        return float(self._shares(count.astype(np.float64), length.astype(np.float64), idf)[0])

    def _shares(self, count: Scores, length: Scores, idf: float) -> Scores:
        k1, b = self.k1, self.b
        shares: Scores = idf * (
            count * (k1 + 1) / (count + k1 * (1 - b + b * length / self.average))
        )
        return shares


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
    if among is not None:
        candidates = among[_held_by_any(terms, among)]
    else:
        room = None if most is None else most + (0 if without is None else len(without))
        candidates = _candidates(terms, measure, room)
    if without is not None and len(without):
        candidates = candidates[~np.isin(candidates, without)]
    return _cut(candidates, _exact(terms, measure, candidates), most)


def _held_by_any(terms: Sequence[Term], numbers: Numbers) -> NDArray[np.bool_]:
    found = np.zeros(len(numbers), dtype=bool)
    for one in terms:
        found |= _places(one.held.numbers, numbers)[1]
    return found


def _places(held: Numbers, wanted: Numbers) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where in `held` the wanted numbers stand, and which of them stand there."""
    at = np.searchsorted(held, wanted)
    at[at == len(held)] = 0
    return at, (held[at] == wanted) if len(held) else np.zeros(len(wanted), dtype=bool)


def _candidates(terms: Sequence[Term], measure: Measure, room: int | None) -> Numbers:
    """Documents among which the best `room` are; without a number, all that match.

    Rare terms come first. As soon as what is left to add could not lift a new document to the
    last place, the lists of common terms are read for the known ones only.
    """
    order = sorted(terms, key=lambda one: (-one.idf, one.term))
    above = [measure.largest(one.held, one.idf) for one in order]
    left = float(sum(above))
    numbers: Numbers = np.empty(0, dtype=np.int32)
    scores: Scores = np.empty(0)
    for one, most in zip(order, above, strict=True):
        floor = _last(scores, room)
        if floor is not None and left + _SLACK < floor:
            reach = scores >= floor - left - _SLACK
            numbers, scores = numbers[reach], scores[reach]
            at, there = _places(one.held.numbers, numbers)
            scores = scores.copy()
            known = _taken(one.held, at[there])
            scores[there] += measure.shares(known, one.idf)
        else:
            numbers, scores = _added(
                numbers, scores, one.held.numbers, measure.shares(one.held, one.idf)
            )
        left -= most
    floor = _last(scores, room)
    return numbers if floor is None else numbers[scores >= floor - _SLACK]


def _last(scores: Scores, room: int | None) -> float | None:
    """The score of the last of the best `room`; None while there are not so many."""
    if room is None or len(scores) < room or not room:
        return None
    return float(np.partition(scores, len(scores) - room)[len(scores) - room])


def _added(
    numbers: Numbers, scores: Scores, more: Numbers, shares: Scores
) -> tuple[Numbers, Scores]:
    """Two ascending lists of documents as one, the scores of the same document added."""
    if not len(numbers):
        return more, shares
    everything = np.concatenate((numbers, more))
    order = np.argsort(everything, kind="stable")  # merges the two ascending runs
    everything, values = everything[order], np.concatenate((scores, shares))[order]
    starts = np.flatnonzero(np.concatenate(([True], everything[1:] != everything[:-1])))
    return everything[starts], np.add.reduceat(values, starts)


def _taken(held: Postings, at: NDArray[np.intp]) -> Postings:
    return Postings(
        numbers=held.numbers[at], frequencies=held.frequencies[at], lengths=held.lengths[at]
    )


def _exact(terms: Sequence[Term], measure: Measure, numbers: Numbers) -> Scores:
    """The scores of documents, added in the order of the terms."""
    scores = np.zeros(len(numbers))
    for one in sorted(terms, key=lambda one: one.term):
        at, there = _places(one.held.numbers, numbers)
        scores[there] += measure.shares(_taken(one.held, at[there]), one.idf)
    return scores


def _cut(numbers: Numbers, scores: Scores, most: int | None) -> tuple[Numbers, Scores]:
    floor = _last(scores, most)
    if floor is None:
        return numbers, scores
    # scores that are equal when rounded share a place
    kept = scores >= floor - _SLACK
    return numbers[kept], scores[kept]
