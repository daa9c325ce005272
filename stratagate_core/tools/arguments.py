"""What a model may pass to each tool, as it sees it; what is nearly right is put right."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from stratagate_core.model.evidence import STRATEGIES, VERDICTS
from stratagate_core.model.topic import CATEGORIES

T = TypeVar("T")


def _clamped(value: int) -> int:
    return max(1, min(20, value))


def _blank_is_none(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


def _as_list(value: object) -> object:
    """A lone text where a list was asked for: a list written as JSON, or its only item."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
    except ValueError:
        read = None
    if isinstance(read, list):
        return read
    return [value] if value.strip() else []


Maybe = Annotated[T | SkipJsonSchema[None], BeforeValidator(_blank_is_none)]
Limit = Annotated[
    int,
    AfterValidator(_clamped),
    Field(description="how many results", json_schema_extra={"minimum": 1, "maximum": 20}),
]
Texts = Annotated[list[str], BeforeValidator(_as_list)]
#: what is faulty in these is told or put right by the gate
Refs = Annotated[
    list[Any],
    BeforeValidator(_as_list),
    WithJsonSchema({"type": "array", "items": {"type": "string"}}),
]
Note = Annotated[Any, WithJsonSchema({"type": "string"})]
BatchId = Annotated[
    Maybe[str],
    Field(description="the batch meant; leave it out only in strictly sequential work"),
]


def _choice(*values: str) -> Any:
    return WithJsonSchema({"type": "string", "enum": list(values)})


def _known(values: tuple[str, ...], *, else_: str) -> BeforeValidator:
    """What is none of the values is taken for `else_` (06 §3)."""
    return BeforeValidator(lambda value: value if value in values else else_)


class Arguments(BaseModel):
    """What a model may pass; unknown arguments are ignored, null means not given."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _without_null(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        return {key: value for key, value in given.items() if value is not None}


class ListTopics(Arguments):
    """Arguments of list_topics."""

    query: str = Field(default="", description="words to look for in titles; blank lists all")
    category: Maybe[str] = Field(
        default=None, description=f"only this one: {', '.join(CATEGORIES)}"
    )
    offset: int = Field(default=0, description="how many entries to skip")
    limit: Limit = 12


class ExpandTopic(Arguments):
    """Arguments of expand_topic."""

    id: str = Field(description="topic id, also fallback:<event id>, from the directory")


class SearchEvents(Arguments):
    """Arguments of search_events."""

    query: str = Field(description="a few distinctive words; blank lists by filters and time")
    topic_id: Maybe[str] = Field(
        default=None, description="only events of this topic of the directory"
    )
    limit: Limit = 6
    offset: int = Field(default=0, description="how many results to skip")
    temporal_intent: Maybe[Literal["first", "latest"]] = Field(
        default=None, description="put the earliest or the latest matching events first"
    )
    event_type: Maybe[str] = Field(
        default=None, description="kind of event, for example decision, plan, change, meeting"
    )
    participants: Texts = Field(default=[], description="people or things that took part")
    happened_from: Maybe[str] = Field(
        default=None, description="start of the time of occurrence: ISO 8601 day or instant"
    )
    happened_to: Maybe[str] = Field(
        default=None, description="end of the time of occurrence: ISO 8601; a day counts whole"
    )


class ExpandEvent(Arguments):
    """Arguments of expand_event."""

    id: str = Field(description="event id from a search result")


AsOf = Annotated[
    Maybe[str],
    Field(description="what was so at this instant: ISO 8601 with an offset; leave it out for now"),
]


class SearchGraph(Arguments):
    """Arguments of search_graph."""

    query: str = Field(
        description="names of people, projects, organisations, tools or places, "
        "with the property that is asked for"
    )
    limit: Limit = 8
    as_of: AsOf = None


class ExpandGraphNode(Arguments):
    """Arguments of expand_graph_node."""

    id: str = Field(description="node id from a graph search")
    as_of: AsOf = None


class SearchRaw(Arguments):
    """Arguments of search_raw."""

    query: str = Field(description="words that were probably said; names, dates, terms")
    limit: Limit = 6
    scope: Literal["namespace", "session"] = Field(
        default="namespace", description="all conversations, or only this one (session)"
    )


class GetBlocks(Arguments):
    """Arguments of get_blocks."""

    scope: Literal["session", "namespace"] = Field(
        default="session", description="this conversation, or all of them (namespace)"
    )


class ExpandBlock(Arguments):
    """Arguments of expand_block."""

    id: str = Field(description="block id")
    target: Annotated[Any, WithJsonSchema({"type": "string"})] = Field(
        default="next", description="next for one level more, raw, or L0 to L5"
    )


class Remember(Arguments):
    """Arguments of remember."""

    content: str = Field(description="one self-contained sentence with its project, time or scope")
    category: Maybe[Literal["preference", "decision", "correction", "fact"]] = Field(
        default=None, description="what kind of fact it is"
    )


class Assess(Arguments):
    """Arguments of assess."""

    model_config = ConfigDict(
        json_schema_extra={
            "required": ["verdict", "evidence_refs", "fit", "missing", "next_strategy"]
        }
    )

    batch_id: BatchId = None
    verdict: Annotated[str, _known(VERDICTS, else_="partial"), _choice(*VERDICTS)] = Field(
        description="sufficient answers the actual question; partial lacks something; wrong is "
        "about another subject or state"
    )
    evidence_refs: Refs = Field(description="refs of this batch that carry the verdict")
    fit: Note = Field(default="", description="in one sentence, how the evidence fits")
    missing: Note = Field(default="", description="what is still missing; empty if nothing is")
    next_strategy: Annotated[
        str, _known(("", *STRATEGIES), else_="search_events"), _choice(*STRATEGIES)
    ] = Field(default="", description="answer if the verdict is sufficient, else what to try next")


class RecordUse(Arguments):
    """Arguments of record_use."""

    batch_id: BatchId = None
    evidence_refs: Refs = Field(
        description="exactly the refs that the answer uses, or [] if it uses none"
    )
