"""A LlamaIndex LLM as memory model."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from stratagate_core.errors import ModelError, ModelUnavailable
from stratagate_core.llm.ask import Question, ask
from stratagate_core.llm.port import Model, Reply, Request, ToolCall
from stratagate_core.testing import ModelConformance
from stratagate_lc.llama_index import LlamaIndexModel

pytestmark = [
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20"),
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince211"),
]

from llama_index.core.base.llms.types import (  # noqa: E402
    ChatMessage,
    ChatResponse,
    LLMMetadata,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.llms import CustomLLM  # noqa: E402
from llama_index.core.llms.llm import ToolSelection  # noqa: E402
from llama_index.core.llms.mock import MockFunctionCallingLLM  # noqa: E402

Line = ChatResponse | Exception

REQUEST = Request(
    task="name_colour",
    messages=(
        {"role": "system", "content": "Name a colour. {braces} {{stay}}"},
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


def said(*blocks: Any, **rest: Any) -> ChatResponse:
    """A response of these blocks; a string is a text block."""
    made = [TextBlock(text=b) if isinstance(b, str) else b for b in blocks]
    return ChatResponse(message=ChatMessage(role="assistant", blocks=made), **rest)


def called(name: str = "name_colour", arguments: Any = BLUE) -> ToolCallBlock:
    """A call as a block."""
    return ToolCallBlock(tool_name=name, tool_kwargs=arguments)


class Script:
    """What an LLM of these tests answers, and what it was asked."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.lines: Iterator[Line] = iter(lines)
        self.messages: list[list[ChatMessage]] = []
        self.tools: list[list[Any]] = []
        self.kwargs: list[dict[str, Any]] = []
        self.where: list[tuple[str, int]] = []

    def play(self, messages: Iterable[ChatMessage], kwargs: dict[str, Any]) -> ChatResponse:
        """Record the chat and give the next line."""
        self.messages.append(list(messages))
        self.tools.append(kwargs.pop("tools", []))
        self.kwargs.append(kwargs)
        line = next(self.lines)
        if isinstance(line, Exception):
            raise line
        return line

    def texts(self, index: int = 0) -> list[tuple[str, str | None]]:
        """Role and content of the messages of a chat."""
        return [(m.role.value, m.content) for m in self.messages[index]]


def played(script: Script, messages: Any, kwargs: dict[str, Any]) -> ChatResponse:
    """The next line of the script that an LLM holds as an untyped field."""
    return script.play(messages, kwargs)


class TextLLM(CustomLLM):
    """An LLM without tools."""

    script: Any = None
    max_tokens: int | None = None

    @property
    def metadata(self) -> LLMMetadata:
        """Nothing special."""
        return LLMMetadata()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        """Never used."""
        raise AssertionError("the adapter chats")

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        """Never used."""
        raise AssertionError("the adapter chats")

    def chat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        """Play the script."""
        self.script.where.append(("sync", threading.get_ident()))
        return played(self.script, messages, {**kwargs, "max_tokens": self.max_tokens})

    async def achat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        """Play the script."""
        self.script.where.append(("async", id(asyncio.get_running_loop())))
        return played(self.script, messages, {**kwargs, "max_tokens": self.max_tokens})


class ToolLLM(MockFunctionCallingLLM):
    """A function-calling LLM."""

    script: Any = None

    def _prepare_chat_with_tools(
        self, *args: Any, tool_required: bool = False, **kwargs: Any
    ) -> dict[str, Any]:
        made = super()._prepare_chat_with_tools(*args, **kwargs)
        return {**made, "tool_required": tool_required}

    def chat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        """Play the script."""
        return played(self.script, messages, kwargs)

    async def achat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        """Play the script."""
        return played(self.script, messages, kwargs)


class OldToolLLM(ToolLLM):
    """An integration that keeps calls in `additional_kwargs` and finds them itself."""

    def get_tool_calls_from_response(
        self, response: ChatResponse, error_on_no_tool_call: bool = True, **kwargs: Any
    ) -> list[ToolSelection]:
        """Read the calls, or fail as integrations do."""
        calls = response.message.additional_kwargs.get("tool_calls")
        if calls is None:
            raise ValueError("expected at least one tool call")
        return [ToolSelection(tool_id="1", tool_name=n, tool_kwargs=a) for n, a in calls]


Complete = Callable[[LlamaIndexModel, Request], Reply]


def complete_sync(model: LlamaIndexModel, request: Request) -> Reply:
    """The waiting form."""
    return model.complete(request)


def complete_async(model: LlamaIndexModel, request: Request) -> Reply:
    """The awaited form."""
    return asyncio.run(model.acomplete(request))


@pytest.fixture(params=[complete_sync, complete_async], ids=["sync", "async"])
def complete(request: pytest.FixtureRequest) -> Complete:
    """Answer a request in both forms."""
    found: Complete = request.param
    return found


def response_of(reply: Reply) -> ChatResponse:
    """The response of an LLM that gives this reply."""
    calls = [called(call.name, call.arguments) for call in reply.tool_calls]
    return said(*([reply.text] if reply.text else []), *calls)


class TestToolLLMConforms(ModelConformance):
    def make_model(self, answer: Reply | Exception) -> Model:
        """The adapter over a function-calling LLM that gives this answer."""
        line = answer if isinstance(answer, Exception) else response_of(answer)
        return LlamaIndexModel(ToolLLM(script=Script([line])))


class TestTextLLMConforms(ModelConformance):
    def make_model(self, answer: Reply | Exception) -> Model:
        """The adapter over an LLM without tools that gives this answer."""
        line = answer if isinstance(answer, Exception) else response_of(answer)
        return LlamaIndexModel(TextLLM(script=Script([line])))


def test_LI_78_function_calling_llm_gets_the_tool(complete: Complete) -> None:
    """A function-calling LLM chats with the task's tool and its schema, and must call it."""
    script = Script([said(called())])
    reply = complete(LlamaIndexModel(ToolLLM(script=script)), REQUEST)
    ((tool,),) = script.tools

    assert reply.tool_calls == (ToolCall(name="name_colour", arguments=BLUE),)
    assert tool.metadata.name == "name_colour"
    assert tool.metadata.get_parameters_dict() == REQUEST.schema
    assert script.kwargs[0]["tool_required"] is True


@pytest.mark.parametrize(
    "refusal",
    [ValueError("x"), TypeError("x"), KeyError("x"), AssertionError(), NotImplementedError()],
)
def test_LI_78_refused_tool_becomes_plain_chat(complete: Complete, refusal: Exception) -> None:
    """What refuses the tool is asked for JSON that satisfies the schema."""
    script = Script([refusal, said('{"colour": "blue"}')])
    reply = complete(LlamaIndexModel(ToolLLM(script=script)), REQUEST)

    assert reply == Reply(text='{"colour": "blue"}')
    assert [len(tools) for tools in script.tools] == [1, 0]
    schema = json.dumps(REQUEST.schema, separators=(",", ":"))
    assert str(script.texts(1)[0][1]).endswith(schema)


def test_LI_78_whatever_a_function_calling_llm_gave(complete: Complete) -> None:
    """Plain text, a wrong tool, two calls and a missing field are delivered, not errors."""
    replies = [
        complete(LlamaIndexModel(ToolLLM(script=Script([line]))), REQUEST)
        for line in (
            said("blue"),
            said(called("other")),
            said(called(), called()),
            said(called(arguments={})),
            said(called(arguments='{"colour": "bl')),
        )
    ]

    assert replies[0] == Reply(text="blue")
    assert [call.name for call in replies[1].tool_calls] == ["other"]
    assert len(replies[2].tool_calls) == 2
    assert [call.arguments for call in replies[3].tool_calls] == [{}]
    assert [call.arguments for call in replies[4].tool_calls] == ['{"colour": "bl']


def test_LI_78_text_llm_reads_the_schema(complete: Complete) -> None:
    """An LLM without tools gets a plain chat; thoughts are no answer."""
    script = Script([said(ThinkingBlock(content='{"colour": "red"}'), '{"colour": "蓝"}')])
    reply = complete(LlamaIndexModel(TextLLM(script=script)), REQUEST)

    assert reply.text == '{"colour": "蓝"}'
    assert script.tools == [[]]


def test_LI_78_function_calling_that_is_switched_off(complete: Complete) -> None:
    """The metadata decide, not the class."""

    class Switched(ToolLLM):
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata(is_function_calling_model=False)

    script = Script([said("x")])
    complete(LlamaIndexModel(Switched(script=script)), REQUEST)

    assert script.tools == [[]]


def test_LI_78_calls_of_older_integrations(complete: Complete) -> None:
    """Calls outside of the blocks are found through the integration; finding none is fine."""
    response = said("")
    response.message.additional_kwargs["tool_calls"] = [("name_colour", BLUE)]
    model = LlamaIndexModel(OldToolLLM(script=Script([response, said("blue")])))

    assert complete(model, REQUEST).tool_calls == (ToolCall(name="name_colour", arguments=BLUE),)
    assert complete(model, REQUEST) == Reply(text="blue")


@pytest.mark.parametrize("llm", [ToolLLM, TextLLM])
def test_LI_79_braces_stay(complete: Complete, llm: Any) -> None:
    """Prompt and payload reach the LLM as they are, braces too."""
    script = Script([said("x")])
    complete(LlamaIndexModel(llm(script=script)), REQUEST)
    (system, user) = script.texts()

    assert str(system[1]).startswith("Name a colour. {braces} {{stay}}")
    assert user == ("user", '{"mood":"平静"}')


@pytest.mark.parametrize("llm", [ToolLLM, TextLLM])
def test_LI_80_system_prompt_is_in_the_messages(complete: Complete, llm: Any) -> None:
    """The LLM's own system prompt opens the one system message, in both forms."""
    script = Script([said("x")])
    complete(LlamaIndexModel(llm(script=script, system_prompt="Be brief.")), REQUEST)

    assert [role for role, _ in script.texts()] == ["system", "user"]
    assert str(script.texts()[0][1]).startswith("Be brief.\n\nName a colour.")


async def test_LI_81_each_form_stays_where_it_is() -> None:
    """Awaited chats run on the caller's loop, waiting chats on the caller's thread."""
    script = Script([said("x"), said("x")])
    model = LlamaIndexModel(TextLLM(script=script))
    await model.acomplete(REQUEST)
    await asyncio.to_thread(model.complete, REQUEST)

    assert script.where[0] == ("async", id(asyncio.get_running_loop()))
    assert script.where[1][0] == "sync"
    assert script.where[1][1] != threading.get_ident()


class StatusError(Exception):
    """A client's error with an HTTP status."""

    def __init__(self, status_code: int) -> None:
        super().__init__(f"key sk-abcdefghijklmnop, status {status_code}")
        self.status_code = status_code


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        (StatusError(429), ModelError, True),
        (TimeoutError(), ModelError, True),
        (RuntimeError("x"), ModelError, True),
        (ConnectionError("x"), ModelUnavailable, True),
        (StatusError(503), ModelUnavailable, True),
        (StatusError(401), ModelError, False),
        (StatusError(404), ModelError, False),
    ],
    ids=repr,
)
@pytest.mark.parametrize("llm", [ToolLLM, TextLLM])
def test_LI_82_errors_are_mapped(
    complete: Complete, llm: Any, error: Exception, kind: type[ModelError], retryable: bool
) -> None:
    """What passes by itself may be retried, what is wrong with the request may not."""
    with pytest.raises(ModelError, match=r"^name_colour: the model failed") as failed:
        complete(LlamaIndexModel(llm(script=Script([error]))), REQUEST)

    assert (type(failed.value), failed.value.retryable) == (kind, retryable)
    assert failed.value.__cause__ is error
    assert "sk-abc" not in failed.value.message


def test_LI_82_request_refused_in_every_way(complete: Complete) -> None:
    """A request that a server refuses with and without the tool is not tried again."""
    script = Script([StatusError(400)] * 5)
    with pytest.raises(ModelError, match="refuses the request") as failed:
        complete(LlamaIndexModel(ToolLLM(script=script)), REQUEST)

    assert not failed.value.retryable


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        ({"raw": {"stop_reason": "max_tokens"}}, "max_tokens"),
        ({"raw": {"choices": [{"finish_reason": "length"}]}}, "length"),
        ({"additional_kwargs": {"finish_reason": "STOP"}}, "stop"),
        ({"raw": None}, None),
    ],
)
def test_finish_reason(complete: Complete, rest: dict[str, Any], reason: str | None) -> None:
    """The reason is found where integrations leave it, in lower case."""
    model = LlamaIndexModel(TextLLM(script=Script([said("x", **rest)])))

    assert complete(model, REQUEST).finish_reason == reason


@pytest.mark.parametrize(
    "rest",
    [
        {"additional_kwargs": {"prompt_tokens": 7, "completion_tokens": 2}},
        {"raw": {"usage": {"input_tokens": 7, "output_tokens": 2}}},
    ],
)
def test_usage(complete: Complete, rest: dict[str, Any]) -> None:
    """Reported tokens are passed on under the core's names."""
    model = LlamaIndexModel(TextLLM(script=Script([said("x", **rest)])))

    assert complete(model, REQUEST).usage == {"input_tokens": 7, "output_tokens": 2}


def test_budget_goes_into_a_copy(complete: Complete) -> None:
    """The task's output budget is set for its call only."""
    script = Script([said("x")])
    llm = TextLLM(script=script, max_tokens=7)
    complete(LlamaIndexModel(llm), REQUEST)

    assert (script.kwargs[0]["max_tokens"], llm.max_tokens) == (100, 7)


def test_question_through_the_adapter() -> None:
    """A fenced answer of a text LLM is accepted by the core."""

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
    script = Script([said("I think blue."), said('```json\n{"colour": "blue"}\n```')])

    asked = ask(LlamaIndexModel(TextLLM(script=script)), question)
    assert (asked.answer, asked.calls) == (Colour(colour="blue"), 2)
