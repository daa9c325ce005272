"""Raw search: the messages themselves, sealed or not, found by their text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from stratagate_core.engine import Work
from stratagate_core.model.message import Message
from stratagate_core.model.search import Card, Hit, Reason, Results
from stratagate_core.search.arguments import checked_limit, checked_query, one_of
from stratagate_core.search.candidates import any_match, candidates, is_stale
from stratagate_core.search.cards import raw_card
from stratagate_core.search.filters import holds
from stratagate_core.search.rules import RawMatch, newest_first
from stratagate_core.store import blocks, index, turns
from stratagate_core.store.scoring import Within
from stratagate_core.text.tokens import query_tokens

MOST = 50
SCOPES = ("namespace", "session")
#: so many of the best by text are ranked
_CANDIDATES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RawFound:
    """Messages in their final order."""

    matches: tuple[RawMatch, ...] = ()
    reason: Reason | None = None


def search_raw(
    work: Work,
    query: str,
    *,
    limit: int = 6,
    scope: str = "namespace",
    include_tail: bool = False,
    thread: str = "main",
    explain: bool = False,
    metadata: Mapping[str, Any] | None = None,
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
        metadata: all of it must stand in the metadata of the message.

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
        metadata=metadata,
    )
    return Results(hits=raw_hits(work, found.matches, explain=explain), reason=found.reason)


def find_messages(
    work: Work,
    query: str,
    *,
    limit: int,
    scope: str = "namespace",
    include_tail: bool = False,
    thread: str = "main",
    metadata: Mapping[str, Any] | None = None,
) -> RawFound:
    """As `search_raw`, with the whole messages: for other parts."""
    session = one_of(scope, "scope", SCOPES) == "session"
    terms = query_tokens(checked_query(query))
    within = Within(
        thread=thread if session else None, without_tail=None if include_tail else thread
    )
    passing = _passing(work, terms, within, metadata or {})
    scored = list(islice(passing, _CANDIDATES))
    best = max((score for _, score in scored), default=1.0)
    matches = newest_first(
        [
            RawMatch(message=message, score=score / best, signals={"text": score / best})
            for message, score in scored
        ]
    )
    reason = _reason(work, terms, within, found=bool(matches))
    return RawFound(matches=tuple(matches[:limit]), reason=reason)


def raw_hits(work: Work, matches: Sequence[RawMatch], *, explain: bool) -> tuple[Hit[Card], ...]:
    """The matches as cards with their refs."""
    sealed = {match.message.block_id for match in matches if match.message.block_id}
    rows = blocks.by_ids(work.tx, sorted(sealed))
    places = {
        message.id: place
        for block_id in sorted(sealed)
        for place, message in enumerate(turns.block_messages(work.tx, block_id))
    }
    hits = []
    for match in matches:
        message = match.message
        row = rows.get(message.block_id or "")
        turn_range = (row.start_turn, row.end_turn) if row else None
        ref = f"raw:{message.block_id or '-'}:{message.id}:{places.get(message.id, 0)}"
        card = raw_card(message, turn_range, work.settings.timezone)
        signals = match.signals if explain else {}
        hits.append(Hit(ref=ref, item=card, score=match.score, signals=signals))
    return tuple(hits)


def _passing(
    work: Work, terms: Sequence[str], within: Within, metadata: Mapping[str, Any]
) -> Iterator[tuple[Message, float]]:
    limit = None if metadata else _CANDIDATES
    for page in candidates(work, index.MESSAGES, terms, within=within, limit=limit):
        found = turns.messages_by_id(work.tx, [key for key, _ in page])
        for key, score in page:
            if key in found and holds(found[key].metadata, metadata):
                yield found[key], score


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
