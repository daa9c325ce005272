"""The memory tools for LangChain agents: one class for each tool of the core.

Names, descriptions, arguments and effects are the core's; here stand only LangChain's forms.
A tool holds no state, so an agent may call it many times at once.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, partial
from typing import Any, ClassVar, Literal

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, BaseToolkit, ToolException
from langchain_core.tools.base import ArgsSchema
from pydantic import ConfigDict, Field

from stratagate_core import InvalidArgument, Settings, ToolSpec, tool_specs
from stratagate_core.tools import ToolResult, call, error_result, unfit_arguments
from stratagate_lc.langchain.guard import steers_run
from stratagate_lc.langchain.identity import (
    THREAD_KEY,
    MemoryField,
    MemorySource,
    SharesMemory,
    configurable_of,
    memory_of,
    thread_of,
)

#: the id of the tool call that runs: an argument for it would show in the schema
_call_id: ContextVar[str | None] = ContextVar("stratagate_tool_call_id", default=None)

#: what writes to long-term memory itself
_WRITING = frozenset({"remember", "profile_update"})


@contextmanager
def _within_call(call_id: str | None) -> Iterator[None]:
    token = _call_id.set(call_id or None)
    try:
        yield
    finally:
        _call_id.reset(token)


def _specs(tool_prefix: str) -> dict[str, ToolSpec]:
    return {spec.operation: spec for spec in tool_specs(Settings(tool_prefix=tool_prefix))}


def default_prefix(source: MemorySource) -> str:
    """The prefix of the memory's settings; with a memory for each run, the usual one."""
    return Settings().tool_prefix if callable(source) else source.settings().tool_prefix


def _may_remember(source: MemorySource) -> bool:
    """Whether the memory records on purpose; of a memory for each run its call tells."""
    return callable(source) or source.settings().agent_memory_enabled


class MemoryTool(SharesMemory, BaseTool):
    """One tool of a memory.

    Args:
        memory: a memory, or what picks one by the run's configurable values.
        session_id: the conversation; None means the run's.
        thread_key: where the run's configurable values name it.
        tool_prefix: begins the tool's name; None means as the memory's settings say.

    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")
    operation: ClassVar[str]

    memory: MemoryField = Field(exclude=True, repr=False)
    session_id: str | None = None
    thread_key: str = THREAD_KEY
    tool_prefix: str = "memory_"
    #: taken from the core's definition, like the description, unless given
    name: str = ""
    description: str = ""
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"

    def __init__(self, **given: Any) -> None:
        if given.get("memory") is None:
            raise InvalidArgument(f"{type(self).__name__} needs a memory")
        if given.get("tool_prefix") is None:
            given["tool_prefix"] = default_prefix(given["memory"])
        spec = _specs(given["tool_prefix"])[self.operation]
        given.setdefault("name", spec.name)
        given.setdefault("description", spec.description)
        given.setdefault("args_schema", spec.parameters)
        given.setdefault("handle_tool_error", True)
        given.setdefault("handle_validation_error", partial(_refusal, given["name"]))
        super().__init__(**given)

    @cached_property
    def spec(self) -> ToolSpec:
        """The core's definition of this tool."""
        return _specs(self.tool_prefix)[self.operation]

    @property
    def tool_call_schema(self) -> ArgsSchema:
        """What a model sees: exactly the arguments of the core's definition."""
        schema = self.spec.parameters.model_json_schema()
        return {**schema, "title": self.name, "description": self.description}

    def run(self, *args: Any, tool_call_id: str | None = None, **given: Any) -> Any:
        """Run the tool; the call's id makes a repeated call count once."""
        with _within_call(tool_call_id):
            return super().run(*args, tool_call_id=tool_call_id, **given)

    async def arun(self, *args: Any, tool_call_id: str | None = None, **given: Any) -> Any:
        """As `run`, without blocking the loop."""
        with _within_call(tool_call_id):
            return await super().arun(*args, tool_call_id=tool_call_id, **given)

    def _run(
        self,
        *args: Any,
        config: RunnableConfig = None,  # type: ignore[assignment]
        **given: Any,
    ) -> tuple[str, Any]:
        return _told(self._called(self._arguments(args, given), config))

    async def _arun(
        self,
        *args: Any,
        config: RunnableConfig = None,  # type: ignore[assignment]
        **given: Any,
    ) -> tuple[str, Any]:
        arguments = self._arguments(args, given)
        return _told(await asyncio.to_thread(self._called, arguments, config))

    def _arguments(self, args: Sequence[Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Some agents pass one text: it is the first argument."""
        names = self.spec.parameters.model_fields
        return {**dict(zip(names, args, strict=False)), **given}

    def _called(self, arguments: Mapping[str, Any], config: RunnableConfig | None) -> ToolResult:
        configurable = configurable_of(config)
        try:
            memory = memory_of(self.memory, configurable)
        except Exception as error:
            if steers_run(error):
                raise
            return error_result(InvalidArgument("no memory belongs to this run; go on without it"))
        thread = thread_of(self.session_id, configurable, self.thread_key)
        return call(self.spec, memory, thread, arguments, receipt=_call_id.get())


def _refusal(name: str, error: Any) -> str:
    return error_result(unfit_arguments(name, error)).text


def _told(result: ToolResult) -> tuple[str, Any]:
    """The result as text for the model and as data; an error in LangChain's way."""
    if result.is_error:
        raise ToolException(result.text)
    return result.text, result.value


class MemoryListTopicsTool(MemoryTool):
    """See what long-term memory is about."""

    operation = "list_topics"


class MemoryExpandTopicTool(MemoryTool):
    """Read one topic of the directory."""

    operation = "expand_topic"


class MemorySearchEventsTool(MemoryTool):
    """Find what happened earlier."""

    operation = "search_events"


class MemoryExpandEventTool(MemoryTool):
    """Read one event in full."""

    operation = "expand_event"


class MemorySearchGraphTool(MemoryTool):
    """Find what is so now."""

    operation = "search_graph"


class MemoryExpandGraphNodeTool(MemoryTool):
    """Read one node of the graph in full."""

    operation = "expand_graph_node"


class MemorySearchRawTool(MemoryTool):
    """Find what was literally said."""

    operation = "search_raw"


class MemoryGetBlocksTool(MemoryTool):
    """List earlier conversation as blocks."""

    operation = "get_blocks"


class MemoryExpandBlockTool(MemoryTool):
    """Show a block of earlier conversation in more detail."""

    operation = "expand_block"


class MemoryAssessTool(MemoryTool):
    """Judge what a retrieval returned."""

    operation = "assess"


class MemoryRecordUseTool(MemoryTool):
    """Close an evidence batch with the refs that the answer uses."""

    operation = "record_use"


class MemoryRememberTool(MemoryTool):
    """Record one lasting fact."""

    operation = "remember"


#: in the order in which agents get them
TOOL_CLASSES: tuple[type[MemoryTool], ...] = (
    MemoryListTopicsTool,
    MemoryExpandTopicTool,
    MemorySearchEventsTool,
    MemoryExpandEventTool,
    MemorySearchGraphTool,
    MemoryExpandGraphNodeTool,
    MemorySearchRawTool,
    MemoryGetBlocksTool,
    MemoryExpandBlockTool,
    MemoryAssessTool,
    MemoryRecordUseTool,
    MemoryRememberTool,
)


class StrataGateToolkit(SharesMemory, BaseToolkit):
    """The memory tools of an agent.

    Args:
        memory: a memory, or what picks one by the run's configurable values.
        session_id: the conversation; None means the run's.
        thread_key: where the run's configurable values name it.
        include: only these tools, by operation such as ``"search_events"``.
        exclude: all but these.
        read_only: without the tools that write to long-term memory or the profile.
        tool_prefix: begins the tools' names; None means as the memory's settings say.

    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    memory: MemoryField = Field(exclude=True, repr=False)
    session_id: str | None = None
    thread_key: str = THREAD_KEY
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    read_only: bool = False
    tool_prefix: str | None = None

    def __init__(self, memory: MemorySource, **options: Any) -> None:
        super().__init__(memory=memory, **options)
        known = {tool.operation for tool in TOOL_CLASSES}
        unknown = sorted({*(self.include or ()), *(self.exclude or ())} - known)
        if unknown:
            raise InvalidArgument(
                f"no tool {', '.join(unknown)}; there are {', '.join(sorted(known))}"
            )

    def get_tools(self) -> list[BaseTool]:
        """Fresh tools, always in the same order."""
        return [
            tool(
                memory=self.memory,
                session_id=self.session_id,
                thread_key=self.thread_key,
                tool_prefix=self.tool_prefix,
            )
            for tool in TOOL_CLASSES
            if self._offers(tool.operation)
        ]

    def _offers(self, operation: str) -> bool:
        if self.include is not None and operation not in self.include:
            return False
        if self.read_only and operation in _WRITING:
            return False
        if operation == "remember" and not _may_remember(self.memory):
            return False
        return operation not in (self.exclude or ())
