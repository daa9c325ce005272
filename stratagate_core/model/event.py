"""An event: one atomic card of what happened, with its sources, its times and its weight."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

Scope = Literal["user", "project", "session"]
Criticality = Literal["routine", "preference", "identity", "safety"]
EventStatus = Literal["active", "superseded", "forgotten", "archived"]
Precision = Literal["instant", "day", "month", "year", "range", "unknown"]
Basis = Literal["explicit", "relative", "inferred", "unknown"]
Happening = Literal["occurred", "planned", "cancelled", "ongoing", "unknown"]
Pool = Literal["passive", "agent"]

SCOPES: tuple[str, ...] = get_args(Scope)
CRITICALITIES: tuple[str, ...] = get_args(Criticality)
PRECISIONS: tuple[str, ...] = get_args(Precision)
BASES: tuple[str, ...] = get_args(Basis)
HAPPENINGS: tuple[str, ...] = get_args(Happening)
#: statuses of a visible event
VISIBLE: tuple[str, ...] = ("active", "superseded")
#: the relation lists of `Temporal`, in the order they are written
RELATIONS: tuple[str, ...] = (
    "before_event_ids",
    "after_event_ids",
    "supersedes_event_ids",
    "conflicts_with_event_ids",
    "related_event_ids",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Temporal:
    """When an event was mentioned and when it happened, and what it relates to."""

    mentioned_at: datetime | None = None
    happened_start: datetime | None = None
    happened_end: datetime | None = None
    #: the words of the text that name the time
    original_text: str | None = None
    precision: Precision = "unknown"
    basis: Basis = "unknown"
    status: Happening = "unknown"
    event_type: str = "other"
    #: None when absent or damaged
    participants: tuple[str, ...] | None = None
    thread_id: str | None = None
    participant_node_ids: tuple[str, ...] = ()
    same_event_id: str | None = None
    before_event_ids: tuple[str, ...] = ()
    after_event_ids: tuple[str, ...] = ()
    supersedes_event_ids: tuple[str, ...] = ()
    conflicts_with_event_ids: tuple[str, ...] = ()
    related_event_ids: tuple[str, ...] = ()

    @property
    def all_related_ids(self) -> tuple[str, ...]:
        """Every event that the card relates to, each once."""
        listed = [event_id for name in RELATIONS for event_id in getattr(self, name)]
        return tuple(dict.fromkeys([*listed, *filter(None, [self.same_event_id])]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """What the long-term weight of an event is computed from (03 §1)."""

    mention_count: int = 1
    last_adopted_turn: int = 0
    pinned: bool = False
    floor_weight: float = 0.0
    forced_cap: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One card. Only its status, its relations and its weight ever change."""

    id: str
    title: str
    summary: str
    source_message_ids: tuple[str, ...]
    scope: Scope
    created_at: datetime
    updated_at: datetime
    source_block_id: str | None = None
    tags: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    temporal: Temporal = field(default_factory=Temporal)
    criticality: Criticality = "routine"
    status: EventStatus = "active"
    superseded_by: str | None = None
    weight: Weight = field(default_factory=Weight)
    #: `current_turn` of the namespace when the source block's last turn was accepted
    formed_turn: int = 0
    catalog_hints: tuple[str, ...] | None = None
    extractor_version: int | None = None
    pool: Pool = "passive"

    @property
    def chronology(self) -> datetime:
        """The time that places the event among others (02 §2)."""
        times = self.temporal
        return times.happened_start or times.happened_end or times.mentioned_at or self.created_at


#: an event as a caller or a model gives it, before normalisation
Draft = Mapping[str, Any]
