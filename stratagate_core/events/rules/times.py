"""When an event was mentioned and when it happened: the words for a time, read in their message.

A model gives the words; code works the date out, because models miscount days. Nothing that lies
ahead of its mention counts as having happened.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import Any

from stratagate_core.cards.normalise import temporal
from stratagate_core.model.event import Happening, Temporal
from stratagate_core.model.message import Message
from stratagate_core.text.times import TimeExpression, find_times

_DAY, _TICK = timedelta(days=1), timedelta(milliseconds=1)
#: how much text around the words can matter to their reading
_CONTEXT = 400


def event_times(raw: object, cited: Sequence[Message], timezone: tzinfo) -> Temporal:
    """The times and relations in `raw`, with what the cited messages add to them.

    Args:
        raw: the temporal part of a card as it was given.
        cited: the messages of the card, the first one being its mention.
        timezone: the display timezone.

    Raises:
        InvalidArgument: a time is a datetime object without timezone.

    """
    times = temporal(raw, timezone=timezone)
    undated = times.happened_start is None and times.happened_end is None
    if isinstance(raw, Mapping) and times.original_text and undated:
        named = _named(times.original_text, cited, timezone)
        if named is not None:
            times = temporal({**raw, **occurrence_of(named)}, timezone=timezone)
    mentioned = times.mentioned_at or cited[0].created_at
    status = _status(times, mentioned)
    return replace(times, mentioned_at=mentioned, status=status, participant_node_ids=())


def occurrence_of(time: TimeExpression) -> dict[str, Any]:
    """A time found in a text as the JSON of an event's times; a last day is named by its date."""
    fields = {"happened_start": time.start.isoformat(), "basis": time.basis}
    fields["precision"] = time.precision
    if time.precision == "range":
        midnight = time.end.time() == datetime.min.time()
        last = time.end - (_DAY if midnight else _TICK)
        if last > time.start:
            fields["happened_end"] = last.isoformat()
    return fields


def _named(words: str, cited: Sequence[Message], timezone: tzinfo) -> TimeExpression | None:
    """The one time that `words` name where they stand; alone, if they stand nowhere."""
    for message in cited:
        found = re.search(re.escape(words), message.content, re.IGNORECASE)
        if found and message.created_at:
            begin = max(0, found.start() - _CONTEXT)
            near = message.content[begin : found.end() + _CONTEXT]
            first, last = found.start() - begin, found.end() - begin
            times = find_times(near, reference=message.created_at, timezone=timezone)
            inside = [one for one in times if one.span[0] < last and first < one.span[1]]
            return inside[0] if len(inside) == 1 else None
    if cited[0].created_at is None:
        return None
    alone = find_times(words, reference=cited[0].created_at, timezone=timezone)
    return alone[0] if len(alone) == 1 else None


def _status(times: Temporal, mentioned: datetime | None) -> Happening:
    start = times.happened_start
    # a day of tolerance, since the speaker's own day may have begun already
    ahead = start is not None and mentioned is not None and start - mentioned > _DAY
    return "planned" if ahead and times.status in ("occurred", "unknown") else times.status
