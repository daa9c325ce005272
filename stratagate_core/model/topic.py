"""A topic: one lasting chapter of the directory. Topics are for finding, never evidence."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

OverviewKind = Literal["scope", "history", "decision", "change", "open-question"]
Category = Literal["preferences", "decisions", "work", "relationships", "other"]

OVERVIEW_KINDS: tuple[str, ...] = get_args(OverviewKind)
#: in the order that decides ties
CATEGORIES: tuple[Category, ...] = get_args(Category)

#: start of the id of the entry of an event that is in no topic
FALLBACK = "fallback:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A named group of events inside a topic."""

    title: str
    source_event_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """A paragraph that tells of a topic, with the events it rests on."""

    kind: OverviewKind
    text: str
    source_event_ids: tuple[str, ...]
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Experience:
    """A lesson drawn from events of one topic."""

    id: str
    title: str
    text: str
    source_event_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How much of a topic its overview tells; the last three add up to the first."""

    total_events: int = 0
    #: cited by a paragraph
    summarized_events: int = 0
    #: in a section, but cited by no paragraph
    omitted_events: int = 0
    #: in no section yet, and cited by no paragraph
    unassigned_events: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One entry of the directory; a fallback entry stands for an event that is in no topic."""

    id: str
    title: str
    description: str
    category: Category
    #: members, in the order in which they were filed
    source_event_ids: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    coverage: Coverage
    sections: tuple[Section, ...] = ()
    overview: tuple[Overview, ...] = ()
    experiences: tuple[Experience, ...] = ()
    #: no title of its own: an event that is not filed yet, or a topic that is being made anew
    is_fallback: bool = False
