"""The schema of an extractor's answer.

Strict where a slip would change what is stored (scope, unknown keys). Elsewhere any value is
taken and normalised in code, so that a slip costs a field or a card and not the whole answer.
"""

from pydantic import BaseModel, ConfigDict, Field, SkipValidation

from stratagate_core.model.event import Basis, Criticality, Happening, Precision, Scope

_RELATED = (
    "ids of events of the timeline, or #1, #2 for an earlier card of this answer, only with a "
    "clear anchor in the text"
)


class ExtractedTimes(BaseModel):
    """When it happened and what it relates to; what is not said is left out."""

    original_text: str = Field(
        default="", description="the words that name the time, exactly as written"
    )
    happened_start: str = Field(
        default="", description="ISO date or time, only if the text names a full date"
    )
    happened_end: str = Field(default="", description="ISO date or time of the end of a range")
    precision: Precision = Field(default="unknown", description="how exact happened_start is")
    basis: Basis = Field(default="unknown", description="explicit: the text names a full date")
    status: Happening = Field(default="unknown", description="a plan is planned, never occurred")
    event_type: str = Field(
        default="other",
        description="decision, release, task_completed, plan, change, cancellation, incident, "
        "meeting, collaboration, migration or other",
    )
    participants: list[str] = Field(
        default=[], description="people and organisations that take part, by name"
    )
    same_event_id: str = Field(
        default="", description="id of the event of the timeline that is the same happening"
    )
    supersedes_event_ids: list[str] = Field(
        default=[], description=f"what no longer holds because of this one: {_RELATED}"
    )
    conflicts_with_event_ids: list[str] = Field(
        default=[], description=f"what cannot be true together with this one: {_RELATED}"
    )
    before_event_ids: list[str] = Field(default=[], description=f"what comes later: {_RELATED}")
    after_event_ids: list[str] = Field(default=[], description=f"what came earlier: {_RELATED}")
    related_event_ids: list[str] = Field(default=[], description=f"otherwise related: {_RELATED}")


class ExtractedEvent(BaseModel):
    """One atomic card."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"required": ["title", "summary", "source_message_ids", "scope"]},
    )

    title: SkipValidation[str] = Field(
        default="", description="what happened or is so, understandable alone, 200 characters"
    )
    summary: SkipValidation[str] = Field(
        default="", description="the same with its reason and details, 1000 characters"
    )
    source_message_ids: SkipValidation[list[str]] = Field(
        default=[],
        description="ids of the messages that say it, from allowed_source_message_ids only",
    )
    scope: Scope = Field(
        description="user: stable facts about the user; project: rules and facts of the project; "
        "session: only for this conversation; in doubt the narrower one"
    )
    tags: SkipValidation[list[str]] = Field(
        default=[], description="up to 12 short tags: subjects, names, tools"
    )
    quotes: SkipValidation[list[str]] = Field(
        default=[], description="short pieces of the cited messages that prove it, verbatim"
    )
    temporal: SkipValidation[ExtractedTimes | None] = Field(
        default=None, description="times and relations"
    )
    criticality: SkipValidation[Criticality] = Field(
        default="routine", description="how much it matters for good; mostly routine"
    )
    catalog_hints: SkipValidation[list[str] | None] = Field(
        default=None, description="up to 2 subjects it may be filed under"
    )


class ExtractedEvents(BaseModel):
    """The answer: the cards of one block, or that there are none."""

    model_config = ConfigDict(extra="forbid")

    should_extract: bool = Field(
        strict=True, description="false when nothing has value beyond this conversation"
    )
    reason: str = Field(default="", description="one sentence: why these, or why none")
    events: list[ExtractedEvent] = Field(
        default=[], description="the cards; empty when should_extract is false"
    )
