"""The relations of a card: only to events it was allowed to see, each once."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from stratagate_core.model.event import RELATIONS, Temporal


def related_ids(times: Temporal) -> tuple[str, ...]:
    """All events that a card relates to."""
    listed = [event_id for name in RELATIONS for event_id in getattr(times, name)]
    if times.same_event_id:
        listed.append(times.same_event_id)
    return tuple(dict.fromkeys(listed))


def permitted(times: Temporal, allowed: Collection[str]) -> Temporal:
    """The relations to allowed events only, each once."""
    lists: dict[str, Any] = {
        name: tuple(dict.fromkeys(key for key in getattr(times, name) if key in allowed))
        for name in RELATIONS
    }
    same = times.same_event_id if times.same_event_id in allowed else None
    return replace(times, same_event_id=same, **lists)
