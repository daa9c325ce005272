"""Events and messages in one ranking.

The scores of two rankings cannot be compared, but their shares can: each match counts by its
text score divided by the best of its kind. Of equal shares the event comes first, as it says
in short what messages say at length.
"""

from collections.abc import Mapping
from typing import Any

from stratagate_core.engine import Work
from stratagate_core.model.search import Card, Hit, Reason, Results
from stratagate_core.search.arguments import checked_limit
from stratagate_core.search.events import MOST, event_hit, find_events
from stratagate_core.search.filters import Filters
from stratagate_core.search.raw import find_messages, raw_hits


def search(
    work: Work,
    query: str,
    *,
    limit: int = 6,
    include_tail: bool = False,
    thread: str = "main",
    explain: bool = False,
    metadata: Mapping[str, Any] | None = None,
) -> Results[Card]:
    """The best events and messages together; a blank query lists events only.

    The arguments mean what they mean in `search_events` and `search_raw`.
    """
    limit = checked_limit(limit, MOST)
    filters = Filters(metadata=metadata or {})
    events = find_events(work, query, limit=limit, filters=filters)
    messages = find_messages(
        work,
        query,
        limit=limit,
        include_tail=include_tail,
        thread=thread,
        metadata=metadata,
    )
    timezone = work.settings.timezone
    ranked: list[tuple[float, Hit[Card]]] = [
        (match.share, event_hit(match, match.share, explain=explain, timezone=timezone))
        for match in events.matches
    ]
    ranked += [(hit.score, hit) for hit in raw_hits(work, messages.matches, explain=explain)]
    ranked.sort(key=lambda entry: -entry[0])
    hits = tuple(hit for _, hit in ranked[:limit])
    return Results(hits=hits, reason=_reason((events.reason, messages.reason), bool(hits)))


def _reason(reasons: tuple[Reason | None, ...], found: bool) -> Reason | None:
    """The one thing to say about two searches."""
    if "index_rebuilding" in reasons:
        return "index_rebuilding"
    if found:
        return None
    telling: tuple[Reason, ...] = ("filtered_out", "no_match", "no_data")
    return next((reason for reason in telling if reason in reasons), None)
