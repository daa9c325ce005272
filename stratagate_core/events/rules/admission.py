"""Which cards are admitted, and in what form: nothing unverified gets through (02 §1, §4)."""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import Any

from stratagate_core.cards.normalise import catalog_hints, criticality, scope, temporal, texts
from stratagate_core.events.rules.weight import new_weight
from stratagate_core.model.event import RELATIONS, Event, Temporal
from stratagate_core.model.message import Message
from stratagate_core.text.clip import clip
from stratagate_core.text.normalise import collapse
from stratagate_core.text.times import find_times

TITLE, SUMMARY, LISTED = 200, 1000, 12
#: raised when prompt or rules of extraction change what they produce
EXTRACTOR_VERSION = 1

_ONE_DAY = timedelta(days=1)


def card_of(
    raw: Mapping[str, Any],
    *,
    event_id: str,
    block_id: str,
    messages: Mapping[str, Message],
    formed_turn: int,
    thread: str,
    timezone: tzinfo,
    now: datetime,
    default_scope: str | None = None,
) -> Event | str:
    """The card that `raw` describes, or why it is rejected.

    Args:
        raw: title, summary, source_message_ids, scope and the optional parts.
        event_id: its id.
        block_id: the block its sources belong to.
        messages: the messages of that block by id; no other may be cited.
        formed_turn: the turn its weight counts from.
        thread: the thread of the block.
        timezone: the display timezone.
        now: the time of writing.
        default_scope: used when `raw` names none; None: a scope is required.

    """
    title, summary = (_trimmed(raw.get(name)) for name in ("title", "summary"))
    if not title or not summary:
        return "title and summary must not be blank"
    sources = tuple(dict.fromkeys(_strings(raw.get("source_message_ids"))))
    if not sources or any(name not in messages for name in sources):
        return "source_message_ids must name messages of the target block only"
    given_scope = scope(raw.get("scope", default_scope))
    if given_scope is None:
        return "scope must be one of user, project, session"
    kind = criticality(raw.get("criticality"))
    first = messages[sources[0]]
    return Event(
        id=event_id,
        title=clip(title, TITLE),
        summary=clip(summary, SUMMARY),
        source_message_ids=sources,
        source_block_id=block_id,
        tags=texts(raw.get("tags"), LISTED),
        quotes=texts(raw.get("quotes"), LISTED),
        temporal=_times(raw.get("temporal"), first, thread, timezone),
        scope=given_scope,
        criticality=kind,
        weight=new_weight(kind, formed_turn),
        formed_turn=formed_turn,
        catalog_hints=catalog_hints(raw.get("catalog_hints")),
        created_at=now,
        updated_at=now,
    )


def _trimmed(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _strings(value: object) -> list[str]:
    return (
        [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []
    )


def _times(raw: object, first: Message, thread: str, timezone: tzinfo) -> Temporal:
    """The times of a card: mentioned when its first source was said, unless it says otherwise."""
    times = temporal(raw, timezone=timezone)
    if first.created_at is not None:
        times = replace(times, mentioned_at=times.mentioned_at or first.created_at)
        if times.original_text and times.happened_start is None and times.happened_end is None:
            times = resolved(times, first.created_at, timezone)
    return replace(times, thread_id=thread)


def resolved(times: Temporal, reference: datetime, timezone: tzinfo) -> Temporal:
    """The occurrence time that the words of `original_text` name, seen from `reference`."""
    found = find_times(times.original_text or "", reference=reference, timezone=timezone)
    if len(found) != 1:
        return times
    (one,) = found
    end = one.end - _ONE_DAY if one.precision == "range" else None
    if end is not None and end <= one.start:
        end = None
    return replace(
        times,
        happened_start=one.start,
        happened_end=end,
        precision=one.precision,
        basis=one.basis,
    )


def checked_quotes(quotes: Sequence[str], cited: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """The quotes that stand in a cited text, and how many do not.

    Width and whitespace may differ, nothing else.
    """
    said = [_comparable(text) for text in cited]
    kept = tuple(quote for quote in quotes if any(_comparable(quote) in text for text in said))
    return kept, len(quotes) - len(kept)


def _comparable(text: str) -> str:
    return collapse(unicodedata.normalize("NFKC", text))


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


def merged(cards: Sequence[tuple[Mapping[str, Any], Event]]) -> tuple[Event, ...]:
    """The cards, with those equal in their full texts, scope, criticality and times made one.

    Each card comes with the answer it was made from, whose texts are not yet cut.
    """
    found: dict[tuple[object, ...], Event] = {}
    for raw, card in cards:
        times = replace(card.temporal, mentioned_at=None) if _no_mention(raw) else card.temporal
        key = (
            _trimmed(raw.get("title")),
            _trimmed(raw.get("summary")),
            card.scope,
            card.criticality,
            times,
        )
        earlier = found.get(key)
        found[key] = card if earlier is None else _union(earlier, card)
    return tuple(found.values())


def _no_mention(raw: Mapping[str, Any]) -> bool:
    times = raw.get("temporal")
    return not isinstance(times, Mapping) or times.get("mentioned_at") is None


def _union(first: Event, second: Event) -> Event:
    return replace(
        first,
        source_message_ids=_joined(first.source_message_ids, second.source_message_ids),
        tags=_joined(first.tags, second.tags)[:LISTED],
        quotes=_joined(first.quotes, second.quotes)[:LISTED],
    )


def _joined(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
