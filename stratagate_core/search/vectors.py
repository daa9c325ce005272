"""The dense signal: documents get their vectors by jobs, a search compares them with its own.

A search never waits for a vector of a document: it works over what is there.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stratagate_core.embedding.port import QueryVector, embedded
from stratagate_core.engine import Applied, Env, Errand, Work
from stratagate_core.model.message import Message
from stratagate_core.rank.vectors import Vector
from stratagate_core.store import events, index, jobs, turns, vectors
from stratagate_core.store.scoring import Scored

#: what has vectors: the graph is found by its words
COLLECTIONS = (index.MESSAGES, index.PASSIVE, index.AGENT)
JOB = "embedding"
#: documents that one job embeds; more wait for the next
_PAGE = 256
#: characters of a text that are embedded: models read a page at most
_LONGEST = 8000
#: vectors that are compared exactly
_LOOKED_AT = 400
#: documents that their vectors alone bring in
_NEAREST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Documents that wait for their vectors."""

    name: str
    #: the texts that no vector is there for, by document
    texts: Mapping[str, str]
    #: the page begins after this number
    since: int
    #: up to this number all have one then
    done: int
    more: bool


def _prepare(work: Work, name: str) -> Page | None:
    stats = vectors.stats_of(work.tx, name)
    embedder = work.env.embedder
    same = stats is not None and embedder is not None and stats.embedder == embedder.name
    done = int(stats.done) if stats is not None and same else 0
    waiting = vectors.waiting(work.tx, name, done, limit=_PAGE + 1)
    if not waiting:
        return None
    page = waiting[:_PAGE]
    texts = _texts(work, name, [key for _, key in page])
    known = vectors.digests(work.tx, name, texts) if same else {}
    return Page(
        name=name,
        texts={key: text for key, text in texts.items() if known.get(key) != _digest(text)},
        since=done,
        done=page[-1][0],
        more=len(waiting) > _PAGE,
    )


def _fetch(env: Env, page: Page) -> list[Vector]:
    if env.embedder is None:  # not claimed without one
        return []
    return embedded(env.embedder, list(page.texts.values()))


def _apply(work: Work, page: Page, found: Sequence[Vector]) -> Applied:
    """Store the vectors of documents that are still there; of another embedder none stays."""
    embedder = work.env.embedder
    stats = vectors.stats_of(work.tx, page.name)
    if embedder is None:
        return Applied(skipped=True)
    dimensions = len(found[0]) if found else (stats.dimensions if stats is not None else 0)
    anew = stats is None or (stats.embedder, stats.dimensions) != (embedder.name, dimensions)
    if anew:
        vectors.begin(work.tx, page.name, embedder.name, dimensions)
    there = _texts(work, page.name, page.texts)
    rows = [
        vectors.Embedded(document=key, digest=_digest(text), vector=vector)
        for (key, text), vector in zip(page.texts.items(), found, strict=True)
        if there.get(key) == text
    ]
    lost = anew and page.since > 0  # those before this page had vectors, and have none now
    vectors.put(work.tx, page.name, rows, done=0 if lost else page.done)
    return Applied(more=page.more or lost)


EMBED: Errand[Page, list[Vector]] = Errand(
    prepare=_prepare,
    fetch=_fetch,
    apply=_apply,
    possible=lambda env: env.embedder is not None,
)


def _texts(work: Work, name: str, ids: Iterable[str]) -> dict[str, str]:
    """What is embedded of each document; of those that are gone or blank nothing."""
    if name == index.MESSAGES:
        found = turns.messages_by_id(work.tx, list(ids))
        texts = {key: _spoken(message) for key, message in found.items()}
    else:
        cards = events.by_ids(work.tx, list(ids))
        texts = {key: f"{card.title}\n{card.summary}" for key, card in cards.items()}
    return {key: text.strip()[:_LONGEST] for key, text in texts.items() if text.strip()}


def _spoken(message: Message) -> str:
    """The words with who says them: questions name people."""
    said = message.content.strip()
    return f"{message.name}: {said}" if message.name and said else said


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


# --- searching --------------------------------------------------------------------------------


def is_behind(work: Work) -> bool:
    """Whether documents wait for vectors and no job is going to make them."""
    if work.env.embedder is None:
        return False
    return any(_waits(work, name) and not jobs.is_open(work.tx, JOB, name) for name in COLLECTIONS)


def _waits(work: Work, name: str) -> bool:
    stats = vectors.stats_of(work.tx, name)
    other = stats is not None and work.env.embedder and stats.embedder != work.env.embedder.name
    return bool(other) or vectors.behind(work.tx, name) > 0


def counts(work: Work) -> dict[str, Any]:
    """Of each collection with vectors: by which embedder, how many, and how many wait.

    `stale`: they are of another embedder than the one in use, and not compared.
    """
    found: dict[str, Any] = {}
    for name in COLLECTIONS:
        stats = vectors.stats_of(work.tx, name)
        if stats is not None:
            other = work.env.embedder is not None and work.env.embedder.name != stats.embedder
            found[name] = {
                "embedder": stats.embedder,
                "embedded": vectors.count(work.tx, name),
                "waiting": vectors.behind(work.tx, name),
                "stale": other,
            }
    return found


def nearest(work: Work, name: str, query: QueryVector | None) -> tuple[Scored, ...]:
    """The documents that are near a query, best first; none without vectors of its embedder."""
    if query is None or not _comparable(work, name, query):
        return ()
    found = vectors.nearest(work.tx, name, query.values, most=_LOOKED_AT)
    return tuple(hit for hit in found[:_NEAREST] if hit[1] >= query.floor)


def near(work: Work, name: str, query: QueryVector | None, ids: Iterable[str]) -> dict[str, float]:
    """The cosines of documents, none below 0; those without a vector are absent."""
    if query is None or not _comparable(work, name, query):
        return {}
    found = vectors.near(work.tx, name, query.values, ids)
    return {key: max(0.0, cosine) for key, cosine in found.items()}


def _comparable(work: Work, name: str, query: QueryVector) -> bool:
    stats = vectors.stats_of(work.tx, name)
    return (
        stats is not None
        and stats.embedder == query.embedder
        and stats.dimensions == len(query.values)
    )
