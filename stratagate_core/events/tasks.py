"""The model task of this slice: the events of one block."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from stratagate_core.conversation.rules.derivation import derivation_view
from stratagate_core.engine import Applied, Task, Work
from stratagate_core.errors import ModelError
from stratagate_core.events import writes
from stratagate_core.events.answer import ExtractedEvents
from stratagate_core.events.origin import origin_of
from stratagate_core.events.rules.admission import Origin, admit
from stratagate_core.events.rules.extractive import extract
from stratagate_core.events.rules.relations import renamed
from stratagate_core.events.timeline import entry, timeline
from stratagate_core.llm.prompts import load_prompt
from stratagate_core.model.event import Event
from stratagate_core.store import blocks
from stratagate_core.store.blocks import BlockRow

_PROMPT = "extract_events.md"
#: raised when the prompt or the rules of extraction change what they produce
EXTRACTOR_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A block whose events are wanted, with everything its cards are checked against."""

    origin: Origin
    sequence: int
    payload: Mapping[str, Any]
    #: events the answer may relate to: frozen before the model is asked
    timeline_ids: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionPlan:
    """The admitted cards; the place in the answer stands for the id of each."""

    block_id: str
    sequence: int
    cards: tuple[Event, ...] = ()
    #: the model validly said that there is nothing to keep
    skipped: bool = False
    dropped_quotes: int = 0
    rejected: int = 0


def load_target(work: Work, block_id: str) -> Prepared | None:
    """The block with its neighbours and the timeline, unless its events are settled."""
    block = blocks.get(work.tx, block_id)
    if block is None or block.status == "ready" or block.summary is None:
        return None
    origin = origin_of(work, block)
    if block.reread is not None:
        # the cards of its other messages are there already
        kept = {key: said for key, said in origin.messages.items() if key in block.reread}
        origin = replace(origin, messages=kept)
    shown = timeline(work, block)
    payload = {
        "block": {
            "id": block.id,
            "sequence": block.sequence,
            "turn_range": [block.start_turn, block.end_turn],
            "created_at": block.created_at.isoformat(),
        },
        "timezone": work.settings.display_timezone,
        "messages": derivation_view(tuple(origin.messages.values())),
        "neighbours": [_neighbour(block, other) for other in blocks.neighbours(work.tx, block)],
        "allowed_source_message_ids": list(origin.messages),
        "timeline": [entry(event, work.settings.timezone) for event in shown],
    }
    return Prepared(
        origin=origin,
        sequence=block.sequence,
        payload=payload,
        timeline_ids=frozenset(event.id for event in shown),
    )


def _neighbour(block: BlockRow, other: BlockRow) -> dict[str, Any]:
    place = "earlier" if other.sequence < block.sequence else "later"
    return {"id": other.id, "place": place, "key_points": list(other.key_points)}


def no_faults(prepared: Prepared, answer: ExtractedEvents) -> tuple[str, ...]:
    """None: a bad card costs itself when it is admitted, not the answer (02 §4)."""
    return ()


def admit_events(prepared: Prepared, answer: ExtractedEvents) -> ExtractionPlan:
    """The acceptable cards of an answer; none although some were promised is a failure."""
    plan = ExtractionPlan(block_id=prepared.origin.block_id, sequence=prepared.sequence)
    if not answer.should_extract:
        return replace(plan, skipped=True)
    raws = [{**dict(card), "extractor_version": EXTRACTOR_VERSION} for card in answer.events]
    admission = admit(raws, prepared.origin, related=prepared.timeline_ids)
    if not admission.cards:
        reason = answer.reason.strip() or "no reason was given"
        message = f"{EXTRACT.name}: no valid events: {reason}"
        raise ModelError(message, reason=reason, rejected=admission.rejected)
    return replace(
        plan,
        cards=admission.cards,
        dropped_quotes=admission.dropped_quotes,
        rejected=admission.rejected,
    )


def write_events(work: Work, plan: ExtractionPlan) -> Applied:
    """Store the cards and make the block ready, in one transaction with the job's state."""
    ids = {card.id: work.new_id("evt") for card in plan.cards}
    added = [
        replace(
            card,
            id=ids[card.id],
            temporal=renamed(card.temporal, ids),
            created_at=work.now,
            updated_at=work.now,
        )
        for card in plan.cards
    ]
    prompt_hash = load_prompt(_PROMPT).hash
    stored = writes.add(work, added, block_sequence=plan.sequence, prompt_hash=prompt_hash)
    writes.announce(work, stored)
    blocks.make_ready(work.tx, plan.block_id)
    if plan.skipped:
        return Applied(skipped=True)
    counted = {"events": len(added), "rejected_cards": plan.rejected}
    return Applied(diagnostics={**counted, "dropped_quotes": plan.dropped_quotes})


EXTRACT: Task[Prepared, ExtractedEvents, ExtractionPlan] = Task(
    name="extract_events",
    prompt=_PROMPT,
    answer=ExtractedEvents,
    prepare=load_target,
    payload=lambda prepared: prepared.payload,
    check=no_faults,
    offline=extract,
    decide=admit_events,
    apply=write_events,
)
