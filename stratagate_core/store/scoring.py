"""BM25 over a collection: the best documents for the terms of a query.

Nothing is kept in memory between queries and nothing is approximate: the result equals
`rank.bm25` over the whole collection.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from stratagate_core.rank.bm25 import SMALLEST_K1, UNIT, idf
from stratagate_core.rank.packed import Numbers
from stratagate_core.rank.top import Measure, Term
from stratagate_core.rank.top import best as best_of
from stratagate_core.store import postings
from stratagate_core.store.lists import among, bound_numbers, looked_up
from stratagate_core.store.postings import Held
from stratagate_core.store.schema import documents, index_stats, messages, turns
from stratagate_core.store.tx import Row, Tx

#: of a longer query the rarest terms count, so that a pasted file cannot stall a search
MOST_TERMS = 256
#: documents whose ids are looked up together
_PAGE = 200
#: so many times the wanted number are looked through before the whole of a thread is listed
_WIDER = 4

Scored = tuple[str, float]


_STATS = sa.select(index_stats).where(
    index_stats.c.namespace == sa.bindparam("of"), index_stats.c.name == sa.bindparam("in")
)


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
    return tx.connection.execute(_STATS, {"of": tx.namespace, "in": name}).first()


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
    return _weighed(stats, _rarest(postings.held(tx, name, query)))


def _rarest(held: Mapping[str, Held]) -> dict[str, Held]:
    """Of very many terms the rarest."""
    order = sorted(held, key=lambda term: (held[term].documents, term))
    return {term: held[term] for term in order[:MOST_TERMS]}


def _weighed(stats: Row, held: Mapping[str, Held]) -> Weighed:
    return Weighed(
        weights={term: idf(stats.documents, one.documents) for term, one in held.items()},
        documents=stats.documents,
        average=stats.length / stats.documents,
    )


def ranked(
    tx: Tx,
    name: str,
    query: Iterable[str],
    *,
    k1: float,
    b: float,
    most: int | None = None,
    within: Within = ANYWHERE,
) -> Iterator[Scored]:
    """(document, score) of the best `most` that match, or of all: best first, then by id."""
    if most is not None and within.thread is not None and within.ids is None:
        wider = replace(within, thread=None)
        found = list(ranked(tx, name, query, k1=k1, b=b, most=_WIDER * most, within=wider))
        inside = _of_thread(tx, within.thread, [key for key, _ in found])
        hits = [hit for hit in found if hit[0] in inside][:most]
        if len(hits) == most or len(found) < _WIDER * most:
            return iter(hits)
    stats = stats_of(tx, name)
    if stats is None or not stats.documents or stats.length <= 0:
        return iter(())
    known = _rarest(postings.held(tx, name, query))
    weighed, held = _weighed(stats, known), postings.read(tx, name, known)
    numbers, scores = best_of(
        [Term(term=term, idf=weighed.weights[term], held=each) for term, each in held.items()],
        Measure(average=weighed.average, k1=max(k1, SMALLEST_K1), b=b),
        most=most,
        among=_allowed(tx, name, within),
        without=_tail(tx, name, within),
    )
    units = np.rint(scores * UNIT).astype(np.int64)
    return islice(_ordered(tx, name, numbers, units), most)


def _ordered(tx: Tx, name: str, numbers: Numbers, units: NDArray[np.int64]) -> Iterator[Scored]:
    """Best first, those with equal scores by id; ids are looked up as far as they are asked for."""
    order = np.argsort(-units, kind="stable")
    numbers, units = numbers[order], units[order]
    # a page ends where the score changes
    ends = np.append(np.flatnonzero(np.diff(units)) + 1, len(units))
    at = 0
    while at < len(units):
        stop = int(ends[np.searchsorted(ends, min(at + _PAGE, len(units)))])
        ids = _ids(tx, name, numbers[at:stop])
        page = zip(numbers[at:stop].tolist(), units[at:stop].tolist(), strict=True)
        known = sorted((-unit, ids[number]) for number, unit in page if number in ids)
        yield from ((document, -unit / UNIT) for unit, document in known)
        at = stop


def _of_thread(tx: Tx, thread: str, ids: Sequence[str]) -> set[str]:
    """Those of the messages that are of a thread."""
    here = (tx.of(messages), messages.c.thread == thread, among(tx, messages.c.id, ids))
    return {row.id for row in tx.rows(sa.select(messages.c.id).where(*here))}


def _ids(tx: Tx, name: str, numbers: Numbers) -> dict[int, str]:
    """The ids of documents by their numbers."""
    if not len(numbers):
        return {}
    asked = {"of": tx.namespace, "in": name, "asked": bound_numbers(tx, numbers.tolist())}
    rows = tx.connection.execute(_select_ids(tx.is_postgresql), asked).all()
    return {row.number: row.document for row in rows}


@cache
def _select_ids(is_postgresql: bool) -> sa.Select[Any]:
    here = (documents.c.namespace == sa.bindparam("of"), documents.c.name == sa.bindparam("in"))
    wanted = (documents.c.number, documents.c.document)
    return looked_up(is_postgresql, wanted, documents.c.number, "asked", *here)


def _numbers(tx: Tx, name: str, *conditions: sa.ColumnElement[bool]) -> Numbers:
    """The numbers of the documents of a condition, ascending."""
    where = (tx.of(documents), documents.c.name == name, *conditions)
    rows = tx.rows(sa.select(documents.c.number).where(*where))
    return np.sort(np.array([row.number for row in rows], dtype=np.int32))


def _allowed(tx: Tx, name: str, within: Within) -> Numbers | None:
    """Which documents may be hits; None for all."""
    if within.ids is None and within.thread is None:
        return None
    conditions = []
    if within.ids is not None:
        conditions.append(among(tx, documents.c.document, within.ids))
    if within.thread is not None:
        of_thread = (tx.of(messages), messages.c.thread == within.thread)
        conditions.append(documents.c.document.in_(sa.select(messages.c.id).where(*of_thread)))
    return _numbers(tx, name, *conditions)


def _in_open_tail() -> sa.Select[Any]:
    of: sa.BindParameter[str] = sa.bindparam("of")
    thread: sa.BindParameter[str] = sa.bindparam("thread")
    unsealed = (turns.c.namespace == of, turns.c.thread == thread, turns.c.block_id.is_(None))
    of_thread = (messages.c.namespace == of, messages.c.thread == thread)
    tail = sa.select(messages.c.id).where(
        *of_thread, messages.c.turn.in_(sa.select(turns.c.number).where(*unsealed))
    )
    here = (documents.c.namespace == of, documents.c.name == sa.bindparam("in"))
    return sa.select(documents.c.number).where(*here, documents.c.document.in_(tail))


_TAIL = _in_open_tail()


def _tail(tx: Tx, name: str, within: Within) -> Numbers | None:
    """The messages of an open tail."""
    if within.without_tail is None:
        return None
    asked = {"of": tx.namespace, "in": name, "thread": within.without_tail}
    found = tx.connection.execute(_TAIL, asked).scalars().all()
    return np.array(found, dtype=np.int32)
