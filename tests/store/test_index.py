"""The index against a reference that holds everything in memory."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagate_core.rank.bm25 import rank
from stratagate_core.store import index, schema
from stratagate_core.store.engine import Store
from stratagate_core.store.scoring import MOST_TERMS, Within
from stratagate_core.store.tx import Tx
from stratagate_core.text.tokens import tokens
from tests.store.contents import contents

NAME = index.MESSAGES
TERMS = st.sampled_from(["w:tea", "w:harbour", "w:pnpm", "h2:部署", "h1:年", "w:привет", "w:a'b"])
DOCUMENTS = st.dictionaries(st.sampled_from("abcdefgh"), st.lists(TERMS, max_size=12))


@pytest.fixture(scope="module")
def store() -> Store:
    """One database for the module; `fill` empties the collection."""
    return Store(":memory:")


@pytest.fixture
def tx() -> Iterator[Tx]:
    """A write transaction on an empty database."""
    with Store(":memory:").write("n") as opened:
        yield opened


def fill(tx: Tx, documents: dict[str, list[str]]) -> None:
    """Make the collection hold exactly these documents."""
    index.begin(tx, NAME)
    for key, held in documents.items():
        index.put(tx, NAME, key, held)


def found(tx: Tx, query: list[str], within: Within | None = None, limit: int = 50) -> list[str]:
    """The ids of the best documents."""
    hits = index.best(tx, NAME, query, k1=1.2, b=0.75, limit=limit, within=within or Within())
    return [key for key, _ in hits]


@settings(max_examples=60, deadline=None)
@given(
    documents=DOCUMENTS,
    query=st.lists(TERMS, max_size=6),
    k1=st.sampled_from([0.5, 0.9, 1.2, 2.0]),
    b=st.sampled_from([0.0, 0.35, 0.75, 1.0]),
)
def test_best_equals_the_ranking_in_memory(
    store: Store, documents: dict[str, list[str]], query: list[str], k1: float, b: float
) -> None:
    """Scores and order are exactly those of `rank.bm25`."""
    with store.write("n") as tx:
        fill(tx, documents)
        actual = index.best(tx, NAME, query, k1=k1, b=b, limit=50)
    assert rank([*documents.items()], query, k1=k1, b=b) == actual


@settings(max_examples=40, deadline=None)
@given(documents=DOCUMENTS, replaced=DOCUMENTS, removed=st.sets(st.sampled_from("abcdefgh")))
def test_writing_in_any_order_leaves_what_a_rebuild_would_make(
    store: Store,
    documents: dict[str, list[str]],
    replaced: dict[str, list[str]],
    removed: set[str],
) -> None:
    """Replacing and removing leave the tables as if only the last state had been written."""
    final = {key: held for key, held in (documents | replaced).items() if key not in removed}
    with store.write("n") as tx:
        fill(tx, documents)
        for key, held in replaced.items():
            index.put(tx, NAME, key, held)
        for key in sorted(removed):
            index.remove(tx, NAME, key)
        grown = contents(tx)
        index.begin(tx, NAME)
        index.add(tx, NAME, list(final.items()))
        assert contents(tx) == grown


def test_pages_hold_all_hits_in_order(tx: Tx) -> None:
    """Pages, one after another, are the whole ranking."""
    fill(tx, {f"d{number:02}": ["w:tea"] * (number % 5 + 1) for number in range(23)})
    pages = list(index.pages(tx, NAME, ["w:tea"], k1=0.9, b=0.35, size=10))
    assert [len(page) for page in pages] == [10, 10, 3]
    assert [key for page in pages for key, _ in page] == found(tx, ["w:tea"])


def test_a_restriction_comes_before_the_limit_and_changes_no_score(tx: Tx) -> None:
    """Documents outside the restriction take no place, yet count in the statistics."""
    fill(tx, {f"d{number}": ["w:tea"] for number in range(9)} | {"z": ["w:tea", "w:milk"]})
    whole = dict(index.best(tx, NAME, ["w:tea"], k1=0.9, b=0.35, limit=50))
    only = index.best(tx, NAME, ["w:tea"], k1=0.9, b=0.35, limit=1, within=Within(ids=("z",)))
    assert only == (("z", whole["z"]),)


def test_hostile_ids_in_a_restriction_match_nothing(tx: Tx) -> None:
    """A restriction to what is no id finds nothing and breaks nothing."""
    fill(tx, {"a": ["w:tea"]})
    hostile = ("'; drop table postings; --", "%", "\x00", "\ud800", "👍🏽", "")
    assert found(tx, ["w:tea"], Within(ids=hostile)) == []
    assert found(tx, ["w:tea"], Within(ids=(*hostile, "a"))) == ["a"]


def test_a_query_of_thousands_of_terms_is_answered(tx: Tx) -> None:
    """Of a very long query the rarest terms count."""
    common = [f"w:{number}" for number in range(MOST_TERMS + 50)]
    fill(tx, {"a": common, "b": common, "c": ["w:rare"]})
    unknown = [f"w:none{number}" for number in range(40_000)]
    assert found(tx, [*unknown, *common, "w:rare"])[-1] == "c"


def test_equal_scores_are_ordered_by_id(tx: Tx) -> None:
    """Ties break by id, whatever the order of writing."""
    fill(tx, {"c": ["w:tea"], "a": ["w:tea"], "b": ["w:tea"]})
    assert found(tx, ["w:tea"]) == ["a", "b", "c"]


def test_nothing_is_found_in_nothing(tx: Tx) -> None:
    """No collection, no query, no tokens: no hits and no error."""
    assert found(tx, ["w:tea"]) == []
    fill(tx, {"a": []})
    assert found(tx, ["w:tea"]) == []
    assert found(tx, []) == []


def test_namespaces_do_not_share_statistics() -> None:
    """Equal ids in another namespace change neither hits nor scores."""
    store = Store(":memory:")
    with store.write("one") as tx:
        fill(tx, {"a": ["w:tea"], "b": ["w:milk"]})
        before = index.best(tx, NAME, ["w:tea"], k1=0.9, b=0.35, limit=9)
    with store.write("two") as tx:
        fill(tx, {"a": ["w:tea", "w:tea"], "c": ["w:tea"]})
    with store.read("one") as tx:
        assert index.best(tx, NAME, ["w:tea"], k1=0.9, b=0.35, limit=9) == before


def test_the_state_of_a_collection(tx: Tx) -> None:
    """Empty, ready, and to be rebuilt when it belongs to another analyser or lost its rows."""
    assert index.state(tx, NAME) == "empty"
    index.put(tx, NAME, "a", ["w:tea"])
    assert index.state(tx, NAME) == "ready"
    tx.change(schema.terms.delete())
    assert index.state(tx, NAME) == "rebuilding"
    fill(tx, {"a": ["w:tea"]})
    tx.change(schema.index_stats.update().values(analyser="other"))
    assert index.state(tx, NAME) == "rebuilding"


def test_the_plan_reads_postings_by_primary_key(tx: Tx) -> None:
    """Scoring looks each term up; it never scans the postings."""
    fill(tx, {"a": tokens("tea in the harbour")})
    plan: list[str] = []

    def explain(_c: object, cursor: Any, statement: str, values: object, *_: object) -> None:
        if statement.startswith("SELECT"):
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", values)
            plan.extend(row[3] for row in cursor.fetchall() if "json" not in row[3])

    sa.event.listen(tx.connection, "before_cursor_execute", explain)
    assert found(tx, tokens("harbour tea")) == ["a"]
    sa.event.remove(tx.connection, "before_cursor_execute", explain)
    term = "USING PRIMARY KEY (namespace=? AND name=? AND term=?)"
    assert f"SEARCH terms {term}" in plan
    assert [] == [step for step in plan if "SCAN" in step and "VIRTUAL" not in step]
