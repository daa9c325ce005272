"""What a search returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from stratagate_core.model.message import Message

T = TypeVar("T", covariant=True)

Reason = Literal[
    "no_match", "filtered_out", "no_data", "other_thread", "below_floor", "index_rebuilding"
]

#: why a message is or is not among the results
Why = Literal[
    "among_the_results",
    "below_the_limit",
    "filtered_out",
    "in_the_open_tail",
    "not_a_candidate",
    "only_near_a_match",
    "unknown",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(Generic[T]):
    """One result: `item` is a compact card, `score` only orders."""

    ref: str
    item: T
    score: float
    #: share of each signal, filled when the search was asked to explain
    signals: Mapping[str, float] = field(default_factory=dict)
    #: of a message: itself with its neighbours, in order, if a window was asked for
    around: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Results(Generic[T]):
    """The hits of one search, best first."""

    hits: tuple[Hit[T], ...] = ()
    total: int | None = None
    next_offset: int | None = None
    #: why the result is empty or partial
    reason: Reason | None = None
    #: the evidence batch that was opened for it, if one was asked for
    batch_id: str | None = None
    #: what became of the message that was asked about
    about: "About | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Where one message stands in a ranking, and why it is or is not among the results."""

    id: str
    why: Why
    #: place in the ranking, from 1; None if it is not ranked
    rank: int | None = None
    score: float = 0.0
    #: share of each signal; what is absent adds nothing
    signals: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """One page of a listing."""

    items: tuple[T, ...] = ()
    total: int = 0
    next_offset: int | None = None


#: a compact card (04 §5): plain JSON
Card = Mapping[str, Any]
