"""What models really answer: what is usable is used, anything else fails alone and is repaired."""

from itertools import chain, repeat
from typing import Any

import pytest

from stratagate_core import Request, StrataGate
from stratagate_core.testing import Answer, ScriptedModel
from tests.bad_answers import EXTRACT, JOB_OF, SUMMARISE, UNUSABLE, USABLE, Said, good
from tests.conftest import NO_GRAPH, Opener

pytestmark = [pytest.mark.slow, pytest.mark.one_database]

SETTINGS = {"block_turn_size": 1, "processing": "inline"}


def _card(**parts: Any) -> Said:
    """An extraction whose one card is changed; a part that is None is left out."""

    def line(request: Request) -> Answer:
        answer = good(request)
        (card,) = answer["events"]
        changed = {key: value for key, value in {**card, **parts}.items() if value is not None}
        return {**answer, "events": [changed]}

    return line


REFUSED: dict[str, Said] = UNUSABLE | {
    "an extra key": lambda request: {**good(request), "confidence": 0.9},
    "null for a flag": lambda request: {**good(request), "should_extract": None},
    "a word for a flag": lambda request: {**good(request), "should_extract": "yes"},
}
REJECTED: dict[str, Said] = {
    "foreign ids": _card(source_message_ids=["msg_999"]),
    "one foreign id": _card(source_message_ids=["msg_1", "msg_999"]),
    "ids as text": _card(source_message_ids="msg_1"),
    "no ids": _card(source_message_ids=[]),
    "ids missing": _card(source_message_ids=None),
    "numbers for ids": _card(source_message_ids=[1]),
    "a blank title": _card(title="  "),
    "no summary": _card(summary=None),
    "a title that is a list": _card(title=["Walk"]),
    "no card": lambda request: {**good(request), "events": []},
}
MALFORMED: dict[str, Said] = {
    "no scope": _card(scope=None),
    "a scope of its own": _card(scope="team"),
    "an extra key in a card": _card(importance=5),
    "a card that is text": lambda request: {**good(request), "events": ["Walk"]},
    "cards that are none": lambda request: {**good(request), "events": None},
}
SLIPS: dict[str, dict[str, Any]] = {
    "tags as text": {"tags": "harbour"},
    "quotes as numbers": {"quotes": [1, None]},
    "a quote that was never said": {"quotes": ["They flew"]},
    "times as text": {"temporal": "at dusk"},
    "times damaged": {"temporal": {"participants": {"a": 1}, "before_event_ids": 7, "odd": []}},
    "a date that is none": {"temporal": {"happened_start": "soon", "precision": "day"}},
    "a status of its own": {"temporal": {"status": "done"}},
    "a criticality of its own": {"criticality": "urgent"},
    "hints as text": {"catalog_hints": "walks"},
    "relations to nothing": {"temporal": {"supersedes_event_ids": ["evt_7"]}},
}


def _told(
    open_memory: Opener, task: str, line: Said, *, times: int
) -> tuple[StrataGate, ScriptedModel]:
    """A memory with one turn, whose model answers `task` by `line` so often, all else well."""
    script = {name: [line] * (times * (name == task)) for name in (SUMMARISE, EXTRACT)}
    model = ScriptedModel(
        {name: chain(lines, repeat(good)) for name, lines in script.items()}
        | {"project_graph": repeat(NO_GRAPH)}
    )
    memory = open_memory(path=":memory:", model=model, settings=SETTINGS)
    memory.add_turn("I walked along the harbour.", "How was it?")
    return memory, model


def _asked(model: ScriptedModel) -> list[str]:
    """What the model was asked for on the way to events."""
    return [request.task for request in model.requests if request.task in (SUMMARISE, EXTRACT)]


def _job(memory: StrataGate, task: str) -> tuple[str, int, str | None]:
    (job,) = memory.jobs(kind=JOB_OF[task])
    return job.status, job.attempts, job.error


def _check_failure(open_memory: Opener, task: str, line: Said, named: str, *, answers: int) -> None:
    """The attempt fails alone: nothing is written, all stays readable, a good model ends it."""
    memory, model = _told(open_memory, task, line, times=answers)
    status, attempts, error = _job(memory, task)
    (block,) = memory.blocks()

    assert ("failed", 1, "pending") == (status, attempts, block.status)
    assert named in str(error)
    assert memory.jobs(kind=JOB_OF[task])[0].next_retry_at is not None
    assert answers == _asked(model).count(task)
    assert 0 == sum(memory.stats()["events"].values())
    assert ["I walked along the harbour."] == [
        hit.item["message"]["content"] for hit in memory.search_raw("walked harbour").hits
    ]
    assert () == memory.search_events("harbour").hits

    memory.run_pending(retry_failed=True)

    assert ("succeeded", 2, None) == _job(memory, task)
    assert ["ready"] == [one.status for one in memory.blocks()]
    assert 1 == len(memory.search_events("harbour").hits)


@pytest.mark.parametrize("task", [SUMMARISE, EXTRACT])
@pytest.mark.parametrize("line", USABLE.values(), ids=USABLE)
def test_a_usable_answer_is_used(open_memory: Opener, task: str, line: Said) -> None:
    """However an answer is wrapped, one object that fits the schema is taken at once."""
    memory, model = _told(open_memory, task, line, times=1)

    assert ("succeeded", 1, None) == _job(memory, task)
    assert ["ready"] == [block.status for block in memory.blocks()]
    assert [SUMMARISE, EXTRACT] == _asked(model)
    assert 1 == len(memory.search_events("harbour").hits)


@pytest.mark.parametrize("task", [SUMMARISE, EXTRACT])
@pytest.mark.parametrize(("name", "line"), REFUSED.items(), ids=REFUSED)
def test_an_unusable_answer_fails_the_attempt_alone(
    open_memory: Opener, task: str, name: str, line: Said
) -> None:
    """It is asked twice, then the attempt fails; a model that raises is asked once."""
    answers = 1 if name in ("raises", "times out") else 2
    _check_failure(open_memory, task, line, task, answers=answers)


@pytest.mark.parametrize("line", MALFORMED.values(), ids=MALFORMED)
def test_malformed_cards_are_asked_again(open_memory: Opener, line: Said) -> None:
    """A scope or a shape that no rule may guess costs the answer, twice the attempt."""
    _check_failure(open_memory, EXTRACT, line, EXTRACT, answers=2)


@pytest.mark.parametrize("line", REJECTED.values(), ids=REJECTED)
def test_no_card_left_fails_the_attempt(open_memory: Opener, line: Said) -> None:
    """A card that cannot be told from its sources is never stored; the model's reason is kept."""
    _check_failure(open_memory, EXTRACT, line, "no valid events: a walk", answers=1)


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS)
def test_a_slip_costs_its_field_alone(open_memory: Opener, slip: dict[str, Any]) -> None:
    """What is optional and damaged is left out; the card is stored at the first answer."""
    memory, model = _told(open_memory, EXTRACT, _card(**slip), times=1)

    assert ("succeeded", 1, None) == _job(memory, EXTRACT)
    assert [SUMMARISE, EXTRACT] == _asked(model)
    (hit,) = memory.search_events("harbour").hits
    card = memory.event(hit.item["id"])
    assert ("Walk along the harbour", "routine", ()) == (card.title, card.criticality, card.quotes)
    assert (None, (), ()) == (
        card.temporal.happened_start,
        card.temporal.supersedes_event_ids,
        card.tags,
    )


def test_a_repaired_answer_is_used(open_memory: Opener) -> None:
    """The second question names the fault by its path, and its answer is stored."""
    broken = lambda request: {**good(request), "confidence": 0.9}  # noqa: E731
    model = ScriptedModel(
        {SUMMARISE: [broken, good], EXTRACT: [broken, good], "project_graph": [NO_GRAPH]}
    )
    memory = open_memory(path=":memory:", model=model, settings=SETTINGS)
    memory.add_turn("I walked along the harbour.", "How was it?")

    assert ["succeeded"] * 4 == [job.status for job in memory.jobs()]
    assert ["confidence" in asked.messages[-1]["content"] for asked in model.requests[:4]] == [
        False,
        True,
    ] * 2
