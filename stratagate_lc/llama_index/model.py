"""Any LlamaIndex LLM as memory model.

The adapter delivers whatever the LLM gave; the core checks it and asks again. The framework's
programs and prompt templates are not used: they fail on plain text and read braces as fields.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.llms import LLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.tools import FunctionTool
from llama_index.core.tools.types import BaseTool
from pydantic import BaseModel

from stratagate_core.errors import InvalidArgument
from stratagate_core.llm.port import Reply, Request
from stratagate_core.llm.talk import Talk, acarry, carry
from stratagate_lc.answers import TOOL_DESCRIPTION, schema_instruction
from stratagate_lc.budget import with_budget
from stratagate_lc.failures import (
    http_status,
    is_unreadable,
    kind_of,
    model_error,
    refuses_request,
)
from stratagate_lc.llama_index.reply import to_reply
from stratagate_lc.ways import WRITES_JSON, Way, after_refusal, response_format, ways

#: how LLMs and their clients refuse a call with tools
_REFUSALS = (ValueError, TypeError, KeyError, AssertionError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class _WithTool:
    """A chat in which the LLM may, or has to, call the tool."""

    llm: FunctionCallingLLM
    messages: list[ChatMessage]
    tools: list[BaseTool]
    forced: bool

    def chat(self) -> ChatResponse:
        return self.llm.chat_with_tools(
            self.tools, chat_history=self.messages, tool_required=self.forced
        )

    async def achat(self) -> ChatResponse:
        return await self.llm.achat_with_tools(
            self.tools, chat_history=self.messages, tool_required=self.forced
        )


@dataclass(frozen=True, slots=True)
class _Plain:
    """A chat in which the LLM is to write the answer as JSON."""

    llm: LLM
    messages: list[ChatMessage]
    #: how the answer is bound to JSON, where the LLM takes that
    format: Mapping[str, Any] = field(default_factory=dict)

    def chat(self) -> ChatResponse:
        return self.llm.chat(self.messages, **self.format)

    async def achat(self) -> ChatResponse:
        return await self.llm.achat(self.messages, **self.format)


_Chat: TypeAlias = _WithTool | _Plain


class LlamaIndexModel:
    """A LlamaIndex LLM as the model of a memory, by a tool call where the LLM can do that.

    A way to answer that the server of the LLM refused is not tried again with this object.
    """

    def __init__(self, llm: LLM) -> None:
        if not isinstance(llm, LLM):
            raise InvalidArgument(
                f"LlamaIndexModel takes a LlamaIndex LLM, not {type(llm).__name__}"
            )
        self._llm = llm
        #: the ways that are left after what a server refused
        self._left = _ways(llm)

    def complete(self, request: Request) -> Reply:
        """Answer one request. Raises `ModelError`."""
        return carry(self._talk(request), lambda chat: chat.chat())

    async def acomplete(self, request: Request) -> Reply:
        """As `complete`, awaiting the LLM on the loop of the caller."""
        return await acarry(self._talk(request), lambda chat: chat.achat())

    def _talk(self, request: Request) -> Talk[_Chat, ChatResponse, Reply]:
        """Try what the LLM may accept, best first; the first accepted way gives the reply."""
        llm = with_budget(self._llm, max_tokens=request.max_tokens, timeout=request.timeout)
        left = proven = self._left
        while True:
            try:
                response = yield _chat(llm, request, left[0])
            except Exception as error:
                left = _plainer(left, error, request.task)
                # what is no server's refusal may be about one answer only
                proven = left if refuses_request(error) else proven
            else:
                self._left = proven
                return to_reply(response, llm, request.task)


def _ways(llm: LLM) -> tuple[Way, ...]:
    tools = isinstance(llm, FunctionCallingLLM) and llm.metadata.is_function_calling_model
    return ways(tools=tools, native=bool(getattr(llm, "should_use_structured_outputs", False)))


def _plainer(left: tuple[Way, ...], error: Exception, task: str) -> tuple[Way, ...]:
    """The ways left after a refusal; any other error, and the last refusal, is raised."""
    rest: tuple[Way, ...] = ()
    if refuses_request(error):
        rest = after_refusal(left, by_server=True)
    elif _is_refusal(error) and left[0] != "text":
        rest = ("text",)
    if not rest:
        raise model_error(error, task, kind_of(error)) from error
    return rest


def _is_refusal(error: Exception) -> bool:
    known = is_unreadable(error) or http_status(error) is not None
    return isinstance(error, _REFUSALS) and not known


def _chat(llm: LLM, request: Request, way: Way) -> _Chat:
    if way in WRITES_JSON:
        return _Plain(llm, _messages(llm, _with_schema(request)), response_format(way, request))
    assert isinstance(llm, FunctionCallingLLM)
    return _WithTool(llm, _messages(llm, request), [_tool(request)], way == "forced")


def _messages(llm: LLM, request: Request) -> list[ChatMessage]:
    """The request's messages; the LLM's own system prompt opens the first system message."""
    first, *rest = request.messages
    texts = [(first["role"], first["content"]), *((m["role"], m["content"]) for m in rest)]
    if llm.system_prompt:
        texts[0] = ("system", f"{llm.system_prompt}\n\n{first['content']}")
    return [ChatMessage(role=MessageRole(role), content=text) for role, text in texts]


def _with_schema(request: Request) -> Request:
    first, *rest = request.messages
    content = f"{first['content']}\n\n{schema_instruction(request.schema)}"
    return replace(request, messages=({**first, "content": content}, *rest))


def _tool(request: Request) -> BaseTool:
    """The tool of the task; its arguments are the answer and it is never run."""

    class Answer(BaseModel):
        @classmethod
        def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
            return dict(request.schema)

    return FunctionTool.from_defaults(
        fn=lambda **answer: answer,
        name=request.task,
        description=TOOL_DESCRIPTION,
        fn_schema=Answer,
    )
