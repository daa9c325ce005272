"""The tools as LangChain calls them; what they do is tested with the core."""

import asyncio
import copy
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_tests.integration_tests import ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests
from langgraph.errors import GraphInterrupt

from stratagate_core import InvalidArgument, Settings, StrataGate, tool_specs
from stratagate_core.graph.rules.fold import node_id
from stratagate_lc.langchain import StrataGateToolkit
from stratagate_lc.langchain.tools import (
    TOOL_CLASSES,
    MemoryAssessTool,
    MemoryExpandBlockTool,
    MemoryExpandEventTool,
    MemoryExpandGraphNodeTool,
    MemoryExpandTopicTool,
    MemoryGetBlocksTool,
    MemoryListTopicsTool,
    MemoryRecordUseTool,
    MemoryRememberTool,
    MemorySearchEventsTool,
    MemorySearchGraphTool,
    MemorySearchRawTool,
    MemoryTool,
)
from tests.langchain.fakes import FailingMemory, talk

EXAMPLES: dict[type[MemoryTool], dict[str, Any]] = {
    MemoryListTopicsTool: {"limit": 2},
    MemoryExpandTopicTool: {"id": "topic_1"},
    MemorySearchEventsTool: {"query": "Orion", "limit": 2},
    MemoryExpandEventTool: {"id": "evt_1"},
    MemorySearchGraphTool: {"query": "Orion"},
    MemoryExpandGraphNodeTool: {"id": node_id("person", "User")},
    MemorySearchRawTool: {"query": "Orion"},
    MemoryGetBlocksTool: {},
    MemoryExpandBlockTool: {"id": "blk_1", "target": "next"},
    MemoryAssessTool: {
        "verdict": "partial",
        "evidence_refs": [],
        "fit": "somewhat",
        "missing": "the date",
        "next_strategy": "search_raw",
    },
    MemoryRecordUseTool: {"evidence_refs": []},
    MemoryRememberTool: {"content": "The shed of Orion is in Ghent.", "category": "fact"},
}


@pytest.fixture
def told(memory: StrataGate) -> StrataGate:
    """A memory with two sealed blocks, events, and an open batch."""
    for _ in range(2):
        memory.add_turn("I live in Lyon.", "A fine city.", thread="home")
    talk(memory, "t", 4)
    memory.search_events("Orion", thread="t", open_batch=True)
    return memory


class OurTools:
    """What the standard suites ask about each of our tools."""

    #: the fixture that gives the memory
    given = "told"

    @pytest.fixture(autouse=True, params=TOOL_CLASSES, ids=lambda tool: str(tool.operation))
    def _opened(self, request: pytest.FixtureRequest) -> None:
        self.memory: StrataGate = request.getfixturevalue(self.given)
        self.tool_class: type[MemoryTool] = request.param

    @property
    def tool_constructor(self) -> type[BaseTool]:
        """The class under test."""
        return self.tool_class

    @property
    def tool_constructor_params(self) -> dict[str, Any]:
        """A memory and a conversation."""
        return {"memory": self.memory, "session_id": "t"}

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        """Arguments that succeed."""
        return EXAMPLES[self.tool_class]


class TestUnit(OurTools, ToolsUnitTests):
    """The unit suite that every LangChain tool passes."""

    given = "memory"


class TestIntegration(OurTools, ToolsIntegrationTests):
    """The integration suite that every LangChain tool passes."""


def called(tool: BaseTool, call_id: str | None = "call_1", **arguments: Any) -> ToolMessage:
    """The message that answers a call."""
    message = tool.invoke(
        {"type": "tool_call", "name": tool.name, "id": call_id, "args": arguments}
    )
    assert isinstance(message, ToolMessage)
    return message


def tools_of(memory: Any, **options: Any) -> dict[str, BaseTool]:
    """The tools of a toolkit by operation."""
    kit = StrataGateToolkit(memory, **options)
    return {tool.operation: tool for tool in kit.get_tools() if isinstance(tool, MemoryTool)}


def test_LC_63_everything_comes_from_the_specs(memory: StrataGate) -> None:
    """There is a tool for each spec, with its name, description and schema."""
    specs = tool_specs(memory.settings())
    tools = StrataGateToolkit(memory).get_tools()

    assert [spec.name for spec in specs] == [tool.name for tool in tools]
    for spec, tool in zip(specs, tools, strict=True):
        function = convert_to_openai_tool(tool)["function"]
        schema = spec.parameters.model_json_schema()
        assert spec.name == function["name"]
        assert spec.description == function["description"]
        assert schema["properties"].keys() == function["parameters"]["properties"].keys()
        assert schema.get("required", []) == function["parameters"].get("required", [])
        assert (
            not {"thread", "config", "tool_call_id"} & function["parameters"]["properties"].keys()
        )


def test_LC_63_prefix(open_memory: Any) -> None:
    """The prefix of the settings or of the toolkit begins every name, also in descriptions."""
    memory = open_memory(settings={"tool_prefix": "sg_"})

    by_settings = tools_of(memory)["search_events"]
    by_toolkit = tools_of(memory, tool_prefix="mine_")["search_events"]

    assert ("sg_search_events", "mine_search_events") == (by_settings.name, by_toolkit.name)
    assert "mine_assess" in by_toolkit.description


def test_toolkit_selects(memory: StrataGate) -> None:
    """`include` and `exclude` choose by operation; unknown names are errors."""
    assert ["search_raw", "assess"] == list(tools_of(memory, include=("assess", "search_raw")))
    assert "expand_block" not in tools_of(memory, exclude=("expand_block",))
    assert 11 == len(tools_of(memory, read_only=True))
    with pytest.raises(InvalidArgument, match="serch"):
        StrataGateToolkit(memory, include=("serch",))


def test_toolkit_tools_are_fresh(memory: StrataGate) -> None:
    """Each call gives new objects."""
    kit = StrataGateToolkit(memory)

    assert kit.get_tools()[0] is not kit.get_tools()[0]


def test_LC_12_no_thread_is_an_error_result(told: StrataGate) -> None:
    """Without a conversation id the model reads an error; nothing is opened anywhere."""
    message = called(tools_of(told)["search_events"], query="Orion")

    assert "error" == message.status
    assert "invalid_argument" == json.loads(message.text)["error"]["code"]
    assert () == told.open_batches()


@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_LC_14_thread_and_memory_of_the_run(memory: StrataGate, form: str) -> None:
    """Two users of one tool work in their own namespaces and threads."""
    tool = tools_of(lambda run: memory.for_namespace(run["user"]))["search_events"]

    for user in ("ann", "bob"):
        config: Any = {"configurable": {"user": user, "thread_id": 7}}
        if form == "invoke":
            tool.invoke({"query": "x"}, config)
        else:
            await tool.ainvoke({"query": "x"}, config)

    for user in ("ann", "bob"):
        assert 1 == len(memory.for_namespace(user).open_batches("7"))
    assert () == memory.open_batches("7")


def test_LC_59_a_lone_text_is_the_first_argument(told: StrataGate) -> None:
    """Agents that pass one text are served; no tool ends the run by itself."""
    tools = tools_of(told, session_id="t")

    assert "batch_id" in tools["search_events"].run("Orion")
    assert not any(tool.return_direct for tool in tools.values())


def test_LC_60_every_failure_is_a_result(told: StrataGate) -> None:
    """A failing memory, an unknown id, a failing resolver: the run goes on with an error text."""

    def nobody(_run: Any) -> StrataGate:
        raise KeyError("user")

    broken = FailingMemory(told, "search_events")
    cases = {
        "unavailable": called(tools_of(broken, session_id="t")["search_events"], query="x"),
        "not_found": called(tools_of(told, session_id="t")["expand_event"], id="evt_99"),
        "invalid_argument": called(tools_of(nobody, session_id="t")["get_blocks"]),
    }

    for code, message in cases.items():
        assert "error" == message.status
        assert code == json.loads(message.text)["error"]["code"]
        assert "disk" not in message.text


def test_LC_60_interrupts_pass(told: StrataGate) -> None:
    """What LangGraph uses to interrupt a run is no failure."""

    def interrupting(_run: Any) -> StrataGate:
        raise GraphInterrupt(())

    with pytest.raises(GraphInterrupt):
        tools_of(interrupting, session_id="t")["get_blocks"].invoke({})


def test_LC_61_validation_names_the_fault(told: StrataGate) -> None:
    """Coercion is gentle; what does not fit names the argument and what is valid."""
    search = tools_of(told, session_id="t")["search_events"]

    coerced = called(search, query="Orion", limit="2", unknown=1)
    refused = called(search, query="Orion", temporal_intent="newest")

    assert 2 == len(coerced.artifact["results"])
    told_error = json.loads(refused.text)["error"]
    assert "invalid_argument" == told_error["code"]
    assert "temporal_intent" in told_error["message"]
    assert "latest" in told_error["message"]


def test_LC_62_content_is_the_artifact_as_json(memory: StrataGate) -> None:
    """The text is readable JSON of the same data, whatever the language."""
    memory.add_turn("鹦鹉喜欢坚果。", "好的。", thread="other")
    message = called(tools_of(memory, session_id="t")["search_raw"], query="鹦鹉")

    assert "鹦鹉喜欢坚果" in message.text
    assert "\n  " in message.text
    assert message.artifact == json.loads(message.text)


def settled(memory: StrataGate, tools: dict[str, BaseTool]) -> dict[str, Any]:
    """Arguments that record the use of a search's first result."""
    found = called(tools["search_events"], query="Orion").artifact
    refs = found["evidence_refs"][:1]
    judged = {"verdict": "sufficient", "fit": "f", "missing": "", "next_strategy": "answer"}
    called(tools["assess"], batch_id=found["batch_id"], evidence_refs=refs, **judged)
    return {"batch_id": found["batch_id"], "evidence_refs": refs}


def test_LC_64_repeated_call_counts_once(memory: StrataGate) -> None:
    """A retried or replayed call with the same id returns the stored receipt."""
    talk(memory, "t", 4)
    tools = tools_of(memory, session_id="t")
    arguments = settled(memory, tools)

    first = called(tools["record_use"], "call_9", **arguments).artifact
    again = called(tools["record_use"], "call_9", **arguments).artifact

    assert 1 == first["incremented"]
    assert first == again
    assert 1 == memory.usage().total


@pytest.mark.parametrize("blank", [None, ""])
def test_LC_64_blank_ids_share_no_receipt(memory: StrataGate, blank: str | None) -> None:
    """Calls without an id are never taken for one another."""
    talk(memory, "t", 4)
    tools = tools_of(memory, session_id="t")

    for _ in range(2):
        call = {"type": "tool_call", "name": "x", "id": blank, "args": settled(memory, tools)}
        answer = tools["record_use"].invoke(call)
        assert '"incremented": 1' in (answer if isinstance(answer, str) else answer.text)

    assert 2 == memory.usage().total


async def test_LC_65_parallel_calls_keep_their_ids(memory: StrataGate) -> None:
    """Calls in threads and tasks use their own id, also when one tool object serves all."""
    talk(memory, "t", 4)
    tools = tools_of(memory, session_id="t")
    batches = [settled(memory, tools) for _ in range(6)]
    record = tools["record_use"]

    def call(number: int) -> dict[str, Any]:
        return {
            "type": "tool_call",
            "name": record.name,
            "id": f"call_{number}",
            "args": batches[number],
        }

    with ThreadPoolExecutor(3) as pool:
        in_threads = list(pool.map(lambda number: record.invoke(call(number)), range(3)))
    in_tasks = await asyncio.gather(*(record.ainvoke(call(number)) for number in range(3, 6)))

    for number, message in enumerate([*in_threads, *in_tasks]):
        assert f"call_{number}" == message.tool_call_id
        assert batches[number]["batch_id"] == message.artifact["batch_id"]
    assert {f"call_{number}" for number in range(6)} == {
        row["receipt"] for row in memory.usage().items
    }


def test_LC_67_copies_and_dumps(memory: StrataGate) -> None:
    """Deep copies share the memory; dumps and representations hold nothing of it."""
    tool = tools_of(memory, session_id="t")["search_events"]

    for copied in (copy.deepcopy(tool), tool.model_copy(deep=True)):
        assert isinstance(copied, MemoryTool)
        assert memory is copied.memory
        assert "success" == called(copied, query="x").status
    assert memory is copy.deepcopy(StrataGateToolkit(memory)).memory
    assert "memory" not in tool.model_dump(exclude={"handle_validation_error"})
    assert "StrataGate(" not in repr(tool)


def test_LC_08_a_tool_needs_a_memory(memory: StrataGate) -> None:
    """Forgetting the memory, or misspelling an option, is an error at construction."""
    with pytest.raises(InvalidArgument, match="needs a memory"):
        MemoryAssessTool()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="sesion"):
        MemoryAssessTool(memory=memory, sesion="t")  # type: ignore[call-arg]
    assert "memory_assess" == MemoryAssessTool(memory=lambda run: memory).name
    assert "memory_" == Settings().tool_prefix
