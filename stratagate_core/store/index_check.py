"""Tells whether the index of each namespace is whole. Writes nothing."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from stratagate_core.errors import StorageError
from stratagate_core.store import index, namespaces, postings, schema
from stratagate_core.store.tx import AdminTx, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """The state of one collection of one namespace."""

    namespace: str
    name: str
    state: index.State
    #: how many documents are indexed, and how many should be
    indexed: int
    expected: int
    #: what is wrong with its lists
    damage: str | None = None


def index_states(tx: AdminTx) -> Iterator[IndexState]:
    """The state of every collection that holds or should hold something."""
    for name in namespaces.names(tx):
        inside = Tx(tx.connection, name)
        for collection in index.COLLECTIONS:
            state, expected = index.state(inside, collection), index.expected(inside, collection)
            if state != "empty" or expected:
                yield IndexState(
                    namespace=name,
                    name=collection,
                    state=state,
                    indexed=index.indexed(inside, collection),
                    expected=expected,
                    damage=_damage(inside, collection) if state == "ready" else None,
                )


def _damage(tx: Tx, name: str) -> str | None:
    """What does not fit together in the posting lists of a collection."""
    table = schema.documents
    query = sa.select(table.c.number, table.c.length)
    wanted = {
        row.number: row.length for row in tx.rows(query.where(tx.of(table), table.c.name == name))
    }
    listed: Counter[int] = Counter()
    try:
        for _term, number, often, length in postings.entries(tx, name):
            listed[number] += often
            if wanted.get(number) != length:
                return "lists a document that is not there"
    except StorageError as error:
        return error.message
    if any(listed[number] != length for number, length in wanted.items()):
        return "does not list every word of a document"
    return None
