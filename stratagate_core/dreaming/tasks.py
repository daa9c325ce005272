"""The model task of this slice: one step of tidying a batch of the directory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from stratagate_core.dreaming import steps
from stratagate_core.dreaming.rules.edits import OPERATIONS
from stratagate_core.dreaming.rules.extractive import tidy
from stratagate_core.engine import Applied, Task, Work
from stratagate_core.llm.offline import is_offline
from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.store import dreams, events, topic_members, topics
from stratagate_core.store.dreams import RunRow
from stratagate_core.store.topics import TopicRow
from stratagate_core.text.language import choose_language
from stratagate_core.topics.rules.compact import compact

_PROMPT = "tidy_topics.md"
#: of the directory so many titles are shown, and of the transcript so many entries
_TITLES, _HISTORY = 500, 12
#: topics and events that can be asked for at once
_SHOWN = 12


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Edit(_Strict):
    """One change of the directory; which fields it needs depends on `op`."""

    op: str = Field(description=f"one of {', '.join(OPERATIONS)}")
    topic_id: str = Field(description="the topic that is changed")
    title: str | None = None
    description: str | None = None
    other_topic_ids: list[str] | None = Field(default=None, description="topics that end in it")
    event_ids: list[str] | None = Field(default=None, description="members that are moved")
    to_topic_id: str | None = None
    to_title: str | None = Field(default=None, description="title of a topic that is made")
    section: str | None = Field(default=None, description="title of a section")
    kind: str | None = Field(default=None, description="of a paragraph")
    text: str | None = None
    source_event_ids: list[str] | None = Field(default=None, description="1 to 12 members")
    experience_id: str | None = None


class Tidying(_Strict):
    """The answer: edits, or what is to be shown, or that the batch is done."""

    edits: list[Edit] = Field(description="changes, in order; each is written alone")
    show_topic_ids: list[str] = Field(default=[], description="topics to be shown next")
    show_event_ids: list[str] = Field(default=[], description="events to be shown next")
    batch_done: bool = Field(default=False, description="nothing is left to do in this batch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A batch of the directory as it is shown."""

    lease: str
    payload: Mapping[str, Any]
    #: the events that are shown
    read: tuple[str, ...]
    by_rules: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TidyPlan:
    """What an answer asks for."""

    lease: str
    answer: Mapping[str, Any]
    read: tuple[str, ...]


def load_step(work: Work, lease: str) -> Prepared | None:
    """The batch that is worked on, with what was asked for beside it."""
    run = steps.mine(work, lease)
    rows = topics.everything(work.tx)
    shown = _parts(work, run, {row.id: row for row in rows if row.valid})
    ids = [key for _, keys in shown for key in keys]
    asked = list(run.shown.get("event_ids", ()))[:_SHOWN]
    known = events.by_ids(work.tx, [*ids, *asked])
    visible = {key: event for key, event in known.items() if event.status in VISIBLE}
    entries = {key: compact(event, work.settings.timezone)[0] for key, event in visible.items()}
    text = " ".join(event.title for event in visible.values())
    payload = {
        "language": choose_language(work.settings.language, text),
        "batch": run.batches_done + 1,
        "batches": len(run.plan),
        "directions": list(run.directions),
        "directory": [
            {"id": row.id, "title": row.title, "events": row.members}
            for row in rows[:_TITLES]
            if row.valid
        ],
        "topics": [_topic_entry(work, row, keys, visible) for row, keys in shown],
        "events": entries,
        "history": _history(work, run),
    }
    by_rules = is_offline(work.env.model)
    return Prepared(lease=lease, payload=payload, read=_read(payload), by_rules=by_rules)


def _read(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """The events whose words are shown, also those that prose tells of."""
    parts = (
        part for topic in payload["topics"] for part in (*topic["overview"], *topic["experiences"])
    )
    told = (key for part in parts for key in part["source_event_ids"])
    return tuple(dict.fromkeys((*payload["events"], *told)))


def _parts(
    work: Work, run: RunRow, rows: Mapping[str, TopicRow]
) -> list[tuple[TopicRow, list[str]]]:
    """The topics of the batch with those of its events that are still members."""
    planned = list(run.plan[run.batches_done])
    wanted = [key for key in run.shown.get("topic_ids", ()) if key in rows][:_SHOWN]
    found = [
        (row, list(topic_members.held(work.tx, row.id, part["event_ids"])))
        for part in planned
        if (row := rows.get(part["topic_id"]))
    ]
    there = {row.id for row, _ in found}
    for key in wanted:
        if key not in there:
            newest = topic_members.members(work.tx, key, limit=_SHOWN, newest=True)
            found.append((rows[key], [member.event_id for member in newest]))
    return [(row, _in_order(work, row.id, keys)) for row, keys in found]


def _in_order(work: Work, topic_id: str, keys: list[str]) -> list[str]:
    return [member.event_id for member in topic_members.some(work.tx, topic_id, keys)]


def _topic_entry(
    work: Work, row: TopicRow, keys: list[str], visible: Mapping[str, Event]
) -> dict[str, Any]:
    shown = [key for key in keys if key in visible]
    places = topic_members.sections_of(work.tx, row.id, shown)
    titles = topic_members.titles(work.tx, row.id)
    return {
        "id": row.id,
        "title": row.title,
        "description": row.description,
        "total": row.members,
        "event_ids": shown,
        "sections": [
            {"title": title, "event_ids": [one for one in shown if key in places.get(one, ())]}
            for key, title in sorted(titles.items(), key=lambda entry: entry[1])
        ],
        "uncovered_event_ids": [key for key in shown if key not in places],
        "overview": [{k: v for k, v in one.items() if k != "section"} for one in row.overview],
        "experiences": [dict(one) for one in row.experiences],
    }


def _history(work: Work, run: RunRow) -> list[dict[str, Any]]:
    """The last entries of the transcript: older ones are left out, and stay readable."""
    first = max(0, run.steps - _HISTORY)
    last = dreams.steps(work.tx, run.number, offset=first)
    return [{"kind": one.kind, **one.content} for one in last]


def take_answer(prepared: Prepared, answer: Tidying) -> TidyPlan:
    """The answer as it is kept until it is written, edit by edit."""
    given = answer.model_dump()
    edits = [{k: v for k, v in edit.items() if v is not None} for edit in given["edits"]]
    marked = [{**edit, "by_rules": True} for edit in edits] if prepared.by_rules else edits
    return TidyPlan(lease=prepared.lease, answer={**given, "edits": marked}, read=prepared.read)


def apply_answer(work: Work, plan: TidyPlan) -> Applied:
    """Keep the answer with the run."""
    steps.answered(work, plan.lease, plan.answer, plan.read)
    return Applied()


TIDY: Task[Prepared, Tidying, TidyPlan] = Task(
    name="tidy_topics",
    prompt=_PROMPT,
    answer=Tidying,
    prepare=load_step,
    payload=lambda prepared: prepared.payload,
    check=lambda _prepared, _answer: (),
    offline=tidy,
    decide=take_answer,
    apply=apply_answer,
    repair_cut=False,
    answers=1,
    keep_answer=False,
)
