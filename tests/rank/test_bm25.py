"""BM25 over a few documents, and term by term."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.rank.bm25 import bm25_term, idf, rank, weighted
from stratagate_core.text.tokens import query_tokens, tokens

DOCUMENTS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), max_size=6).map(
    lambda lists: [(f"d{at}", words) for at, words in enumerate(lists)]
)


def test_S_01_only_matching_documents() -> None:
    """Only documents that share a term with the query are ranked; no match gives nothing."""
    documents = [
        ("a", tokens("Move the project database to PostgreSQL")),
        ("b", tokens("Review the application layout")),
    ]
    hits = rank(documents, query_tokens("PostgreSQL database"), k1=0.9, b=0.35)
    assert [hit[0] for hit in hits] == ["a"]
    assert rank(documents, query_tokens("watermelon"), k1=0.9, b=0.35) == ()
    assert rank([], ["a"], k1=0.9, b=0.35) == ()
    assert rank(documents, [], k1=0.9, b=0.35) == ()


@pytest.mark.parametrize(("weight", "times"), [(0.2, 1), (-3, 1), (1, 1), (2.9, 2), (4, 4)])
def test_a_field_counts_floor_times(weight: float, times: int) -> None:
    """The tokens of a field count max(1, floor weight) times."""
    assert ["a", "b"] * times == weighted([(("a", "b"), weight)])


@given(
    DOCUMENTS,
    st.lists(st.sampled_from("abcxyz"), max_size=4),
    st.floats(0, 3),
    st.floats(0, 1),
)
def test_rank_is_the_sum_of_its_terms(
    documents: list[tuple[str, list[str]]], query: list[str], k1: float, b: float
) -> None:
    """The in-memory ranking and the formula the index uses give the same scores."""
    count = len(documents)
    average = sum(len(words) for _, words in documents) / max(1, count)
    expected = {}
    for name, words in documents:
        expected[name] = sum(
            bm25_term(
                words.count(term),
                len(words),
                average,
                idf=idf(count, sum(term in other for _, other in documents)),
                k1=k1,
                b=b,
            )
            for term in set(query)
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hits = rank(documents, query, k1=k1, b=b)
    assert {name: score for name, score in expected.items() if score > 0} == pytest.approx(
        dict(hits)
    )
    assert list(hits) == sorted(hits, key=lambda hit: (-hit[1], hit[0]))


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_idf_is_positive(documents: int, holding: int) -> None:
    """A term that every document holds still counts a little."""
    assert idf(max(documents, holding), holding) > 0
