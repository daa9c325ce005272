"""BM25 in SQL: the score of each document, summed over the postings of the query's terms.

Nothing is loaded and nothing is approximate: the result equals `rank.bm25` over the whole
collection. Terms are handed over as one JSON value, so their number has no limit.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from stratagate_core.rank.bm25 import idf
from stratagate_core.store.lists import listed
from stratagate_core.store.schema import index_stats, messages, postings, turns
from stratagate_core.store.tx import Row, Tx
from stratagate_core.store.types import Text

#: of a longer query the rarest terms count, so that a pasted file cannot stall a search
MOST_TERMS = 256
#: scores are whole multiples of 1e-12, so that equal ones are equal on every machine
UNIT = 1e12


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """Which documents may be hits. The statistics stay those of the whole collection."""

    #: only messages of this thread
    thread: str | None = None
    #: messages of this thread's open tail are left out
    without_tail: str | None = None
    #: only these documents
    ids: tuple[str, ...] | None = None


ANYWHERE = Within()


def stats_of(tx: Tx, name: str) -> Row | None:
    """How many documents of what length a collection holds, and by which analyser."""
    return tx.row(sa.select(index_stats).where(tx.of(index_stats), index_stats.c.name == name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What a collection says about the terms of a query."""

    #: the idf of each term that some document holds
    weights: Mapping[str, float] = field(default_factory=dict)
    documents: int = 0
    #: tokens of a document on average
    average: float = 0.0


def weigh(tx: Tx, name: str, query: Iterable[str]) -> Weighed:
    """How telling each term is that the collection holds, of very many the rarest."""
    stats = stats_of(tx, name)
    if stats is None or not stats.documents:
        return Weighed()
    weights = _telling(tx, name, query, stats.documents)
    average = stats.length / stats.documents
    return Weighed(weights=weights, documents=stats.documents, average=average)


def ranking(
    tx: Tx, name: str, query: Iterable[str], *, k1: float, b: float, within: Within
) -> sa.Select[Any] | None:
    """The statement that ranks the collection; None if no document can match."""
    stats = stats_of(tx, name)
    telling = _telling(tx, name, query, stats.documents) if stats else {}
    if stats is None or not telling or stats.length <= 0:
        return None
    terms = _weighted(tx, telling)
    frequency, length = sa.cast(postings.c.frequency, sa.Double), postings.c.length
    average = stats.length / stats.documents
    saturation = frequency + k1 * (1 - b) + length * (k1 * b / average)
    score = sa.func.sum(terms.c.idf * frequency * (k1 + 1) / saturation)
    units = sa.cast(sa.func.round(score * UNIT), sa.BigInteger).label("units")
    return (
        sa.select(postings.c.document, units)
        .select_from(terms.join(postings, postings.c.term == terms.c.term))
        .where(tx.of(postings), postings.c.name == name, *_narrowing(tx, within))
        .group_by(postings.c.document)
        .order_by(units.desc(), postings.c.document)
    )


def _telling(tx: Tx, name: str, query: Iterable[str], total: int) -> dict[str, float]:
    """The idf of each query term that the collection holds, the rarest first."""
    asked = listed(tx, sorted(set(query))).subquery()
    holding = (
        sa.select(sa.func.count())
        .where(tx.of(postings), postings.c.name == name, postings.c.term == asked.c.term)
        .scalar_subquery()
    )
    rows = tx.rows(sa.select(asked.c.term, holding.label("held")))
    rarest = sorted((row.held, row.term) for row in rows if row.held)[:MOST_TERMS]
    return {term: idf(total, held) for held, term in rarest}


def _narrowing(tx: Tx, within: Within) -> Iterator[sa.ColumnElement[bool]]:
    # the empty text keeps SQLite from looking each of these documents up by each term
    document = postings.c.document + ""
    if within.ids is not None:
        yield document.in_(listed(tx, within.ids))
    if within.thread is not None:
        of_thread = (tx.of(messages), messages.c.thread == within.thread)
        yield document.in_(sa.select(messages.c.id).where(*of_thread))
    if within.without_tail is not None:
        yield document.not_in(_open_tail(tx, within.without_tail))


def _open_tail(tx: Tx, thread: str) -> sa.Select[Any]:
    unsealed = (tx.of(turns), turns.c.thread == thread, turns.c.block_id.is_(None))
    numbers = sa.select(turns.c.number).where(*unsealed)
    of_thread = (tx.of(messages), messages.c.thread == thread)
    return sa.select(messages.c.id).where(*of_thread, messages.c.turn.in_(numbers))


def _weighted(tx: Tx, telling: dict[str, float]) -> sa.Subquery:
    """Terms with their idf as rows."""
    if tx.is_postgresql:
        return _weighted_as_arrays(telling)
    value = sa.literal(json.dumps(telling), sa.Text)
    rows = sa.func.json_each(value).table_valued("key", "value")
    weight = sa.cast(rows.c.value, sa.Double)
    return sa.select(sa.cast(rows.c.key, sa.Text).label("term"), weight.label("idf")).subquery()


def _weighted_as_arrays(telling: dict[str, float]) -> sa.Subquery:
    double: sa.Double[float] = sa.Double()
    terms = sa.literal(list(telling), ARRAY(Text()))
    weights = sa.literal(list(telling.values()), ARRAY(double))
    rows = sa.func.unnest(terms, weights).table_valued(
        sa.column("term", Text()), sa.column("idf", double)
    )
    named = rows.render_derived()
    return sa.select(named.c.term, named.c.idf).subquery()
