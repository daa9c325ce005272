"""A LangChain chat model as memory model."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import httpx
import langchain_core.exceptions as lc
import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import BaseModel, PrivateAttr

from stratagate_core.errors import ModelError, ModelUnavailable
from stratagate_core.llm.ask import Question, ask
from stratagate_core.llm.port import Model, Reply, Request, ToolCall
from stratagate_core.testing import ModelConformance
from stratagate_lc.langchain import LangChainModel

if not hasattr(lc, "ModelInvalidRequestError"):
    pytest.skip("this langchain-core has no typed model errors", allow_module_level=True)

Line = AIMessage | Exception

REQUEST = Request(
    task="name_colour",
    messages=(
        {"role": "system", "content": "Name a colour."},
        {"role": "user", "content": '{"mood":"平静"}'},
    ),
    schema={
        "type": "object",
        "properties": {"colour": {"type": "string"}},
        "required": ["colour"],
    },
    max_tokens=100,
    timeout=10.0,
)
BLUE = {"colour": "blue"}
CALL = AIMessage(
    "", tool_calls=[{"name": "name_colour", "args": BLUE, "id": "1", "type": "tool_call"}]
)


class ScriptedChat(BaseChatModel):
    """A chat model that answers by a script, records its calls and fails when exhausted."""

    max_tokens: int | None = None
    _lines: Iterator[Line] = PrivateAttr()
    _calls: list[dict[str, Any]] = PrivateAttr(default_factory=list)

    def __init__(self, lines: Iterable[Line], **fields: Any) -> None:
        super().__init__(**fields)
        self._lines = iter(lines)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """What was asked: messages, keyword arguments and the budget."""
        return self._calls

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, *, tool_choice: str | None = None, **kwargs: Any) -> Any:
        """Bind the tools as they are."""
        return self.bind(tools=tools, tool_choice=tool_choice, **kwargs)

    def get_num_tokens(self, text: str) -> int:
        """Never to be called: it would load a tokenizer."""
        raise AssertionError("tokens are counted by the core")

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        self._calls.append({"messages": messages, "max_tokens": self.max_tokens, **kwargs})
        self._accept(kwargs)
        line = next(self._lines)
        if isinstance(line, Exception):
            raise line
        return ChatResult(generations=[ChatGeneration(message=line)])

    def _accept(self, kwargs: dict[str, Any]) -> None:
        """A place to refuse."""


class Unforced(ScriptedChat):
    """A model whose provider refuses forced tools."""

    def _accept(self, kwargs: dict[str, Any]) -> None:
        if kwargs.get("tool_choice"):
            raise lc.ModelInvalidRequestError("tool_choice is not supported")


class Toolless(ScriptedChat):
    """A model that cannot bind tools."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        """Refuse."""
        raise NotImplementedError


class Thinking(ScriptedChat):
    """A model that cannot switch its reasoning off."""

    def _accept(self, kwargs: dict[str, Any]) -> None:
        if "reasoning_effort" in kwargs:
            raise lc.ModelInvalidRequestError("reasoning_effort is not supported")


def made(kind: Any, lines: Iterable[Line]) -> Any:
    """A chat model of this kind."""
    return kind(lines)


Complete = Callable[[LangChainModel, Request], Reply]


def complete_sync(model: LangChainModel, request: Request) -> Reply:
    """The waiting form."""
    return model.complete(request)


def complete_async(model: LangChainModel, request: Request) -> Reply:
    """The awaited form."""
    return asyncio.run(model.acomplete(request))


@pytest.fixture(params=[complete_sync, complete_async], ids=["sync", "async"])
def complete(request: pytest.FixtureRequest) -> Complete:
    """Answer a request in both forms."""
    found: Complete = request.param
    return found


class TestLangChainModelConforms(ModelConformance):
    def make_model(self, answer: Reply | Exception) -> Model:
        """The adapter over a chat model that gives this answer."""
        if isinstance(answer, Exception):
            return LangChainModel(ScriptedChat([answer] * 3))
        calls = [
            {"name": c.name, "args": c.arguments, "id": "1", "type": "tool_call"}
            for c in answer.tool_calls
        ]
        return LangChainModel(ScriptedChat([AIMessage(answer.text, tool_calls=calls)]))


def test_LC_87_tool_is_bound_and_forced(complete: Complete) -> None:
    """The task's tool is bound with its schema and forced; the prompt is sent as it is."""
    chat = ScriptedChat([CALL])
    reply = complete(LangChainModel(chat), REQUEST)
    (asked,) = chat.calls

    assert reply == Reply(tool_calls=(ToolCall(name="name_colour", arguments=BLUE),))
    assert asked["tool_choice"] == "any"
    assert [tool["function"]["name"] for tool in asked["tools"]] == ["name_colour"]
    assert asked["tools"][0]["function"]["parameters"] == REQUEST.schema
    assert [m.content for m in asked["messages"]] == ["Name a colour.", '{"mood":"平静"}']


def test_LC_87_whatever_the_model_gave(complete: Complete) -> None:
    """Text, two calls and broken arguments come back as they are."""
    broken = {
        "name": "name_colour",
        "args": '{"colour": "bl',
        "id": "2",
        "error": "no JSON",
        "type": "invalid_tool_call",
    }
    both = AIMessage("Hm.", tool_calls=CALL.tool_calls, invalid_tool_calls=[broken])
    reply = complete(LangChainModel(ScriptedChat([both])), REQUEST)

    assert reply.text == "Hm."
    assert [c.arguments for c in reply.tool_calls] == [BLUE, '{"colour": "bl']


def test_LC_87_reasoning_is_no_answer(complete: Complete) -> None:
    """Reasoning blocks are left out of the text."""
    message = AIMessage(
        [
            {"type": "reasoning", "reasoning": '{"colour": "red"}'},
            {"type": "text", "text": '{"colour": "blue"}'},
        ]
    )

    assert complete(LangChainModel(ScriptedChat([message])), REQUEST).text == '{"colour": "blue"}'


def test_LC_88_refused_forcing_is_remembered(complete: Complete) -> None:
    """A model that refuses forcing gets the tool unforced, from then on at once."""
    chat = made(Unforced, [CALL, CALL])
    model = LangChainModel(chat)
    replies = [complete(model, REQUEST) for _ in range(2)]

    assert [c.get("tool_choice") for c in chat.calls] == ["any", None, None]
    assert [bool(reply.tool_calls) for reply in replies] == [True, True]


def test_LC_88_refused_binding_becomes_json_in_text(complete: Complete) -> None:
    """A model without tools reads the schema in the system message and answers in text."""
    chat = made(Toolless, [AIMessage('{"colour": "蓝"}')] * 2)
    model = LangChainModel(chat)
    replies = [complete(model, REQUEST) for _ in range(2)]
    system = chat.calls[0]["messages"][0]

    assert [reply.text for reply in replies] == ['{"colour": "蓝"}'] * 2
    assert "tools" not in chat.calls[0]
    assert isinstance(system, SystemMessage)
    assert json.dumps(REQUEST.schema, separators=(",", ":")) in str(system.content)


@pytest.mark.parametrize(
    "refusal", [ValueError("no"), TypeError("no"), lc.ModelInvalidRequestError("no")]
)
def test_LC_88_every_refusal_steps_down(complete: Complete, refusal: Exception) -> None:
    """Each kind of refusal leads to the plainer form."""
    reply = complete(LangChainModel(ScriptedChat([refusal, refusal, AIMessage("x")])), REQUEST)

    assert reply.text == "x"


def test_LC_88_refusal_of_an_older_client(complete: Complete) -> None:
    """A provider's own error with status 400 is a refusal too."""

    class BadRequestError(Exception):
        status_code = 400

    reply = complete(LangChainModel(ScriptedChat([BadRequestError(), CALL])), REQUEST)

    assert reply.tool_calls


def test_LC_88_context_overflow_does_not_step_down(complete: Complete) -> None:
    """An input that does not fit will not fit in another form."""
    chat = ScriptedChat([lc.ContextOverflowError("too long")])
    with pytest.raises(ModelError, match="too long") as failed:
        complete(LangChainModel(chat), REQUEST)

    assert not failed.value.retryable
    assert len(chat.calls) == 1


def test_LC_89_failure_is_an_error(complete: Complete) -> None:
    """A model that refuses every form fails with the last refusal as cause."""
    refusal = ValueError("key sk-abcdefghijklmnop is bad")
    with pytest.raises(ModelError, match=r"^name_colour: .*ValueError: key .REDACTED") as failed:
        complete(LangChainModel(ScriptedChat([refusal] * 3)), REQUEST)

    assert failed.value.__cause__ is refusal


@pytest.mark.parametrize(
    "message",
    [
        AIMessage("", additional_kwargs={"refusal": "I cannot help"}),
        AIMessage("", response_metadata={"stop_reason": "refusal"}),
        AIMessage("half", response_metadata={"finish_reason": "content_filter"}),
    ],
)
def test_LC_89_declined_answer_is_an_error(complete: Complete, message: AIMessage) -> None:
    """A model that declines to answer is a permanent error, not an answer."""
    with pytest.raises(ModelError, match="refused to answer") as failed:
        complete(LangChainModel(ScriptedChat([message])), REQUEST)

    assert not failed.value.retryable


def http_error(status: int) -> Exception:
    """A client's error with an HTTP response."""
    request = httpx.Request("POST", "https://example.org")
    return httpx.HTTPStatusError(
        "failed", request=request, response=httpx.Response(status, request=request)
    )


PASSING = [
    lc.ModelRateLimitError("slow down"),
    lc.ModelTimeoutError("late"),
    TimeoutError(),
    RuntimeError("who knows"),
    http_error(429),
]
AWAY = [
    lc.ModelConnectionError("no line"),
    lc.ModelAPIError("overloaded"),
    ConnectionResetError(),
    http_error(503),
]
PERMANENT = [
    lc.ModelAuthenticationError("bad key"),
    lc.ModelPermissionDeniedError("not yours"),
    lc.ModelNotFoundError("no such model"),
    lc.ModelRefusalError(),
    lc.ContextOverflowError("too long"),
    http_error(401),
]


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        *((error, ModelError, True) for error in PASSING),
        *((error, ModelUnavailable, True) for error in AWAY),
        *((error, ModelError, False) for error in PERMANENT),
    ],
    ids=repr,
)
def test_LC_90_errors_are_mapped(
    complete: Complete, error: Exception, kind: type[ModelError], retryable: bool
) -> None:
    """What passes by itself may be retried, what is wrong with the request may not."""
    with pytest.raises(ModelError) as failed:
        complete(LangChainModel(ScriptedChat([error])), REQUEST)

    assert (type(failed.value), failed.value.retryable) == (kind, retryable)
    assert isinstance(failed.value.__cause__, type(error))


def test_LC_90_last_invalid_request_is_permanent(complete: Complete) -> None:
    """A request that is invalid in every form is not tried again."""
    with pytest.raises(ModelError) as failed:
        complete(LangChainModel(ScriptedChat([lc.ModelInvalidRequestError("no")] * 3)), REQUEST)

    assert not failed.value.retryable


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"finish_reason": "length"}, "length"),
        ({"stop_reason": "max_tokens"}, "max_tokens"),
        ({"finish_reason": "MAX_TOKENS"}, "max_tokens"),
        ({"done_reason": "stop"}, "stop"),
        ({}, None),
    ],
)
def test_LC_90_reported_limit_is_passed_on(
    complete: Complete, metadata: dict[str, str], expected: str | None
) -> None:
    """The provider's finish reason comes through in lower case."""
    message = AIMessage("{", response_metadata=metadata)

    assert complete(LangChainModel(ScriptedChat([message])), REQUEST).finish_reason == expected


class Listener(BaseCallbackHandler):
    """Records the model calls it hears of."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []

    def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
        """Record."""
        self.heard.append(kwargs)


def test_LC_91_call_config(complete: Complete) -> None:
    """A call is named, tagged and marked so that it stays out of a user's stream."""
    listener = Listener()
    chat = ScriptedChat([CALL], callbacks=[listener])
    complete(LangChainModel(chat), REQUEST)
    (heard,) = listener.heard

    assert heard["name"] == "stratagate.name_colour"
    assert {"nostream", "stratagate"} <= set(heard["tags"])
    assert heard["metadata"]["lc_source"] == "stratagate"


def test_LC_91_internal_call_metadata() -> None:
    """In a process that runs agents the call is marked as internal to middleware."""
    from langchain.agents.middleware.internal_call_transformer import internal_call_metadata

    listener = Listener()
    LangChainModel(ScriptedChat([CALL], callbacks=[listener])).complete(REQUEST)

    assert internal_call_metadata().items() <= listener.heard[0]["metadata"].items()


def in_chain(model: LangChainModel, run: Callable[[Callable[[], Reply]], Reply]) -> Listener:
    """Ask the model inside of a chain with a listener."""
    listener = Listener()

    def step(_: Any) -> Reply:
        return run(lambda: model.complete(REQUEST))

    RunnableLambda(step).invoke(None, config={"callbacks": [listener]})
    return listener


def inline(call: Callable[[], Reply]) -> Reply:
    """Run in the same context."""
    return call()


def threaded(call: Callable[[], Reply]) -> Reply:
    """Run in a thread that inherits the context."""
    import contextvars

    found: list[Reply] = []
    context = contextvars.copy_context()
    thread = threading.Thread(target=lambda: found.append(context.run(call)))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.parametrize("run", [inline, threaded])
def test_LC_91_callbacks_are_not_inherited(run: Callable[[Callable[[], Reply]], Reply]) -> None:
    """A chain's callbacks hear nothing of a memory call, unless that is asked for."""
    assert in_chain(LangChainModel(ScriptedChat([CALL])), run).heard == []

    attached = LangChainModel(ScriptedChat([CALL]), detach_callbacks=False)
    assert len(in_chain(attached, run).heard) == 1


async def test_LC_91_callbacks_are_not_inherited_by_tasks() -> None:
    """A task started inside of a chain does not report to the chain either."""
    listener = Listener()
    model = LangChainModel(ScriptedChat([CALL]))

    async def step(_: Any) -> Reply:
        return await asyncio.create_task(model.acomplete(REQUEST))

    await RunnableLambda(step).ainvoke(None, config={"callbacks": [listener]})
    assert listener.heard == []


def test_LC_92_usage_is_what_the_provider_reports(complete: Complete) -> None:
    """Reported tokens are passed on; nothing is counted by the model."""
    message = AIMessage(
        "蓝" * 50, usage_metadata={"input_tokens": 7, "output_tokens": 55, "total_tokens": 62}
    )
    chat = ScriptedChat([message, AIMessage("x")])
    model = LangChainModel(chat)

    assert complete(model, REQUEST).usage == {"input_tokens": 7, "output_tokens": 55}
    assert complete(model, REQUEST).usage == {}


class Forms(ScriptedChat):
    """Records on which thread and in which form it is asked."""

    _forms: list[tuple[str, int]] = PrivateAttr(default_factory=list)

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self._forms.append(("sync", threading.get_ident()))
        return super()._generate(messages, *args, **kwargs)

    async def _agenerate(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> ChatResult:
        self._forms.append(("async", id(asyncio.get_running_loop())))
        return super()._generate(messages, *args, **kwargs)


async def test_LC_93_each_form_uses_its_own_call() -> None:
    """Awaited calls use the async form on the running loop, waiting calls the sync form here."""
    chat = made(Forms, [CALL, CALL])
    model = LangChainModel(chat)
    await model.acomplete(REQUEST)
    model.complete(REQUEST)

    assert chat._forms == [
        ("async", id(asyncio.get_running_loop())),
        ("sync", threading.get_ident()),
    ]


def test_budget_is_set_where_the_model_has_one(complete: Complete) -> None:
    """The task's budget goes into a copy of the model, within what the model can give."""
    chat = ScriptedChat([CALL], max_tokens=7)
    complete(LangChainModel(chat), REQUEST)
    small = ScriptedChat([CALL], profile={"max_output_tokens": 60})
    complete(LangChainModel(small), REQUEST)

    assert (chat.calls[0]["max_tokens"], chat.max_tokens) == (100, 7)
    assert small.calls[0]["max_tokens"] == 60


@pytest.mark.parametrize(
    ("levels", "reasoning", "expected"),
    [
        (["none", "low"], "auto", "none"),
        (["low", "high"], "auto", None),
        (["low", "high"], "force-off", None),
        (None, "auto", None),
        (None, "force-off", "none"),
    ],
)
def test_reasoning_is_switched_off(
    complete: Complete, levels: list[str] | None, reasoning: Any, expected: str | None
) -> None:
    """Off where the model declares that it can; with force-off also where it says nothing."""
    profile: Any = None if levels is None else {"reasoning_effort_levels": levels}
    chat = ScriptedChat([CALL], profile=profile)
    request = Request(
        task=REQUEST.task,
        messages=REQUEST.messages,
        schema=REQUEST.schema,
        max_tokens=100,
        timeout=10.0,
        reasoning=reasoning,
    )
    complete(LangChainModel(chat), request)

    assert chat.calls[0].get("reasoning_effort") == expected


def test_rejected_reasoning_control_is_remembered(
    complete: Complete, caplog: pytest.LogCaptureFixture
) -> None:
    """A model that rejects the switch is asked once more without it, and warned about once."""
    chat = made(Thinking, [CALL, CALL])
    model = LangChainModel(chat)
    request = Request(
        task=REQUEST.task,
        messages=REQUEST.messages,
        schema=REQUEST.schema,
        max_tokens=100,
        timeout=10.0,
        reasoning="force-off",
    )
    with caplog.at_level(logging.WARNING, "stratagate_lc.langchain"):
        for _ in range(2):
            complete(model, request)

    assert ["reasoning_effort" in c for c in chat.calls] == [True, False, False]
    assert [c["tool_choice"] for c in chat.calls] == ["any", "any", "any"]
    assert len(caplog.records) == 1


def test_question_through_the_adapter() -> None:
    """A text answer of a model that was offered a tool is accepted by the core."""

    class Colour(BaseModel):
        colour: str

    question = Question(
        task="name_colour",
        prompt="repair.md",
        payload={"mood": "{calm}"},
        answer=Colour,
        check=lambda answer: (),
        max_tokens=100,
        timeout=10.0,
    )
    chat = ScriptedChat([AIMessage('Sure:\n```json\n{"colour": "blue"}\n```')])

    assert ask(LangChainModel(chat), question).answer == Colour(colour="blue")


def test_bound_model_is_a_runnable() -> None:
    """The double binds tools as chat models do."""
    assert isinstance(ScriptedChat([]).bind_tools([]), Runnable)
