"""The model task of this slice: the events of one block."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from stratagate_core.conversation.rules.derivation import derivation_view
from stratagate_core.engine import Applied, Task, Work
from stratagate_core.errors import ModelError
from stratagate_core.events import writes
from stratagate_core.events.rules.admission import (
    EXTRACTOR_VERSION,
    card_of,
    checked_quotes,
    merged,
    permitted,
    related_ids,
)
from stratagate_core.events.rules.extractive import extract
from stratagate_core.events.timeline import entry, timeline
from stratagate_core.llm.prompts import load_prompt
from stratagate_core.model.event import BASES, HAPPENINGS, PRECISIONS, RELATIONS, VISIBLE, Event
from stratagate_core.model.message import Message
from stratagate_core.store import blocks, events, turns
from stratagate_core.store.blocks import BlockRow
from stratagate_core.text.redact import redact

_PROMPT = "extract_events.md"

#: shown to the model; what comes back is normalised in code, so a slip costs a field, not a card
_TEMPORAL: dict[str, Any] = {
    "type": "object",
    "description": "when it happened and what it relates to; leave out what is not said",
    "properties": {
        "original_text": {
            "type": "string",
            "description": "the words of the text that name the time, exactly as written",
        },
        "happened_start": {
            "type": "string",
            "description": "ISO date or time, only if the text gives a full date",
        },
        "happened_end": {"type": "string", "description": "ISO date or time of a range's end"},
        "precision": {"type": "string", "enum": list(PRECISIONS)},
        "basis": {"type": "string", "enum": list(BASES)},
        "status": {
            "type": "string",
            "enum": list(HAPPENINGS),
            "description": "a plan is planned, never occurred",
        },
        "event_type": {
            "type": "string",
            "description": "decision, release, task_completed, plan, change, cancellation, "
            "incident, meeting, collaboration, migration or other",
        },
        "participants": {
            "type": "array",
            "items": {"type": "string"},
            "description": "people and organisations that take part",
        },
        "same_event_id": {
            "type": "string",
            "description": "id of the timeline event that is the same happening",
        },
        **{
            name: {
                "type": "array",
                "items": {"type": "string"},
                "description": "ids of timeline events, only with a clear anchor in the text",
            }
            for name in RELATIONS
        },
    },
}


class ExtractedEvent(BaseModel):
    """One atomic card."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(description="what happened or is so, understandable alone, ≤ 200 characters")
    summary: str = Field(description="the same with its reason and details, ≤ 1000 characters")
    source_message_ids: list[str] = Field(
        description="ids of the target messages that say it; from allowed_source_message_ids only"
    )
    scope: Literal["user", "project", "session"] = Field(
        description="user: stable facts about the user; project: of the project; session: only "
        "for this conversation; in doubt the narrower one"
    )
    tags: list[str] = Field(default=[], description="up to 12 short tags")
    quotes: list[str] = Field(
        default=[], description="short verbatim pieces of the cited messages that prove it"
    )
    temporal: Annotated[Any, WithJsonSchema(_TEMPORAL)] = Field(
        default=None, description="times and relations"
    )
    criticality: Annotated[
        Any,
        WithJsonSchema({"type": "string", "enum": ["routine", "preference", "identity", "safety"]}),
    ] = Field(default="routine", description="how much it matters for good")
    catalog_hints: Annotated[
        Any, WithJsonSchema({"type": "array", "items": {"type": "string"}, "maxItems": 2})
    ] = Field(default=None, description="up to 2 subjects it may be filed under")


class ExtractedEvents(BaseModel):
    """The answer: the cards of one block, or that there are none."""

    model_config = ConfigDict(extra="forbid")

    should_extract: bool = Field(
        strict=True, description="false when nothing has value beyond this conversation"
    )
    reason: str = Field(description="one sentence: why these, or why none")
    events: list[ExtractedEvent] = Field(
        description="the cards; empty when should_extract is false"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A block whose events are wanted, with everything its cards are checked against."""

    block: BlockRow
    payload: Mapping[str, Any]
    #: the block's messages by id
    messages: Mapping[str, Message]
    #: their texts as the model sees them
    shown: Mapping[str, str]
    #: events the answer may relate to: frozen before the model is asked
    timeline_ids: frozenset[str]
    timezone: tzinfo
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionPlan:
    """The admitted cards, still without ids."""

    block: BlockRow
    cards: tuple[Event, ...]
    skipped: bool
    dropped_quotes: int = 0
    rejected: int = 0


def load_target(work: Work, block_id: str) -> Prepared | None:
    """The block with its neighbours and the timeline, unless it is ready already."""
    block = blocks.get(work.tx, block_id)
    if block is None or block.status == "ready" or block.summary is None:
        return None
    messages = turns.block_messages(work.tx, block_id)
    view = derivation_view(messages)
    shown_events = timeline(work, block)
    payload = {
        "block": {
            "id": block.id,
            "sequence": block.sequence,
            "turn_range": [block.start_turn, block.end_turn],
            "created_at": block.created_at.isoformat(),
        },
        "messages": view,
        "neighbours": [
            {"id": other.id, "key_points": list(other.key_points)}
            for other in blocks.neighbours(work.tx, block)
        ],
        "allowed_source_message_ids": [message.id for message in messages],
        "timeline": [entry(event) for event in shown_events],
    }
    return Prepared(
        block=block,
        payload=payload,
        messages={str(message.id): message for message in messages},
        shown={str(seen["id"]): str(redact(seen.get("content", ""))) for seen in view},
        timeline_ids=frozenset(event.id for event in shown_events),
        timezone=work.settings.timezone,
        now=work.now,
    )


def check_sources(prepared: Prepared, answer: ExtractedEvents) -> tuple[str, ...]:
    """Sources are checked card by card when the answer is admitted: one bad card costs itself."""
    return ()


def admit_events(prepared: Prepared, answer: ExtractedEvents) -> ExtractionPlan:
    """The acceptable cards of an answer; none although some were promised is a failure."""
    if not answer.should_extract:
        return ExtractionPlan(block=prepared.block, cards=(), skipped=True)
    admitted: list[tuple[Mapping[str, Any], Event]] = []
    dropped = rejected = 0
    for one in answer.events:
        raw = one.model_dump()
        card = card_of(
            raw,
            event_id="",
            block_id=prepared.block.id,
            messages=prepared.messages,
            formed_turn=prepared.block.last_number,
            thread=prepared.block.thread,
            timezone=prepared.timezone,
            now=prepared.now,
        )
        if isinstance(card, str):
            rejected += 1
            continue
        quotes, lost = checked_quotes(card.quotes, _cited(prepared, card))
        dropped += lost
        times = permitted(card.temporal, prepared.timeline_ids)
        version = EXTRACTOR_VERSION
        admitted.append(
            (raw, replace(card, quotes=quotes, temporal=times, extractor_version=version))
        )
    if not admitted:
        raise ModelError(f"no valid events: {answer.reason}", reason=answer.reason)
    return ExtractionPlan(
        block=prepared.block,
        cards=merged(admitted),
        skipped=False,
        dropped_quotes=dropped,
        rejected=rejected,
    )


def _cited(prepared: Prepared, card: Event) -> list[str]:
    stored = [prepared.messages[name].content for name in card.source_message_ids]
    return stored + [prepared.shown.get(name, "") for name in card.source_message_ids]


def write_events(work: Work, plan: ExtractionPlan) -> Applied:
    """Store the cards and make the block ready, in one transaction with the job's state."""
    related = {key for card in plan.cards for key in related_ids(card.temporal)}
    known = events.by_ids(work.tx, sorted(related))
    visible = {key for key, event in known.items() if event.status in VISIBLE}
    cards = [
        replace(
            card,
            id=work.new_id("evt"),
            temporal=permitted(card.temporal, visible),
            created_at=work.now,
            updated_at=work.now,
        )
        for card in plan.cards
    ]
    writes.add(
        work,
        cards,
        block_sequence=plan.block.sequence,
        prompt_hash=load_prompt(_PROMPT).hash,
    )
    writes.announce(work, cards)
    blocks.make_ready(work.tx, plan.block.id)
    counted = {"events": len(cards), "dropped_quotes": plan.dropped_quotes}
    return Applied(skipped=plan.skipped, diagnostics={**counted, "rejected_cards": plan.rejected})


EXTRACT: Task[Prepared, ExtractedEvents, ExtractionPlan] = Task(
    name="extract_events",
    prompt=_PROMPT,
    answer=ExtractedEvents,
    prepare=load_target,
    payload=lambda prepared: prepared.payload,
    check=check_sources,
    offline=extract,
    decide=admit_events,
    apply=write_events,
)
