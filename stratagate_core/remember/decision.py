"""The question to a model whether a fact is new, completes, replaces or contradicts what is known.

A slip in the answer costs at most the decision, never the fact: it is then kept as a possible
conflict.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SkipValidation

from stratagate_core.cards.normalise import temporal_to_json
from stratagate_core.engine import Env
from stratagate_core.llm.ask import Question
from stratagate_core.model.event import Event
from stratagate_core.remember.rules import Candidate

TASK, PROMPT = "decide_memory", "decide_memory.md"
#: seconds a caller waits for a decision at most
PATIENCE = 30.0


class MergedText(BaseModel):
    """One text that says what both said."""

    model_config = ConfigDict(extra="ignore")

    title: SkipValidation[str] = Field(default="", description="one line, 80 characters")
    summary: SkipValidation[str] = Field(default="", description="one or two sentences")


class Decision(BaseModel):
    """The answer."""

    model_config = ConfigDict(extra="ignore")

    action: str = Field(
        description="ADD, MERGE, SUPERSEDE, CONFLICT or IGNORE",
        json_schema_extra={"enum": ["ADD", "MERGE", "SUPERSEDE", "CONFLICT", "IGNORE"]},
    )
    existing_event_ids: SkipValidation[list[str]] = Field(
        default=[], description="ids of the matches that are meant; none for ADD and IGNORE"
    )
    merged_candidate: SkipValidation[MergedText | None] = Field(
        default=None, description="for MERGE: one text that says what both said, nothing more"
    )
    reason: SkipValidation[str] = Field(default="", description="one sentence")
    confidence: SkipValidation[float | None] = Field(
        default=None, description="how sure you are, 0 to 1"
    )


def question(env: Env, candidate: Candidate, matches: Sequence[Event]) -> Question[Decision]:
    """The question about a candidate and the events that may be about the same."""
    settings = env.settings
    return Question(
        task=TASK,
        prompt=PROMPT,
        payload=payload(env, candidate, matches),
        answer=Decision,
        check=lambda answer: (),
        max_tokens=settings.max_output_tokens,
        timeout=min(settings.structured_task_timeout, PATIENCE),
        reasoning=settings.structured_reasoning_effort,
    )


def payload(env: Env, candidate: Candidate, matches: Sequence[Event]) -> Mapping[str, Any]:
    """What the model sees: the candidate and its matches, nothing else."""
    timezone = env.settings.timezone
    return {
        "candidate": {
            "title": candidate.title,
            "summary": candidate.summary,
            "category": candidate.category,
            "recorded_at": env.clock().astimezone(timezone).isoformat(),
        },
        "matches": [
            {
                "id": event.id,
                "title": event.title,
                "summary": event.summary,
                "scope": event.scope,
                "status": event.status,
                "temporal": temporal_to_json(event.temporal, timezone),
            }
            for event in matches
        ],
    }
