"""Between LangChain's messages and the core's."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from stratagate_core.model.message import UNSET, Message, ToolTrace
from stratagate_lc.langchain.convert import (
    as_messages,
    is_marked,
    is_real_user,
    mark,
    text_of,
    to_core_messages,
    turns_of,
    valid_sequence,
)

OURS = frozenset({"memory_search_events"})


def ai(text: Any = "", *calls: tuple[str, str], **rest: Any) -> AIMessage:
    """An assistant message with calls given as (name, id)."""
    made = [{"name": n, "args": {"q": 1}, "id": i, "type": "tool_call"} for n, i in calls]
    return AIMessage(text, tool_calls=made, **rest)


def result(call_id: str, text: str = "found", **rest: Any) -> ToolMessage:
    """A tool result."""
    return ToolMessage(text, tool_call_id=call_id, **rest)


def captured(*messages: Any, ended: str | None = None) -> list[tuple[str, str]]:
    """Role and content of what is captured."""
    found = to_core_messages(messages, tool_names=OURS, ended=ended)
    return [(m.role, m.content) for m in found]


def test_LC_18_mark_is_a_core_message() -> None:
    """A marked message is a plain human message that keeps its mark through a dump."""
    marked = mark("remember", "recall")

    assert type(marked) is HumanMessage
    assert marked.additional_kwargs == {"lc_source": "stratagate.recall"}
    assert is_marked(HumanMessage(**marked.model_dump()))
    assert not is_marked(HumanMessage("remember"))
    assert not is_marked(HumanMessage("x", additional_kwargs={"lc_source": "summarization"}))


def test_LC_19_real_user() -> None:
    """A human message is the user's unless software put it in or the caller knows better."""
    said = HumanMessage("hi")

    assert is_real_user(said)
    assert not is_real_user(said, lambda message: message.text != "hi")
    assert not is_real_user(mark("x", "view"))
    assert not is_real_user(HumanMessage("x", additional_kwargs={"lc_source": "summarization"}))
    assert not is_real_user(AIMessage("hi"))


IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("plain 文本", "plain 文本"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        (["a", "b"], "ab"),
        ([{"type": "text", "text": "Look:"}, IMAGE], "Look:\n[image]"),
        ([IMAGE, IMAGE], "[image]\n[image]"),
        ([{"type": "image", "url": "https://x.org/a.png", "alt": "a cat"}], "[image: a cat]"),
        ([{"type": "audio", "base64": "AAAA", "mime_type": "audio/wav"}], "[audio]"),
        ([{"type": "file", "base64": "AAAA", "mime_type": "application/pdf"}], "[file]"),
        ([{"type": "video", "url": "https://x.org/a.mp4"}], "[video]"),
        ([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "a"}], "a"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}], "a"),
        ([{"type": "something_new", "data": 1}], ""),
        ([], ""),
    ],
)
@pytest.mark.parametrize("kind", [HumanMessage, AIMessage])
def test_LC_20_text_and_media(kind: Any, content: Any, expected: str) -> None:
    """Text is read, media become a placeholder with their caption, reasoning is dropped."""
    assert text_of(kind(content)) == expected


def test_LC_20_every_accepted_form() -> None:
    """Dicts, pairs, plain strings and chunks are messages too."""
    forms: list[Any] = [
        {"role": "user", "content": "one"},
        ("ai", "two"),
        "three",
        AIMessageChunk(content="four"),
    ]

    assert [(type(m), m.content) for m in as_messages(forms)] == [
        (HumanMessage, "one"),
        (AIMessage, "two"),
        (HumanMessage, "three"),
        (AIMessage, "four"),
    ]


def test_LC_21_turn_with_tools() -> None:
    """Every user and assistant message stands alone; each call has one trace with its result."""
    turn = [
        SystemMessage("rules"),
        HumanMessage("weather?", id="h1", name="ana"),
        ai("I look.", ("weather", "1"), ("weather", "2")),
        result("1", "rain"),
        result("1", "sun"),
        result("2", "no city", status="error", artifact={"big": 1}),
        ai("Rain.", id="a2"),
    ]

    assert to_core_messages(turn, tool_names=OURS) == (
        Message(role="user", content="weather?", name="ana", metadata={"message_id": "h1"}),
        Message(
            role="assistant",
            content="I look.",
            tool_calls=(
                ToolTrace(name="weather", arguments={"q": 1}, result="rain", call_id="1"),
                ToolTrace(
                    name="weather",
                    arguments={"q": 1},
                    result="no city",
                    call_id="2",
                    is_error=True,
                ),
            ),
        ),
        Message(role="assistant", content="Rain.", metadata={"message_id": "a2"}),
    )


def test_LC_21_unparseable_arguments_and_missing_result() -> None:
    """Arguments that are no JSON are kept raw; a call without result has none."""
    broken = {"name": "w", "args": '{"a', "id": "1", "error": "x", "type": "invalid_tool_call"}
    turn = [HumanMessage("go"), AIMessage("ok", invalid_tool_calls=[broken])]
    ((trace,),) = [m.tool_calls for m in to_core_messages(turn, tool_names=OURS)[1:]]

    assert trace == ToolTrace(name="w", arguments={"raw": '{"a'}, call_id="1")
    assert trace.result is UNSET


def test_LC_21_ended_text() -> None:
    """Where there is no assistant text the stock text says how the turn ended."""
    user = HumanMessage("go")

    assert captured(user, ai("")) == [("user", "go"), ("assistant", "Turn completed.")]
    assert captured(user, ai("", ("w", "1")), result("1")) == [
        ("user", "go"),
        ("assistant", "Turn completed."),
    ]
    assert captured(user, ended="interrupted") == [
        ("user", "go"),
        ("assistant", "Turn ended: interrupted."),
    ]
    assert captured(user, ai("half"), ended="interrupted") == [
        ("user", "go"),
        ("assistant", "half"),
    ]
    assert captured(user) == [("user", "go")]
    assert captured() == []
    assert captured(ended="interrupted") == []


def test_LC_22_our_own_work_is_left_out() -> None:
    """Memory tools, marked messages and messages of other software are never captured."""
    found = to_core_messages(
        [
            mark("memory text", "recall"),
            HumanMessage("q"),
            HumanMessage("summary", additional_kwargs={"lc_source": "summarization"}),
            ai("", ("memory_search_events", "1"), ("web", "2")),
            result("1", "memory"),
            result("2", "page"),
            ai("", ("memory_search_events", "3")),
            result("3", "memory"),
            ai("answer"),
        ],
        tool_names=OURS,
    )

    assert [(m.role, m.content, [t.name for t in m.tool_calls]) for m in found] == [
        ("user", "q", []),
        ("assistant", "", ["web"]),
        ("assistant", "answer", []),
    ]


def test_turns() -> None:
    """A turn opens with the user messages in a row and ends before the next ones."""
    system, one, two, three = SystemMessage("s"), *(HumanMessage(t) for t in "123")
    note, a, b = mark("m", "view"), ai("a"), ai("b", ("w", "1"))

    assert turns_of([system, note, one, two, a, b, result("1"), note, three]) == (
        (system, note),
        (one, two, a, b, result("1"), note),
        (three,),
    )
    assert turns_of([a, one]) == ((a,), (one,))
    assert turns_of([]) == ()


def test_LC_23_orphans_go() -> None:
    """Unanswered calls, results without call, empty messages and late system messages go."""
    user = HumanMessage("q")
    blocks = [
        {"type": "text", "text": "both"},
        {"type": "tool_use", "id": "1", "name": "w", "input": {}},
        {"type": "tool_use", "id": "2", "name": "w", "input": {}},
    ]
    messages: list[BaseMessage] = [
        SystemMessage("s"),
        result("0"),
        HumanMessage(""),
        user,
        ai(blocks, ("w", "1"), ("w", "2"), additional_kwargs={"tool_calls": [{"id": "2"}]}),
        result("1"),
        SystemMessage("late"),
        ai("", ("w", "3")),
        ai("end"),
    ]
    system, said, answer, found, end = valid_sequence(messages)

    assert isinstance(answer, AIMessage)
    assert [call["id"] for call in answer.tool_calls] == ["1"]
    assert answer.content == blocks[:2]
    assert answer.additional_kwargs == {"tool_calls": []}
    assert [system.content, said, found.content, end.content] == ["s", user, "found", "end"]
    assert messages[4].content == blocks


def test_LC_23_last_user_message_stays() -> None:
    """The last user message is never dropped, even if it is blank."""
    assert valid_sequence([ai("a"), HumanMessage("")])[-1] == HumanMessage("")


IDS = st.sampled_from(["1", "2", "3"])
NAMES = st.sampled_from(["web", "memory_search_events"])
TEXTS = st.sampled_from(["", " ", "hello", "你好"])
CONTENTS: st.SearchStrategy[Any] = TEXTS | TEXTS.map(
    lambda text: [{"type": "text", "text": text}, IMAGE]
)
MESSAGES: st.SearchStrategy[BaseMessage] = st.one_of(
    CONTENTS.map(lambda content: HumanMessage(content)),
    TEXTS.map(SystemMessage),
    TEXTS.map(lambda text: AIMessageChunk(content=text)),
    TEXTS.map(lambda text: mark(text, "gate")),
    st.builds(
        lambda text, calls: ai(text, *calls),
        CONTENTS,
        st.lists(st.tuples(NAMES, IDS), max_size=3, unique_by=lambda call: call[1]),
    ),
    st.builds(result, IDS, TEXTS),
)
HISTORIES = st.lists(MESSAGES, max_size=12)


@given(HISTORIES)
def test_LC_23_any_history_becomes_valid(messages: list[BaseMessage]) -> None:
    """Calls and results pair up, system messages stand first, and doing it twice adds nothing."""
    valid = valid_sequence(messages)
    open_calls: set[str | None] = set()
    for message in valid:
        if isinstance(message, ToolMessage):
            assert message.tool_call_id in open_calls
            open_calls.remove(message.tool_call_id)
            continue
        assert not open_calls
        if isinstance(message, AIMessage):
            open_calls = {call["id"] for call in message.tool_calls}
    assert not open_calls
    kinds = [m.type == "system" for m in valid]
    assert kinds == sorted(kinds, reverse=True)
    users = [m for m in messages if isinstance(m, HumanMessage)]
    assert [m for m in valid if isinstance(m, HumanMessage)][-1:] == users[-1:]
    assert valid_sequence(valid) == valid


@given(HISTORIES)
def test_turns_lose_nothing(messages: list[BaseMessage]) -> None:
    """The turns of a history are the history, and only the first may lack a user message."""
    turns = turns_of(messages)

    assert [m for turn in turns for m in turn] == messages
    assert all(is_real_user(turn[0]) for turn in turns[1:])


@given(HISTORIES)
def test_LC_22_nothing_of_ours_is_ever_captured(messages: list[BaseMessage]) -> None:
    """Whatever the history, only users and assistants are captured, and no memory tool."""
    found = to_core_messages(messages, tool_names=OURS)
    ids = [trace.call_id for m in found for trace in m.tool_calls]

    assert {m.role for m in found} <= {"user", "assistant"}
    assert not OURS & {trace.name for m in found for trace in m.tool_calls}
    assert len(ids) == len(set(ids))
    users = [text_of(m) for m in messages if is_real_user(m)]
    assert [m.content for m in found if m.role == "user"] == users
