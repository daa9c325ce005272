"""Filters of the event search. They are hard: they only narrow, and nothing stands in for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from stratagate_core.cards import normalise as rules
from stratagate_core.model.event import Event
from stratagate_core.model.message import Message
from stratagate_core.search.arguments import window_end, window_start
from stratagate_core.text.normalise import normalise
from stratagate_core.text.tokens import fuzzy_match


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What an event must satisfy; the default asks for nothing."""

    event_ids: tuple[str, ...] | None = None
    participants: tuple[str, ...] = ()
    event_type: str = ""
    happened_from: datetime | None = None
    #: the first instant that is too late
    happened_until: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def need_cards(self) -> bool:
        """Whether more than the id of an event decides."""
        window = self.happened_from or self.happened_until
        return bool(self.participants or self.event_type or window or self.metadata)

    @property
    def narrow(self) -> bool:
        """Whether anything is asked for."""
        return self.need_cards or self.event_ids is not None


def given_filters(
    *,
    event_ids: Sequence[str] | None,
    participants: Sequence[str],
    event_type: str | None,
    happened_from: object,
    happened_to: object,
    metadata: Mapping[str, Any],
    timezone: tzinfo,
) -> Filters:
    """The filters of a call. Blank texts ask for nothing; a bound that is no time is an error."""
    names = (participants,) if isinstance(participants, str) else participants
    ids = (event_ids,) if isinstance(event_ids, str) else event_ids
    return Filters(
        # what cannot be printed is no id, and not every database can be asked for it
        event_ids=None if ids is None else tuple(i for i in dict.fromkeys(ids) if i.isprintable()),
        participants=tuple(name for name in names if name.strip()),
        event_type=(event_type or "").strip(),
        happened_from=window_start(happened_from, timezone),
        happened_until=window_end(happened_to, timezone),
        metadata=metadata,
    )


def passes(
    event: Event, filters: Filters, sources: Mapping[str, Message], timezone: tzinfo
) -> bool:
    """Whether an event satisfies all filters; `sources` are read for the metadata only."""
    return (
        (filters.event_ids is None or event.id in filters.event_ids)
        and _has_participants(event, filters.participants)
        and _is_of_type(event, filters.event_type)
        and _happened_in(event, filters, timezone)
        and has_source_with(event, filters.metadata, sources)
    )


def holds(metadata: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether every wanted key has the wanted value."""
    return all(key in metadata and metadata[key] == value for key, value in wanted.items())


def has_source_with(
    event: Event, wanted: Mapping[str, Any], sources: Mapping[str, Message]
) -> bool:
    """Whether one of the event's source messages has all of the wanted metadata."""
    found = (sources[key] for key in event.source_message_ids if key in sources)
    return not wanted or any(holds(message.metadata, wanted) for message in found)


def _has_participants(event: Event, names: Sequence[str]) -> bool:
    present = event.temporal.participants or ()
    return all(any(fuzzy_match(name, other) for other in present) for name in names)


def _is_of_type(event: Event, kind: str) -> bool:
    stored = event.temporal.event_type
    named = rules.event_type(kind)
    if not kind or fuzzy_match(kind, stored) or (named != "other" and named == stored):
        return True
    wanted = normalise(kind)
    return any(wanted in normalise(text) for text in (event.title, event.summary, *event.tags))


def _happened_in(event: Event, filters: Filters, timezone: tzinfo) -> bool:
    if filters.happened_from is None and filters.happened_until is None:
        return True
    interval = rules.occurrence_interval(event.temporal, timezone)
    if interval is None:
        return False
    start, end = interval
    early = filters.happened_from is not None and end <= filters.happened_from
    late = filters.happened_until is not None and start >= filters.happened_until
    return not (early or late)
