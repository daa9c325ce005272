"""The levels of a transcript."""

import json

import pytest
from hypothesis import given

from stratagate_core.conversation.rules.render import (
    REPEATED,
    layers,
    render_l0,
    render_l2,
    render_l3,
    render_l4,
    render_l5,
    trace_json,
)
from stratagate_core.model.message import Message, ToolTrace, trace_from_json, trace_to_json
from stratagate_core.text.estimate import estimate_tokens
from tests.strategies import conversations, traces


def _user(content: str, *tool_calls: ToolTrace) -> Message:
    return Message(role="user", content=content, tool_calls=tool_calls)


def _tool(content: str) -> Message:
    return Message(role="tool", content=content)


def test_B_01_fillers_leave_l3() -> None:
    """A standalone okay is dropped, the sentence after it stays."""
    assert render_l3([_user("Okay.\nS.")]) == "User: S."


@pytest.mark.parametrize(("length", "copies"), [(80, 1), (79, 2)])
def test_B_02_repeated_paragraph(length: int, copies: int) -> None:
    """A long paragraph stands in L3 once, a shorter one as often as it was said."""
    paragraph = "x" * length
    messages = [_user(f"{paragraph}\n\n{paragraph}")]
    assert render_l3(messages).count(paragraph) == copies
    assert render_l3(messages).count(REPEATED) == 2 - copies
    assert render_l5(messages).count(paragraph) == 2


def test_B_03_arguments_stay_hidden() -> None:
    """L3 says which tool ran and what came back, never what it was asked."""
    trace = ToolTrace(
        name="search_events",
        arguments={"private_query": "hidden"},
        result={"ok": True, "events": [{"id": "e"}]},
    )
    l3 = render_l3([Message(role="assistant", content="Done.", tool_calls=(trace,))])
    assert "Tool call: search_events (events: 1)" in l3
    assert "private_query" not in l3


def test_B_04_levels_of_a_chinese_turn() -> None:
    """Sentences stay adjacent, L5 holds the compact trace, deeper levels are longer."""
    text = "第一句保持原样。第二句也保持原样。ASCII-run-stays-whole。"
    trace = ToolTrace(name="pwsh", arguments={"command": "ls -l"}, result={"文件": ["a.json"]})
    messages = [_user(text, trace)]
    l3, l4 = layers(messages)
    l5 = render_l5(messages)
    assert text in l3
    assert '{"name":"pwsh","arguments":{"command":"ls -l"},"result":{"文件":["a.json"]}}' in l5
    assert estimate_tokens(l3) <= estimate_tokens(l4) <= estimate_tokens(l5)


def test_B_05_empty_talk_vanishes_prose_stays() -> None:
    """A bare OK leaves no trace in L3; a user may speak about tool_calls."""
    assert render_l3([_user("OK!!!")]) == ""
    assert render_l3([_user("Why is tool_calls empty?")]) == "User: Why is tool_calls empty?"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("好的。谢谢！请继续", "User: 请继续"),
        ("yes, 可以", "User: yes, 可以"),
        ("Stays  as it is.\nreally", "User: Stays  as it is.\nreally"),
        ("one\n \t\ntwo", "User: one\n\ntwo"),
        ("```\nok\n```", "User: ```\nok\n```"),
    ],
)
def test_only_exact_fillers_go(content: str, line: str) -> None:
    """A filler is a whole piece; code and paragraphs without one stay as written."""
    assert line == render_l3([_user(content)])


def test_pastes_are_recognised_across_messages() -> None:
    """Case and spacing do not make a paste new, and neither does who repeats it."""
    paste = "A deliberately long paragraph which was pasted into the conversation more than once."
    repeated = [_user(paste), Message(role="assistant", content=paste.upper().replace(" ", "  "))]
    assert render_l3(repeated) == f"User: {paste}\n\nAssistant: {REPEATED}"


def test_code_is_recognised_however_short() -> None:
    """Code-like paragraphs of two lines are pastes; the same words in one line are not."""
    two_lines, one_line = _user("def f():\n  pass"), _user("def f(): pass")
    assert REPEATED in render_l3([two_lines, two_lines])
    assert REPEATED not in render_l3([one_line, one_line])


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('{"tool":"grep","result":null,"content":"unused"}', "Tool call: grep"),
        ('{"name":"a","arguments":{},"content":"done  ok"}', "Tool call: a (done ok)"),
        ('[{"function":{"name":"a"}},{"tool":"b"},{"tool":"a"}]', "Tool call: a, b"),
        ('{"deep":[{"tool":"first"}],"name":"last","parameters":{}}', "Tool call: first, last"),
        (
            '```json\n{"tool":"t","result":{"error":" no\\n way "}}\n```',
            "Tool call: t (failed: no way)",
        ),
        ('{"arguments": {"name": "zip"', "Tool call: zip (raw arguments omitted)"),
        ("TOOL_CALLS lost", "Tool call (raw arguments omitted)"),
        ('{"ok":true}', '{"ok":true}'),
        ('{"tool":"t","result":NaN}', '{"tool":"t","result":NaN}'),
    ],
)
def test_tool_records_become_one_line(content: str, line: str) -> None:
    """The text of a tool is its summary when it records calls, and any other text when not."""
    assert f"Tool: {line}" == render_l3([_tool(content)]) == render_l4([_tool(content)])


@pytest.mark.parametrize(
    ("result", "summary"),
    [
        (None, ""),
        ("  ", ""),
        ("two\nlines", " (two lines)"),
        ('{"message":"fine"}', " (fine)"),
        ("é" * 200, f" ({'é' * 160})"),
        (5.0, " (5)"),
        (True, " (true)"),
        ({"error": "e" * 200}, f" (failed: {'e' * 140})"),
        ({"error": " ", "summary": "", "message": "m"}, " (m)"),
        ({"params": [1], "行": [1, 2], "none": []}, " (行: 2, none: 0)"),
        ({"ok": False}, " (not completed)"),
        ({"ok": 1}, " (structured result returned)"),
        ([], " (structured result returned)"),
    ],
)
def test_results_are_summed_up(result: object, summary: str) -> None:
    """The first rule that fits says what a tool returned."""
    assert f"Tool call: t{summary}" == render_l4([_user("", ToolTrace(name="t", result=result))])


def test_first_part_carries_the_role() -> None:
    """In L3 also a trace is said by someone; in L4 it stands for itself."""
    messages = [_user(" ", ToolTrace(name="t"))]
    assert render_l3(messages) == "User: Tool call: t"
    assert render_l4(messages) == "Tool call: t"


def test_l5_is_the_source() -> None:
    """System messages, empty messages, spaces and a stored null are all there."""
    messages = [
        Message(role="System", content="rules"),
        _user("  spaced ", ToolTrace(name="t", result=None)),
        _user(""),
    ]
    assert render_l5(messages) == (
        'system: rules\n\nuser:   spaced \n\nTool call (raw): {"name":"t","result":null}\n\nuser: '
    )


def test_what_a_model_wrote() -> None:
    """L0 is title and tags, L2 the key points or else the summary."""
    assert render_l0("Title", ["a", "b"]) == "Title\nTags: a, b"
    assert render_l0("标题", []) == "标题\nTags: none"
    assert render_l2(["one", "two"], "summary") == "- one\n- two"
    assert render_l2([], "summary") == "summary"


def test_hostile_json_is_only_text() -> None:
    """Deep nesting and half characters neither break a rule nor reach what is stored."""
    deep = '{"tool":' * 5000
    assert render_l3([_user(deep)]).startswith("User: {")
    half = render_l3([_tool('{"tool":"t","result":"\\ud83d"}')])
    assert half == "Tool: Tool call: t (\ufffd)"
    assert trace_json(ToolTrace(name="t", result="\ud83d")) == '{"name":"t","result":"\\ud83d"}'


@given(conversations())
def test_levels_are_ordered_by_length(messages: tuple[Message, ...]) -> None:
    """After the length guard no level is longer than the next deeper one."""
    l3, l4 = layers(messages)
    tokens = [estimate_tokens(text) for text in (l3, l4, render_l5(messages))]
    assert tokens == sorted(tokens)


@given(conversations())
def test_l5_holds_every_content_untouched(messages: tuple[Message, ...]) -> None:
    """Every message stands in L5 in its order, character for character."""
    l5, position = render_l5(messages), 0
    for message in messages:
        entry = f"{message.role}: {message.content}"
        position = l5.index(entry, position) + len(entry)


@given(conversations())
def test_rendering_is_a_function_of_the_messages(messages: tuple[Message, ...]) -> None:
    """The same messages give the same texts."""
    assert layers(messages) == layers(list(messages))


@given(traces())
def test_traces_survive_storage(trace: ToolTrace) -> None:
    """A trace read back is the trace written, given null and missing parts told apart."""
    assert trace == trace_from_json(json.loads(json.dumps(trace_to_json(trace))))
    assert trace_to_json(trace) == json.loads(trace_json(trace))
