"""Any LlamaIndex LLM as memory model.

The adapter delivers whatever the LLM gave; the core checks it and asks again. The framework's
programs and prompt templates are not used: they fail on plain text and read braces as fields.
"""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.llms import LLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.tools import FunctionTool
from llama_index.core.tools.types import BaseTool
from pydantic import BaseModel

from stratagate_core.llm.port import Reply, Request
from stratagate_core.llm.talk import Talk, acarry, carry
from stratagate_lc.answers import TOOL_DESCRIPTION, schema_instruction
from stratagate_lc.budget import with_budget
from stratagate_lc.failures import kind_of, model_error, refuses_request
from stratagate_lc.llama_index.reply import to_reply

#: how LLMs and their clients refuse a call with tools
_REFUSALS = (ValueError, TypeError, KeyError, AssertionError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class _WithTool:
    """A chat in which the LLM is to call the tool."""

    llm: FunctionCallingLLM
    messages: list[ChatMessage]
    tools: list[BaseTool]

    def chat(self) -> ChatResponse:
        return self.llm.chat_with_tools(self.tools, chat_history=self.messages, tool_required=True)

    async def achat(self) -> ChatResponse:
        return await self.llm.achat_with_tools(
            self.tools, chat_history=self.messages, tool_required=True
        )


@dataclass(frozen=True, slots=True)
class _Plain:
    """A chat in which the LLM is to write the answer as JSON."""

    llm: LLM
    messages: list[ChatMessage]

    def chat(self) -> ChatResponse:
        return self.llm.chat(self.messages)

    async def achat(self) -> ChatResponse:
        return await self.llm.achat(self.messages)


_Chat: TypeAlias = _WithTool | _Plain


class LlamaIndexModel:
    """A LlamaIndex LLM as the model of a memory, by a tool call where the LLM can do that."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    def complete(self, request: Request) -> Reply:
        """Answer one request. Raises `ModelError`."""
        return carry(self._talk(request), lambda chat: chat.chat())

    async def acomplete(self, request: Request) -> Reply:
        """As `complete`, awaiting the LLM on the loop of the caller."""
        return await acarry(self._talk(request), lambda chat: chat.achat())

    def _talk(self, request: Request) -> Talk[_Chat, ChatResponse, Reply]:
        """With the tool if the LLM knows tools, then without if it refuses."""
        llm = with_budget(self._llm, request.max_tokens)
        if isinstance(llm, FunctionCallingLLM) and llm.metadata.is_function_calling_model:
            try:
                response = yield _WithTool(llm, _messages(llm, request), [_tool(request)])
                return to_reply(response, llm)
            except Exception as error:
                if not (isinstance(error, _REFUSALS) or refuses_request(error)):
                    raise model_error(error, request.task, kind_of(error)) from error
        try:
            response = yield _Plain(llm, _messages(llm, _with_schema(request)))
        except Exception as error:
            raise model_error(error, request.task, kind_of(error)) from error
        return to_reply(response, llm)


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
