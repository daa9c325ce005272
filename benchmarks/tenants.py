"""Many small namespaces in one database: each ranks by its own statistics alone."""

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from rank_bm25 import BM25Okapi

from benchmarks.corpus import documents, queries
from benchmarks.engines import K1, TOP, B
from benchmarks.probe import TERMS, timed
from benchmarks.report import Table, note
from stratagate_core.rank.bm25 import rank
from stratagate_core.store import index
from stratagate_core.store.engine import Store

_EACH = 100
_ASKED = 200

Search = Callable[[tuple[str, str]], list[str]]


def main(count: int) -> None:
    """Print the table."""
    title = f"{count:,} namespaces of {_EACH} texts, {TERMS} words a query, milliseconds"
    table = Table(title, {"engine": 26, "search p50": 10, "p95": 7, "right": 6})
    note(f"filling {count:,} namespaces")
    held = {f"tenant {at}": list(documents(_EACH, seed=at)) for at in range(count)}
    names = list(held)
    asked = [
        (names[at * 7919 % count], query) for at, query in enumerate(queries(_ASKED, TERMS, seed=5))
    ]
    with tempfile.TemporaryDirectory() as folder:
        searches = {
            "StrataGate, SQLite": _ours(Path(folder) / "memory.db", held),
            "SQLite FTS5": _fts(Path(folder) / "fts.db", held),
            "rank-bm25, one for each": _in_memory(held),
        }
        for name, search in searches.items():
            note(f"{name}: searching")
            shares = [_share(search(one), _right(held[one[0]], one[1])) for one in asked]
            took = timed(search, asked)
            right = f"{sum(shares) / len(shares):.0%}"
            table.add(name, f"{took['p50']:.2f}", f"{took['p95']:.2f}", right)
    table.end("right: share of the reference's top 10 in the namespace alone")


def _share(found: list[str], right: list[str]) -> float:
    return len({*found} & {*right}) / len(right) if right else float(not found)


def _right(held: list[tuple[str, str]], query: str) -> list[str]:
    split = [(key, text.split()) for key, text in held]
    return [key for key, _ in rank(split, query.split(), k1=K1, b=B)[:TOP]]


def _ours(place: Path, held: dict[str, list[tuple[str, str]]]) -> Search:
    store = Store(place)
    for name, texts in held.items():
        with store.write(name) as tx:
            index.begin(tx, index.MESSAGES)
            index.add(tx, index.MESSAGES, [(key, text.split()) for key, text in texts])

    def search(one: tuple[str, str]) -> list[str]:
        with store.read(one[0]) as tx:
            found = index.best(tx, index.MESSAGES, one[1].split(), k1=K1, b=B, limit=TOP)
        return [key for key, _ in found]

    return search


def _fts(place: Path, held: dict[str, list[tuple[str, str]]]) -> Search:
    """One table for all, as its virtual tables ask for: its statistics are those of everybody."""
    connection = sqlite3.connect(place)
    connection.execute("CREATE TABLE ids (number INTEGER PRIMARY KEY, tenant TEXT, id TEXT)")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='')")
    with closing(connection.cursor()) as cursor, connection:
        for name, texts in held.items():
            for key, text in texts:
                cursor.execute("INSERT INTO ids (tenant, id) VALUES (?, ?)", (name, key))
                row = (cursor.lastrowid, text)
                cursor.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", row)

    def search(one: tuple[str, str]) -> list[str]:
        wanted = " OR ".join(f'"{word}"' for word in one[1].split())
        found = connection.execute(
            "SELECT ids.id FROM words JOIN ids ON ids.number = words.rowid "
            f"WHERE words MATCH ? AND tenant = ? ORDER BY bm25(words), ids.id LIMIT {TOP}",
            (wanted, one[0]),
        )
        return [key for (key,) in found]

    return search


def _in_memory(held: dict[str, list[tuple[str, str]]]) -> Search:
    rankings = {
        name: BM25Okapi([text.split() for _, text in texts], k1=K1, b=B)
        for name, texts in held.items()
    }

    def search(one: tuple[str, str]) -> list[str]:
        scores = rankings[one[0]].get_scores(one[1].split())
        best = (-scores).argsort(kind="stable")[:TOP]
        return [held[one[0]][at][0] for at in best if scores[at] > 0]

    return search
