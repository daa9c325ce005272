"""The relations of a card: only to events it was allowed to see, each once.

Cards of one answer have no ids yet, so a later one names an earlier one by its place: `#1`.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from stratagate_core.model.event import RELATIONS, Temporal


def place(number: int) -> str:
    """How the cards of an answer name the one at this place, counted from 1."""
    return f"#{number}"


def permitted(times: Temporal, allowed: Collection[str]) -> Temporal:
    """The relations to allowed events only, each once."""
    lists: dict[str, Any] = {
        name: tuple(dict.fromkeys(key for key in getattr(times, name) if key in allowed))
        for name in RELATIONS
    }
    same = times.same_event_id if times.same_event_id in allowed else None
    return replace(times, same_event_id=same, **lists)


def renamed(times: Temporal, names: Mapping[str, str]) -> Temporal:
    """The relations with other names for the events in `names`, each once."""
    lists: dict[str, Any] = {
        name: tuple(dict.fromkeys(names.get(key, key) for key in getattr(times, name)))
        for name in RELATIONS
    }
    same = times.same_event_id
    return replace(times, same_event_id=names.get(same, same) if same else same, **lists)
