"""The model task of this slice: what a batch of events adds to the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from stratagate_core.engine import Applied, Task, Work
from stratagate_core.errors import Conflict, ModelError, NotFound
from stratagate_core.graph import steps
from stratagate_core.graph.context import context, event_entry
from stratagate_core.graph.rules.admission import (
    EDGES,
    NODES,
    Batch,
    Inadmissible,
    admit,
    name_proof_faults,
)
from stratagate_core.graph.rules.extractive import project
from stratagate_core.graph.rules.statements import Answer, Source, Sources
from stratagate_core.llm.prompts import load_prompt
from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.model.graph import NODE_TYPES, STATUSES, Trust
from stratagate_core.store import blocks, events, graph, turns
from stratagate_core.text.clip import clip

_PROMPT = "project_graph.md"
_REASON = 500

_IDS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_PROVEN: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"value": {"type": "string"}, "source_event_ids": _IDS},
        "required": ["value", "source_event_ids"],
    },
}


def _as(kind: str | Mapping[str, Any], **more: Any) -> Any:
    schema = {"type": kind} if isinstance(kind, str) else dict(kind)
    return WithJsonSchema(schema | more)


class ProjectedFact(BaseModel):
    """One fact of a node."""

    model_config = ConfigDict(extra="ignore")

    key: Annotated[Any, _as("string")] = Field(description="one or two words")
    value: Annotated[Any, WithJsonSchema({"anyOf": [{"type": "string"}, _IDS]})] = Field(
        description="a text, or a list of texts"
    )
    source_event_ids: Annotated[Any, _as(_IDS)] = Field(
        default=None, description="events of the batch that state it"
    )
    mode: Annotated[Any, _as("string", enum=["state", "set"])] = Field(
        default="state", description="state: one value holds; set: values add up"
    )
    depends_on: Annotated[Any, _as(_IDS)] = Field(
        default=None, description="keys of facts without which this one no longer holds"
    )
    status: Annotated[Any, _as("string", enum=list(STATUSES))] = None
    valid_from: Annotated[Any, _as("string")] = Field(default=None, description="ISO date or time")
    valid_to: Annotated[Any, _as("string")] = Field(default=None, description="ISO date or time")
    confidence: Annotated[Any, _as("number")] = Field(default=None, description="0 to 1")


class ProjectedNode(BaseModel):
    """One node with its facts."""

    model_config = ConfigDict(extra="ignore")

    ref: Annotated[Any, _as("string")] = Field(description="its name inside this answer")
    name: Annotated[Any, _as("string")] = Field(description="as the events call it")
    type: Annotated[Any, _as("string", enum=list(NODE_TYPES))] = Field(description="kind of node")
    source_event_ids: Annotated[Any, _as(_IDS)] = Field(
        default=None, description="events of the batch that speak of it"
    )
    metadata_provenance: Annotated[
        Any,
        WithJsonSchema(
            {
                "type": "object",
                "properties": {"name": _IDS, "aliases": _PROVEN, "tags": _PROVEN},
                "required": ["name"],
            }
        ),
    ] = Field(default=None, description="the events that prove name, aliases and tags")
    aliases: Annotated[Any, _as(_IDS)] = Field(default=None, description="other names")
    tags: Annotated[Any, _as(_IDS)] = Field(default=None, description="one to six roles")
    state: Annotated[Any, _as("string")] = Field(default=None, description="how it stands now")
    facts: list[ProjectedFact] = Field(default=[], description="what is so about it")
    status: Annotated[Any, _as("string", enum=list(STATUSES))] = "active"
    valid_from: Annotated[Any, _as("string")] = Field(
        default=None, description="for facts without their own"
    )
    valid_to: Annotated[Any, _as("string")] = Field(
        default=None, description="for facts without their own"
    )
    confidence: Annotated[Any, _as("number")] = Field(default=None, description="0 to 1")


class ProjectedEdge(BaseModel):
    """One relation."""

    model_config = ConfigDict(extra="ignore")

    from_ref: Annotated[Any, _as("string")] = Field(description="ref of a node of this answer")
    to_ref: Annotated[Any, _as("string")] = Field(description="ref of another node")
    relation: Annotated[Any, _as("string")] = Field(description="short, for example uses")
    cardinality: Annotated[Any, _as("string", enum=["many", "single"])] = "many"
    status: Annotated[Any, _as("string", enum=list(STATUSES))] = "active"
    source_event_ids: Annotated[Any, _as(_IDS)] = Field(
        default=None, description="events of the batch that state it"
    )
    valid_from: Annotated[Any, _as("string")] = Field(default=None, description="ISO date or time")
    valid_to: Annotated[Any, _as("string")] = Field(default=None, description="ISO date or time")
    confidence: Annotated[Any, _as("number")] = Field(default=None, description="0 to 1")


class Projection(BaseModel):
    """The answer: what the events add to the graph."""

    model_config = ConfigDict(extra="ignore")

    reason: str = Field(description="one sentence: what was added, or why nothing")
    nodes: list[ProjectedNode] = Field(description=f"at most {NODES}")
    edges: list[ProjectedEdge] = Field(description=f"at most {EDGES}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A batch of visible events with what the answer is checked against."""

    batch_id: str
    payload: Mapping[str, Any]
    sources: Sources
    #: fact keys of the shown nodes by their normalised names
    known: Mapping[str, frozenset[str]]
    timezone: tzinfo


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionPlan:
    """The admitted statements and what was dropped."""

    answer: Answer
    reason: str
    warnings: tuple[str, ...] = field(default=())


def load_batch(work: Work, batch_id: str) -> Prepared | None:
    """The events of a batch and the part of the graph they may touch; None if it is answered.

    Raises:
        NotFound: none of its events may be shown any more.

    """
    if graph.answers(work.tx, [batch_id]):
        return None
    held = events.by_ids(work.tx, graph.batch_events(work.tx, batch_id)).values()
    shown = sorted(
        (event for event in held if event.status in VISIBLE),
        key=lambda event: (event.chronology, event.id),
    )
    if not shown:
        raise NotFound("no source of this batch is visible any more")
    around = context(work, shown)
    return Prepared(
        batch_id=batch_id,
        payload={
            "events": [event_entry(event, work.settings.timezone) for event in shown],
            **around.payload,
        },
        sources=_sources(work, shown),
        known=around.known,
        timezone=work.settings.timezone,
    )


def _sources(work: Work, shown: Sequence[Event]) -> dict[str, Source]:
    cited = [key for event in shown for key in event.source_message_ids]
    said = turns.messages_by_id(work.tx, cited)
    rows = blocks.by_ids(work.tx, [e.source_block_id for e in shown if e.source_block_id])
    found = {}
    for event in shown:
        messages = [said[key] for key in event.source_message_ids if key in said]
        row = rows.get(event.source_block_id or "")
        roles = {message.role for message in messages}
        speaker: Trust = "tool" if roles else "user"
        if row is not None and row.synthetic:
            speaker = "import"
        elif "user" in roles:
            speaker = "user"
        elif "assistant" in roles:
            speaker = "assistant"
        first = min(messages, key=lambda one: (one.turn or 0, one.role != "user"), default=None)
        found[event.id] = Source(
            id=event.id,
            chronology=event.chronology,
            mentioned_at=event.temporal.mentioned_at or event.created_at,
            created_at=event.created_at,
            turn=(first.turn or 0) if first else event.formed_turn,
            position=0 if first is None or first.role == "user" else 1,
            speaker=speaker,
            status=event.status,
        )
    return found


def check_shape(prepared: Prepared, answer: Projection) -> tuple[str, ...]:
    """Proofs of names in a shape that cannot be read; the rest is admitted or dropped."""
    return name_proof_faults([node.model_dump() for node in answer.nodes])


def admit_projection(prepared: Prepared, answer: Projection) -> ProjectionPlan:
    """The statements that may enter the graph.

    Raises:
        ModelError: a node has no valid source, or nothing proves its name.

    """
    batch = Batch(sources=prepared.sources, known=prepared.known, timezone=prepared.timezone)
    nodes = [node.model_dump() for node in answer.nodes]
    given = [edge.model_dump() for edge in answer.edges]
    try:
        stated, edges = admit(nodes, given, batch)
    except Inadmissible as error:
        raise ModelError(f"project_graph: {error}", task="project_graph") from error
    return ProjectionPlan(
        answer=Answer(id=prepared.batch_id, sources=prepared.sources, nodes=stated, edges=edges),
        reason=answer.reason,
        warnings=tuple(batch.warnings),
    )


def apply_projection(work: Work, plan: ProjectionPlan) -> Applied:
    """Store the answer and fold it, in one transaction with the job's state.

    Raises:
        Conflict: an event was hidden while the model was asked; nothing changes.

    """
    known = events.by_ids(work.tx, sorted(plan.answer.sources))
    hidden = [
        key
        for key in sorted(plan.answer.sources)
        if key not in known or known[key].status not in VISIBLE
    ]
    if hidden:
        raise Conflict(f"sources were forgotten meanwhile: {', '.join(hidden)}")
    told = clip("; ".join([plan.reason, *plan.warnings]), _REASON)
    steps.complete(work, plan.answer, reason=told, prompt_hash=load_prompt(_PROMPT).hash)
    counted = {"nodes": len(plan.answer.nodes), "edges": len(plan.answer.edges)}
    return Applied(diagnostics={**counted, "warnings": len(plan.warnings), "reason": told})


PROJECT: Task[Prepared, Projection, ProjectionPlan] = Task(
    name="project_graph",
    prompt=_PROMPT,
    answer=Projection,
    prepare=load_batch,
    payload=lambda prepared: prepared.payload,
    check=check_shape,
    offline=project,
    decide=admit_projection,
    apply=apply_projection,
    repair_cut=False,
)
