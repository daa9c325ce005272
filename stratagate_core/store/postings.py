"""Writes `terms` and `segments`: which documents hold a term, how often.

A new posting is appended to the row of its term. As soon as `RECENT` are there they are packed
into segments, in the transaction that wrote the last one: a common term is read in a few rows, a
rare one in one. Documents are named by ascending numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from stratagate_core.errors import StorageError
from stratagate_core.rank.packed import (
    RECORD_SIZE,
    Postings,
    joined,
    of_records,
    packed,
    record,
    unpacked,
)
from stratagate_core.store.lists import among, bound, looked_up
from stratagate_core.store.schema import segments, terms
from stratagate_core.store.tx import Tx

#: so many postings of a term are packed together
RECENT = 64
#: a segment holds at most so many postings
SEGMENT = 4096
#: terms that a check reads together
_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A document as it is indexed: its number, its length, how often it holds each term."""

    number: int
    length: int
    terms: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A term of a collection."""

    documents: int
    #: its newest postings, as records
    recent: bytes = b""


def add(tx: Tx, name: str, page: Sequence[Counted]) -> None:
    """Index documents whose numbers are higher than all before, in ascending order."""
    new: dict[str, list[bytes]] = {}
    for one in page:
        for term, count in one.terms.items():
            new.setdefault(term, []).append(record(one.number, count, one.length))
    known = held(tx, name, new)
    nothing = Held(documents=0)
    grown: dict[str, Held] = {}
    for term, records in new.items():
        before = known.get(term, nothing)
        recent = b"".join((before.recent, *records))
        if len(recent) >= RECENT * RECORD_SIZE:
            with _told():
                _pack(tx, name, term, of_records(recent))
            recent = b""
        grown[term] = Held(documents=before.documents + len(records), recent=recent)
    _put(tx, name, grown)


def remove(tx: Tx, name: str, number: int, of_document: Iterable[str]) -> None:
    """Take a document out that holds these terms; no byte of its postings is left."""
    known = held(tx, name, of_document)
    left: dict[str, Held] = {}
    for term, before in known.items():
        recent = _without(before.recent, number)
        if len(recent) == len(before.recent):
            with _told():
                _unpack(tx, name, term, number)
        left[term] = Held(documents=before.documents - 1, recent=recent)
    _put(tx, name, left)
    unused = [term for term, one in left.items() if one.documents <= 0]
    if unused:
        tx.change(sa.delete(terms).where(*_of(tx, terms, name), among(tx, terms.c.term, unused)))


def clear(tx: Tx, name: str) -> None:
    """Empty a collection."""
    for table in (segments, terms):
        tx.change(sa.delete(table).where(*_of(tx, table, name)))


def held(tx: Tx, name: str, wanted: Iterable[str]) -> dict[str, Held]:
    """What is known of each of the terms; those that no document holds are absent."""
    rows = tx.connection.execute(_select_terms(tx.is_postgresql), _asked(tx, name, wanted)).all()
    return {term: Held(documents=number, recent=bytes(recent)) for term, number, recent in rows}


def read(tx: Tx, name: str, wanted: Mapping[str, Held]) -> dict[str, Postings]:
    """All postings of the terms."""
    packed_ones = [
        term for term, one in wanted.items() if one.documents * RECORD_SIZE > len(one.recent)
    ]
    parts: dict[str, list[Postings]] = {}
    with _told():
        if packed_ones:
            query = _select_segments(tx.is_postgresql)
            rows = tx.connection.execute(query, _asked(tx, name, packed_ones))
            for term, data, _first in rows.all():
                parts.setdefault(term, []).append(unpacked(bytes(data)))
        for term, one in wanted.items():
            if one.recent:
                parts.setdefault(term, []).append(of_records(one.recent))
    return {term: joined(lists) for term, lists in parts.items()}


def entries(tx: Tx, name: str) -> Iterator[tuple[str, int, int, int]]:
    """(term, document number, frequency, length) of every posting: for a check of them all.

    Raises:
        StorageError: a list is damaged.

    """
    query = sa.select(terms.c.term).where(*_of(tx, terms, name)).order_by(terms.c.term)
    every = [row.term for row in tx.rows(query)]
    for at in range(0, len(every), _PAGE):
        known = held(tx, name, every[at : at + _PAGE])
        lists = read(tx, name, known)
        for term, one in known.items():
            list_ = lists.get(term, of_records(b""))
            if len(list_) != one.documents:
                told = f"a word stands in {one.documents:,} documents and lists {len(list_):,}"
                raise StorageError(told)
            columns = (list_.numbers, list_.frequencies, list_.lengths)
            for number, often, length in zip(*(column.tolist() for column in columns), strict=True):
                yield term, number, often, length


@contextmanager
def _told() -> Iterator[None]:
    """Bytes that are no postings are said to be damage."""
    try:
        yield
    except ValueError as error:
        raise StorageError(
            f"the list of a word in the index is damaged ({error}); run `stratagate doctor`"
        ) from error


# --- statements that every write or search needs are built once -------------------------------


def _asked(tx: Tx, name: str, wanted: Iterable[str]) -> dict[str, Any]:
    return {"of": tx.namespace, "in": name, "asked": bound(tx, sorted(set(wanted)))}


def _here(table: sa.Table) -> tuple[sa.ColumnElement[bool], ...]:
    return (table.c.namespace == sa.bindparam("of"), table.c.name == sa.bindparam("in"))


@cache
def _select_terms(is_postgresql: bool) -> sa.Select[Any]:
    wanted = (terms.c.term, terms.c.documents, terms.c.recent)
    return looked_up(is_postgresql, wanted, terms.c.term, "asked", *_here(terms))


@cache
def _select_segments(is_postgresql: bool) -> sa.Select[Any]:
    wanted = (segments.c.term, segments.c.packed, segments.c.first)
    query = looked_up(is_postgresql, wanted, segments.c.term, "asked", *_here(segments))
    return query.order_by("term", "first")


@cache
def _upsert(is_postgresql: bool) -> sa.Executable:
    build = postgresql.insert if is_postgresql else sqlite.insert
    statement = build(terms)
    return statement.on_conflict_do_update(
        index_elements=list(terms.primary_key),
        set_={name: statement.excluded[name] for name in ("documents", "recent")},
    )


def _put(tx: Tx, name: str, changed: Mapping[str, Held]) -> None:
    rows = [
        {
            "namespace": tx.namespace,
            "name": name,
            "term": term,
            "documents": one.documents,
            "recent": one.recent,
        }
        for term, one in changed.items()
    ]
    if rows:
        tx.connection.execute(_upsert(tx.is_postgresql), rows)


def _without(recent: bytes, number: int) -> bytes:
    """Records without those of a document."""
    kept = (recent[at : at + RECORD_SIZE] for at in range(0, len(recent), RECORD_SIZE))
    mark = number.to_bytes(4, "little")
    return b"".join(one for one in kept if not one.startswith(mark))


_LAST_SEGMENT = (
    sa.select(segments)
    .where(*_here(segments), segments.c.term == sa.bindparam("term"))
    .order_by(segments.c.first.desc())
    .limit(1)
)
#: the segment that holds a document, if one does
_SEGMENT_OF = _LAST_SEGMENT.where(segments.c.first <= sa.bindparam("number"))


# --- segments ---------------------------------------------------------------------------------


def _pack(tx: Tx, name: str, term: str, new: Postings) -> None:
    """Write postings behind all others of a term.

    They go into the last segment while there is room, so a search reads few segments.
    """
    parts, size = [new], len(new)
    of_term = {"of": tx.namespace, "in": name, "term": term}
    while (row := tx.connection.execute(_LAST_SEGMENT, of_term).first()) is not None:
        if row.size + size > SEGMENT:
            break
        parts.insert(0, unpacked(bytes(row.packed)))
        size += row.size
        _drop(tx, name, term, row.first)
    _store(tx, name, term, joined(parts))


def _unpack(tx: Tx, name: str, term: str, number: int) -> None:
    """Take a document out of the segment that holds it."""
    of_term = {"of": tx.namespace, "in": name, "term": term, "number": number}
    row = tx.connection.execute(_SEGMENT_OF, of_term).first()
    if row is not None:
        _drop(tx, name, term, row.first)
        _store(tx, name, term, unpacked(bytes(row.packed)).without(number))


def _drop(tx: Tx, name: str, term: str, first: int) -> None:
    of_term = (*_of(tx, segments, name), segments.c.term == term)
    tx.change(sa.delete(segments).where(*of_term, segments.c.first == first))


def _store(tx: Tx, name: str, term: str, held: Postings) -> None:
    parts = (held.part(at, at + SEGMENT) for at in range(0, len(held), SEGMENT))
    rows = [
        {
            "name": name,
            "term": term,
            "first": int(part.numbers[0]),
            "size": len(part),
            "packed": packed(part),
        }
        for part in parts
    ]
    tx.insert(segments, rows)


def _of(tx: Tx, table: sa.Table, name: str) -> tuple[sa.ColumnElement[bool], ...]:
    return tx.of(table), table.c.name == name
