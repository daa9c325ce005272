"""Vectors as arrays: storing them small, and finding the nearest ones.

The nearest are found in two steps. Their signs, one bit for each dimension, tell which few are
worth a look: vectors that point the same way agree in most signs. Only those are compared exactly.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
Bits = NDArray[np.uint8]

#: how many bits of each byte are set
_SET_BITS = np.array([number.bit_count() for number in range(256)], dtype=np.uint8)
_NUMBER = np.dtype("<i4")


def unit(values: Sequence[float] | Vector) -> Vector:
    """The vector of length 1 in the same direction; all zeros stay.

    Raises:
        ValueError: a value is not finite, or this is no list of numbers.

    """
    vector = np.asarray(values, dtype=np.float32)
    if vector.ndim != 1 or not len(vector) or not np.isfinite(vector).all():
        raise ValueError("a vector is a list of finite numbers")
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else vector


def packed(vector: Vector) -> bytes:
    """A vector as bytes, two for each number."""
    return vector.astype("<f2").tobytes()


def cosines(query: Vector, stored: Sequence[bytes]) -> NDArray[np.float32]:
    """How near packed vectors are to a query, 1 for the same direction."""
    if not stored:
        return np.empty(0, dtype=np.float32)
    matrix = np.frombuffer(b"".join(stored), "<f2").reshape(len(stored), -1)
    return np.asarray(matrix.astype(np.float32) @ query)


def signs(vector: Vector) -> bytes:
    """The signs of a vector, one bit each."""
    return np.packbits(vector > 0).tobytes()


def packed_signs(rows: Sequence[tuple[int, bytes]]) -> bytes:
    """Numbers and signs of vectors as bytes."""
    numbers = np.array([number for number, _ in rows], dtype=_NUMBER)
    return numbers.tobytes() + b"".join(bits for _, bits in rows)


def unpacked_signs(data: bytes, size: int) -> tuple[NDArray[np.int32], Bits]:
    """What `packed_signs` made bytes of."""
    numbers = np.frombuffer(data, _NUMBER, size)
    bits = np.frombuffer(data, np.uint8, offset=size * _NUMBER.itemsize)
    return numbers, bits.reshape(size, -1)


def alike(
    query: Vector, parts: Sequence[tuple[NDArray[np.int32], Bits]], most: int
) -> NDArray[np.int32]:
    """The numbers of the `most` vectors that agree with the query in most signs."""
    if not parts:
        return np.empty(0, dtype=np.int32)
    own = np.frombuffer(signs(query), np.uint8)
    numbers = np.concatenate([number for number, _ in parts])
    differing = np.concatenate(
        [_SET_BITS[bits ^ own].sum(axis=1, dtype=np.int32) for _, bits in parts]
    )
    if len(numbers) <= most:
        return np.asarray(numbers)
    return np.asarray(numbers[np.argpartition(differing, most)[:most]])
