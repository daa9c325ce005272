"""Packed postings say what single rows said, and nothing of them outlives a document."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagate_core.rank.bm25 import rank
from stratagate_core.rank.packed import RECORD_SIZE, of_records, packed, record, unpacked
from stratagate_core.store import index, schema
from stratagate_core.store.engine import Store
from stratagate_core.store.postings import RECENT, SEGMENT
from stratagate_core.store.scoring import Within
from stratagate_core.store.tx import Tx
from tests.store.contents import contents

NAME = index.MESSAGES
WORDS = [f"w:{number}" for number in range(40)]


@pytest.fixture
def tx(quick_database: str) -> Iterator[Tx]:
    """A write transaction on an empty database."""
    store = Store(quick_database)
    with store.write("n") as opened:
        opened.lock(owner="o", now=datetime(2026, 5, 1, tzinfo=UTC))
        index.begin(opened, NAME)
        yield opened
    store.close()


def chatter(count: int, seed: int = 7) -> dict[str, list[str]]:
    """Documents of a chatty vocabulary: a few words stand in most of them."""
    draw = random.Random(seed)
    weights = [1 / (place + 1) for place in range(len(WORDS))]
    return {
        f"d{number:05}": draw.choices(WORDS, weights, k=draw.randint(1, 12))
        for number in range(count)
    }


def best(
    tx: Tx, query: list[str], limit: int = 10, within: Within | None = None
) -> list[tuple[str, float]]:
    """The best documents with their scores."""
    found = index.best(tx, NAME, query, k1=0.9, b=0.35, limit=limit, within=within or Within())
    return list(found)


def reference(
    documents: dict[str, list[str]], query: list[str], limit: int = 10
) -> list[tuple[str, float]]:
    """The same by rank-bm25, in memory."""
    return list(rank([*documents.items()], query, k1=0.9, b=0.35)[:limit])


def segments(tx: Tx) -> list[int]:
    """The sizes of all segments."""
    return [row.size for row in tx.rows(sa.select(schema.segments.c.size))]


QUERIES = [
    ["w:0"],
    ["w:39"],
    ["w:0", "w:1", "w:2"],
    ["w:0", "w:39", "w:38"],
    [*WORDS],
    ["w:12", "w:nothing"],
]


@pytest.mark.parametrize("limit", [1, 10, 200, 5000])
def test_the_ranking_is_that_of_the_reference(tx: Tx, limit: int) -> None:
    """Scores and order of packed and single postings are those of rank-bm25, ties included."""
    documents = chatter(1500)
    index.add(tx, NAME, list(documents.items()))

    assert max(segments(tx)) > RECENT
    for query in QUERIES:
        assert reference(documents, query, limit) == best(tx, query, limit), query


def test_adding_one_by_one_or_in_pages_says_the_same(tx: Tx) -> None:
    """How a collection was written changes nothing of what it says."""
    documents = chatter(300)
    index.add(tx, NAME, list(documents.items()))
    in_pages = contents(tx)
    index.begin(tx, NAME)
    for key, held in documents.items():
        index.put(tx, NAME, key, held)

    assert segments(tx)
    assert in_pages == contents(tx)


def test_what_is_taken_out_leaves_nothing(tx: Tx) -> None:
    """Replaced and removed documents are gone from rows and segments, and the ranking knows it."""
    documents = chatter(400)
    index.add(tx, NAME, list(documents.items()))
    draw = random.Random(3)
    for key in draw.sample(sorted(documents), 150):
        index.remove(tx, NAME, key)
        del documents[key]
    for key in draw.sample(sorted(documents), 60):
        documents[key] = ["w:0", "w:new"]
        index.put(tx, NAME, key, documents[key])
    left = contents(tx)

    for query in [*QUERIES, ["w:new"]]:
        assert reference(documents, query) == best(tx, query)
    index.begin(tx, NAME)
    index.add(tx, NAME, list(documents.items()))
    assert left == contents(tx)
    for key in documents:
        index.remove(tx, NAME, key)
    tables = (schema.terms, schema.segments, schema.documents)
    assert [0] * 3 == [tx.scalar(sa.select(sa.func.count()).select_from(t)) for t in tables]


def test_a_term_has_few_rows_and_bounded_segments(tx: Tx) -> None:
    """However often a term is written, it has a short tail and a few segments of bounded size."""
    count = SEGMENT + 3 * RECENT + 5
    page = [(f"d{number:05}", ["w:all"]) for number in range(count)]
    for at in range(0, count, 50):
        index.add(tx, NAME, page[at : at + 50])

    sizes = segments(tx)
    recent = tx.scalar(sa.select(schema.terms.c.recent))
    assert count == sum(sizes) + len(recent) // RECORD_SIZE
    assert len(recent) < RECENT * RECORD_SIZE
    assert max(sizes) <= SEGMENT
    assert len(sizes) < 12


def test_restrictions_of_a_packed_ranking(tx: Tx) -> None:
    """A restriction keeps the scores and comes before the limit."""
    documents = chatter(600)
    index.add(tx, NAME, list(documents.items()))
    some = tuple(sorted(documents)[100:200])
    everything = reference(documents, ["w:3", "w:5"], limit=600)

    expected = [hit for hit in everything if hit[0] in some][:7]
    assert expected == best(tx, ["w:3", "w:5"], 7, Within(ids=some))


def test_another_reader_finds_a_document_at_once(each_database: Path | str) -> None:
    """What one process committed is found by the next search of another."""
    writer, reader = Store(each_database), Store(each_database)
    with writer.write("n") as tx:
        tx.lock(owner="o", now=datetime(2026, 5, 1, tzinfo=UTC))
        index.begin(tx, NAME)
        index.put(tx, NAME, "a", ["w:kiln"])
    with reader.read("n") as tx:
        assert ["a"] == [key for key, _ in best(tx, ["w:kiln"])]
    with writer.write("n") as tx:
        index.put(tx, NAME, "b", ["w:kiln"])
    with reader.read("n") as tx:
        assert ["a", "b"] == [key for key, _ in best(tx, ["w:kiln"])]
    writer.close()
    reader.close()


@given(
    st.lists(
        st.tuples(st.integers(1, 2**31 - 1), st.integers(1, 2**20), st.integers(1, 2**20)),
        unique_by=lambda row: row[0],
        max_size=30,
    )
)
def test_packing_loses_nothing(rows: list[tuple[int, int, int]]) -> None:
    """Packed and unpacked, postings are what they were, however large their counts."""
    held = of_records(b"".join(record(*row) for row in sorted(rows)))
    again = unpacked(packed(held))

    assert sorted(rows) == list(
        zip(again.numbers.tolist(), again.frequencies.tolist(), again.lengths.tolist(), strict=True)
    )
    for name in ("numbers", "frequencies", "lengths"):
        assert getattr(held, name).tolist() == getattr(again, name).tolist()


@pytest.mark.parametrize("broken", [b"", b"\x09", b"\x02abc"])
def test_damaged_postings_are_told_from_whole_ones(broken: bytes) -> None:
    """What is no packed list is an error, not a ranking."""
    with pytest.raises(ValueError, match="packed postings"):
        unpacked(broken)


LONG = st.lists(st.sampled_from(["w:a", "w:b", "w:c"]), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None)
@given(
    documents=st.lists(LONG, min_size=1, max_size=40),
    copies=st.integers(1, 4),
    query=st.lists(st.sampled_from(["w:a", "w:b", "w:c", "w:d"]), min_size=1, max_size=4),
    limit=st.integers(1, 20),
)
def test_stopping_early_changes_nothing(
    documents: list[list[str]], copies: int, query: list[str], limit: int
) -> None:
    """With many equal scores the best few are those of the whole ranking."""
    held = {f"d{at:03}": words for at, words in enumerate(documents * copies)}
    store = Store(":memory:")
    with store.write("n") as tx:
        index.begin(tx, NAME)
        index.add(tx, NAME, list(held.items()))
        actual = best(tx, query, limit)
    store.close()

    assert reference(held, query, limit) == actual
