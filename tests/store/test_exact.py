"""The index ranks exactly as the reference does: same scores, same order, after any change."""

import random
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagate_core import Message, StorageError
from stratagate_core.rank.bm25 import rank
from stratagate_core.store import index, schema, turns
from stratagate_core.store.engine import Store
from stratagate_core.store.postings import RECENT, SEGMENT
from stratagate_core.store.scoring import Within
from stratagate_core.store.tx import Tx
from tests.conftest import START
from tests.store.contents import contents

NAME = index.PASSIVE
WORDS = [f"w:{letter}" for letter in "abcdefghij"]
#: how common each word is
OFTEN = [60, 40, 25, 12, 6, 3, 2, 1, 1, 1]

Documents = dict[str, list[str]]


@pytest.fixture
def store(quick_database: str) -> Iterator[Store]:
    """A database that holds nothing."""
    opened = Store(quick_database)
    yield opened
    opened.close()


def made(count: int, seed: int, *, prefix: str = "d") -> Documents:
    """Documents of a few words, some of them very long, with ids in no order."""
    chance = random.Random(seed)
    keys = [f"{prefix}{number:05}" for number in range(count)]
    chance.shuffle(keys)
    documents = {}
    for key in keys:
        held = chance.choices(WORDS, OFTEN, k=chance.randrange(12))
        documents[key] = held * (20_000 if chance.random() < 0.005 else 1)
    return documents


def same(tx: Tx, documents: Documents, query: list[str], within: Documents | None = None) -> None:
    """The index ranks as the reference does, for every limit and page by page."""
    expected = rank([*documents.items()], query, k1=0.9, b=0.35)
    if within is not None:
        expected = tuple(hit for hit in expected if hit[0] in within)
    chosen = Within(ids=None if within is None else tuple(within))
    for limit in (1, 10, len(documents) + 1):
        found = index.best(tx, NAME, query, k1=0.9, b=0.35, limit=limit, within=chosen)
        assert expected[:limit] == found
    pages = index.pages(tx, NAME, query, k1=0.9, b=0.35, size=7, within=chosen)
    assert expected == tuple(hit for page in pages for hit in page)


@settings(max_examples=8)
@given(
    seed=st.integers(0, 1000),
    query=st.lists(st.sampled_from([*WORDS, "w:none"]), min_size=1, max_size=5),
)
def test_changes_of_every_kind(store: Store, seed: int, query: list[str]) -> None:
    """After additions, changes and removals the index ranks exactly as the reference."""
    documents, chance = made(3 * RECENT, seed), random.Random(seed)
    with store.write("n") as tx:
        index.begin(tx, NAME)
        index.add(tx, NAME, [*documents.items()])
        for key, held in made(30, seed + 1, prefix="e").items():
            index.put(tx, NAME, key, held)
            documents[key] = held
        for key in chance.sample(sorted(documents), 40):
            if chance.random() < 0.5:
                documents[key] = made(1, chance.randrange(1000))["d00000"]
                index.put(tx, NAME, key, documents[key])
            else:
                index.remove(tx, NAME, key)
                del documents[key]
        grown = contents(tx)
        same(tx, documents, query)
        some = dict(chance.sample(sorted(documents.items()), 50))
        same(tx, documents, query, some | {"unknown": []})
        index.begin(tx, NAME)
        index.add(tx, NAME, [*documents.items()])
        assert grown == contents(tx)


def test_lists_of_several_segments(store: Store) -> None:
    """A list that fills several segments is ranked and emptied like any other."""
    documents = made(2 * SEGMENT, 7)
    items = [*documents.items()]
    with store.write("n") as tx:
        index.begin(tx, NAME)
        index.add(tx, NAME, items[: SEGMENT + 500])
        index.add(tx, NAME, items[SEGMENT + 500 :])
        same(tx, documents, ["w:a", "w:b", "w:e"])
        for key, _ in items[: RECENT + 10]:
            index.remove(tx, NAME, key)
            del documents[key]
        same(tx, documents, ["w:a", "w:h"])


def test_a_thread_among_better_matches_of_another(store: Store) -> None:
    """A restriction to a thread finds its messages however many others match better."""
    documents = made(1200, 5)
    threads = {key: "mine" if at % 100 == 0 else "other" for at, key in enumerate(documents)}
    query = ["w:a", "w:c"]
    expected = rank([*documents.items()], query, k1=0.9, b=0.35)
    with store.write("n") as tx:
        index.begin(tx, NAME)
        index.add(tx, NAME, [*documents.items()])
        for key, thread in threads.items():
            message = Message(
                id=key, role="user", content=key, thread=thread, turn=1, created_at=START
            )
            turns.insert_messages(tx, [message], start=0)
        for thread in ("mine", "other"):
            hits = tuple(hit for hit in expected if threads[hit[0]] == thread)
            for limit in (1, 5, 2000):
                found = index.best(
                    tx, NAME, query, k1=0.9, b=0.35, limit=limit, within=Within(thread=thread)
                )
                assert hits[:limit] == found


def test_equal_scores_in_thousands_are_ordered_by_id(store: Store) -> None:
    """Ties are broken by id over all that are equal, also at the limit."""
    keys = [f"{number * 7919 % 3001:04}" for number in range(3000)]
    with store.write("n") as tx:
        index.begin(tx, NAME)
        index.add(tx, NAME, [(key, ["w:a"]) for key in keys])
        found = index.best(tx, NAME, ["w:a"], k1=0.9, b=0.35, limit=5)

    assert sorted(keys)[:5] == [key for key, _ in found]


def test_a_damaged_list_is_a_clear_error(store: Store) -> None:
    """Bytes that are no postings are said to be damage; nothing else is shown instead."""
    with store.write("n") as tx:
        index.begin(tx, NAME)
        index.add(tx, NAME, [(f"d{number}", ["w:a"]) for number in range(RECENT)])
        index.put(tx, NAME, "last", ["w:a"])
        tx.change(schema.terms.update().values(recent=b"x"))
        with pytest.raises(StorageError, match=re.escape("run `stratagate doctor`")):
            index.best(tx, NAME, ["w:a"], k1=0.9, b=0.35, limit=5)
        tx.change(schema.segments.update().values(packed=b"\x09"))
        tx.change(schema.terms.update().values(recent=b""))
        with pytest.raises(StorageError, match=re.escape("run `stratagate doctor`")):
            index.best(tx, NAME, ["w:a"], k1=0.9, b=0.35, limit=5)
