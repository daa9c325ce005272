"""Vectors as arrays: small on disk, and the nearest are the nearest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.rank.vectors import (
    alike,
    cosines,
    packed,
    packed_signs,
    signs,
    unit,
    unpacked_signs,
)

VECTORS = st.lists(
    st.lists(st.floats(-1, 1, width=32), min_size=16, max_size=16), min_size=1, max_size=20
)


@given(VECTORS)
def test_signs_survive_packing(found: list[list[float]]) -> None:
    """Numbers and signs come back as they were."""
    rows = [(number, signs(unit(vector))) for number, vector in enumerate(found, 1)]
    numbers, bits = unpacked_signs(packed_signs(rows), len(rows))

    assert rows == [(int(n), own.tobytes()) for n, own in zip(numbers, bits, strict=True)]


@given(VECTORS)
def test_cosines_survive_packing(found: list[list[float]]) -> None:
    """Two bytes for a number keep a cosine to a thousandth."""
    vectors = [unit(vector) for vector in found]
    exact = [float(vectors[0] @ vector) for vector in vectors]

    assert exact == pytest.approx(cosines(vectors[0], list(map(packed, vectors))), abs=2e-3)


def test_the_nearest_are_among_those_with_like_signs() -> None:
    """Of two thousand vectors of clear neighbourhoods the ten nearest are found among a hundred."""
    draw = np.random.default_rng(3)
    centres = draw.normal(size=(20, 384))
    found = [unit(centres[at % 20] + draw.normal(size=384) * 0.7) for at in range(2000)]
    rows = [(number, signs(vector)) for number, vector in enumerate(found)]
    parts = [unpacked_signs(packed_signs(rows[at : at + 500]), 500) for at in range(0, 2000, 500)]
    for query in (unit(centre) for centre in centres):
        exact = np.argsort(-(np.array(found) @ query))[:10]

        assert set(exact.tolist()) <= set(alike(query, parts, 100).tolist())


@pytest.mark.parametrize("wrong", [[], [float("inf")], [[1.0]], ["x"], None, 3])
def test_what_is_no_vector_is_refused(wrong: object) -> None:
    """Only lists of finite numbers are vectors."""
    with pytest.raises((ValueError, TypeError)):
        unit(wrong)  # type: ignore[arg-type]


def test_zeros_stay() -> None:
    """A vector of zeros has no direction and is near nothing."""
    assert [0.0, 0.0] == unit([0.0, 0.0]).tolist()
