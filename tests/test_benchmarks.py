"""The benchmarks measure what they say: each engine finds, and ours ranks as the reference."""

from pathlib import Path

import pytest

from benchmarks import growing, tenants
from benchmarks.corpus import documents, queries
from benchmarks.engines import K1, TOP, B
from benchmarks.probe import ENGINES
from stratagate_core.rank.bm25 import rank


@pytest.mark.parametrize("name", ["StrataGate, SQLite", "SQLite FTS5", "rank-bm25"])
def test_an_engine_finds_what_was_built_and_what_was_added(name: str, tmp_path: Path) -> None:
    """What is stored is found after opening it anew, and what is added by the next search."""
    held = list(documents(80))
    ENGINES[name](tmp_path).build(held)
    engine = ENGINES[name](tmp_path)
    engine.open()
    query = queries(1, 8)[0]
    right = rank([(key, text.split()) for key, text in held], query.split(), k1=K1, b=B)[:TOP]

    found = engine.search(query)
    if name.startswith("StrataGate"):
        assert [key for key, _ in right] == found
    assert right[0][0] in found
    engine.add("new", "a word that was never said")
    assert "new" == engine.search("never")[0]
    assert engine.size() > 0


@pytest.mark.slow
def test_tables_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Tables have a row for each size and say on standard error what is being done."""
    growing.one_namespace((30,))
    growing.many_namespaces((1_000, 2_000))
    tenants.main(3)

    printed = capsys.readouterr()
    assert "2,000" in printed.out
    assert "slowest" in printed.out
    assert "SQLite FTS5" in printed.out
    assert "filling" in printed.err
