"""`StrataGateChatMessageHistory` by itself and behind `RunnableWithMessageHistory`."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import ConfigurableFieldSpec
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_core.tools import tool

from stratagate_core import InvalidArgument, StorageError, StrataGate
from stratagate_lc.langchain import StrataGateChatMessageHistory
from stratagate_lc.langchain.convert import is_marked, mark
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
CONFIG: Any = {"configurable": {"session_id": "t"}}
HI = [("user", "hi"), ("assistant", "hello")]
MORE = [("user", "more"), ("assistant", "sure")]


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"sunny in {city}"


def of(memory: Any, **options: Any) -> StrataGateChatMessageHistory:
    """The history of the thread ``t``."""
    return StrataGateChatMessageHistory(memory, "t", **options)


def with_key(memory: Any, model: ScriptedChatModel, **options: Any) -> Any:
    """A prompt chain whose history has its own key."""
    prompt = ChatPromptTemplate.from_messages(
        [MessagesPlaceholder("history"), ("human", "{input}")]
    )
    return RunnableWithMessageHistory(
        prompt | model,
        lambda session_id: StrataGateChatMessageHistory(memory, session_id, **options),
        input_messages_key="input",
        history_messages_key="history",
    )


def without_key(memory: Any, model: Any, **options: Any) -> Any:
    """A model whose input list gets the history put before it."""
    return RunnableWithMessageHistory(
        model, lambda session_id: StrataGateChatMessageHistory(memory, session_id, **options)
    )


# --- by itself ------------------------------------------------------------------------------------


def test_LC_12_no_session_is_an_error(memory: StrataGate) -> None:
    """Construction does nothing; first use without a session raises."""
    history = StrataGateChatMessageHistory(memory, " ")

    with pytest.raises(InvalidArgument, match="conversation id"):
        _ = history.messages
    with pytest.raises(InvalidArgument, match="conversation id"):
        history.add_messages([HumanMessage("hi")])
    assert () == memory.threads()


def test_LC_08_unknown_modes_are_refused(memory: StrataGate) -> None:
    """Views and error modes are checked."""
    for options in ({"view": "short"}, {"on_error": "log"}):
        with pytest.raises(InvalidArgument, match=next(iter(options))):
            of(memory, **options)


def test_LC_20_anything_that_is_a_message(memory: StrataGate) -> None:
    """Dicts, pairs, chunks and images are stored; an image comes back as it was."""
    image: list[str | dict[str, Any]] = [
        {"type": "text", "text": "看"},
        {"type": "image", "url": "https://example.org/a.png"},
    ]
    history = of(memory)

    history.add_messages([("human", "hi"), {"role": "assistant", "content": "hello"}])  # type: ignore[list-item]
    history.add_messages([HumanMessage(image), AIMessageChunk(content="nice")])

    assert [*HI, ("user", "看\n[image]"), ("assistant", "nice")] == spoken(
        memory.thread_messages("t")
    )
    assert image == of(memory).messages[2].content


def test_LC_77_ours_and_known_are_dropped(memory: StrataGate) -> None:
    """Views, foreign notices and stored messages are never stored again."""
    of(memory).add_messages([HumanMessage("hi", id="h1"), AIMessage("hello", id="a1")])
    foreign = HumanMessage("summary", additional_kwargs={"lc_source": "summarization"})

    of(memory).add_messages(
        [
            mark("[Earlier conversation block]", "view"),
            foreign,
            *of(memory).messages,
            HumanMessage("more", id="h2"),
            AIMessage("sure", id="a2"),
        ]
    )

    assert [*HI, *MORE] == spoken(memory.thread_messages("t"))


def test_LC_77_turns_are_grouped(memory: StrataGate) -> None:
    """A transcript becomes one turn for each answer; an opening answer is a turn of its own."""
    of(memory).add_messages(
        [
            AIMessage("welcome"),
            HumanMessage("hi"),
            HumanMessage("there"),
            AIMessage("hello"),
            HumanMessage("more"),
            AIMessage("sure"),
        ]
    )

    stored = memory.thread_messages("t")
    assert [1, 2, 2, 2, 3, 3] == [message.turn for message in stored]


def test_LC_77_partial_turn_stays_open(memory: StrataGate) -> None:
    """Question and answer may come apart, through different objects; they are one turn."""
    of(memory).add_messages([HumanMessage("hi")])
    assert [("user", "hi")] == spoken(memory.open_tail("t"))

    of(memory).add_messages([AIMessage("hello")])

    assert HI == spoken(memory.thread_messages("t"))
    assert 1 == memory.stats()["current_turn"]


def test_LC_77_tool_turn_in_pieces(memory: StrataGate) -> None:
    """Call, result and answer that come apart make one turn with one complete trace."""
    call = tool_call("weather", "c1", city="Paris")
    pieces: list[list[BaseMessage]] = [
        [HumanMessage("weather?"), call],
        [ToolMessage("sunny", tool_call_id="c1")],
        [AIMessage("It is sunny.")],
    ]
    for piece in pieces:
        of(memory).add_messages(piece)

    stored = memory.thread_messages("t")
    assert 1 == memory.stats()["current_turn"]
    assert ("user", "weather?") == spoken(stored)[0]
    assert ("assistant", "It is sunny.") == spoken(stored)[-1]
    assert ["sunny"] == [trace.result for message in stored for trace in message.tool_calls]
    assert ["human", "ai", "tool", "ai"] == [message.type for message in of(memory).messages]


def test_LC_40_unanswered_question_is_closed(memory: StrataGate) -> None:
    """A new question closes the one that never got its answer."""
    of(memory).add_messages([HumanMessage("hi")])
    of(memory).add_messages([HumanMessage("more"), AIMessage("sure")])

    stored = memory.thread_messages("t")
    assert [("user", "hi"), ("assistant", "Turn ended: interrupted."), *MORE] == spoken(stored)


def test_LC_17_two_equal_turns_are_two(memory: StrataGate) -> None:
    """Equal words without ids never collapse; the same ids do."""
    for _ in range(2):
        of(memory).add_messages([HumanMessage("ok"), AIMessage("ok")])
    for _ in range(2):
        of(memory).add_messages([HumanMessage("ok", id="h"), AIMessage("ok", id="a")])

    assert 3 == memory.stats()["current_turn"]


def test_LC_22_our_tools_are_not_captured(memory: StrataGate) -> None:
    """Calls of memory tools leave no trace."""
    of(memory).add_messages(
        [
            HumanMessage("hi"),
            tool_call("memory_search_events", "c1", query="x"),
            ToolMessage("{}", tool_call_id="c1"),
            AIMessage("hello"),
        ]
    )

    assert HI == spoken(memory.thread_messages("t"))
    assert all(not message.tool_calls for message in memory.thread_messages("t"))


def test_LC_76_frozen_copy_until_written(memory: StrataGate) -> None:
    """What was read stays, as copies, until something is added."""
    history = of(memory)
    of(memory).add_messages([HumanMessage("hi"), AIMessage("hello")])

    first = history.messages
    of(memory).add_messages([HumanMessage("more"), AIMessage("sure")])
    first.clear()

    assert ["hi", "hello"] == texts(history.messages)
    history.add_messages([HumanMessage("x"), AIMessage("y")])
    assert 6 == len(history.messages)


def test_layered_and_raw_views(memory: StrataGate) -> None:
    """Older blocks stand as marked messages where that is shorter; `raw` shows every word."""
    talk(memory, "t", 5)
    layered, raw = of(memory).messages, of(memory, view="raw").messages

    assert [True, True, False, False] == [is_marked(message) for message in layered]
    assert 10 == len(raw)
    assert not any(is_marked(message) for message in raw)


def test_recall_closes_the_history(memory: StrataGate) -> None:
    """With `recall` the last message is what the last turns call to mind."""
    talk(memory, "old", 4)
    of(memory).add_messages([HumanMessage("Tell me of project Orion"), AIMessage("Which part?")])

    *rest, last = of(memory, recall=True).messages

    assert 2 == len(rest)
    assert "[Activated long-term memory]" in last.text
    assert is_marked(last)


async def test_LC_79_clear_keeps_long_term_memory(memory: StrataGate) -> None:
    """A cleared chat starts anew; what was said is still found."""
    history = of(memory)
    talk(memory, "t", 2)
    await history.aadd_messages([HumanMessage("The parrot eats nuts."), AIMessage("I see.")])

    await history.aclear()

    assert [] == await history.aget_messages()
    assert memory.search_raw("parrot", thread="x").hits
    assert memory.search_events("Orion").hits
    history.clear()
    history.add_messages([HumanMessage("hi"), AIMessage("hello")])
    assert ["hi", "hello"] == texts(history.messages)


def test_LC_78_queue_is_shared(memory: StrataGate) -> None:
    """A failed write waits for all objects of the thread and is tried before the next read."""
    failing = FailingMemory(memory, "add_messages")
    of(failing).add_messages([HumanMessage("hi"), AIMessage("hello")])

    assert 1 == of(failing).pending_writes()
    assert not of(failing).flush()
    assert not memory.health()["ok"]
    failing.mend()
    assert ["hi", "hello"] == texts(of(failing).messages)
    assert 0 == of(failing).pending_writes()


def test_LC_78_order_is_kept(memory: StrataGate) -> None:
    """What failed is written before what comes later, each once."""
    failing = FailingMemory(memory, "thread_messages")
    of(failing).add_messages([HumanMessage("hi"), AIMessage("hello")])
    failing.mend()
    of(failing).add_messages([HumanMessage("more"), AIMessage("sure")])

    assert [*HI, *MORE] == spoken(memory.thread_messages("t"))


async def test_LC_78_raise_tells(memory: StrataGate) -> None:
    """With `on_error="raise"` the caller learns of it; the turn is kept all the same."""
    failing = FailingMemory(memory, "add_messages")
    history = of(failing, on_error="raise")

    with pytest.raises(StorageError, match="kept"):
        await history.aadd_messages([HumanMessage("hi"), AIMessage("hello")])
    failing.mend()
    assert history.flush()
    assert HI == spoken(memory.thread_messages("t"))


def test_LC_86_copies_share_the_memory(memory: StrataGate) -> None:
    """A deep copy is another view of the same conversation."""
    of(memory).add_messages([HumanMessage("hi"), AIMessage("hello")])

    assert ["hi", "hello"] == texts(copy.deepcopy(of(memory)).messages)


# --- behind RunnableWithMessageHistory ------------------------------------------------------------


@each_form
async def test_LC_76_with_history_key(memory: StrataGate, form: str) -> None:
    """Prompt chains see the earlier turns and store each turn once."""
    model = ScriptedChatModel("hello", "sure")
    chain = with_key(memory, model)

    await run(chain, {"input": "hi"}, form, CONFIG)
    await run(chain, {"input": "more"}, form, CONFIG)

    assert ["hi", "hello", "more"] == texts(model.requests[1])
    assert [*HI, *MORE] == spoken(memory.thread_messages("t"))


@each_form
async def test_LC_76_without_history_key(memory: StrataGate, form: str) -> None:
    """The history put before the input is cut off again before saving."""
    model = ScriptedChatModel("hello", "sure")
    chain = without_key(memory, model)

    await run(chain, [HumanMessage("hi")], form, CONFIG)
    await run(chain, [HumanMessage("more")], form, CONFIG)

    assert ["hi", "hello", "more"] == texts(model.requests[1])
    assert [*HI, *MORE] == spoken(memory.thread_messages("t"))


@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_LC_76_view_shrinks_before_save(memory: StrataGate, form: str) -> None:
    """A history that gets shorter while the model answers costs no turn and adds no summary."""
    for number in range(3):
        memory.add_turn(f"question {number} " * 40, "answer " * 40, thread="t", work="append")

    def sealing(_messages: list[BaseMessage]) -> str:
        memory.run_pending()
        return "sure"

    model = ScriptedChatModel(sealing)
    before = len(of(memory).messages)
    await run(without_key(memory, model), [HumanMessage("more")], form, CONFIG)

    assert len(of(memory).messages) < before + 2
    assert MORE == spoken(memory.thread_messages("t"))[-2:]
    assert 8 == len(memory.thread_messages("t"))


@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_LC_76_view_grows_before_save(memory: StrataGate, form: str) -> None:
    """A history that gets longer meanwhile, by another run or an expansion, costs no turn."""
    talk(memory, "t", 2)

    def growing(_messages: list[BaseMessage]) -> str:
        memory.expand_block(memory.blocks("t")[0].id, "raw", thread="t")
        memory.add_turn("from elsewhere", "ok", thread="t")
        return "sure"

    await run(without_key(memory, ScriptedChatModel(growing)), [HumanMessage("more")], form, CONFIG)

    said = [("user", "from elsewhere"), ("assistant", "ok"), *MORE]
    assert said == spoken(memory.thread_messages("t"))[-4:]
    assert 8 == len(memory.thread_messages("t"))


@pytest.mark.parametrize("form", ["batch", "abatch"])
async def test_batch_keeps_sessions_apart(memory: StrataGate, form: str) -> None:
    """The items of a batch write to their own sessions."""
    chain = with_key(memory, ScriptedChatModel(*["ok"] * 3))
    configs: Any = [{"configurable": {"session_id": name}} for name in "abc"]
    given = [{"input": f"I am {name}"} for name in "abc"]

    if form == "batch":
        chain.batch(given, configs)
    else:
        await chain.abatch(given, configs)

    for name in "abc":
        said = [("user", f"I am {name}"), ("assistant", "ok")]
        assert said == spoken(memory.thread_messages(name))


@each_form
async def test_LC_78_failing_then_recovering(memory: StrataGate, form: str) -> None:
    """Save errors that the runnable swallows lose nothing."""
    failing = FailingMemory(memory, "add_messages", "thread_messages")
    chain = with_key(failing, ScriptedChatModel("hello", "sure"))

    assert "hello" == (await run(chain, {"input": "hi"}, form, CONFIG)).text
    assert 1 == memory.health()["waiting_writes"]
    failing.mend()
    await run(chain, {"input": "more"}, form, CONFIG)

    assert memory.health()["ok"]
    assert [*HI, *MORE] == spoken(memory.thread_messages("t"))


@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_model_error_stores_nothing(memory: StrataGate, form: str) -> None:
    """A failing model leaves no turn behind."""
    chain = with_key(memory, ScriptedChatModel(OSError("down")))

    with pytest.raises(OSError, match="down"):
        await run(chain, {"input": "hi"}, form, CONFIG)

    assert () == memory.thread_messages("t")


def test_abandoned_stream_stores_nothing(memory: StrataGate) -> None:
    """A stream that nobody reads on is no turn, and the next one is complete."""
    chain = with_key(memory, ScriptedChatModel("hello", "sure"))

    chain.stream({"input": "hi"}, CONFIG).close()
    chain.invoke({"input": "more"}, CONFIG)

    assert ["more"] == [m.content for m in memory.thread_messages("t") if m.role == "user"]


def test_LC_12_factory_with_two_fields(memory: StrataGate) -> None:
    """User and conversation from the configuration: the user picks the namespace."""
    fields = [
        ConfigurableFieldSpec(id="user_id", annotation=str),
        ConfigurableFieldSpec(id="conversation_id", annotation=str),
    ]
    chain = RunnableWithMessageHistory(
        ScriptedChatModel("ok", "ok"),
        lambda user_id, conversation_id: StrataGateChatMessageHistory(
            memory.for_namespace(user_id), conversation_id
        ),
        history_factory_config=fields,
    )

    for user in ("ann", "bob"):
        config: Any = {"configurable": {"user_id": user, "conversation_id": "1"}}
        chain.invoke([HumanMessage(f"I am {user}")], config)

    for user in ("ann", "bob"):
        said = [("user", f"I am {user}"), ("assistant", "ok")]
        assert said == spoken(memory.for_namespace(user).thread_messages("1"))


@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_LC_77_agent_inside(open_memory: Callable[..., StrataGate], form: str) -> None:
    """An agent returns history, views and input again; only its new turn is stored."""
    memory = open_memory(settings={"block_turn_size": 2})
    talk(memory, "t", 3)
    model = ScriptedChatModel(tool_call("weather", "c1", city="Paris"), "Sunny.", "Bye.")
    agent: Any = create_agent(model, [weather])
    chain = RunnableWithMessageHistory(
        agent,
        lambda session_id: StrataGateChatMessageHistory(memory, session_id),
        input_messages_key="messages",
        output_messages_key="messages",
    )
    # the same words as in the tail: only ids may tell what is new
    question = HumanMessage(memory.open_tail("t")[0].content)

    await run(chain, {"messages": [question]}, form, CONFIG)
    await run(chain, {"messages": [HumanMessage("thanks")]}, form, CONFIG)

    new = memory.thread_messages("t")[6:]
    assert [
        ("user", question.content),
        ("assistant", "Sunny."),
        ("user", "thanks"),
        ("assistant", "Bye."),
    ] == [said for said in spoken(new) if said[1]]
    assert ["sunny in Paris"] == [trace.result for message in new for trace in message.tool_calls]
    assert 5 == memory.stats()["current_turn"]


def test_LC_23_no_stray_system_message(memory: StrataGate) -> None:
    """A system message given to the history is not kept as speech."""
    of(memory).add_messages([SystemMessage("be brief"), HumanMessage("hi"), AIMessage("hello")])

    assert ["hi", "hello"] == texts(of(memory).messages)
