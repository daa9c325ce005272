"""Asking a model: one talk for both forms, one repair, clear errors."""

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest
from pydantic import BaseModel, ConfigDict

from stratagate_core.errors import ModelError, ModelUnavailable
from stratagate_core.llm.ask import Asked, Question, aask, ask
from stratagate_core.llm.offline import OfflineModel
from stratagate_core.llm.port import Model, Reply, Request, ToolCall
from stratagate_core.llm.prompts import load_prompt
from stratagate_core.testing import ScriptedModel
from stratagate_core.text.estimate import estimate_tokens


class Colour(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    shade: int = 0


GOOD = {"name": "blue"}


def question(**changes: Any) -> Question[Colour]:
    """A question for a colour, with changes."""
    values: dict[str, Any] = {
        "task": "name_colour",
        "prompt": "repair.md",
        "payload": {"mood": "平静"},
        "answer": Colour,
        "check": lambda answer: (),
        "max_tokens": 50,
        "timeout": 10.0,
    }
    return Question(**values | changes)


def asked_sync(model: Model, asked: Question[Colour]) -> Asked[Colour]:
    """Ask in the waiting form."""
    return ask(model, asked)


def asked_async(model: Model, asked: Question[Colour]) -> Asked[Colour]:
    """Ask in the awaited form."""
    return asyncio.run(aask(model, asked))


Put = Callable[[Model, Question[Colour]], Asked[Colour]]


@pytest.fixture(params=[asked_sync, asked_async], ids=["sync", "async"])
def put(request: pytest.FixtureRequest) -> Put:
    """Ask in both forms."""
    found: Put = request.param
    return found


def test_first_request(put: Put) -> None:
    """The prompt is the system message, the payload the one user message as compact JSON."""
    model = ScriptedModel([GOOD])
    put(model, question())

    assert model.requests == [
        Request(
            task="name_colour",
            messages=(
                {"role": "system", "content": load_prompt("repair.md").text},
                {"role": "user", "content": '{"mood":"平静"}'},
            ),
            schema=Colour.model_json_schema(),
            max_tokens=50,
            timeout=10.0,
        )
    ]


def test_answer_and_cost(put: Put) -> None:
    """What is asked comes back checked, with its text, its replies and its tokens."""
    call = ToolCall(name="name_colour", arguments='{"name": "红"}')
    model = ScriptedModel(
        [
            Reply(text="no", usage={"input_tokens": 5, "output_tokens": 1}),
            Reply(tool_calls=(call,), usage={"input_tokens": 9}),
        ]
    )

    assert put(model, question()) == Asked(
        answer=Colour(name="红"),
        text='{"name": "红"}',
        calls=2,
        spent={
            "model_calls": 2,
            "retries": 1,
            "estimated_input_tokens": sum(sent(request) for request in model.requests),
            "estimated_output_tokens": estimate_tokens("no") + estimate_tokens('{"name": "红"}'),
            "reported_input_tokens": 14,
            "reported_output_tokens": 1,
        },
    )


def sent(request: Request) -> int:
    """Estimated tokens of a request."""
    schema = json.dumps(request.schema, separators=(",", ":"))
    return sum(
        estimate_tokens(text) for text in (*(m["content"] for m in request.messages), schema)
    )


@pytest.mark.parametrize(
    ("script", "calls", "retries", "output"),
    [
        ([ModelError("no")], 1, 0, 0),
        ([ModelUnavailable()] * 2, 2, 1, 0),
        (["prose"] * 2, 2, 1, 4),
        ([ModelUnavailable(), "prose", "prose"], 3, 2, 4),
        (["prose", TimeoutError()], 2, 1, 2),
    ],
)
def test_an_error_says_what_was_spent(
    put: Put, script: list[Any], calls: int, retries: int, output: int
) -> None:
    """Requests count whether they were answered or not, and answers whether they were good."""
    model = ScriptedModel(script)
    with pytest.raises(ModelError) as failed:
        put(model, question())
    spent = failed.value.details["spent"]

    assert (calls, retries) == (spent["model_calls"], spent["retries"])
    assert sum(sent(request) for request in model.requests) == spent["estimated_input_tokens"]
    assert output == spent.get("estimated_output_tokens", 0)


def test_payload_is_redacted(put: Put) -> None:
    """A secret in the payload never leaves; ids stay."""
    model = ScriptedModel([GOOD])
    payload = {"id": "evt_0123456789abcdef", "text": "key sk-abcdefghijklmnop"}
    put(model, question(payload=payload))

    assert json.loads(model.requests[0].messages[1]["content"]) == {
        "id": "evt_0123456789abcdef",
        "text": "key [REDACTED_TOKEN]",
    }


TWO_CALLS = Reply(tool_calls=(ToolCall(name="name_colour", arguments=GOOD),) * 2)
BAD = {
    "prose": "The colour is blue.",
    "truncated": '{"name": "bl',
    "schema itself": json.dumps(Colour.model_json_schema()),
    "wrong tool": Reply(tool_calls=(ToolCall(name="colour", arguments=GOOD),)),
    "two calls": TWO_CALLS,
    "nothing": Reply(),
    "blank": "  \n",
    "extra key": {"name": "blue", "hue": 1},
    "wrong type": {"name": ["blue"]},
    "cut": Reply(text=json.dumps(GOOD), finish_reason="length"),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_J_02_a_bad_answer_is_repaired_once(put: Put, bad: Any) -> None:
    """After one bad answer the second is accepted, after two the error names the task."""
    assert put(ScriptedModel([bad, GOOD]), question()).answer == Colour(name="blue")

    model = ScriptedModel([bad, bad, GOOD])
    with pytest.raises(ModelError, match=r"^name_colour: .* after 2 attempts") as failed:
        put(model, question())
    assert failed.value.details["task"] == "name_colour"
    assert len(model.requests) == 2


def test_fenced_answer_is_accepted(put: Put) -> None:
    """Fenced JSON without a call needs no repair."""
    assert put(ScriptedModel(['```json\n{"name": "blue"}\n```']), question()).calls == 1


def test_repair_names_the_faults(put: Put) -> None:
    """The second request holds the last answer, the instruction and each fault with its path."""
    model = ScriptedModel([{"name": "blue", "shade": "dark"}, GOOD])
    put(model, question())
    first, second = model.requests

    assert second.messages[:2] == first.messages
    assert second.messages[2] == {
        "role": "assistant",
        "content": '{"name":"blue","shade":"dark"}',
    }
    assert second.messages[3]["role"] == "user"
    assert load_prompt("repair.md").text in second.messages[3]["content"]
    assert "\n- shade: Input should be a valid integer" in second.messages[3]["content"]


def test_repair_of_nothing_has_no_empty_message(put: Put) -> None:
    """An empty answer is not repeated to the model: providers refuse empty messages."""
    model = ScriptedModel([Reply(), GOOD])
    put(model, question())

    assert [m["role"] for m in model.requests[1].messages] == ["system", "user", "user"]


def test_repair_names_at_most_twenty_faults(put: Put) -> None:
    """A hopeless answer does not blow up the second request."""
    model = ScriptedModel([{"name": "blue", **{f"x{n}": 1 for n in range(50)}}, GOOD])
    put(model, question())

    assert model.requests[1].messages[3]["content"].count("\n- ") == 20


def test_faults_of_the_check_are_repaired(put: Put) -> None:
    """A valid answer that fails the task's own check is sent back too."""
    model = ScriptedModel([{"name": "grey"}, GOOD])

    def check(answer: Colour) -> tuple[str, ...]:
        return ("name: no colour",) if answer.name == "grey" else ()

    assert put(model, question(check=check)).answer == Colour(name="blue")
    assert model.requests[1].messages[3]["content"].endswith("\n\n- name: no colour")


def test_J_01_error_shows_500_characters(put: Put) -> None:
    """The message shows 500 characters of the answer, the details keep all of it."""
    text = "蓝" * 2_000
    with pytest.raises(ModelError) as failed:
        put(ScriptedModel([text, text]), question())

    assert failed.value.message.count("蓝") == 500
    assert failed.value.details["text"] == text


def test_error_keeps_the_finish_reason(put: Put) -> None:
    """Whether the output limit was the cause can be read from the error."""
    cut = Reply(text="{", finish_reason="length", usage={"output_tokens": 50})
    with pytest.raises(ModelError) as failed:
        put(ScriptedModel([cut, cut]), question())

    assert failed.value.details["finish_reason"] == "length"
    assert failed.value.details["spent"]["reported_output_tokens"] == 100


def test_J_06_unavailable_model_gets_one_free_repeat(put: Put) -> None:
    """A model that is momentarily not available is asked once more, and that is not counted."""
    away = ModelUnavailable()
    model = ScriptedModel([away, "prose", GOOD])

    assert put(model, question()).calls == 2
    assert [len(request.messages) for request in model.requests] == [2, 2, 4]


def test_J_06_then_the_error(put: Put) -> None:
    """After the free repeat the error is passed on."""
    model = ScriptedModel.failing(ModelUnavailable("overloaded"))
    with pytest.raises(ModelUnavailable, match="overloaded"):
        put(model, question())

    assert len(model.requests) == 2


def test_model_errors_pass(put: Put) -> None:
    """The error of an adapter comes through as it is, without another request."""
    error = ModelError("refused", retryable=False)
    model = ScriptedModel([error])
    with pytest.raises(ModelError) as failed:
        put(model, question())

    assert failed.value is error


@pytest.mark.parametrize("foreign", [RuntimeError("no"), KeyError("x"), StopIteration()])
def test_foreign_errors_become_model_errors(put: Put, foreign: Exception) -> None:
    """Whatever a model raises is a `ModelError` that names the task and keeps the cause."""
    with pytest.raises(ModelError, match="name_colour: the model failed") as failed:
        put(ScriptedModel([foreign]), question())

    assert failed.value.retryable
    assert failed.value.__cause__ is not None


def test_foreign_error_text_is_redacted(put: Put) -> None:
    """A key quoted by a client's error is not kept."""
    error = RuntimeError("bad key sk-abcdefghijklmnop")
    with pytest.raises(ModelError, match=r"RuntimeError: bad key .REDACTED_TOKEN.$"):
        put(ScriptedModel([error]), question())


def test_timeout_of_the_model(put: Put) -> None:
    """A model's own timeout says how long was waited."""
    with pytest.raises(ModelError, match=r"^name_colour: timed out after 10 s$"):
        put(ScriptedModel([TimeoutError()]), question())


class Hanging:
    """A model that answers when it is told to."""

    def __init__(self) -> None:
        self.told = threading.Event()

    def complete(self, request: Request) -> Reply:
        """Wait, then answer."""
        self.told.wait()
        return Reply(text="late")


def test_hanging_model_is_left_behind(put: Put) -> None:
    """A model that ignores the timeout does not hold the caller."""
    model = Hanging()
    with pytest.raises(ModelError, match=r"timed out after 0.05 s"):
        put(model, question(timeout=0.05))
    model.told.set()


def test_no_reply_is_an_error(put: Put) -> None:
    """A model that returns something else is named as broken, for good."""
    model = ScriptedModel([cast(Any, lambda request: None)])
    with pytest.raises(ModelError, match="returned NoneType, not a Reply") as failed:
        put(model, question())

    assert not failed.value.retryable


def test_interrupts_pass() -> None:
    """Ctrl-C is not an error of the model."""
    with pytest.raises(KeyboardInterrupt):
        ask(ScriptedModel([KeyboardInterrupt()]), question())


async def test_cancelling_passes() -> None:
    """A cancelled task stays cancelled."""
    started = asyncio.Event()

    class Waiting:
        def complete(self, request: Request) -> Reply:
            """Never used."""
            raise AssertionError("the async form is there")

        async def acomplete(self, request: Request) -> Reply:
            """Wait for ever."""
            started.set()
            await asyncio.Event().wait()
            return Reply()

    task = asyncio.create_task(aask(Waiting(), question()))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_sync_model_does_not_block_the_loop() -> None:
    """A model without an async form answers in a thread while the loop goes on."""
    model = Hanging()
    task = asyncio.create_task(aask(model, question()))
    asyncio.get_running_loop().call_later(0.01, model.told.set)
    with pytest.raises(ModelError, match="after 2 attempts"):
        await task


def test_offline_answers_are_validated(put: Put) -> None:
    """The rules of the offline model pass through the same schema and check."""
    model = OfflineModel({"name_colour": lambda payload: {"name": payload["mood"]}})
    assert put(model, question()).answer == Colour(name="平静")

    model = OfflineModel({"name_colour": lambda payload: {"name": 7}})
    with pytest.raises(ModelError, match=r"after 2 attempts: name: Input should be"):
        put(model, question())


def test_offline_without_rule(put: Put) -> None:
    """A task without a rule is an error that cannot be retried."""
    with pytest.raises(ModelError, match="no offline answer for name_colour") as failed:
        put(OfflineModel({}), question())

    assert not failed.value.retryable


def test_prompt_hash() -> None:
    """A prompt is known by the SHA-256 of its text."""
    prompt = load_prompt("repair.md")

    assert prompt is load_prompt("repair.md")
    assert len(prompt.hash) == 64
    assert prompt.text == prompt.text.strip()
