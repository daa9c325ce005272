"""The measures, on rankings small enough to check by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.evals.measures import (
    Item,
    gain,
    mean,
    ranked_sessions,
    recall,
    reciprocal_rank,
    score,
    shown,
    within_budget,
)


def item(
    *covers: str, text: str = "x", date: str = "", sessions: tuple[int, ...] = (), window: str = ""
) -> Item:
    """An item that covers messages, and in its window more of them."""
    shown = frozenset((*covers, *window))
    return Item(covers=frozenset(covers), text=text, date=date, sessions=sessions, window=shown)


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
        "recall@4items": 0.5,
        "recall@4windows": 0.5,
        "recall@900tok": 1.0,
    }


def test_windows_find_their_members() -> None:
    """With four items, what stands beside an item counts as found; beside the fifth it does not."""
    ranking = [item("x", window="a"), item("y"), item("z"), item("w"), item("v", window="b")]
    found = score(ranking, {"a", "b"}, words)
    assert (found["recall@4items"], found["recall@4windows"]) == (0.0, 0.5)


def test_any_budget_is_filled() -> None:
    """Each budget has its own measure."""
    ranking = [item("a", text="one two"), item("b", text="three")]
    found = score(ranking, {"a", "b"}, words, budgets=(1, 2, 3))
    assert [found[f"recall@{budget}tok"] for budget in (1, 2, 3)] == [0.0, 0.5, 1.0]


def test_sessions_stand_where_their_best_item_does() -> None:
    """A session that was found again keeps its place; an item may be of several."""
    ranking = [item("a", sessions=(3,)), item("b", sessions=(1, 3)), item("c", sessions=(3, 2))]
    assert ranked_sessions(ranking) == [3, 1, 2]


def test_session_measures() -> None:
    """Sessions are scored alone where no message is cited; the second of two at rank 3."""
    ranking = [item("a", sessions=(7,)), item("b", sessions=(1,)), item("c", sessions=(2,))]
    found = score(ranking, set(), words, sessions={1, 2})
    assert found == {
        "session_hit@1": 0.0,
        "session_hit@5": 1.0,
        "session_ndcg@5": pytest.approx((0.6309 + 0.5) / (1 + 0.6309), abs=1e-4),
    }


@pytest.mark.parametrize(
    ("ranked", "expected"),
    [([1, 2, 9], 1.0), ([2, 1], 1.0), ([], 0.0), ([9, 8, 7, 6, 5, 1, 2], 0.0)],
)
def test_gain_of_wanted_sessions(ranked: list[int], expected: float) -> None:
    """All wanted first is 1, none among the first five is 0."""
    assert gain(ranked, {1, 2}, 5) == expected


def test_shown_dates_each_session_once() -> None:
    """Items of one session stand together under one date line, in order of the best rank."""
    ranking = [
        item("a", text="one", date="[May]", sessions=(1,)),
        item("b", text="two", date="[June]", sessions=(2,)),
        item("c", text="three", date="[May]", sessions=(1,)),
        item("d", text="four"),
    ]
    assert shown(ranking) == "[May]\none\nthree\n[June]\ntwo\nfour"


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
    """Each measure is averaged over those that have it; of no scores there is no mean."""
    assert mean([{"a": 1.0, "b": 1.0}, {"b": 0.5}]) == {"a": 1.0, "b": 0.75}
    assert mean([]) == {}


rankings = st.lists(
    st.builds(
        lambda covers, text, date: item(*covers, text=text, date=date),
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
    assert found["recall@4items"] <= found["recall@4windows"]


@given(rankings, st.integers(min_value=0, max_value=40))
def test_budget_is_kept(ranking: list[Item], budget: int) -> None:
    """What fits is a beginning of the ranking, within the budget, and the next would not fit."""
    fitting = within_budget(ranking, budget, words)
    assert list(fitting) == ranking[: len(fitting)]
    assert words(shown(fitting)) <= budget
    if len(fitting) < len(ranking):
        assert words(shown(ranking[: len(fitting) + 1])) > budget
