"""Writes the index: which document holds which term how often.

A namespace has four collections: its messages, the visible events of either pool, and the nodes
of the graph. They are kept in the transaction of what they index. This module owns `documents` and
`index_stats`; the postings are written by `store.postings` and scored by `store.scoring`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal

import sqlalchemy as sa

from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.model.message import Message
from stratagate_core.rank.fields import event_tokens, message_tokens
from stratagate_core.store import postings, vectors
from stratagate_core.store.postings import Counted
from stratagate_core.store.schema import (
    documents,
    events,
    index_stats,
    messages,
    nodes,
    terms,
)
from stratagate_core.store.scoring import ANYWHERE, Scored, Within, ranked, stats_of
from stratagate_core.store.tx import Row, Tx
from stratagate_core.text.tokens import ANALYSER_ID

MESSAGES = "messages"
PASSIVE = "events.passive"
AGENT = "events.agent"
GRAPH = "graph"
COLLECTIONS = (MESSAGES, PASSIVE, AGENT, GRAPH)

_HERE = (index_stats.c.namespace == sa.bindparam("of"), index_stats.c.name == sa.bindparam("in"))
_COUNT = (
    sa.update(index_stats)
    .where(*_HERE, index_stats.c.analyser == sa.bindparam("by"))
    .values(
        documents=index_stats.c.documents + sa.bindparam("number"),
        length=index_stats.c.length + sa.bindparam("tokens"),
        last=index_stats.c.last + sa.bindparam("new"),
    )
)
_LAST = sa.select(index_stats.c.last).where(*_HERE)
_BEFORE: sa.Select[Any] = (
    sa.select(index_stats.c.last, documents.c.number, documents.c.length, documents.c.terms)
    .select_from(
        index_stats.outerjoin(
            documents,
            sa.and_(
                documents.c.namespace == sa.bindparam("of"),
                documents.c.name == sa.bindparam("in"),
                documents.c.document == sa.bindparam("id"),
            ),
        )
    )
    .where(*_HERE)
)
_DOCUMENT = sa.select(documents).where(
    documents.c.namespace == sa.bindparam("of"),
    documents.c.name == sa.bindparam("in"),
    documents.c.document == sa.bindparam("id"),
)


def _any_of(table: sa.Table) -> sa.ColumnElement[bool]:
    same = (table.c.namespace == sa.bindparam("of"), table.c.name == sa.bindparam("in"))
    return sa.exists(sa.select(table.c.name).where(*same))


_STATE = sa.select(
    index_stats.c.analyser,
    index_stats.c.documents,
    index_stats.c.length,
    _any_of(documents).label("has_documents"),
    _any_of(terms).label("has_terms"),
).where(*_HERE)

State = Literal["ready", "rebuilding", "empty"]

#: analyser id of a collection that was begun when part of its sources had not been indexed
_INCOMPLETE = ""


def index_message(tx: Tx, message: Message, summaries: Iterable[str] = ()) -> None:
    """Make a stored message findable; `summaries` say what its tools returned."""
    put(tx, MESSAGES, str(message.id), message_tokens(message, summaries))


def unindex_message(tx: Tx, message_id: str) -> None:
    """A message that is found no more."""
    remove(tx, MESSAGES, message_id)


def index_event(tx: Tx, event: Event) -> None:
    """Make an event findable, or not findable if its status hides it."""
    if event.status in VISIBLE:
        put(tx, collection_of(event.pool), event.id, event_tokens(event))
    else:
        unindex_event(tx, event)


def unindex_event(tx: Tx, event: Event) -> None:
    """An event that is found no more."""
    remove(tx, collection_of(event.pool), event.id)


def collection_of(pool: str) -> str:
    """The collection of a pool of events."""
    return AGENT if pool == "agent" else PASSIVE


def put(tx: Tx, name: str, document: str, tokens: Sequence[str]) -> None:
    """Index a document, in place of what was indexed under its id.

    A collection that must be rebuilt is left alone: the rebuild reads the sources.
    """
    known = {"of": tx.namespace, "in": name, "id": document}
    before = tx.connection.execute(_BEFORE, known).first()
    if before is not None and before.number is not None:
        _take_out(tx, name, before)
    if _count(tx, name, 1, len(tokens)) or _begin_if_new(tx, name, len(tokens)):
        _insert(tx, name, [(document, tokens)], after=0 if before is None else before.last)


def add(tx: Tx, name: str, page: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Index many documents that are not in the collection yet: for a rebuild."""
    last = int(tx.connection.execute(_LAST, {"of": tx.namespace, "in": name}).scalar_one())
    _count(tx, name, len(page), sum(len(tokens) for _, tokens in page))
    _insert(tx, name, page, after=last)


def remove(tx: Tx, name: str, document: str) -> None:
    """Take a document out, its vector with it; one that is not there changes nothing."""
    known = {"of": tx.namespace, "in": name, "id": document}
    row = tx.connection.execute(_DOCUMENT, known).first()
    vectors.remove(tx, name, document)
    if row is not None:
        _take_out(tx, name, row)


def _take_out(tx: Tx, name: str, row: Row) -> None:
    postings.remove(tx, name, row.number, row.terms or ())
    here = (tx.of(documents), documents.c.name == name, documents.c.number == row.number)
    tx.change(sa.delete(documents).where(*here))
    _count(tx, name, -1, -row.length)


def begin(tx: Tx, name: str) -> None:
    """Empty a collection: what is added from now on is of the current analyser."""
    vectors.rewind(tx, name)
    _begin(tx, name, ANALYSER_ID, 0, 0)


def state(tx: Tx, name: str) -> State:
    """Whether a collection can be searched; `rebuilding`: missing or of another analyser."""
    found = tx.connection.execute(_STATE, {"of": tx.namespace, "in": name}).first()
    if found is None:
        return "rebuilding" if _has_source(tx, name) else "empty"
    if found.analyser != ANALYSER_ID:
        return "rebuilding"
    if found.documents == 0:
        return "empty"
    whole = found.has_documents and (not found.length or found.has_terms)
    return "ready" if whole else "rebuilding"


def indexed(tx: Tx, name: str) -> int:
    """How many documents a collection says it holds."""
    stats = stats_of(tx, name)
    return 0 if stats is None else int(stats.documents)


def expected(tx: Tx, name: str) -> int:
    """How many documents a collection should hold."""
    query = sa.select(sa.func.count()).where(*_source(tx, name))
    return int(tx.scalar(query))


def best(
    tx: Tx,
    name: str,
    query: Iterable[str],
    *,
    k1: float,
    b: float,
    limit: int,
    offset: int = 0,
    within: Within = ANYWHERE,
) -> tuple[Scored, ...]:
    """(document, score) of the best documents for the query's tokens, ties by id."""
    wanted = limit + offset
    found = ranked(tx, name, query, k1=k1, b=b, most=wanted, within=within)
    return tuple(islice(found, offset, wanted))


def pages(
    tx: Tx,
    name: str,
    query: Iterable[str],
    *,
    k1: float,
    b: float,
    within: Within = ANYWHERE,
    limit: int | None = None,
    size: int = 200,
) -> Iterator[tuple[Scored, ...]]:
    """The documents that match, best first, a page at a time: for filters that SQL cannot say."""
    found = ranked(tx, name, query, k1=k1, b=b, most=limit, within=within)
    while page := tuple(islice(found, size)):
        yield page


def _insert(tx: Tx, name: str, page: Sequence[tuple[str, Sequence[str]]], *, after: int) -> None:
    counted = [
        Counted(number=number, length=len(tokens), terms=Counter(tokens))
        for number, (_, tokens) in enumerate(page, after + 1)
    ]
    rows = [
        {
            "name": name,
            "document": document,
            "number": one.number,
            "length": one.length,
            "terms": list(one.terms),
        }
        for one, (document, _) in zip(counted, page, strict=True)
    ]
    tx.insert(documents, rows)
    postings.add(tx, name, counted)


def _count(tx: Tx, name: str, number: int, length: int) -> bool:
    """Count documents in or out; False if the collection is not of the current analyser.

    Those that are counted in have the last numbers.
    """
    counts = {"number": number, "tokens": length, "new": max(0, number)}
    known = {"of": tx.namespace, "in": name, "by": ANALYSER_ID}
    return int(tx.connection.execute(_COUNT, known | counts).rowcount) > 0


def _begin_if_new(tx: Tx, name: str, length: int) -> bool:
    """Begin a collection with its first document; False if there is one that is stale."""
    if stats_of(tx, name) is not None:
        return False
    if _has_history(tx, name):
        _begin(tx, name, _INCOMPLETE, 0, 0)
        return False
    _begin(tx, name, ANALYSER_ID, 1, length)
    return True


def _begin(tx: Tx, name: str, analyser: str, number: int, length: int) -> None:
    postings.clear(tx, name)
    for table in (documents, index_stats):
        tx.change(sa.delete(table).where(tx.of(table), table.c.name == name))
    row = {"name": name, "analyser": analyser, "documents": number, "length": length}
    tx.insert(index_stats, [{**row, "last": number}])


def _has_history(tx: Tx, name: str) -> bool:
    """Whether there are older sources than those that are being written right now."""
    if name == GRAPH:
        return False  # nodes are always indexed by the step that folds them
    stamp = messages.c.turn if name == MESSAGES else events.c.created_at
    ends = sa.select(sa.func.min(stamp).label("oldest"), sa.func.max(stamp).label("newest"))
    row = tx.row(ends.where(*_source(tx, name)))
    return row is not None and row.oldest != row.newest


def _source(tx: Tx, name: str) -> tuple[sa.ColumnElement[bool], ...]:
    """The condition for what a collection should hold."""
    if name == MESSAGES:
        return tx.of(messages), messages.c.superseded_in.is_(None)
    if name == GRAPH:
        return tx.of(nodes), nodes.c.id > ""
    pool = "agent" if name == AGENT else "passive"
    return tx.of(events), events.c.pool == pool, events.c.status.in_(VISIBLE)


def _has_source(tx: Tx, name: str) -> bool:
    identity = {MESSAGES: messages.c.id, GRAPH: nodes.c.id}.get(name, events.c.id)
    return tx.row(sa.select(identity).where(*_source(tx, name)).limit(1)) is not None
