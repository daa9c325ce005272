"""Events and messages in one ranking, without saying the same thing twice.

The scores of two rankings cannot be compared. But an event rests on messages, and these are
ranked: so it stands where the best of them stands, in front of it, and what it covers is not
listed again. An event whose messages were not found counts by its own share of the best text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from stratagate_core.embedding.port import QueryVector
from stratagate_core.engine import Work
from stratagate_core.model.search import Card, Hit, Reason, Results
from stratagate_core.search.arguments import checked_limit, checked_window
from stratagate_core.search.events import MOST, event_hit, find_events
from stratagate_core.search.filters import Filters
from stratagate_core.search.raw import MOST as MOST_MESSAGES
from stratagate_core.search.raw import find_messages, raw_hits
from stratagate_core.search.rules import Match, RawMatch

#: what the share of an event counts whose messages were not found
_ALONE = 0.7
#: how much better the event itself must be to come before an equal one
_OWN = 1e-6

Ranked = tuple[float, Match | RawMatch]


def search(
    work: Work,
    query: str,
    *,
    limit: int = 6,
    include_tail: bool = False,
    thread: str = "main",
    explain: bool = False,
    metadata: Mapping[str, Any] | None = None,
    window: int = 0,
    vector: QueryVector | None = None,
) -> Results[Card]:
    """The best events and messages together; a blank query lists events only.

    The arguments mean what they mean in `search_events` and `search_raw`.
    """
    limit = checked_limit(limit, MOST)
    filters = Filters(metadata=metadata or {})
    events = find_events(work, query, limit=MOST, filters=filters, vector=vector)
    messages = find_messages(
        work,
        query,
        limit=MOST_MESSAGES,
        include_tail=include_tail,
        thread=thread,
        metadata=metadata,
        explain=explain,
        vector=vector,
    )
    ranked = _merged(events.matches, messages.matches)
    # a blank query lists what there is, so nothing is left out of it
    chosen = (list(_without_repeats(ranked)) if query.strip() else ranked)[:limit]
    hits = tuple(_hits(work, chosen, explain=explain, thread=thread, window=checked_window(window)))
    return Results(hits=hits, reason=_reason((events.reason, messages.reason), bool(hits)))


def _merged(events: Sequence[Match], messages: Sequence[RawMatch]) -> list[Ranked]:
    scores = {str(match.message.id): match.score for match in messages}
    ranked: list[Ranked] = []
    for match in events:
        found = [scores[key] for key in match.event.source_message_ids if key in scores]
        best = max((one.share for one in events), default=1.0) or 1.0
        share = match.share / best
        ranked.append((max(found, default=_ALONE * share) + _OWN * share, match))
    ranked += [(match.score, match) for match in messages]
    return sorted(ranked, key=lambda entry: -entry[0])


def _without_repeats(ranked: Iterable[Ranked]) -> Iterator[Ranked]:
    """Each match that holds a message which none before it holds."""
    shown: set[str] = set()
    for score, match in ranked:
        of = {str(match.message.id)} if isinstance(match, RawMatch) else _sources(match)
        if not of <= shown:
            shown |= of
            yield score, match


def _sources(match: Match) -> set[str]:
    return {*match.event.source_message_ids} or {match.event.id}


def _hits(
    work: Work, chosen: Sequence[Ranked], *, explain: bool, thread: str, window: int
) -> Iterator[Hit[Card]]:
    said = [match for _, match in chosen if isinstance(match, RawMatch)]
    hits = iter(raw_hits(work, said, explain=explain, thread=thread, window=checked_window(window)))
    for score, match in chosen:
        if isinstance(match, RawMatch):
            yield next(hits)
        else:
            yield event_hit(
                match, min(1.0, score), explain=explain, timezone=work.settings.timezone
            )


def _reason(reasons: tuple[Reason | None, ...], found: bool) -> Reason | None:
    """The one thing to say about two searches."""
    if "index_rebuilding" in reasons:
        return "index_rebuilding"
    if found:
        return None
    telling: tuple[Reason, ...] = ("filtered_out", "no_match", "no_data")
    return next((reason for reason in telling if reason in reasons), None)
