"""What the index says, however it is stored: for tests that compare two ways of writing it."""

from typing import Any

from stratagate_core.store import postings, schema
from stratagate_core.store.tx import Tx


def contents(tx: Tx) -> list[tuple[Any, ...]]:
    """(collection, document, term, frequency, length) of all postings, and what is counted."""
    of_number = {
        (row.name, row.number): (row.document, row.length, sorted(row.terms))
        for row in tx.rows(schema.documents.select().where(tx.of(schema.documents)))
    }
    said: list[tuple[Any, ...]] = [
        ("document", name, *document) for (name, _), document in of_number.items()
    ]
    for row in tx.rows(schema.terms.select().where(tx.of(schema.terms))):
        known = postings.held(tx, row.name, [row.term])
        held = postings.read(tx, row.name, known)[row.term]
        assert row.documents == len(held)
        assert sorted(set(held.numbers.tolist())) == held.numbers.tolist()
        columns = (held.numbers, held.frequencies, held.lengths)
        for number, frequency, length in zip(*(c.tolist() for c in columns), strict=True):
            document = of_number[row.name, number]
            assert (document[1], row.term in document[2]) == (length, True)
            said.append(("posting", row.name, document[0], row.term, frequency, length))
    counted = tx.rows(schema.index_stats.select().where(tx.of(schema.index_stats)))
    said += [("stats", row.name, row.analyser, row.documents, row.length) for row in counted]
    return sorted(said, key=repr)
