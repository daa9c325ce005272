"""The model task of this slice: the levels L0–L2 of a sealed block."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from stratagate_core.conversation.rules.derivation import derivation_view
from stratagate_core.conversation.rules.extractive import summarise
from stratagate_core.engine import Applied, Task, Work
from stratagate_core.llm.prompts import load_prompt
from stratagate_core.model.facts import BlockSummarised
from stratagate_core.store import blocks, turns
from stratagate_core.text.clip import clip

#: what is stored (01 §3)
TITLE, SUMMARY, POINT = 120, 2000, 2000
TAGS, POINTS = 12, 20

_PROMPT = "summarise_block.md"


class BlockSummary(BaseModel):
    """The answer: what a stretch of conversation was about."""

    model_config = ConfigDict(extra="forbid")

    l0_title: str = Field(description="what the stretch is about, about 60 characters")
    l0_tags: list[str] = Field(description="2 to 5 short tags")
    l1_summary: str = Field(description="1 to 3 sentences: who said, decided or did what")
    l2_keypoints: list[str] = Field(description="3 to 8 points worth keeping, one thought each")
    should_extract: bool = Field(
        strict=True, description="true when anything in it could matter later"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A pending block and what the model sees of it."""

    block_id: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPlan:
    """What is stored."""

    block_id: str
    title: str
    tags: tuple[str, ...]
    summary: str
    key_points: tuple[str, ...]
    should_extract: bool


def load_block(work: Work, block_id: str) -> Prepared | None:
    """The block, unless it was summarised already."""
    row = blocks.get(work.tx, block_id)
    if row is None or row.summary is not None:
        return None
    block = {
        "id": row.id,
        "turn_range": [row.start_turn, row.end_turn],
        "created_at": row.created_at.isoformat(),
    }
    messages = derivation_view(turns.block_messages(work.tx, row.id))
    return Prepared(block_id=row.id, payload={"block": block, "messages": messages})


def check_summary(prepared: Prepared, answer: BlockSummary) -> tuple[str, ...]:
    """Title and summary must say something."""
    texts = {"l0_title": answer.l0_title, "l1_summary": answer.l1_summary}
    return tuple(f"{name}: must not be blank" for name, text in texts.items() if not text.strip())


def plan_summary(prepared: Prepared, answer: BlockSummary) -> SummaryPlan:
    """The answer within the stored limits."""
    return SummaryPlan(
        block_id=prepared.block_id,
        title=clip(answer.l0_title.strip(), TITLE),
        tags=_listed(answer.l0_tags, TITLE)[:TAGS],
        summary=clip(answer.l1_summary.strip(), SUMMARY),
        key_points=_listed(answer.l2_keypoints, POINT)[:POINTS],
        should_extract=answer.should_extract,
    )


def _listed(texts: list[str], longest: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(clip(text.strip(), longest) for text in texts if text.strip()))


def write_summary(work: Work, plan: SummaryPlan) -> Applied:
    """Store the levels; without anything to extract the block is ready."""
    blocks.put_summary(
        work.tx,
        plan.block_id,
        title=plan.title,
        tags=plan.tags,
        summary=plan.summary,
        key_points=plan.key_points,
        should_extract=plan.should_extract,
        prompt_hash=load_prompt(_PROMPT).hash,
    )
    block = blocks.get(work.tx, plan.block_id)
    # after a purge there may be nothing left of it that has no card yet
    wanted = plan.should_extract and (block is None or block.reread != ())
    if not wanted:
        blocks.make_ready(work.tx, plan.block_id)
    work.emit(BlockSummarised(plan.block_id, wanted))
    return Applied()


SUMMARISE: Task[Prepared, BlockSummary, SummaryPlan] = Task(
    name="summarise_block",
    prompt=_PROMPT,
    answer=BlockSummary,
    prepare=load_block,
    payload=lambda prepared: prepared.payload,
    check=check_summary,
    offline=summarise,
    decide=plan_summary,
    apply=write_summary,
)
