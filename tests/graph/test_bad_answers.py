"""What models really answer to the projector: it costs at most the graph, and only until later."""

from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from typing import Any

import pytest

from stratagate_core import Request, StrataGate
from stratagate_core.testing import Answer, ScriptedModel
from tests.bad_answers import JOB_OF, PROJECT, UNUSABLE, USABLE, Said, good
from tests.conftest import Opener

pytestmark = [pytest.mark.slow, pytest.mark.one_database]

SETTINGS = {"block_turn_size": 1, "processing": "inline"}


def _node(**parts: Any) -> Said:
    """A projection whose one node is changed; a part that is None is left out."""

    def line(request: Request) -> Answer:
        answer = good(request)
        (node,) = answer["nodes"]
        changed = {key: value for key, value in {**node, **parts}.items() if value is not None}
        return {**answer, "nodes": [changed]}

    return line


def _fact(**parts: Any) -> Said:
    """A projection whose one fact is changed; a part that is None is left out."""

    def line(request: Request) -> Answer:
        answer = good(request)
        (node,) = answer["nodes"]
        (fact,) = node["facts"]
        changed = {key: value for key, value in {**fact, **parts}.items() if value is not None}
        return {**answer, "nodes": [{**node, "facts": [changed]}]}

    return line


def _with(**parts: Any) -> Said:
    """A projection with other parts beside the right ones."""
    return lambda request: {**good(request), **parts}


#: one request, then the attempt has failed: the answer as a whole may not be believed
INADMISSIBLE: dict[str, Said] = {
    "foreign events": _node(source_event_ids=["evt_999"]),
    "one foreign event": lambda request: _node(
        source_event_ids=[*good(request)["nodes"][0]["source_event_ids"], "evt_999"]
    )(request),
    "events as text": _node(source_event_ids="evt_1"),
    "no events": _node(source_event_ids=[]),
    "a name nobody said": _node(metadata_provenance={"name": []}),
    "no proof of the name": _node(metadata_provenance=None),
    "proofs that are text": _node(metadata_provenance="evt_1"),
}
#: two requests, the second names the path
MISSHAPEN: dict[str, Said] = {
    "nodes as an object": _with(nodes={"mara": {}}),
    "nodes as text": _with(nodes="Mara"),
    "nodes of text": _with(nodes=["Mara"]),
    "no nodes": _with(nodes=None),
    "facts as text": _node(facts="likes walks"),
    "no ref": _node(ref=None),
    "a fact without a value": _fact(value=None),
    "edges of text": _with(edges=["Mara likes Oda"]),
    "a proof of another name": lambda request: _node(
        metadata_provenance={"name": [{"value": "Mia", "source_event_ids": ["evt_1"]}]}
    )(request),
}
#: what is damaged falls alone: the states that Mara is left with
SLIPS: dict[str, tuple[Said, str]] = {
    "a status of its own": (_node(status="happy"), "walk: harbour"),
    "a confidence of 1.4": (_node(confidence=1.4), "walk: harbour"),
    "a confidence in words": (_node(confidence="high"), "walk: harbour"),
    "a date that is none": (_fact(valid_from="soon", valid_to="later"), "walk: harbour"),
    "aliases as text": (_node(aliases="Mia"), "walk: harbour"),
    "an alias nobody said": (_node(aliases=["Mia"]), "walk: harbour"),
    "tags of numbers": (_node(tags=[1, None]), "walk: harbour"),
    "a mode of its own": (_fact(mode="many"), "walk: harbour"),
    "supports that are none": (_fact(depends_on={"home": 1}), "walk: harbour"),
    "a support nobody stated": (_fact(depends_on=["home"]), "walk: harbour"),
    "an extra key": (_with(score=0.9), "walk: harbour"),
    "edges to nowhere": (
        _with(edges=[{"from_ref": "mara", "to_ref": "oda", "relation": "uses"}]),
        "walk: harbour",
    ),
    "an edge to itself": (
        _with(edges=[{"from_ref": "mara", "to_ref": "mara", "relation": "uses"}]),
        "walk: harbour",
    ),
    "a fact without events": (_fact(source_event_ids=None), ""),
    "a fact of foreign events": (_fact(source_event_ids=["evt_999"]), ""),
    "a fact without a key": (_fact(key=" "), ""),
    "a blank value": (_fact(value=" "), ""),
    "a value that is an object": (_fact(value={"at": "harbour"}), ""),
    "a value that is a number": (_fact(value=3), "walk: 3"),
}
#: every node falls, and nothing is left of the answer
LEFT_OUT: dict[str, Said] = {
    "a type of its own": _node(type="feeling"),
    "a type that is a list": _node(type=["person"]),
    "no name": _node(name=""),
    "a name that is a number": _node(name=7),
    "a blank ref": _node(ref=" "),
    "nothing to add": _with(nodes=[]),
}


def _told(open_memory: Opener, line: Said, *, times: int) -> tuple[StrataGate, ScriptedModel]:
    """A memory with one turn, whose projector answers by `line` so often, then well."""
    lines: Mapping[str, Sequence[Said]] = {PROJECT: [line] * times}
    script = {task: chain(lines.get(task, ()), repeat(good)) for task in JOB_OF}
    model = ScriptedModel(script)
    memory = open_memory(path=":memory:", model=model, settings=SETTINGS)
    memory.add_turn("I walked along the harbour.", "How was it?")
    return memory, model


def _job(memory: StrataGate) -> tuple[str, int, str | None]:
    (job,) = memory.jobs(kind=JOB_OF[PROJECT])
    return job.status, job.attempts, job.error


def _asked(model: ScriptedModel) -> int:
    return [request.task for request in model.requests].count(PROJECT)


def _states(memory: StrataGate) -> list[str]:
    """How the nodes stand that are found by name or by what is said of them."""
    return [hit.item.get("current_state", "") for hit in memory.search_graph("Mara walk").hits]


def _check_failure(open_memory: Opener, line: Said, *, answers: int) -> None:
    """The attempt fails alone: blocks, events and searches stand; a good model ends it."""
    memory, model = _told(open_memory, line, times=answers)
    status, attempts, error = _job(memory)

    assert ("failed", 1, answers) == (status, attempts, _asked(model))
    assert str(error).startswith(PROJECT)
    assert ["ready"] == [block.status for block in memory.blocks()]
    assert 1 == len(memory.search_raw("walked harbour", include_tail=True).hits)
    (event,) = memory.search_events("harbour").hits
    assert [] == _states(memory)
    assert "Walk along the harbour" in memory.recall("the harbour?", thread="other").text

    memory.run_pending(retry_failed=True)

    assert ("succeeded", 2, None) == _job(memory)
    assert ["walk: harbour"] == _states(memory)
    assert [event.ref] == [hit.ref for hit in memory.search_events("harbour").hits]


@pytest.mark.parametrize("line", USABLE.values(), ids=USABLE)
def test_a_usable_projection_is_used(open_memory: Opener, line: Said) -> None:
    """However an answer is wrapped, one object that fits the schema is taken at once."""
    memory, model = _told(open_memory, line, times=1)

    assert ("succeeded", 1, None, 1) == (*_job(memory), _asked(model))
    assert ["walk: harbour"] == _states(memory)


@pytest.mark.parametrize(("name", "line"), UNUSABLE.items(), ids=UNUSABLE)
def test_an_unusable_projection_fails_the_attempt_alone(
    open_memory: Opener, name: str, line: Said
) -> None:
    """It is asked twice; one that was cut, or a model that raises, once."""
    once = name in ("raises", "times out", "cut at the limit")
    _check_failure(open_memory, line, answers=1 if once else 2)


@pytest.mark.parametrize("line", MISSHAPEN.values(), ids=MISSHAPEN)
def test_a_misshapen_projection_is_asked_again(open_memory: Opener, line: Said) -> None:
    """Parts that cannot be read are named by their path."""
    _check_failure(open_memory, line, answers=2)


@pytest.mark.parametrize("line", INADMISSIBLE.values(), ids=INADMISSIBLE)
def test_G_05_an_inadmissible_projection_changes_nothing(open_memory: Opener, line: Said) -> None:
    """A node that no event of the batch proves makes the whole answer unbelievable."""
    _check_failure(open_memory, line, answers=1)


@pytest.mark.parametrize(("line", "state"), SLIPS.values(), ids=SLIPS)
def test_a_slip_of_the_projector_costs_its_part_alone(
    open_memory: Opener, line: Said, state: str
) -> None:
    """What is optional and damaged is left out; the rest is stored at the first answer."""
    memory, model = _told(open_memory, line, times=1)

    assert ("succeeded", 1, None, 1) == (*_job(memory), _asked(model))
    (hit,) = memory.search_graph("Mara").hits
    card = hit.item
    assert state == card.get("current_state", "")
    assert [None, None, None] == [card.get(name) for name in ("aliases", "tags", "relations")]


@pytest.mark.parametrize("line", LEFT_OUT.values(), ids=LEFT_OUT)
def test_nodes_that_are_none_are_left_out(open_memory: Opener, line: Said) -> None:
    """Empty is a valid answer; the job is done and the graph is empty."""
    memory, model = _told(open_memory, line, times=1)

    assert ("succeeded", 1, None, 1) == (*_job(memory), _asked(model))
    found = memory.search_graph("Mara walk")
    assert ((), "no_data") == (found.hits, found.reason)
