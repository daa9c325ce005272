"""`StrataGateMemory` by itself: loading, saving, keys, failures."""

import copy
import inspect
from collections.abc import Callable
from typing import Any, get_args

import pytest
from langchain_core.agents import AgentAction, AgentActionMessageLog
from langchain_core.load import dumps
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda

from stratagate_core import UNSET, InvalidArgument, StorageError, StrataGate, StrataGateError
from stratagate_lc.langchain import StrataGateMemory
from stratagate_lc.langchain.convert import is_marked
from tests.langchain.fakes import FailingMemory, spoken, talk, texts

Opener = Callable[..., StrataGate]


def test_LC_07_construction_is_silent(memory: StrataGate) -> None:
    """Nothing of ours warns, and the deprecated default history is never built."""
    made = StrataGateMemory(memory=memory, session_id="t")

    assert "LiveChatMessageHistory" == type(made.chat_memory).__name__


def test_LC_08_unknown_options_are_refused(memory: StrataGate) -> None:
    """A misspelt option, an unknown mode and a foreign history are errors."""
    for options in ({"sesion_id": "t"}, {"on_error": "ignore"}, {"chat_memory": None}):
        with pytest.raises(ValueError, match=next(iter(options))):
            StrataGateMemory(memory=memory, **options)


def test_LC_12_without_a_thread_use_fails(memory: StrataGate) -> None:
    """Classic memory raises at first use, never falls back to a shared thread."""
    made = StrataGateMemory(memory=memory)

    for use in (
        lambda: made.load_memory_variables({"input": "hi"}),
        lambda: made.save_context({"input": "hi"}, {"output": "hello"}),
        made.clear,
    ):
        with pytest.raises(InvalidArgument, match="conversation id"):
            use()
    assert () == memory.threads()


def test_LC_13_resolver_per_call(memory: StrataGate) -> None:
    """One object serves two users of one process, each in a namespace of their own."""
    made = StrataGateMemory(memory=lambda run: memory.for_namespace(run["user"]))
    save: RunnableLambda[str, None] = RunnableLambda(
        lambda text: made.save_context({"input": text}, {"output": "ok"})
    )

    save.invoke("I am Ann", {"configurable": {"user": "ann", "thread_id": "1"}})
    save.invoke("I am Bob", {"configurable": {"user": "bob", "thread_id": "1"}})

    ann = memory.for_namespace("ann").thread_messages("1")
    bob = memory.for_namespace("bob").thread_messages("1")
    assert [("user", "I am Ann"), ("assistant", "ok")] == spoken(ann)
    assert [("user", "I am Bob"), ("assistant", "ok")] == spoken(bob)


def test_LC_14_constructor_wins_over_config(memory: StrataGate) -> None:
    """The thread of the constructor comes first."""
    made = StrataGateMemory(memory=memory, session_id="mine")
    save: RunnableLambda[str, None] = RunnableLambda(
        lambda text: made.save_context({"input": text}, {"output": "ok"})
    )

    save.invoke("hi", {"configurable": {"thread_id": "other"}})

    assert ("mine",) == memory.threads()


async def test_LC_80_async_stores_and_clears(memory: StrataGate) -> None:
    """The async twins do the same work."""
    made = StrataGateMemory(memory=memory, session_id="t")

    await made.asave_context({"input": "hi"}, {"output": "hello"})
    loaded = await made.aload_memory_variables({"input": "next"})
    await made.aclear()

    assert {"history": "Human: hi\nAI: hello"} == loaded
    assert () == memory.thread_messages("t")
    assert {"history": ""} == await made.aload_memory_variables({"input": "next"})


def test_LC_80_all_twins_are_our_own() -> None:
    """Load, save and clear are overridden in both forms."""
    for name in ("load_memory_variables", "save_context", "clear"):
        for method in (name, f"a{name}"):
            assert method in StrataGateMemory.__dict__
            assert method.startswith("a") == inspect.iscoroutinefunction(
                getattr(StrataGateMemory, method)
            )


def test_LC_81_only_asked_for_variables(memory: StrataGate) -> None:
    """The recall variable exists only when it is named and recall is on."""
    plain = StrataGateMemory(memory=memory, session_id="t")
    keyed = StrataGateMemory(memory=memory, session_id="t", memory_key="chat", recall_key="facts")
    off = StrataGateMemory(memory=memory, session_id="t", recall_key="facts", recall=False)

    assert ["history"] == plain.memory_variables
    assert ["chat", "facts"] == keyed.memory_variables
    assert ["history"] == off.memory_variables
    assert {"chat": "", "facts": ""} == keyed.load_memory_variables({"input": "hi"})


INPUTS: list[tuple[dict[str, Any], str | None, str]] = [
    ({"q": "asked"}, None, "asked"),
    ({"q": "asked", "history": "old"}, None, "asked"),
    ({"q": "asked", "stop": ["\n"], "history": "old"}, None, "asked"),
    ({"n": 1, "q": "asked", "other": "more"}, None, "asked"),
    ({"a": "first", "b": "asked"}, "b", "asked"),
    ({"q": "asked"}, "absent", "asked"),
    ({"q": [HumanMessage("old"), AIMessage("x"), HumanMessage("asked")]}, None, "asked"),
    ({"q": HumanMessage("asked")}, None, "asked"),
    ({"q": {"text": "问"}}, None, '{"text": "问"}'),
    ({}, None, ""),
]


@pytest.mark.parametrize(("inputs", "key", "expected"), INPUTS)
def test_LC_82_input_is_found(
    memory: StrataGate, inputs: dict[str, Any], key: str | None, expected: str
) -> None:
    """Whatever the inputs are called, the user's text is found and saving never raises."""
    made = StrataGateMemory(memory=memory, session_id="t", input_key=key)

    made.save_context(inputs, {"output": "ok"})

    assert [("user", expected), ("assistant", "ok")] == spoken(memory.thread_messages("t"))


OUTPUTS: list[tuple[dict[str, Any], str | None, str]] = [
    ({"response": "said"}, None, "said"),
    ({"answer": "said", "source_documents": [], "generated_question": "q"}, None, "said"),
    ({"text": "said", "score": 1}, None, "said"),
    ({"result": "said"}, None, "said"),
    ({"custom": "said", "n": 2}, None, "said"),
    ({"custom": "said", "answer": "other"}, "custom", "said"),
    ({"a": "one", "b": "二"}, None, '{"a": "one", "b": "二"}'),
    ({"output": {"n": 1}}, None, '{"n": 1}'),
    ({"messages": [HumanMessage("q"), AIMessage("said")]}, None, "said"),
    ({"output": " "}, None, "Turn completed."),
    ({}, "absent", "{}"),
]


@pytest.mark.parametrize(("outputs", "key", "expected"), OUTPUTS)
def test_LC_82_output_is_found(
    memory: StrataGate, outputs: dict[str, Any], key: str | None, expected: str
) -> None:
    """Several output keys are no error; what is no text is kept as JSON."""
    made = StrataGateMemory(memory=memory, session_id="t", output_key=key)

    made.save_context({"input": "q"}, outputs)

    assert [("user", "q"), ("assistant", expected)] == spoken(memory.thread_messages("t"))


def test_LC_83_steps_and_messages_become_traces(memory: StrataGate) -> None:
    """Tool work of steps and of streamed messages is kept once; our own tools are left out."""
    made = StrataGateMemory(memory=memory, session_id="t")
    call = {"name": "weather", "args": {"city": "巴黎"}, "id": "c1", "type": "tool_call"}
    log = AIMessage("", tool_calls=[call])
    own = AgentAction("memory_search_events", {"query": "x"}, "")
    step = AgentActionMessageLog(
        tool="weather", tool_input={"city": "巴黎"}, log="", message_log=[log]
    )

    made.save_context(
        {"input": "weather?"},
        {
            "output": "sunny",
            "intermediate_steps": [(step, {"sky": "clear"}), (own, "{}")],
            "messages": [AIMessage("", tool_calls=[call | {"id": "c2", "name": "wind"}])],
        },
    )

    traces = memory.thread_messages("t")[1].tool_calls
    assert ["weather", "wind"] == [trace.name for trace in traces]
    assert {"city": "巴黎"} == traces[0].arguments
    assert '{"sky": "clear"}' == traces[0].result
    assert UNSET == traces[1].result


def test_LC_83_messages_with_results(memory: StrataGate) -> None:
    """A call whose result stands in the messages is traced with it."""
    made = StrataGateMemory(memory=memory, session_id="t")
    call = {"name": "add", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
    messages = [AIMessage("", tool_calls=[call]), ToolMessage("3", tool_call_id="c1")]

    made.save_context({"input": "1+2"}, {"output": "3", "messages": messages})

    (trace,) = memory.thread_messages("t")[1].tool_calls
    assert ("add", "3") == (trace.name, trace.result)


def test_LC_84_load_writes_nothing(memory: StrataGate) -> None:
    """Loading without saving leaves no trace."""
    made = StrataGateMemory(memory=memory, session_id="t")
    before = memory.stats()

    made.load_memory_variables({"input": "hello?"})

    assert before == memory.stats()


def test_LC_84_equal_turns_stay_apart(memory: StrataGate) -> None:
    """Each save is a turn with a receipt of its own, and closes open batches."""
    made = StrataGateMemory(memory=memory, session_id="t")
    memory.search_events("x", thread="t", open_batch=True)

    made.save_context({"input": "ok"}, {"output": "ok"})
    made.save_context({"input": "ok"}, {"output": "ok"})

    assert 4 == len(memory.thread_messages("t"))
    assert () == memory.open_batches("t")


def test_LC_85_both_forms(memory: StrataGate) -> None:
    """Older blocks come as views and the tail verbatim, as a text or as messages."""
    talk(memory, "t", 3)
    text = StrataGateMemory(memory=memory, session_id="t", human_prefix="U", ai_prefix="B")
    listed = StrataGateMemory(memory=memory, session_id="t", return_messages=True)

    lines = text.load_memory_variables({"input": "hi"})["history"]
    messages: list[BaseMessage] = listed.load_memory_variables({"input": "hi"})["history"]

    assert lines.startswith("[Earlier conversation block]")
    assert "\nU: On 2026-05-03" in lines
    assert [True, False, False] == [is_marked(message) for message in messages]
    assert ["human", "human", "ai"] == [message.type for message in messages]


def test_recall_closes_the_history(memory: StrataGate) -> None:
    """What the question calls to mind stands last, or under its own key."""
    talk(memory, "old", 3)
    joined = StrataGateMemory(memory=memory, session_id="new", return_messages=True)
    keyed = StrataGateMemory(memory=memory, session_id="new", recall_key="facts")
    question = {"input": "Which plan does project Orion use?"}

    (recalled,) = joined.load_memory_variables(question)["history"]
    apart = keyed.load_memory_variables(question)

    assert is_marked(recalled)
    assert "Orion" in recalled.text
    assert "" == apart["history"]
    assert recalled.text == apart["facts"]


def test_LC_86_copies_share_the_memory(memory: StrataGate) -> None:
    """Deep copies write to the same memory, and nothing of it is dumped."""
    made = StrataGateMemory(memory=memory, session_id="t")

    for copied in (copy.deepcopy(made), made.model_copy(deep=True)):
        assert memory is copied.memory
        copied.save_context({"input": "hi"}, {"output": "hello"})

    assert 4 == len(made.chat_memory.messages)
    assert "StrataGate(" not in repr(made) + dumps(made)
    assert "memory" not in made.model_dump()


def test_LC_78_failing_store_keeps_the_turn(memory: StrataGate) -> None:
    """A failed save costs nothing: it shows in health and is written before the next one."""
    failing = FailingMemory(memory, "add_messages")
    made = StrataGateMemory(memory=failing, session_id="t")

    made.save_context({"input": "first"}, {"output": "1"})

    assert (False, 1) == (memory.health()["ok"], memory.health()["waiting_writes"])
    failing.mend()
    made.save_context({"input": "second"}, {"output": "2"})
    assert memory.health()["ok"]
    said = ["first", "1", "second", "2"]
    assert said == [message.content for message in memory.thread_messages("t")]


async def test_LC_95_failing_reads_cost_no_answer(memory: StrataGate) -> None:
    """With a failing memory the chain goes on without it; `raise` tells."""
    failing = FailingMemory(memory, "thread_messages", "recall", "add_messages", "finish_turn")
    made = StrataGateMemory(memory=failing, session_id="t")
    strict = StrataGateMemory(memory=failing, session_id="t", on_error="raise")

    assert {"history": ""} == made.load_memory_variables({"input": "hi"})
    await made.asave_context({"input": "hi"}, {"output": "hello"})
    with pytest.raises(OSError, match="disk"):
        strict.load_memory_variables({"input": "hi"})
    with pytest.raises(StorageError, match="kept"):
        strict.save_context({"input": "hi"}, {"output": "hello"})
    failing.mend()
    assert memory.flush()
    assert 4 == len(memory.thread_messages("t"))


def test_LC_86_a_refused_turn_blocks_none(memory: StrataGate) -> None:
    """A turn that can never be stored does not keep the next ones waiting."""
    made = StrataGateMemory(memory=memory, session_id="t")
    bad = AgentAction("tool", {"x": float("nan")}, "")

    made.save_context({"input": "a"}, {"output": "b", "intermediate_steps": [(bad, "c")]})
    made.save_context({"input": "d"}, {"output": "e"})

    assert [("user", "d"), ("assistant", "e")] == spoken(memory.thread_messages("t"))


def test_chat_memory_is_live(memory: StrataGate) -> None:
    """`chat_memory` shows the conversation as it is now and may be written to."""
    made = StrataGateMemory(memory=memory, session_id="t")

    assert [] == made.chat_memory.messages
    made.save_context({"input": "hi"}, {"output": "hello"})
    made.chat_memory.add_user_message("and?")

    assert ["hi", "hello", "and?"] == texts(made.chat_memory.messages)


def test_LC_11_errors_are_of_one_tree(memory: StrataGate) -> None:
    """Our errors derive from the core's root, never from RuntimeError."""
    with pytest.raises(StrataGateError) as caught:
        StrataGateMemory(memory=memory).clear()

    assert not isinstance(caught.value, RuntimeError)
    assert {"log", "raise"} == set(get_args(StrataGateMemory.model_fields["on_error"].annotation))
