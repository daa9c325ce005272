"""Postings as arrays, and as bytes.

The postings of a term are the numbers of the documents that hold it, ascending, with how often
each holds it and how long each is.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Counts = NDArray[np.uint32]

#: the first byte of packed postings: two or four bytes for each count
_NARROW, _WIDE = b"\x02", b"\x04"
_NUMBER: np.dtype[Any] = np.dtype("<i4")
_COUNT: Mapping[bytes, np.dtype[Any]] = {_NARROW: np.dtype("<u2"), _WIDE: np.dtype("<u4")}
_LARGEST_NARROW = 0xFFFF
#: a single posting: number, frequency, length
_RECORD = struct.Struct("<iII")
_FIELDS = np.dtype([("number", "<i4"), ("frequency", "<u4"), ("length", "<u4")])
RECORD_SIZE = _RECORD.size


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
