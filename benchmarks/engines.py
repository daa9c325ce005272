"""What ranks texts by words, each behind the same four calls: build, open, search, add.

All see the same words, split at blanks, and use k1 = 1.2 and b = 0.75, which is what FTS5 knows.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Protocol

import psycopg

from benchmarks.server import server_url
from stratagate_core.store import index
from stratagate_core.store.engine import Store

K1, B = 1.2, 0.75
TOP = 10
_PAGE = 500

Documents = Iterable[tuple[str, str]]


class Engine(Protocol):
    """A ranking of texts that is built once, opened, searched and added to."""

    def build(self, documents: Documents) -> None:
        """Index texts and store what opening needs."""

    def open(self) -> None:
        """Get ready to search, in a fresh process."""

    def search(self, query: str) -> list[str]:
        """The ids of the best ten texts."""

    def add(self, key: str, text: str) -> None:
        """Add one text for good; the next search finds it."""

    def size(self) -> int:
        """Bytes on disk."""


def pages(documents: Documents) -> Iterator[list[tuple[str, str]]]:
    """Some hundred documents at a time."""
    source = iter(documents)
    while page := list(islice(source, _PAGE)):
        yield page


class StrataGateIndex:
    """The index of this library, alone: what every search of it rests on."""

    def __init__(self, folder: Path) -> None:
        self.place: str | Path = folder / "memory.db"

    def build(self, documents: Documents) -> None:
        """Some hundred texts in each transaction."""
        self.open()
        with self.store.write("n") as tx:
            index.begin(tx, index.MESSAGES)
        for page in pages(documents):
            with self.store.write("n") as tx:
                index.add(tx, index.MESSAGES, [(key, text.split()) for key, text in page])
        self.store.close()

    def open(self) -> None:
        """Open the database."""
        self.store = Store(self.place)

    def search(self, query: str) -> list[str]:
        """One read transaction."""
        with self.store.read("n") as tx:
            found = index.best(tx, index.MESSAGES, query.split(), k1=K1, b=B, limit=TOP)
        return [key for key, _ in found]

    def add(self, key: str, text: str) -> None:
        """One write transaction."""
        with self.store.write("n") as tx:
            index.put(tx, index.MESSAGES, key, text.split())

    def size(self) -> int:
        """The file, its journal written back."""
        self.store.clean_files()
        return Path(self.place).stat().st_size


class StrataGateOnPostgresql(StrataGateIndex):
    """The same tables and code on a server."""

    def __init__(self, folder: Path) -> None:
        self.place = server_url()

    def build(self, documents: Documents) -> None:
        """As on a file, in an emptied schema."""
        with psycopg.connect(server_url(), autocommit=True) as connection:
            connection.execute("DROP SCHEMA IF EXISTS stratagate CASCADE")
        super().build(documents)

    def size(self) -> int:
        """The tables of the index with their keys."""
        with psycopg.connect(server_url()) as connection:
            return _total(connection, ("documents", "terms", "segments"), "stratagate.")


class Fts5:
    """SQLite's own full-text search, without a copy of the texts."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "fts.db"

    def build(self, documents: Documents) -> None:
        """The ids in a table, the words in an index that keeps no text."""
        with closing(sqlite3.connect(self.place)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("CREATE TABLE ids (number INTEGER PRIMARY KEY, id TEXT)")
            connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='')")
        self.open()
        for page in pages(documents):
            with self.connection:
                for key, text in page:
                    self._insert(key, text)
        self.connection.close()

    def open(self) -> None:
        """Open the database."""
        self.connection = sqlite3.connect(self.place)
        self.connection.execute("PRAGMA synchronous=FULL")

    def search(self, query: str) -> list[str]:
        """Any of the words, ordered by `bm25()`."""
        wanted = " OR ".join(f'"{word}"' for word in query.split())
        found = self.connection.execute(
            "SELECT ids.id FROM words JOIN ids ON ids.number = words.rowid "
            f"WHERE words MATCH ? ORDER BY bm25(words), ids.id LIMIT {TOP}",
            (wanted,),
        )
        return [key for (key,) in found]

    def add(self, key: str, text: str) -> None:
        """One transaction."""
        with self.connection:
            self._insert(key, text)

    def _insert(self, key: str, text: str) -> None:
        number = self.connection.execute("INSERT INTO ids (id) VALUES (?)", (key,)).lastrowid
        self.connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, text))

    def size(self) -> int:
        """The file."""
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return self.place.stat().st_size


class Tsvector:
    """PostgreSQL's own full-text search."""

    def __init__(self, folder: Path) -> None:
        self.url = server_url()

    def build(self, documents: Documents) -> None:
        """One table with a GIN index."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS bench")
            connection.execute("CREATE TABLE bench (id text PRIMARY KEY, words tsvector)")
            connection.execute("CREATE INDEX bench_words ON bench USING gin (words)")
        self.open()
        for page in pages(documents):
            self.connection.cursor().executemany(self._INSERT, page)
            self.connection.commit()
        self.connection.execute("ANALYZE bench")
        self.connection.commit()
        self.connection.close()

    _INSERT = "INSERT INTO bench VALUES (%s, to_tsvector('simple', %s))"

    def open(self) -> None:
        """Connect."""
        self.connection = psycopg.connect(self.url)

    def search(self, query: str) -> list[str]:
        """Any of the words, ordered by `ts_rank`."""
        found = self.connection.execute(
            "SELECT id FROM bench, to_tsquery('simple', %s) query WHERE words @@ query "
            f"ORDER BY ts_rank(words, query) DESC, id LIMIT {TOP}",
            (" | ".join(query.split()),),
        ).fetchall()
        self.connection.commit()
        return [key for (key,) in found]

    def add(self, key: str, text: str) -> None:
        """One transaction."""
        self.connection.execute(self._INSERT, (key, text))
        self.connection.commit()

    def size(self) -> int:
        """The table with its keys."""
        return _total(self.connection, ("bench",), "")


def _total(connection: psycopg.Connection, tables: Iterable[str], schema: str) -> int:
    sizes = [
        connection.execute("SELECT pg_total_relation_size(%s)", (schema + table,)).fetchone()
        for table in tables
    ]
    return sum(row[0] for row in sizes if row)


ENGINES: dict[str, Callable[[Path], Engine]] = {
    "StrataGate, SQLite": StrataGateIndex,
    "SQLite FTS5": Fts5,
    "StrataGate, PostgreSQL": StrataGateOnPostgresql,
    "PostgreSQL tsvector": Tsvector,
}
