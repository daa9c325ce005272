"""Writes `vector_stats`, `vectors` and `vector_signs`: what was embedded, and by which embedder.

The vectors of a collection are of one embedder. They are found by their document, so an index
that is made anew leaves them as they are.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa

from stratagate_core.rank import vectors as rank
from stratagate_core.rank.vectors import Vector
from stratagate_core.store.lists import among, bound, bound_numbers, looked_up
from stratagate_core.store.schema import documents, index_stats, vector_signs, vector_stats, vectors
from stratagate_core.store.tx import Row, Tx

#: vectors in a row of signs, at most
SIGNS = 4096

Scored = tuple[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A document with the vector of its text."""

    document: str
    digest: str
    vector: Vector


def stats_of(tx: Tx, name: str) -> Row | None:
    """Which embedder made the vectors of a collection, and how far it got."""
    return tx.row(sa.select(vector_stats).where(*_of(tx, vector_stats, name)))


def begin(tx: Tx, name: str, embedder: str, dimensions: int) -> None:
    """Forget the vectors of another embedder."""
    for table in (vector_signs, vectors, vector_stats):
        tx.change(sa.delete(table).where(*_of(tx, table, name)))
    row = {"name": name, "embedder": embedder, "dimensions": dimensions, "done": 0, "last": 0}
    tx.insert(vector_stats, [row])


def rewind(tx: Tx, name: str) -> None:
    """Have all documents looked at again: they have other numbers."""
    tx.change(sa.update(vector_stats).where(*_of(tx, vector_stats, name)).values(done=0))


def waiting(tx: Tx, name: str, done: int, *, limit: int) -> tuple[tuple[int, str], ...]:
    """(number, document) of the next documents after the number up to which all are embedded."""
    query = sa.select(documents.c.number, documents.c.document).where(
        *_of(tx, documents, name), documents.c.number > done
    )
    rows = tx.rows(query.order_by(documents.c.number).limit(limit))
    return tuple((row.number, row.document) for row in rows)


def behind(tx: Tx, name: str) -> int:
    """How many documents may wait for their vectors."""
    query = sa.select(index_stats.c.last).where(*_of(tx, index_stats, name))
    stats = stats_of(tx, name)
    return int(tx.scalar(query) or 0) - (0 if stats is None else int(stats.done))


def count(tx: Tx, name: str) -> int:
    """How many documents have a vector."""
    query = sa.select(sa.func.sum(vector_signs.c.size)).where(*_of(tx, vector_signs, name))
    return int(tx.scalar(query) or 0)


def digests(tx: Tx, name: str, ids: Iterable[str]) -> dict[str, str]:
    """Of which text these documents have a vector."""
    query = sa.select(vectors.c.document, vectors.c.digest).where(
        *_of(tx, vectors, name), among(tx, vectors.c.document, sorted(set(ids)))
    )
    return {row.document: row.digest for row in tx.rows(query)}


def put(tx: Tx, name: str, page: Sequence[Embedded], *, done: int) -> None:
    """Store vectors in place of those of the same documents; `done`: all up to there have one."""
    for one in page:
        remove(tx, name, one.document)
    here = _of(tx, vector_stats, name)
    tx.change(
        sa.update(vector_stats).where(*here).values(last=vector_stats.c.last + len(page), done=done)
    )
    if not page:
        return
    last = int(tx.scalar(sa.select(vector_stats.c.last).where(*here)))
    numbered = list(enumerate(page, last - len(page) + 1))
    tx.insert(
        vectors,
        [
            {
                "name": name,
                "document": one.document,
                "number": number,
                "digest": one.digest,
                "vector": rank.packed(one.vector),
            }
            for number, one in numbered
        ],
    )
    _add_signs(tx, name, [(number, rank.signs(one.vector)) for number, one in numbered])


def remove(tx: Tx, name: str, document: str) -> None:
    """Forget the vector of a document, if it has one."""
    here = (*_of(tx, vectors, name), vectors.c.document == document)
    number = tx.scalar(sa.select(vectors.c.number).where(*here))
    if number is None:
        return
    tx.change(sa.delete(vectors).where(*here))
    at = _of(tx, vector_signs, name)
    before = sa.select(vector_signs).where(*at, vector_signs.c.first <= number)
    row = tx.row(before.order_by(vector_signs.c.first.desc()).limit(1))
    if row is not None:
        kept = [entry for entry in _entries(row) if entry[0] != number]
        tx.change(sa.delete(vector_signs).where(*at, vector_signs.c.first == row.first))
        _insert_signs(tx, name, kept)


def nearest(tx: Tx, name: str, query: Vector, *, most: int) -> tuple[Scored, ...]:
    """(document, cosine) of the nearest, best first, then by id: of those with like signs."""
    rows = tx.rows(sa.select(vector_signs).where(*_of(tx, vector_signs, name)))
    parts = [rank.unpacked_signs(bytes(row.packed), row.size) for row in rows]
    numbers = rank.alike(query, parts, most)
    if not len(numbers):
        return ()
    return _scored(tx, name, query, vectors.c.number, bound_numbers(tx, numbers.tolist()))


def near(tx: Tx, name: str, query: Vector, ids: Iterable[str]) -> dict[str, float]:
    """The cosines of these documents; those without a vector are absent."""
    return dict(_scored(tx, name, query, vectors.c.document, bound(tx, sorted(set(ids)))))


def _scored(
    tx: Tx, name: str, query: Vector, key: sa.ColumnElement[Any], asked: Any
) -> tuple[Scored, ...]:
    chosen = _select(tx.is_postgresql, key)
    rows = tx.connection.execute(chosen, {"of": tx.namespace, "in": name, "asked": asked}).all()
    scores = rank.cosines(query, [bytes(row.vector) for row in rows]).tolist()
    found = zip((row.document for row in rows), (round(score, 6) for score in scores), strict=True)
    return tuple(sorted(found, key=lambda hit: (-hit[1], hit[0])))


@cache
def _select(is_postgresql: bool, key: sa.ColumnElement[Any]) -> sa.Select[Any]:
    here = (vectors.c.namespace == sa.bindparam("of"), vectors.c.name == sa.bindparam("in"))
    return looked_up(is_postgresql, (vectors.c.document, vectors.c.vector), key, "asked", *here)


def _add_signs(tx: Tx, name: str, entries: list[tuple[int, bytes]]) -> None:
    """Append to the last row of signs while it has room."""
    at = _of(tx, vector_signs, name)
    row = tx.row(sa.select(vector_signs).where(*at).order_by(vector_signs.c.first.desc()).limit(1))
    if row is not None and row.size < SIGNS:
        entries = [*_entries(row), *entries]
        tx.change(sa.delete(vector_signs).where(*at, vector_signs.c.first == row.first))
    _insert_signs(tx, name, entries)


def _insert_signs(tx: Tx, name: str, entries: Sequence[tuple[int, bytes]]) -> None:
    parts = (entries[at : at + SIGNS] for at in range(0, len(entries), SIGNS))
    rows = [
        {
            "name": name,
            "first": part[0][0],
            "size": len(part),
            "packed": rank.packed_signs(part),
        }
        for part in parts
    ]
    tx.insert(vector_signs, rows)


def _entries(row: Row) -> list[tuple[int, bytes]]:
    numbers, bits = rank.unpacked_signs(bytes(row.packed), row.size)
    return [(int(number), own.tobytes()) for number, own in zip(numbers, bits, strict=True)]


def _of(tx: Tx, table: sa.Table, name: str) -> tuple[sa.ColumnElement[bool], ...]:
    return tx.of(table), table.c.name == name
