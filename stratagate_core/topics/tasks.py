"""The model task of this slice: where the events of a batch belong."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from stratagate_core.engine import Applied, Failed, Task, Work
from stratagate_core.errors import Conflict, ModelError
from stratagate_core.llm.offline import is_offline
from stratagate_core.llm.parse import compact_json
from stratagate_core.llm.prompts import load_prompt
from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.store import events, jobs, topic_queue, topics
from stratagate_core.text.estimate import estimate_tokens
from stratagate_core.text.language import Language, choose_language
from stratagate_core.text.normalise import label_identity
from stratagate_core.topics import steps
from stratagate_core.topics.context import Context, context
from stratagate_core.topics.queue import KIND, split
from stratagate_core.topics.rules.compact import compact, fingerprint
from stratagate_core.topics.rules.extractive import project
from stratagate_core.topics.rules.failures import diagnostics
from stratagate_core.topics.rules.labels import SECTION_TITLES
from stratagate_core.topics.rules.projection import Filed, Scope, admitted, faults, retired

_PROMPT = "project_topics.md"
#: estimated tokens of a whole question, and what its answer may have
INPUT, OUTPUT = 20_000, 32_768
#: of a known window these stay free, and with less than so many for the answer nothing is asked
_MARGIN, _LEAST = 1024, 256
#: finished jobs that are kept beside the one that is being finished
_JOBS_KEPT = 63


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class FiledSection(_Strict):
    """A section of a topic."""

    title: str = Field(description="at most 80 characters; an existing title word for word")
    source_event_ids: list[str] = Field(description="events of the batch that stand in it")


class FiledParagraph(_Strict):
    """A paragraph of an overview."""

    kind: str = Field(description="scope, history, decision, change or open-question")
    title: str | None = Field(default=None, description="the title of its section")
    text: str = Field(description="300 to 600 characters, never more than 1000")
    source_event_ids: list[str] = Field(description="1 to 12 events of the batch that say it")


class FiledTopic(_Strict):
    """A topic with what is put into it."""

    topic_id: str | None = Field(default=None, description="of an existing topic that goes on")
    title: str = Field(description="at most 120 characters")
    description: str = Field(description="one sentence, at most 400 characters")
    source_event_ids: list[str] = Field(description="events of the batch that belong to it")
    sections: list[FiledSection] = Field(description="each event of the batch stands in one")
    overview: list[FiledParagraph] = Field(description="new paragraphs; empty if there are none")


class Filing(_Strict):
    """The answer: topics with the events that are put into them."""

    topics: list[FiledTopic] = Field(description="1 to 12 topics; every event stands in one")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A batch of visible events with what the answer is checked against."""

    batch_id: str
    payload: Mapping[str, Any]
    scope: Scope
    #: of the events and the revisions of the topics, as they were read
    fingerprints: Mapping[str, str]
    revisions: Mapping[str, int]
    language: Language
    by_rules: bool
    estimated_input: int
    output_budget: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingPlan:
    """What an admitted answer writes."""

    prepared: Prepared
    filed: tuple[Filed, ...]
    retired: frozenset[str]


def load_batch(work: Work, batch_id: str) -> Prepared | None:
    """The events of a batch and the topics they may belong to; None if none of them waits."""
    batch = topic_queue.batch(work.tx, batch_id)
    shown = _waiting(work, batch_id)
    if batch is None or not shown:
        return None
    entries = [compact(event, work.settings.timezone) for event in shown]
    around = context(work, [entry for entry, _ in entries], only_topic=batch.topic_id)
    text = " ".join(f"{event.title} {event.summary}" for event in shown)
    language = choose_language(work.settings.language, text)
    payload: dict[str, Any] = {
        "job_id": batch_id,
        "language": language,
        "events": [entry for entry, _ in entries],
        "truncated_event_ids": [entry["id"] for entry, cut in entries if cut],
        "topics": list(around.entries),
        "omitted_topics": around.omitted,
    }
    if batch.topic_id:
        payload["only_topic"] = True
    by_rules = is_offline(work.env.model)
    estimated = _fitted(payload, by_rules=by_rules)
    budget = _budget(work, estimated)
    payload["output_budget"] = budget
    return Prepared(
        batch_id=batch_id,
        payload=payload,
        scope=_scope(shown, payload, around, batch.topic_id),
        fingerprints={event.id: fingerprint(event) for event in shown},
        revisions=around.revisions,
        language=language,
        by_rules=by_rules,
        estimated_input=estimated,
        output_budget=budget,
    )


def _waiting(work: Work, batch_id: str) -> list[Event]:
    """The visible events of a batch in the order of time."""
    held = events.by_ids(work.tx, list(topic_queue.waiting(work.tx, batch_id))).values()
    shown = (event for event in held if event.status in VISIBLE)
    return sorted(shown, key=lambda event: (event.chronology, event.id))


def _fitted(payload: dict[str, Any], *, by_rules: bool) -> int:
    """Drop the last candidates until the question fits; its estimated tokens."""
    words = estimate_tokens(load_prompt(_PROMPT).text + compact_json(Filing.model_json_schema()))
    while True:
        estimated = words + estimate_tokens(compact_json(payload))
        if by_rules or estimated <= INPUT or not payload["topics"]:
            return estimated
        payload["topics"] = payload["topics"][:-1]
        payload["omitted_topics"] += 1


def _budget(work: Work, estimated: int) -> int:
    """Tokens that the answer may have.

    Raises:
        ModelError: the question leaves no room for an answer in the window of the model.

    """
    window = getattr(work.env.model, "context_window", None)
    if not isinstance(window, int):
        return OUTPUT
    budget = min(OUTPUT, window - estimated - _MARGIN)
    if budget < _LEAST:
        raise ModelError(
            "project_topics: the question does not fit into the window of the model",
            reason="input-too-large",
            asked={"estimated_input": estimated, "output_budget": max(0, budget)},
        )
    return budget


def _scope(
    shown: list[Event], payload: Mapping[str, Any], around: Context, only_topic: str | None
) -> Scope:
    given = {entry["id"] for entry in payload["topics"]}
    return Scope(
        events=tuple(event.id for event in shown),
        truncated=frozenset(payload["truncated_event_ids"]),
        candidates={key: one for key, one in around.candidates.items() if key in given},
        labels=around.labels,
        holders=around.holders,
        only_topic=only_topic,
    )


def check_filing(prepared: Prepared, answer: Filing) -> tuple[str, ...]:
    """Everything that is wrong with an answer; any of it fails the whole."""
    return faults(_topics(answer), prepared.scope)


def admit_filing(prepared: Prepared, answer: Filing) -> FilingPlan:
    """What is written of an answer without faults."""
    given = _topics(answer)
    defaults = {kind: titles[prepared.language] for kind, titles in SECTION_TITLES.items()}
    return FilingPlan(
        prepared=prepared,
        filed=admitted(given, prepared.scope, defaults),
        retired=retired(given, prepared.scope),
    )


def _topics(answer: Filing) -> list[dict[str, Any]]:
    return [topic.model_dump() for topic in answer.topics]


def apply_filing(work: Work, plan: FilingPlan) -> Applied:
    """File the events, in one transaction with the job's state.

    Raises:
        Conflict: an event or a topic that was shown changed meanwhile; nothing is written.

    """
    prepared = plan.prepared
    shown = {event.id: event for event in _waiting(work, prepared.batch_id)}
    now = {key: fingerprint(event) for key, event in shown.items()}
    rows = topics.by_ids(work.tx, prepared.revisions)
    revisions = {key: row.revision for key, row in rows.items()}
    if now != prepared.fingerprints or revisions != prepared.revisions or _taken(work, plan):
        raise Conflict("source-changed")
    steps.file_events(
        work,
        plan.filed,
        shown,
        retired=plan.retired,
        by_rules=prepared.by_rules,
        prompt_hash=load_prompt(_PROMPT).hash,
    )
    topic_queue.delete_batch(work.tx, prepared.batch_id)
    jobs.prune(work.tx, KIND, kept=_JOBS_KEPT)
    return Applied(
        diagnostics={
            "events": len(shown),
            "topics": len(plan.filed),
            "candidates": len(prepared.revisions),
            "estimated_input": prepared.estimated_input,
            "output_budget": prepared.output_budget,
        }
    )


def _taken(work: Work, plan: FilingPlan) -> bool:
    """Whether another topic got one of the titles meanwhile."""
    titles = {label_identity(one.title): one.topic_id for one in plan.filed}
    owners = topics.by_labels(work.tx, titles)
    return any(row.id != titles[label] for label, row in owners.items())


def file_failed(work: Work, batch_id: str, error: Exception) -> Failed:
    """A failure in words of fixed lists; a batch whose answer was cut is halved."""
    batch = topic_queue.batch(work.tx, batch_id)
    waiting = _waiting(work, batch_id)
    known = diagnostics(error, events=len(waiting), depth=batch.depth if batch else 0)
    halved = known["class"] == "max-tokens" and batch is not None and split(work, batch)
    return Failed(error=known["class"], diagnostics=known, superseded=halved)


FILE: Task[Prepared, Filing, FilingPlan] = Task(
    name="project_topics",
    prompt=_PROMPT,
    answer=Filing,
    prepare=load_batch,
    payload=lambda prepared: prepared.payload,
    check=check_filing,
    offline=project,
    decide=admit_filing,
    apply=apply_filing,
    repair_cut=False,
    max_tokens=lambda prepared: prepared.output_budget,
    keep_answer=False,
    describe=lambda prepared: {
        "candidates": len(prepared.payload["topics"]),
        "estimated_input": prepared.estimated_input,
        "output_budget": prepared.output_budget,
    },
    put_off=steps.put_off,
    on_failure=file_failed,
)
