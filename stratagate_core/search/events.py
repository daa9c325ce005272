"""Event search: two pools are ranked apart and made one, so that neither can hide the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any, cast

from stratagate_core.embedding.port import QueryVector
from stratagate_core.engine import Work
from stratagate_core.model.search import Card, Hit, Reason, Results
from stratagate_core.rank.fusion import rrf
from stratagate_core.search import topics
from stratagate_core.search.arguments import (
    checked_limit,
    checked_offset,
    checked_query,
    one_of,
)
from stratagate_core.search.candidates import any_match, is_stale
from stratagate_core.search.cards import event_card
from stratagate_core.search.filters import Filters, given_filters
from stratagate_core.search.lanes import Asked, lane
from stratagate_core.search.priors import read_wanted
from stratagate_core.search.rules import Intent, Match
from stratagate_core.store import index
from stratagate_core.store.event_order import visible_ids

MOST = 20
_POOLS = ("passive", "agent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Matches in their final order; the score of each is the fused one."""

    matches: tuple[Match, ...] = ()
    #: whether more follow
    more: bool = False
    reason: Reason | None = None


def search_events(
    work: Work,
    query: str,
    *,
    limit: int = 6,
    offset: int = 0,
    topic_id: str | None = None,
    event_ids: Sequence[str] | None = None,
    participants: Sequence[str] = (),
    event_type: str | None = None,
    happened_from: object = None,
    happened_to: object = None,
    temporal_intent: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    explain: bool = False,
    weight_factor: float | None = None,
    vector: QueryVector | None = None,
) -> Results[Card]:
    """Events as compact cards, refs `event:<id>`. A blank query lists what the filters leave.

    Args:
        work: the open transaction; only read.
        query: words to look for, may be blank.
        limit: clamped to 1..20.
        offset: places to skip.
        topic_id: only members of this topic.
        event_ids: only these; an empty list leaves nothing.
        participants: each must match some participant.
        event_type: must match the type, or stand in title, summary or tags.
        happened_from: a day, which counts whole, or an instant.
        happened_to: the same.
        temporal_intent: `first` or `latest`.
        metadata: all of it must stand in the metadata of one source message.
        explain: fill the signals of the hits.
        weight_factor: how much weight counts; from the settings if not given.
        vector: the vector of the query, if there is an embedder.

    Raises:
        InvalidArgument: an argument that is not acceptable, by name.
        NotFound: an unknown topic.

    """
    limit, offset = checked_limit(limit, MOST), checked_offset(offset)
    filters = given_filters(
        event_ids=event_ids,
        participants=participants,
        event_type=event_type,
        happened_from=happened_from,
        happened_to=happened_to,
        metadata=metadata or {},
        timezone=work.settings.timezone,
    )
    if topic_id is not None:
        members = topics.narrowed(work, topic_id, filters.event_ids)
        filters = replace(filters, event_ids=members)
        if not checked_query(query).strip():
            return _of_topic(work, filters, temporal_intent, limit=limit, offset=offset)
    found = find_events(
        work,
        query,
        limit=limit,
        offset=offset,
        filters=filters,
        temporal_intent=temporal_intent,
        weight_factor=weight_factor,
        vector=vector,
    )
    return Results(
        hits=tuple(
            event_hit(match, match.score, explain=explain, timezone=work.settings.timezone)
            for match in found.matches
        ),
        next_offset=offset + limit if found.more else None,
        reason=found.reason,
    )


def _of_topic(
    work: Work, filters: Filters, temporal_intent: str | None, *, limit: int, offset: int
) -> Results[Card]:
    """A page of the members of a topic; how many they are, if nothing else narrows them."""
    intent = temporal_intent and one_of(temporal_intent, "temporal_intent", ("first", "latest"))
    members = filters.event_ids or ()
    found = topics.listed(work, members, filters, cast(Intent, intent) if intent else None)
    page = found[offset : offset + limit]
    timezone = work.settings.timezone
    return Results(
        hits=tuple(event_hit(one, 0.0, explain=False, timezone=timezone) for one in page),
        total=None if filters.need_cards else len(found),
        next_offset=offset + limit if offset + limit < len(found) else None,
        reason=None if found else "filtered_out",
    )


def find_events(
    work: Work,
    query: str,
    *,
    limit: int,
    offset: int = 0,
    filters: Filters | None = None,
    temporal_intent: str | None = None,
    weight_factor: float | None = None,
    vector: QueryVector | None = None,
) -> Found:
    """As `search_events`, with the whole events and their relevance: for other parts."""
    intent = temporal_intent and one_of(temporal_intent, "temporal_intent", ("first", "latest"))
    factor = work.settings.search_weight_factor if weight_factor is None else weight_factor
    pools = pools_of(work)
    asked = Asked(
        query=checked_query(query),
        wanted=read_wanted(work, query, [index.collection_of(pool) for pool in _POOLS]),
        filters=filters or Filters(),
        intent=cast(Intent, intent) if intent else None,
        factor=factor,
        places=offset + limit,
        vector=vector,
    )
    lanes = [lane(work, asked, pool) for pool in pools]
    fused = _fuse(lanes, list(pools.values()))
    matches = tuple(fused[offset : asked.places])
    return Found(
        matches=matches,
        more=len(fused) > asked.places,
        reason=_reason(work, asked, pools, found=bool(matches), past_the_end=bool(fused)),
    )


def pools_of(work: Work) -> dict[str, float]:
    """The pools that take part, with the weight of their ranking."""
    weights = (1.0, work.settings.agent_memory_retrieval_weight)
    return {pool: weight for pool, weight in zip(_POOLS, weights, strict=True) if weight > 0}


def _fuse(lanes: Sequence[Sequence[Match]], weights: Sequence[float]) -> list[Match]:
    matches = {match.event.id: match for lane in lanes for match in lane}
    fused = rrf([[match.event.id for match in lane] for lane in lanes], weights)
    return [replace(matches[key], score=score) for key, score in fused]


def _reason(
    work: Work, asked: Asked, pools: Mapping[str, float], *, found: bool, past_the_end: bool
) -> Reason | None:
    names = [index.collection_of(pool) for pool in pools]
    if not asked.blank and any(is_stale(work, name) for name in names):
        return "index_rebuilding"
    if found or past_the_end:
        return None
    if all(next(visible_ids(work.tx, pool, "id", size=1), None) is None for pool in pools):
        return "no_data"
    terms = asked.wanted.terms
    if asked.blank or any(any_match(work, name, terms) for name in names):
        return "filtered_out"
    return "no_match"


def event_hit(match: Match, score: float, *, explain: bool, timezone: tzinfo) -> Hit[Card]:
    """The match as a card with its ref."""
    signals = {**match.signals, "weight": match.weight} if explain else {}
    card = event_card(match.event, score, timezone)
    return Hit(ref=f"event:{match.event.id}", item=card, score=score, signals=signals)
