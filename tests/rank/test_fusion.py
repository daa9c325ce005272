"""Reciprocal-rank fusion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.rank.fusion import rrf

LISTS = st.lists(st.lists(st.sampled_from("abcdef"), unique=True), max_size=4)


def test_S_01_fusion_of_opposite_lists() -> None:
    """[a, b] and [b, a] give a, b."""
    assert [item for item, _ in rrf([["a", "b"], ["b", "a"]])] == ["a", "b"]


def test_ties_go_to_the_better_best_rank() -> None:
    """With equal scores, the item that was once ranked higher comes first."""
    fused = rrf([["z"], ["x", "a"]], [61 / 61, 62 / 61])
    assert [item for item, _ in fused] == ["x", "z", "a"]
    # a at rank 2 with weight 62/61 adds as much as z at rank 1
    assert fused[1][1] == pytest.approx(fused[2][1])


def test_weightless_lists_are_left_out() -> None:
    """A list whose weight is not positive adds nothing."""
    assert rrf([["a"], ["b"], ["c"]], [1, 0, -1]) == (("a", 1 / 61),)


@given(LISTS)
def test_each_item_once_best_first(lists: list[list[str]]) -> None:
    """Every item of any list comes once, in falling order of score."""
    fused = rrf(lists)
    assert sorted({item for ids in lists for item in ids}) == sorted(item for item, _ in fused)
    assert [score for _, score in fused] == sorted((score for _, score in fused), reverse=True)
