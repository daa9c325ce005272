"""Classic chains with `StrataGateMemory`, in every form of call."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_classic.agents import AgentExecutor, create_tool_calling_agent
from langchain_classic.chains import (
    ConversationalRetrievalChain,
    ConversationChain,
    LLMChain,
    SequentialChain,
)
from langchain_classic.memory import CombinedMemory, SimpleMemory
from langchain_core.messages import ToolMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.tools import tool

from stratagate_core import StrataGate
from stratagate_lc.langchain import StrataGateMemory, StrataGateRetriever
from tests.langchain.fakes import (
    FORMS,
    FailingMemory,
    ScriptedChatModel,
    run,
    spoken,
    talk,
    texts,
    tool_call,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::langchain_core._api.deprecation.LangChainDeprecationWarning"
)
each_form = pytest.mark.parametrize("form", FORMS)
HI = [("user", "hi"), ("assistant", "hello")]


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"sunny in {city}"


def remembering(memory: Any, **options: Any) -> StrataGateMemory:
    """A memory of the thread ``t``."""
    return StrataGateMemory(memory=memory, session_id="t", **options)


@each_form
async def test_LC_80_conversation_chain(memory: StrataGate, form: str) -> None:
    """The second prompt shows the first turn; both turns are stored."""
    model = ScriptedChatModel("hello", "fine")
    chain = ConversationChain(llm=model, memory=remembering(memory))

    answer = await run(chain, {"input": "hi"}, form)
    await run(chain, {"input": "how are you?"}, form)

    assert "hello" == answer["response"]
    assert "Human: hi\nAI: hello\nHuman: how are you?" in texts(model.requests[1])[0]
    assert [*HI, ("user", "how are you?"), ("assistant", "fine")] == spoken(
        memory.thread_messages("t")
    )


@each_form
async def test_LC_95_conversation_chain_with_a_failing_memory(
    memory: StrataGate, form: str
) -> None:
    """The answer comes, and the turn is written as soon as that is possible again."""
    failing = FailingMemory(memory, "thread_messages", "recall", "add_messages", "finish_turn")
    chain = ConversationChain(llm=ScriptedChatModel("hello"), memory=remembering(failing))

    answer = await run(chain, {"input": "hi"}, form)

    assert "hello" == answer["response"]
    assert 1 == memory.health()["waiting_writes"]
    failing.mend()
    assert memory.flush()
    assert HI == spoken(memory.thread_messages("t"))


@each_form
async def test_LC_82_llm_chain_with_two_inputs(memory: StrataGate, form: str) -> None:
    """With two inputs the named one is the user's."""
    prompt = PromptTemplate.from_template("{style}\n{history}\n{question}")
    chain = LLMChain(
        llm=ScriptedChatModel("hello"),
        prompt=prompt,
        memory=remembering(memory, input_key="question"),
    )

    await run(chain, {"style": "brief", "question": "hi"}, form)

    assert HI == spoken(memory.thread_messages("t"))


async def test_model_error_stores_nothing(memory: StrataGate) -> None:
    """A chain whose model fails saves no turn."""
    chain = ConversationChain(llm=ScriptedChatModel(OSError("down")), memory=remembering(memory))

    with pytest.raises(OSError, match="down"):
        await run(chain, {"input": "hi"}, "ainvoke")

    assert () == memory.thread_messages("t")


def test_LC_86_batch_stores_every_turn(memory: StrataGate) -> None:
    """Chains that run at the same time lose nothing."""
    model = ScriptedChatModel(*["ok"] * 8)
    chain = ConversationChain(llm=model, memory=remembering(memory))

    chain.batch([{"input": f"question {number}"} for number in range(8)])

    stored = memory.thread_messages("t")
    asked = {message.content for message in stored if message.role == "user"}
    assert {f"question {number}" for number in range(8)} == asked
    assert 16 == len(stored)


def agent(memory: Any, *lines: Any, **options: Any) -> AgentExecutor:
    """An agent executor with one tool."""
    prompt = ChatPromptTemplate.from_messages(
        [
            MessagesPlaceholder("chat_history"),
            ("human", "{input}"),
            MessagesPlaceholder("agent_scratchpad"),
        ]
    )
    model = ScriptedChatModel(*lines)
    return AgentExecutor(
        agent=create_tool_calling_agent(model, [weather], prompt),
        tools=[weather],
        memory=remembering(memory, memory_key="chat_history", return_messages=True),
        **options,
    )


@each_form
async def test_LC_83_agent_executor_with_steps(memory: StrataGate, form: str) -> None:
    """The intermediate steps become traces of the answer."""
    executor = agent(
        memory,
        tool_call("weather", city="Paris"),
        "It is sunny.",
        return_intermediate_steps=True,
        stream_runnable=False,
    )

    answer = await run(executor, {"input": "Weather in Paris?"}, form)

    stored = memory.thread_messages("t")
    (trace,) = stored[1].tool_calls
    assert "It is sunny." == answer["output"]
    assert [("user", "Weather in Paris?"), ("assistant", "It is sunny.")] == spoken(stored)
    assert ("weather", {"city": "Paris"}) == (trace.name, trace.arguments)
    assert "sunny in Paris" == trace.result


@each_form
async def test_LC_84_agent_executor_plain(memory: StrataGate, form: str) -> None:
    """Without the steps the turn is stored all the same, and stands in the next prompt."""
    executor = agent(memory, "hello", "again", stream_runnable=False)

    await run(executor, {"input": "hi"}, form)
    answer = await run(executor, {"input": "and?"}, form)

    assert "again" == answer["output"]
    assert [*HI, ("user", "and?"), ("assistant", "again")] == spoken(memory.thread_messages("t"))


def test_LC_23_agent_history_keeps_calls_with_results(memory: StrataGate) -> None:
    """A stored tool turn stands in the next request as a call with its result."""
    executor = agent(
        memory,
        tool_call("weather", city="Paris"),
        "It is sunny.",
        "again",
        return_intermediate_steps=True,
        stream_runnable=False,
    )

    executor.invoke({"input": "Weather?"})
    executor.invoke({"input": "and?"})

    shown = remembering(memory, return_messages=True).load_memory_variables({"input": "x"})
    kinds = [message.type for message in shown["history"][:4]]
    assert ["human", "ai", "tool", "human"] == kinds
    assert isinstance(shown["history"][2], ToolMessage)


@each_form
async def test_LC_82_conversational_retrieval_with_sources(memory: StrataGate, form: str) -> None:
    """Source documents and the rewritten question do not confuse saving; no history, no rewrite."""
    talk(memory, "old", 3)
    model = ScriptedChatModel("Plan 3.", "Which plan does Orion use next?", "Plan 4.")
    chain: Any = ConversationalRetrievalChain.from_llm(
        model,
        StrataGateRetriever(memory=memory, k=2),
        memory=remembering(memory, memory_key="chat_history", return_messages=True, recall=False),
        return_source_documents=True,
        return_generated_question=True,
    )

    answer = await run(chain, {"question": "Which plan does Orion use?"}, form)
    await run(chain, {"question": "And next?"}, form)

    assert 2 == len(answer["source_documents"])
    assert [
        ("user", "Which plan does Orion use?"),
        ("assistant", "Plan 3."),
        ("user", "And next?"),
        ("assistant", "Plan 4."),
    ] == spoken(memory.thread_messages("t"))


@each_form
async def test_LC_81_sequential_chain(memory: StrataGate, form: str) -> None:
    """A sequence of chains stores its own inputs and outputs as one turn."""
    model = ScriptedChatModel("draft", "hello")
    first = LLMChain(llm=model, prompt=PromptTemplate.from_template("{input}"), output_key="draft")
    second = LLMChain(
        llm=model, prompt=PromptTemplate.from_template("{history} {draft}"), output_key="output"
    )
    chain = SequentialChain(
        chains=[first, second], input_variables=["input"], memory=remembering(memory)
    )

    await run(chain, {"input": "hi"}, form)

    assert HI == spoken(memory.thread_messages("t"))


@each_form
async def test_LC_81_combined_memory(memory: StrataGate, form: str) -> None:
    """Beside another memory ours gives and saves only its own."""
    prompt = PromptTemplate.from_template("{place}\n{history}\n{input}")
    combined = CombinedMemory(
        memories=[
            remembering(memory, input_key="input"),
            SimpleMemory(memories={"place": "Paris"}),
        ]
    )
    chain = LLMChain(llm=ScriptedChatModel("hello"), prompt=prompt, memory=combined)

    await run(chain, {"input": "hi"}, form)

    assert HI == spoken(memory.thread_messages("t"))


def test_turns_reach_long_term_memory(open_memory: Callable[..., StrataGate]) -> None:
    """What a chain was told becomes events that a later conversation recalls."""
    memory = open_memory(settings={"block_turn_size": 1})
    told = ConversationChain(llm=ScriptedChatModel("Noted."), memory=remembering(memory))
    told.invoke({"input": "On 2026-05-02 we decided to use Postgres for project Orion."})
    model = ScriptedChatModel("Postgres.")
    later = ConversationChain(llm=model, memory=StrataGateMemory(memory=memory, session_id="later"))

    later.invoke({"input": "Which database does project Orion use?"})

    assert "[Activated long-term memory]" in texts(model.requests[0])[0]
    assert "Postgres" in texts(model.requests[0])[0]
