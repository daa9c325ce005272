"""The best of posting lists against the reference that scores every document."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagate_core.rank.bm25 import SMALLEST_K1, UNIT, idf, rank
from stratagate_core.rank.packed import Numbers, of_records, record
from stratagate_core.rank.top import Measure, Term, best

WORDS = "abcdef"
#: a few words, some of them very often
DOCUMENTS = st.lists(
    st.lists(
        st.tuples(st.sampled_from(WORDS), st.sampled_from([1, 1, 1, 2, 3, 1000])), max_size=4
    ).map(lambda parts: [word for word, times in parts for _ in range(times)]),
    min_size=1,
    max_size=60,
)
SOME = st.none() | st.sets(st.integers(1, 60))


def terms_of(documents: Sequence[Sequence[str]], query: Sequence[str], apart: int) -> list[Term]:
    """The terms of a query, in documents that are numbered in steps of `apart`."""
    found = []
    for word in query:
        rows = [
            record(number * apart, Counter(held)[word], len(held))
            for number, held in enumerate(documents, 1)
            if word in held
        ]
        if rows:
            held = of_records(b"".join(rows))
            found.append(Term(term=word, idf=idf(len(documents), len(rows)), held=held))
    return found


def numbers(chosen: set[int] | None, apart: int) -> Numbers | None:
    """Document numbers as an array."""
    if chosen is None:
        return None
    return np.array(sorted(number * apart for number in chosen), np.int32)


@settings(max_examples=200)
@given(
    documents=DOCUMENTS,
    query=st.lists(st.sampled_from(WORDS), unique=True, max_size=6),
    most=st.none() | st.integers(1, 8),
    among=SOME,
    without=SOME,
    apart=st.sampled_from([1, 500]),
    k1=st.sampled_from([0.0, 0.9, 2.0]),
    b=st.sampled_from([0.0, 0.35, 1.0]),
)
def test_best_equals_the_reference(
    documents: list[list[str]],
    query: list[str],
    most: int | None,
    among: set[int] | None,
    without: set[int] | None,
    apart: int,
    k1: float,
    b: float,
) -> None:
    """Documents and scores are those of a ranking of everything, near or far apart."""
    named = [(f"{number:03}", held) for number, held in enumerate(documents, 1)]
    wanted = [
        (int(key), score)
        for key, score in rank(named, query, k1=k1, b=b)
        if (among is None or int(key) in among) and int(key) not in (without or ())
    ]
    average = sum(map(len, documents)) / len(documents) or 1.0
    places, scores = best(
        terms_of(documents, query, apart),
        Measure(average=average, k1=max(k1, SMALLEST_K1), b=b),
        most=most,
        among=numbers(among, apart),
        without=numbers(without, apart),
    )
    found = sorted(
        (
            (place // apart, round(score * UNIT) / UNIT)
            for place, score in zip(places, scores, strict=True)
        ),
        key=lambda hit: (-hit[1], hit[0]),
    )
    if most is not None and len(wanted) > most:
        wanted = [hit for hit in wanted if hit[1] >= wanted[most - 1][1]]
        found = [hit for hit in found if hit[1] >= wanted[-1][1]]

    assert wanted == found
