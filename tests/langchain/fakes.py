"""Doubles for LangChain's side: a scripted chat model, a memory whose operations can fail."""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

from stratagate_core import Message, StrataGate
from stratagate_core.testing import ScriptExhausted

Line = str | AIMessage | Exception | Callable[[list[BaseMessage]], "str | AIMessage"]


class ScriptedChatModel(BaseChatModel):
    """A tool-calling chat model that plays a script, records requests, and ends with its script."""

    _lines: list[Line] = PrivateAttr()
    _requests: list[list[BaseMessage]] = PrivateAttr(default_factory=list)
    _offered: list[list[str]] = PrivateAttr(default_factory=list)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    def __init__(self, *lines: Line) -> None:
        super().__init__()
        self._lines = list(lines)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def requests(self) -> list[list[BaseMessage]]:
        """The messages of each call so far."""
        return self._requests

    @property
    def offered(self) -> list[list[str]]:
        """The names of the tools of each call so far."""
        return self._offered

    def bind_tools(
        self, tools: Sequence[Any], **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with the tools as a provider would get them."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        with self._lock:
            self._requests.append(list(messages))
            tools = kwargs.get("tools") or ()
            self._offered.append([tool["function"]["name"] for tool in tools])
            if not self._lines:
                raise ScriptExhausted(f"no line for request {len(self._requests)}")
            line = self._lines.pop(0)
        answer = line(messages) if callable(line) else line
        if isinstance(answer, Exception):
            raise answer
        message = AIMessage(answer) if isinstance(answer, str) else answer
        return ChatResult(generations=[ChatGeneration(message=message)])


class FailingMemory:
    """A memory whose named operations fail until they are mended."""

    def __init__(self, memory: StrataGate, *failing: str) -> None:
        self.memory = memory
        self.failing = set(failing)

    def mend(self) -> None:
        """From now on everything works."""
        self.failing.clear()

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__["failing"]:
            return _fail
        return getattr(self.__dict__["memory"], name)


def _fail(*_args: Any, **_options: Any) -> Any:
    raise OSError("the disk is gone")


def tool_call(name: str, call_id: str = "call_1", **arguments: Any) -> AIMessage:
    """A message that calls one tool."""
    call = ToolCall(name=name, args=arguments, id=call_id, type="tool_call")
    return AIMessage("", tool_calls=[call])


def spoken(messages: Iterable[Message]) -> list[tuple[str, str]]:
    """Who said what."""
    return [(message.role, message.content) for message in messages]


def texts(messages: Iterable[BaseMessage]) -> list[str]:
    """What the messages say."""
    return [str(message.text) for message in messages]


FORMS = ("invoke", "ainvoke", "stream", "astream", "batch", "abatch")


async def run(
    chain: Runnable[Any, Any], given: Any, form: str, config: RunnableConfig | None = None
) -> Any:
    """The answer of a chain, called in one of the `FORMS`; streamed dicts are put together."""
    if form == "invoke":
        return chain.invoke(given, config)
    if form == "ainvoke":
        return await chain.ainvoke(given, config)
    if form == "batch":
        return chain.batch([given], config)[0]
    if form == "abatch":
        return (await chain.abatch([given], config))[0]
    if form == "stream":
        return _joined(list(chain.stream(given, config)))
    return _joined([chunk async for chunk in chain.astream(given, config)])


def _joined(chunks: list[Any]) -> Any:
    if not all(isinstance(chunk, dict) for chunk in chunks):
        return chunks[-1]
    return {key: value for chunk in chunks for key, value in chunk.items()}


def talk(memory: StrataGate, thread: str, turns: int, subject: str = "Orion") -> None:
    """Turns that are long enough for views and hold one decision each."""
    for number in range(1, turns + 1):
        memory.add_turn(
            f"On 2026-05-0{number} we decided that project {subject} uses plan number {number}. "
            + "There was a long discussion about it before. " * 8,
            "Noted. " + "I will keep this in mind for the next steps. " * 12,
            thread=thread,
        )
