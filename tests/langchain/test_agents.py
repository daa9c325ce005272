"""Agents with our tools: retrieve, assess, record, answer."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ToolRetryMiddleware
from langchain_classic.agents import AgentExecutor, create_tool_calling_agent
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langgraph.checkpoint.memory import InMemorySaver

from stratagate_core import StrataGate
from stratagate_lc.langchain import StrataGateMemory, StrataGateToolkit
from stratagate_lc.langchain.tools import MemorySearchEventsTool
from tests.langchain.fakes import FailingMemory, ScriptedChatModel, run, talk, tool_call

CONFIG: Any = {"configurable": {"thread_id": "t"}}
QUESTION = {"messages": [("human", "Which plan does project Orion use?")]}


@pytest.fixture
def told(memory: StrataGate) -> StrataGate:
    """A memory that knows of one project from another conversation."""
    talk(memory, "old", 4)
    return memory


def result(messages: list[BaseMessage]) -> dict[str, Any]:
    """What the last tool call gave, as the model reads it."""
    (message,) = [m for m in messages[-1:] if isinstance(m, ToolMessage)]
    given: dict[str, Any] = json.loads(message.text)
    return given


def assessing(messages: list[BaseMessage]) -> AIMessage:
    """Judge the first result of the search as sufficient."""
    found = result(messages)
    return tool_call(
        "memory_assess",
        "call_2",
        batch_id=found["batch_id"],
        verdict="sufficient",
        evidence_refs=found["evidence_refs"][:1],
        fit="It names the plan.",
        missing="",
        next_strategy="answer",
    )


def recording(messages: list[BaseMessage]) -> AIMessage:
    """Record what was judged sufficient."""
    judged = result(messages)
    return tool_call(
        "memory_record_use",
        "call_3",
        batch_id=judged["batch_id"],
        evidence_refs=judged["evidence_refs"],
    )


def script() -> ScriptedChatModel:
    """A model that retrieves, assesses, records and answers."""
    return ScriptedChatModel(
        tool_call("memory_search_events", query="Orion plan"), assessing, recording, "Plan 4."
    )


@pytest.mark.parametrize("form", ["invoke", "ainvoke", "stream", "astream", "batch", "abatch"])
async def test_agent_goes_through_the_gate(told: StrataGate, form: str) -> None:
    """One event is reinforced once, in the thread of the run; nothing stays open."""
    model = script()
    agent: Any = create_agent(model, StrataGateToolkit(told).get_tools())

    await run(agent, QUESTION, form, CONFIG)

    (row,) = told.usage().items
    assert "t" == row["thread"]
    assert () == told.open_batches("t")
    assert 12 == len(model.offered[0])
    used = told.event(row["event_ids"][0])
    assert (2, told.stats()["current_turn"]) == (
        used.weight.mention_count,
        used.weight.last_adopted_turn,
    )


def test_artifacts_survive_a_checkpoint(told: StrataGate) -> None:
    """Results in a checkpoint are plain JSON and come back as they were."""
    agent: Any = create_agent(
        script(), StrataGateToolkit(told).get_tools(), checkpointer=InMemorySaver()
    )

    agent.invoke(QUESTION, CONFIG)

    messages = agent.get_state(CONFIG).values["messages"]
    artifacts = [m.artifact for m in messages if isinstance(m, ToolMessage)]
    texts = [json.loads(m.text) for m in messages if isinstance(m, ToolMessage)]
    assert texts == artifacts
    assert "citations" in artifacts[-1]


def test_LC_12_agent_without_a_thread_gets_an_error(told: StrataGate) -> None:
    """Without a thread id the model is told; the run goes on and nothing is opened."""
    model = ScriptedChatModel(tool_call("memory_search_events", query="Orion"), "I cannot tell.")
    agent: Any = create_agent(model, StrataGateToolkit(told).get_tools())

    answer = agent.invoke(QUESTION)

    assert "I cannot tell." == answer["messages"][-1].text
    assert "error" == answer["messages"][-2].status
    assert () == told.open_batches()


async def test_LC_60_failing_memory_ends_no_run(told: StrataGate) -> None:
    """The model reads that memory is not available, and answers."""
    model = ScriptedChatModel(tool_call("memory_search_events", query="Orion"), "No memory.")
    failing: Any = FailingMemory(told, "search_events")
    agent: Any = create_agent(model, StrataGateToolkit(failing).get_tools())

    answer = await agent.ainvoke(QUESTION, CONFIG)

    assert "No memory." == answer["messages"][-1].text
    assert "unavailable" == json.loads(answer["messages"][-2].text)["error"]["code"]


def test_LC_60_tool_retry_middleware(told: StrataGate) -> None:
    """Error results are results: a retrying middleware has nothing to retry."""
    model = ScriptedChatModel(tool_call("memory_expand_event", id="evt_99"), "Unknown.")
    retry = ToolRetryMiddleware(max_retries=2, initial_delay=0.0)
    agent: Any = create_agent(model, StrataGateToolkit(told).get_tools(), middleware=[retry])

    answer = agent.invoke(QUESTION, CONFIG)

    results = [m for m in answer["messages"] if isinstance(m, ToolMessage)]
    assert ["error"] == [message.status for message in results]


def test_LC_64_time_travel_records_once(told: StrataGate) -> None:
    """A write tool that is run again with the same id returns the stored result."""
    model = script()
    agent: Any = create_agent(
        model, StrataGateToolkit(told).get_tools(), checkpointer=InMemorySaver()
    )
    agent.invoke(QUESTION, CONFIG)
    before = [
        state
        for state in agent.get_state_history(CONFIG)
        if state.next == ("tools",) and _calls(state) == ["memory_record_use"]
    ]
    model._lines.append("Plan 4 again.")

    again = agent.invoke(None, before[0].config)

    assert "Plan 4 again." == again["messages"][-1].text
    assert 1 == told.usage().total
    assert "success" == again["messages"][-2].status


def _calls(state: Any) -> list[str]:
    return [call["name"] for call in state.values["messages"][-1].tool_calls]


def test_LC_65_parallel_calls_of_one_message(told: StrataGate) -> None:
    """Calls of one message each open their own batch and keep their own id."""
    two = AIMessage(
        "",
        tool_calls=[
            *tool_call("memory_search_events", "a", query="Orion").tool_calls,
            *tool_call("memory_search_raw", "b", query="Orion").tool_calls,
        ],
    )
    agent: Any = create_agent(ScriptedChatModel(two, "Done."), StrataGateToolkit(told).get_tools())

    answer = agent.invoke(QUESTION, CONFIG)

    results = [m for m in answer["messages"] if isinstance(m, ToolMessage)]
    assert {"a", "b"} == {message.tool_call_id for message in results}
    open_now = {batch.id for batch in told.open_batches("t")}
    assert open_now == {message.artifact["batch_id"] for message in results}


def test_LC_13_one_agent_for_two_users(memory: StrataGate) -> None:
    """The resolver sees the configurable values of each run."""
    for user in ("ann", "bob"):
        talk(memory.for_namespace(user), "old", 2, subject=user.title())
    toolkit = StrataGateToolkit(lambda run: memory.for_namespace(run["user"]))

    for user, other in (("ann", "Bob"), ("bob", "Ann")):
        model = ScriptedChatModel(tool_call("memory_search_events", query="project plan"), "ok")
        agent: Any = create_agent(model, toolkit.get_tools())
        config: Any = {"configurable": {"thread_id": "t", "user": user}}
        found = agent.invoke(QUESTION, config)["messages"][-2].text
        assert user.title() in found
        assert other not in found


@pytest.mark.filterwarnings("ignore::langchain_core._api.deprecation.LangChainDeprecationWarning")
@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_LC_71_agent_executor_with_tools_and_memory(told: StrataGate, form: str) -> None:
    """A classic agent retrieves and answers; the turn is stored without memory tool calls."""
    model = ScriptedChatModel(tool_call("memory_search_events", query="Orion"), "Plan 4.")
    tools = StrataGateToolkit(told, session_id="t").get_tools()
    prompt = ChatPromptTemplate.from_messages(
        [("human", "{history}{input}"), MessagesPlaceholder("agent_scratchpad")]
    )
    executor = AgentExecutor(
        agent=create_tool_calling_agent(model, tools, prompt),
        tools=tools,
        memory=StrataGateMemory(memory=told, session_id="t"),
        return_intermediate_steps=True,
        stream_runnable=False,
    )

    answer = await run(executor, {"input": "Which plan does Orion use?"}, form)

    question, reply = told.thread_messages("t")
    assert "Plan 4." == answer["output"]
    assert ("Which plan does Orion use?", "Plan 4.") == (question.content, reply.content)
    assert () == reply.tool_calls
    assert () == told.open_batches("t")


def test_single_tools_can_be_used_alone(open_memory: Callable[..., StrataGate]) -> None:
    """A tool class can be given to an agent without a toolkit."""
    memory = open_memory()
    model = ScriptedChatModel(tool_call("memory_search_events", query="x"), "Nothing.")
    agent: Any = create_agent(model, [MemorySearchEventsTool(memory=memory)])

    answer = agent.invoke(QUESTION, CONFIG)

    assert "no_data" == answer["messages"][-2].artifact["reason"]
