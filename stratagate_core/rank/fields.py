"""What a message and a card are searched by: their texts as tokens, weighted by field (04)."""

from collections.abc import Iterable
from datetime import datetime

from stratagate_core.model.event import Event
from stratagate_core.model.message import Message
from stratagate_core.rank.asked import speaker_tokens
from stratagate_core.rank.bm25 import weighted
from stratagate_core.text.tokens import tokens


def message_tokens(message: Message, summaries: Iterable[str] = ()) -> list[str]:
    """The tokens of a message: content, speaker, its tools and `summaries` of their results.

    The speaker is also known by a token of its own kind, so that a query can tell a speaker's
    name from any other word.
    """
    called = (trace.name for trace in message.tool_calls)
    texts = (message.content, message.name or "", *called, *summaries)
    spoken = [token for text in texts for token in tokens(text)]
    return [*spoken, *speaker_tokens(message.name or "")]


def event_tokens(event: Event) -> list[str]:
    """The tokens of a card, each field as often as it weighs."""
    times = event.temporal
    happened = (_day(instant) for instant in (times.happened_start, times.happened_end))
    fields: tuple[tuple[Iterable[str], int], ...] = (
        ((event.title,), 4),
        ((event.summary,), 3),
        (event.tags, 2),
        (event.quotes, 2),
        (times.participants or (), 5),
        # the name of a kind is one word to the analyser, but people write it as several
        ((times.event_type.replace("_", " "),), 5),
        ((times.original_text or "",), 4),
        (happened, 4),
    )
    found = weighted(
        ([token for text in texts for token in tokens(text)], weight) for texts, weight in fields
    )
    known_by = (token for name in times.participants or () for token in speaker_tokens(name))
    return [*found, *dict.fromkeys(known_by)]


def _day(instant: datetime | None) -> str:
    """The date in UTC, so that an index does not depend on how times are displayed."""
    return "" if instant is None else instant.date().isoformat()
