"""The measures, on rankings small enough to check by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.evals.measures import (
    Item,
    mean,
    recall,
    reciprocal_rank,
    score,
    shown,
    within_budget,
)


def item(*covers: str, text: str = "x", date: str = "") -> Item:
    """An item that covers messages."""
    return Item(covers=frozenset(covers), text=text, date=date)


def words(text: str) -> int:
    """One token a word."""
    return len(text.split())


@pytest.mark.parametrize(
    ("ranking", "evidence", "expected"),
    [
        ([item("a"), item("b")], {"a", "b"}, 1.0),
        ([item("a"), item("x")], {"a", "b"}, 0.5),
        ([item("a", "b")], {"a", "b"}, 1.0),
        ([item("a"), item("a")], {"a", "b"}, 0.5),
        ([item("x")], {"a"}, 0.0),
        ([], {"a"}, 0.0),
    ],
)
def test_recall_is_the_share_of_the_evidence(
    ranking: list[Item], evidence: set[str], expected: float
) -> None:
    """What several items cover counts once, and an item may cover several messages."""
    assert recall(ranking, evidence) == expected


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [([item("a")], 1.0), ([item("x"), item("y"), item("b")], 1 / 3), ([item("x")], 0.0), ([], 0.0)],
)
def test_reciprocal_rank_looks_at_the_first_evidence(ranking: list[Item], expected: float) -> None:
    """One divided by the first rank with evidence, 0 without."""
    assert reciprocal_rank(ranking, {"a", "b"}) == expected


def test_score_holds_every_measure() -> None:
    """All measures of one ranking: evidence at rank 2 and at rank 11."""
    ranking = [item("x"), item("a"), *[item(f"y{number}") for number in range(8)], item("b")]
    assert score(ranking, {"a", "b"}, words) == {
        "recall@1": 0.0,
        "recall@5": 0.5,
        "recall@10": 0.5,
        "recall@20": 1.0,
        "recall@50": 1.0,
        "hit@10": 1.0,
        "all@10": 0.0,
        "mrr": 0.5,
        "recall@900tok": 1.0,
        "recall@4items": 0.5,
    }


def test_shown_dates_each_session_once() -> None:
    """Items of one session stand together under one date line, in order of the best rank."""
    ranking = [
        item("a", text="one", date="[May]"),
        item("b", text="two", date="[June]"),
        item("c", text="three", date="[May]"),
    ]
    assert shown(ranking) == "[May]\none\nthree\n[June]\ntwo"


def test_budget_stops_at_the_first_that_does_not_fit() -> None:
    """The date line counts, and a later item that would fit is not taken."""
    ranking = [
        item("a", text="one two", date="may"),
        item("b", text="four five six", date="may"),
        item("c", text="x", date="may"),
    ]
    fitting = {budget: len(within_budget(ranking, budget, words)) for budget in (2, 3, 5, 6, 7)}
    assert fitting == {2: 0, 3: 1, 5: 1, 6: 2, 7: 3}


def test_mean_of_scores() -> None:
    """Each measure is averaged; of no scores there is no mean."""
    assert mean([{"mrr": 1.0}, {"mrr": 0.5}]) == {"mrr": 0.75}
    assert mean([]) == {}


rankings = st.lists(
    st.builds(
        lambda covers, text, date: Item(covers=frozenset(covers), text=text, date=date),
        st.sets(st.sampled_from("abcdefgh"), max_size=3),
        st.text(alphabet="ab ", max_size=12),
        st.sampled_from(["", "may", "june"]),
    ),
    max_size=30,
)


@given(rankings, st.sets(st.sampled_from("abcdefgh"), min_size=1))
def test_scores_are_ordered_shares(ranking: list[Item], evidence: set[str]) -> None:
    """Every measure lies in 0..1, and a deeper cut never finds less."""
    found = score(ranking, evidence, words)
    assert all(0 <= value <= 1 for value in found.values())
    cuts = [found[f"recall@{cut}"] for cut in (1, 5, 10, 20, 50)]
    assert cuts == sorted(cuts)
    assert found["all@10"] <= found["recall@10"] <= found["hit@10"]


@given(rankings, st.integers(min_value=0, max_value=40))
def test_budget_is_kept(ranking: list[Item], budget: int) -> None:
    """What fits is a beginning of the ranking, within the budget, and the next would not fit."""
    fitting = within_budget(ranking, budget, words)
    assert list(fitting) == ranking[: len(fitting)]
    assert words(shown(fitting)) <= budget
    if len(fitting) < len(ranking):
        assert words(shown(ranking[: len(fitting) + 1])) > budget
