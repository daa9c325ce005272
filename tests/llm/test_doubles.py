"""The public test doubles."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from stratagate_core.errors import ModelError
from stratagate_core.llm.port import Model, Reply, Request, is_ready
from stratagate_core.testing import (
    CountingIds,
    ManualClock,
    ModelConformance,
    ScriptedModel,
    ScriptExhausted,
)


class TestScriptedModelConforms(ModelConformance):
    def make_model(self, answer: Reply | Exception) -> Model:
        """The scripted model is its own backend."""
        if isinstance(answer, Exception):
            return ScriptedModel.failing(ModelError("failed"))
        return ScriptedModel([answer])


def request(task: str = "t") -> Request:
    """A request of no consequence."""
    return Request(task=task, messages=(), schema={}, max_tokens=1, timeout=1.0)


def test_clock_stands_still() -> None:
    """The clock moves only when it is advanced."""
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    assert clock() == clock()

    assert clock.advance(days=1, seconds=2) == datetime(2026, 3, 2, 0, 0, 2, tzinfo=UTC)
    assert clock() == datetime(2026, 3, 2, 0, 0, 2, tzinfo=UTC)


def test_clock_needs_a_zone() -> None:
    """A naive start is refused."""
    with pytest.raises(ValueError, match="time zone"):
        ManualClock(datetime(2026, 3, 1))


def test_ids_count_per_prefix() -> None:
    """Each prefix counts for itself."""
    new_id = CountingIds()

    assert [new_id("evt"), new_id("blk"), new_id("evt")] == ["evt_1", "blk_1", "evt_2"]


def test_script_by_task() -> None:
    """A script by task plays each list in its own order."""
    model = ScriptedModel({"a": ["one", "two"], "b": ["three"]})

    replies = [model.complete(request(task)).text for task in ("a", "b", "a")]
    assert replies == ["one", "three", "two"]


def test_script_lines() -> None:
    """A callable sees the request; a mapping becomes a call of the task's tool."""

    def answer(asked: Request) -> Mapping[str, Any]:
        return {"task": asked.task}

    (call,) = ScriptedModel([answer]).complete(request()).tool_calls
    assert (call.name, call.arguments) == ("t", {"task": "t"})


@pytest.mark.parametrize("script", [[], {"t": []}])
def test_exhausted_script_fails(script: Any) -> None:
    """A model asked too often fails in a way that error handling does not hide."""
    with pytest.raises(ScriptExhausted, match="no line for request 1 of t"):
        ScriptedModel(script).complete(request())
    assert not issubclass(ScriptExhausted, Exception)


def test_ready() -> None:
    """A scripted model says whether it is ready, and a test may change that."""
    model = ScriptedModel([], ready=False)
    assert not is_ready(model)

    model.available = True
    assert is_ready(model)
