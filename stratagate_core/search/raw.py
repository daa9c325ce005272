"""Raw search: the messages themselves, sealed or not, found by their text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from stratagate_core.embedding.port import QueryVector
from stratagate_core.engine import Work
from stratagate_core.model.message import Message
from stratagate_core.model.search import About, Card, Hit, Reason, Results, Why
from stratagate_core.rank.asked import Asked
from stratagate_core.rank.scene import Floats, Scene
from stratagate_core.rank.signals import measured, measured_closely, shares, tied
from stratagate_core.search.arguments import checked_limit, checked_query, checked_window, one_of
from stratagate_core.search.candidates import any_match, candidates, is_stale
from stratagate_core.search.cards import raw_card
from stratagate_core.search.context import read_query, scene_of, windows
from stratagate_core.search.filters import holds
from stratagate_core.search.rules import RawMatch, newest_first
from stratagate_core.search.vectors import nearest
from stratagate_core.store import blocks, index, turns
from stratagate_core.store.scoring import Within

MOST = 50
SCOPES = ("namespace", "session")
#: so many of the best by text are ranked
_CANDIDATES = 200
#: so many are looked at closely
_LOOKED_AT_CLOSELY = 64
#: stands in for a best score that is not positive
_SMALLEST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class RawFound:
    """Messages in their final order."""

    matches: tuple[RawMatch, ...] = ()
    reason: Reason | None = None
    #: what became of the message that was asked about
    about: About | None = None


def search_raw(
    work: Work,
    query: str,
    *,
    limit: int = 6,
    scope: str = "namespace",
    include_tail: bool = False,
    thread: str = "main",
    explain: bool = False,
    about: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    window: int = 1,
    vector: QueryVector | None = None,
) -> Results[Card]:
    """Messages as compact cards, refs `raw:<block id or ->:<message id>:<index>`.

    Args:
        work: the open transaction; only read.
        query: words to look for; without any, nothing is found.
        limit: clamped to 1..50.
        scope: `namespace`, or `session` for messages of `thread` only.
        include_tail: also the open tail of `thread`, which its request shows anyway.
        thread: the asking thread.
        explain: fill the signals of the hits.
        about: the id of a message; the results say where it stands and why.
        window: so many messages before and after come with each hit, 0 to 2.
        metadata: all of it must stand in the metadata of the message.
        vector: the vector of the query, if there is an embedder.

    Raises:
        InvalidArgument: an argument that is not acceptable, by name.

    """
    found = find_messages(
        work,
        query,
        limit=checked_limit(limit, MOST),
        scope=scope,
        include_tail=include_tail,
        thread=thread,
        about=about,
        metadata=metadata,
        explain=explain,
        vector=vector,
    )
    hits = raw_hits(
        work, found.matches, explain=explain, thread=thread, window=checked_window(window)
    )
    return Results(hits=hits, reason=found.reason, about=found.about)


def find_messages(
    work: Work,
    query: str,
    *,
    limit: int,
    scope: str = "namespace",
    include_tail: bool = False,
    thread: str = "main",
    about: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    explain: bool = False,
    vector: QueryVector | None = None,
) -> RawFound:
    """As `search_raw`, with the whole messages: for other parts."""
    session = one_of(scope, "scope", SCOPES) == "session"
    asked = read_query(work, checked_query(query))
    within = Within(
        thread=thread if session else None, without_tail=None if include_tail else thread
    )
    wanted = metadata or {}
    scene = _scene(work, asked, within, wanted, vector)
    explained = explain or about is not None
    ranked = () if scene is None else tuple(_ranked(work, scene, explained=explained))
    matches = newest_first([match for match in ranked if _may_be_hit(match, within, wanted)])
    return RawFound(
        matches=tuple(matches[:limit]),
        reason=_reason(work, asked.terms, within, found=bool(matches)),
        about=None
        if about is None
        else _about(work, about, matches, ranked, within, wanted, limit),
    )


def _about(
    work: Work,
    key: str,
    matches: Sequence[RawMatch],
    ranked: Sequence[RawMatch],
    within: Within,
    metadata: Mapping[str, Any],
    limit: int,
) -> About:
    """Where a message stands, and why it is or is not among the results."""
    for rank, match in enumerate(matches, 1):
        if match.message.id == key:
            place: Why = "among_the_results" if rank <= limit else "below_the_limit"
            return About(id=key, why=place, rank=rank, score=match.score, signals=match.signals)
    message = turns.messages_by_id(work.tx, [key]).get(key)
    if message is None:
        return About(id=key, why="unknown")
    if message.block_id is None and message.thread == within.without_tail:
        return About(id=key, why="in_the_open_tail")
    if within.thread not in (None, message.thread) or not holds(message.metadata, metadata):
        return About(id=key, why="filtered_out")
    near = next((match for match in ranked if match.message.id == key), None)
    if near is None:
        return About(id=key, why="not_a_candidate")
    return About(id=key, why="only_near_a_match", score=near.score, signals=near.signals)


def scene_for(work: Work, query: str, vector: QueryVector | None = None) -> Scene | None:
    """What the ranking of all messages for a query looks at: to find weights by."""
    return _scene(work, read_query(work, query), Within(), {}, vector)


def _scene(
    work: Work,
    asked: Asked,
    within: Within,
    metadata: Mapping[str, Any],
    vector: QueryVector | None,
) -> Scene | None:
    """The scene of a query; None if no message shares a word or a kind with it, or is near it."""
    lexical = list(islice(_passing(work, asked.terms, within, metadata), _CANDIDATES))
    close = nearest(work, index.MESSAGES, vector)
    if not lexical and not asked.members and not close:
        return None
    scene = scene_of(work, asked, lexical, within=within, vector=vector, nearest=close)
    return scene if scene.messages else None


def _ranked(work: Work, scene: Scene, *, explained: bool) -> Iterator[RawMatch]:
    """Every message of the scene with its score, a share of the best one's."""
    weights = work.settings.ranking.model_dump()
    signals = measured(scene)
    so_far = _sum(scene, shares(signals, weights))
    signals |= measured_closely(scene, np.argsort(-so_far, kind="stable")[:_LOOKED_AT_CLOSELY])
    parts = shares(signals, weights)
    scores, is_tied = _sum(scene, parts), tied(signals)
    best = max(float(scores[is_tied].max(initial=0.0)), _SMALLEST)
    places = zip(
        scene.messages, (np.maximum(scores, 0.0) / best).tolist(), is_tied.tolist(), strict=True
    )
    for at, (message, score, has_tie) in enumerate(places):
        added = ((name, float(part[at]) / best) for name, part in parts.items() if part[at])
        yield RawMatch(
            message=message,
            score=score,
            signals=dict(added) if explained else {},
            tied=has_tie,
        )


def _sum(scene: Scene, parts: Mapping[str, Floats]) -> Floats:
    return sum(parts.values(), start=np.zeros(len(scene.messages)))


def _may_be_hit(match: RawMatch, within: Within, metadata: Mapping[str, Any]) -> bool:
    message = match.message
    if not match.tied:
        return False
    if within.thread is not None and message.thread != within.thread:
        return False
    if message.block_id is None and message.thread == within.without_tail:
        return False
    return holds(message.metadata, metadata)


def raw_hits(
    work: Work, matches: Sequence[RawMatch], *, explain: bool, thread: str, window: int = 0
) -> tuple[Hit[Card], ...]:
    """The matches as cards with their refs, each with `window` messages before and after it.

    What stands in the open tail of `thread` is in its request already and comes with no hit.
    """
    sealed = sorted({match.message.block_id for match in matches if match.message.block_id})
    rows = blocks.by_ids(work.tx, sealed)
    places = turns.places_in_blocks(work.tx, sealed)
    around = windows(work, [match.message for match in matches], window, without_tail=thread)
    hits = []
    for match in matches:
        message = match.message
        row = rows.get(message.block_id or "")
        turn_range = (row.start_turn, row.end_turn) if row else None
        hits.append(
            Hit(
                ref=f"raw:{message.block_id or '-'}:{message.id}:{places.get(str(message.id), 0)}",
                item=raw_card(message, turn_range, work.settings.timezone),
                score=match.score,
                signals=match.signals if explain else {},
                around=around.get(str(message.id), ()),
            )
        )
    return tuple(hits)


def _passing(
    work: Work, terms: Sequence[str], within: Within, metadata: Mapping[str, Any]
) -> Iterator[Message]:
    limit = None if metadata else _CANDIDATES
    for page in candidates(work, index.MESSAGES, terms, within=within, limit=limit):
        found = turns.messages_by_id(work.tx, [key for key, _ in page])
        for key, _score in page:
            if key in found and holds(found[key].metadata, metadata):
                yield found[key]


def _reason(work: Work, terms: Sequence[str], within: Within, *, found: bool) -> Reason | None:
    state = index.state(work.tx, index.MESSAGES)
    if is_stale(work, index.MESSAGES):
        return "index_rebuilding"
    if found:
        return None
    if state == "empty":
        return "no_data"
    elsewhere = within.thread is not None and not any_match(
        work, index.MESSAGES, terms, within=Within(thread=within.thread)
    )
    if not any_match(work, index.MESSAGES, terms):
        return "no_match"
    return "other_thread" if elsewhere else "filtered_out"
