"""Which cards are admitted, and in what form: nothing unverified gets through (02 §1, §4)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any

from stratagate_core.cards.normalise import (
    catalog_hints,
    criticality,
    extractor_version,
    scope,
    texts,
)
from stratagate_core.events.rules.quotes import Citable, checked_quotes
from stratagate_core.events.rules.relations import permitted, place, renamed
from stratagate_core.events.rules.times import event_times
from stratagate_core.events.rules.weight import new_weight
from stratagate_core.model.event import Event
from stratagate_core.model.message import Message
from stratagate_core.text.clip import clip

TITLE, SUMMARY, LISTED = 200, 1000, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where cards come from, and what they are checked against."""

    block_id: str
    thread: str
    #: the turn their weight counts from
    formed_turn: int
    #: the messages of the block by id; no others may be cited
    messages: Mapping[str, Message]
    #: their texts, as `quotes.citable_texts` gives them
    citable: Citable
    #: the display timezone
    timezone: tzinfo
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The admitted cards and what was not let through."""

    cards: tuple[Event, ...]
    rejected: int = 0
    dropped_quotes: int = 0


def admit(
    raws: Sequence[Mapping[str, Any]], origin: Origin, *, related: Collection[str]
) -> Admission:
    """The acceptable cards among `raws`, equal ones made one; their place stands for their id.

    `related` are the events they may relate to, besides the earlier of these cards by their
    place; other relations are removed.
    """
    accepted: list[tuple[Mapping[str, Any], Event]] = []
    dropped = 0
    for number, raw in enumerate(raws, 1):
        card = card_of(raw, origin, event_id=place(number))
        if isinstance(card, str):
            continue
        quotes, lost = checked_quotes(card.quotes, card.source_message_ids, origin.citable)
        dropped += lost
        times = permitted(card.temporal, {*related, *(earlier.id for _, earlier in accepted)})
        accepted.append((raw, replace(card, quotes=quotes, temporal=times)))
    rejected = len(raws) - len(accepted)
    return Admission(cards=_merged(accepted), rejected=rejected, dropped_quotes=dropped)


def card_of(
    raw: Mapping[str, Any],
    origin: Origin,
    *,
    event_id: str = "",
    default_scope: str | None = None,
) -> Event | str:
    """The card that `raw` describes, its quotes unchecked, or why it is rejected.

    Args:
        raw: title, summary, source_message_ids, scope and the optional parts.
        origin: where it comes from.
        event_id: its id.
        default_scope: used when `raw` names none; None: a scope is required.

    Raises:
        InvalidArgument: a time is a datetime object without timezone.

    """
    title, summary = (_trimmed(raw.get(name)) for name in ("title", "summary"))
    if not title or not summary:
        return "title and summary must not be blank"
    sources = tuple(dict.fromkeys(_listed(raw.get("source_message_ids"))))
    foreign = [source for source in sources if source not in origin.messages]
    if not sources or foreign:
        return _unsourced(origin, foreign)
    given_scope = scope(raw.get("scope", default_scope))
    if given_scope is None:
        return "scope must be one of user, project, session"
    cited = [origin.messages[str(source)] for source in sources]
    times = event_times(raw.get("temporal"), cited, origin.timezone)
    kind = criticality(raw.get("criticality"))
    return Event(
        id=event_id,
        title=clip(title, TITLE),
        summary=clip(summary, SUMMARY),
        source_message_ids=sources,
        source_block_id=origin.block_id,
        tags=texts(raw.get("tags"), LISTED),
        quotes=texts(raw.get("quotes"), LISTED),
        temporal=replace(times, thread_id=origin.thread),
        scope=given_scope,
        criticality=kind,
        weight=new_weight(kind, origin.formed_turn),
        formed_turn=origin.formed_turn,
        catalog_hints=catalog_hints(raw.get("catalog_hints")),
        extractor_version=extractor_version(raw.get("extractor_version")),
        created_at=origin.now,
        updated_at=origin.now,
    )


def _unsourced(origin: Origin, foreign: Sequence[object]) -> str:
    named = f"; foreign: {', '.join(map(str, foreign))}" if foreign else ""
    return (
        f"source_message_ids must name at least one message of block {origin.block_id!r} "
        f"and no other{named}"
    )


def _trimmed(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _listed(value: object) -> Sequence[Any]:
    """The items of a list as texts; one that is no text stays, to be found foreign."""
    if not isinstance(value, list | tuple):
        return ()
    return [item if isinstance(item, str) else repr(item) for item in value]


def _merged(cards: Sequence[tuple[Mapping[str, Any], Event]]) -> tuple[Event, ...]:
    """The cards, with those equal in their full texts, scope, criticality and times made one.

    Each card comes with what it was made from, whose texts are not yet cut.
    """
    found: dict[tuple[object, ...], Event] = {}
    kept_as: dict[str, str] = {}
    for raw, card in cards:
        times = replace(card.temporal, mentioned_at=None) if _no_mention(raw) else card.temporal
        texts_in_full = _trimmed(raw.get("title")), _trimmed(raw.get("summary"))
        key = (*texts_in_full, card.scope, card.criticality, times)
        earlier = found.get(key)
        found[key] = card if earlier is None else _union(earlier, card)
        kept_as[card.id] = found[key].id
    return tuple(replace(card, temporal=renamed(card.temporal, kept_as)) for card in found.values())


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
