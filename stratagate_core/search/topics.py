"""The events of one topic: in their own order when nothing is asked for (04, 08 §1)."""

from collections.abc import Sequence

from stratagate_core.engine import Work
from stratagate_core.search.filters import Filters, passes
from stratagate_core.search.rules import Intent, Match, in_time
from stratagate_core.store import events, turns
from stratagate_core.topics.read import member_ids


def narrowed(work: Work, topic_id: str, event_ids: tuple[str, ...] | None) -> tuple[str, ...]:
    """The members of a topic in their order; of these only `event_ids`, if there are any.

    Raises:
        NotFound: no such topic, or it is hidden.

    """
    members = member_ids(work, topic_id)
    return members if event_ids is None else tuple(key for key in members if key in event_ids)


def listed(work: Work, ids: Sequence[str], filters: Filters, intent: Intent | None) -> list[Match]:
    """The events that pass the filters: in member order, or by time if that is asked for."""
    known = events.by_ids(work.tx, ids)
    cited = [key for event in known.values() for key in event.source_message_ids]
    sources = turns.messages_by_id(work.tx, cited) if filters.metadata else {}
    timezone = work.settings.timezone
    matches = [
        Match(event=known[key])
        for key in ids
        if key in known and passes(known[key], filters, sources, timezone)
    ]
    return in_time(matches, intent) if intent else matches
