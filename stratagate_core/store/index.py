"""Writes the index: which document holds which term how often.

A namespace has four collections: its messages, the visible events of either pool, and the nodes
of the graph. They are kept in the transaction of what they index. Scores are those of
`rank.bm25`, summed by the database over the postings of the query's terms (`store.scoring`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import sqlalchemy as sa

from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.model.message import Message
from stratagate_core.rank.fields import event_tokens, message_tokens
from stratagate_core.store.lists import listed
from stratagate_core.store.schema import (
    documents,
    events,
    index_stats,
    messages,
    nodes,
    postings,
)
from stratagate_core.store.scoring import ANYWHERE, UNIT, Within, ranking, stats_of
from stratagate_core.store.tx import Row, Tx
from stratagate_core.text.tokens import ANALYSER_ID

MESSAGES = "messages"
PASSIVE = "events.passive"
AGENT = "events.agent"
GRAPH = "graph"
COLLECTIONS = (MESSAGES, PASSIVE, AGENT, GRAPH)

State = Literal["ready", "rebuilding", "empty"]
Scored = tuple[str, float]

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
    remove(tx, name, document)
    if _count(tx, name, 1, len(tokens)) or _begin_if_new(tx, name, len(tokens)):
        _insert(tx, name, [(document, tokens)])


def add(tx: Tx, name: str, page: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Index many documents that are not in the collection yet: for a rebuild."""
    _count(tx, name, len(page), sum(len(tokens) for _, tokens in page))
    _insert(tx, name, page)


def remove(tx: Tx, name: str, document: str) -> None:
    """Take a document out; one that is not there changes nothing."""
    here = (tx.of(documents), documents.c.name == name, documents.c.document == document)
    row = tx.row(sa.select(documents.c.length, documents.c.terms).where(*here))
    if row is None:
        return
    of_document = (tx.of(postings), postings.c.name == name, postings.c.document == document)
    terms = postings.c.term.in_(listed(tx, row.terms or ()))
    tx.change(sa.delete(postings).where(*of_document, terms))
    tx.change(sa.delete(documents).where(*here))
    _count(tx, name, -1, -row.length)


def begin(tx: Tx, name: str) -> None:
    """Empty a collection: what is added from now on is of the current analyser."""
    for table in (postings, documents, index_stats):
        tx.change(sa.delete(table).where(tx.of(table), table.c.name == name))
    _begin(tx, name, ANALYSER_ID, 0, 0)


def state(tx: Tx, name: str) -> State:
    """Whether a collection can be searched; `rebuilding`: missing or of another analyser."""
    stats = stats_of(tx, name)
    if stats is None:
        return "rebuilding" if _has_source(tx, name) else "empty"
    if stats.analyser != ANALYSER_ID:
        return "rebuilding"
    if stats.documents == 0:
        return "empty"
    held = [documents, postings] if stats.length else [documents]
    return "ready" if all(_holds_any(tx, table, name) for table in held) else "rebuilding"


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
    ranked = ranking(tx, name, query, k1=k1, b=b, within=within)
    if ranked is None:
        return ()
    return tuple(_scored(row) for row in tx.rows(ranked.limit(limit).offset(offset)))


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
    ranked = ranking(tx, name, query, k1=k1, b=b, within=within)
    if ranked is None:
        return
    with tx.connection.execute(ranked.limit(limit).execution_options(yield_per=size)) as result:
        for rows in result.partitions():
            yield tuple(_scored(row) for row in rows)


def _insert(tx: Tx, name: str, page: Sequence[tuple[str, Sequence[str]]]) -> None:
    counted = [(document, len(tokens), Counter(tokens)) for document, tokens in page]
    of = {"name": name}
    tx.insert(
        documents,
        [
            {**of, "document": document, "length": length, "terms": list(terms)}
            for document, length, terms in counted
        ],
    )
    tx.insert(
        postings,
        [
            {**of, "term": term, "document": document, "frequency": count, "length": length}
            for document, length, terms in counted
            for term, count in terms.items()
        ],
    )


def _count(tx: Tx, name: str, number: int, length: int) -> bool:
    """Count documents in or out; False if the collection is not of the current analyser."""
    stats = index_stats.c
    change = sa.update(index_stats).where(
        tx.of(index_stats), stats.name == name, stats.analyser == ANALYSER_ID
    )
    counts = {"documents": stats.documents + number, "length": stats.length + length}
    return tx.change(change.values(**counts)) > 0


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
    row = {"name": name, "analyser": analyser, "documents": number, "length": length}
    tx.insert(index_stats, [row])


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


def _holds_any(tx: Tx, table: sa.Table, name: str) -> bool:
    query = sa.select(table.c.document).where(tx.of(table), table.c.name == name)
    return tx.row(query.limit(1)) is not None


def _scored(row: Row) -> Scored:
    return row.document, row.units / UNIT
