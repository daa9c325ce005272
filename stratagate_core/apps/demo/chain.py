"""The only place of the core that imports a framework: a real agent chain with a scripted model.

The agent, its executor and its tools are LangChain's own. The chat model says the lines of the
conversation and keeps what it was sent, which is what the demo measures.
"""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_classic.agents import AgentExecutor, create_tool_calling_agent
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import PrivateAttr

from stratagate_core.apps.demo.story import Said, ToolRun
from stratagate_core.memory import StrataGate
from stratagate_lc.langchain import StrataGateMemory

HISTORY = "chat_history"
_PROMPT = ChatPromptTemplate.from_messages(
    [
        ("system", "You help Lin Yue. Answer in the language you are asked in."),
        ("placeholder", "{chat_history}"),
        ("human", "{input}"),
        ("placeholder", "{agent_scratchpad}"),
    ]
)


class ScriptedChatModel(BaseChatModel):
    """A chat model that answers with the lines it is given."""

    _lines: list[AIMessage] = PrivateAttr(default_factory=list)
    _sent: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def prepare(self, lines: Sequence[AIMessage]) -> None:
        """Set the lines of the next turn and forget what was sent before."""
        self._lines, self._sent = list(lines), []

    @property
    def first_request(self) -> list[BaseMessage]:
        """What the model was sent first since the last `prepare`."""
        return self._sent[0]

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        """The model itself: its lines hold the tool calls already."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self._sent.append(messages)
        return ChatResult(generations=[ChatGeneration(message=self._lines.pop(0))])


class Conversation:
    """One thread: an agent chain that remembers through StrataGate."""

    def __init__(self, memory: StrataGate, thread: str) -> None:
        self._memory = StrataGateMemory(
            memory=memory, session_id=thread, memory_key=HISTORY, return_messages=True
        )
        self._model = ScriptedChatModel()

    def say(self, said: Said) -> list[BaseMessage]:
        """Run one turn through the chain; returns what memory put before the model."""
        calls = [
            {"name": run.name, "args": dict(run.arguments), "id": f"call_{number}"}
            for number, run in enumerate(said.tools, 1)
        ]
        asking = [AIMessage(content="", tool_calls=calls)] if calls else []
        self._model.prepare([*asking, AIMessage(content=said.assistant)])
        self._executor(said.tools).invoke({"input": said.user})
        return self._model.first_request[1:-1]

    def _executor(self, runs: Sequence[ToolRun]) -> AgentExecutor:
        tools = [_tool(run) for run in runs]
        return AgentExecutor(
            agent=create_tool_calling_agent(self._model, tools, _PROMPT),
            tools=tools,
            memory=self._memory,
            return_intermediate_steps=True,
        )


def _tool(run: ToolRun) -> BaseTool:
    return StructuredTool.from_function(
        func=_returning(run.result),
        name=run.name,
        description="A tool of the conversation.",
        args_schema={"type": "object", "properties": {}},
    )


def _returning(result: Any) -> Callable[..., Any]:
    return lambda **arguments: result
