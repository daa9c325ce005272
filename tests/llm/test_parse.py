"""Reading a reply into one JSON object."""

import contextlib
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagate_core.llm.parse import Unreadable, answer_text, read_answer
from stratagate_core.llm.port import Reply, ToolCall

CARD = {"title": "a } brace", "tags": ["{", "猫"]}
TEXT = json.dumps(CARD, ensure_ascii=False)


def read(text: str) -> object:
    """Read a reply that is only text."""
    return read_answer(Reply(text=text), tool="card", required=("title", "tags"))


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "\ufeff" + TEXT,
        f"```json\n{TEXT}\n```",
        f"\ufeff```\n{TEXT}\n```\nDone.",
        f'An example would be {{"title": "x", "tags": []}}. The answer is {TEXT}',
        f'例如 {{"title": "x"}}。答案：\n```json\n{TEXT}\n```',
        f'<think>Perhaps {{"title": "no", "tags": [</think>\n{TEXT}',
        f"Sets like {{a, b}} are no objects. {TEXT}",
        json.dumps(CARD, indent=2),
    ],
)
def test_J_01_one_object_in_text_is_read(text: str) -> None:
    """Fences, a BOM, braces in strings and an example before the final object are fine."""
    assert read(text) == CARD


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TEXT + TEXT, "next to each other"),
        (f"{TEXT}\n{TEXT}", "next to each other"),
        (f"```json\n{TEXT}\n```\n```json\n{TEXT}\n```", "next to each other"),
        (f"Two of them: {TEXT},\n{TEXT}", "next to each other"),
        (TEXT[:-1], "cut off"),
        ('{"title": "never clo', "cut off"),
        (f'The example {TEXT} and then {{"title": "x", "tags": [', "cut off"),
        ('{"title": "x"}', "tags: missing"),
        ("{}", "title: missing; tags: missing"),
        ('{"title": "x", "tags": [NaN]}', "not valid JSON"),
        ('{"title": "x", "tags": [],}', "not valid JSON"),
        ("I could not find anything.", "no JSON object"),
        ("", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        (f"<think>{TEXT}", "no JSON object"),
    ],
)
def test_J_01_unclear_text_is_refused(text: str, reason: str) -> None:
    """Adjacent objects, missing fields, cut off or invalid JSON are refused with the reason."""
    with pytest.raises(Unreadable, match=reason):
        read(text)


def test_J_01_schema_echo_is_refused() -> None:
    """A model that repeats the schema has not answered."""
    schema = {"type": "object", "properties": {"title": {}}, "required": ["title"]}

    with pytest.raises(Unreadable, match="title: missing"):
        read(json.dumps(schema))


def call(name: str, arguments: object) -> ToolCall:
    """A call of a tool."""
    return ToolCall(name=name, arguments=arguments)


@pytest.mark.parametrize("arguments", [CARD, TEXT, "\ufeff" + TEXT])
def test_J_02_call_next_to_reasoning_is_used(arguments: object) -> None:
    """The call counts, parsed or raw, whatever the text next to it says."""
    reply = Reply(
        text='Let me think: {"title": "x", "tags": []}', tool_calls=(call("card", arguments),)
    )

    assert read_answer(reply, tool="card", required=()) == CARD


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ((call("other", CARD),), "expected one call of card, got other"),
        ((call("card", CARD), call("card", CARD)), "got card, card"),
        ((call("card", TEXT[:-1]),), "not valid JSON"),
        ((call("card", "[]"),), "expected a JSON object, got list"),
        ((call("card", None),), "expected a JSON object, got NoneType"),
        ((call("card", '{"a":' * 100_000),), "not valid JSON"),
    ],
)
def test_wrong_calls_are_refused(calls: tuple[ToolCall, ...], reason: str) -> None:
    """A wrong name, two calls or broken arguments are refused, also when the text would do."""
    with pytest.raises(Unreadable, match=reason):
        read_answer(Reply(text=TEXT, tool_calls=calls), tool="card", required=())


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS"])
def test_reported_cut_is_refused(reason: str) -> None:
    """What reads as whole may be a repaired half when the model reports its output limit."""
    reply = Reply(tool_calls=(call("card", CARD),), finish_reason=reason)

    with pytest.raises(Unreadable, match="output limit"):
        read_answer(reply, tool="card", required=())


@pytest.mark.parametrize(
    "text", ['{"a":' * 60_000, "{" * 300_000, '{"' * 150_000, "\\" * 300_000, '{"a":"\\' * 40_000]
)
def test_broken_text_costs_linear_time(text: str) -> None:
    """Hundreds of thousands of open braces are refused at once."""
    started = time.perf_counter()
    with pytest.raises(Unreadable):
        read(text)

    assert time.perf_counter() - started < 0.5


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@settings(max_examples=40)
@given(st.dictionaries(st.text(min_size=1, max_size=6), JSON, min_size=1), st.booleans())
def test_any_object_survives_text(value: dict[str, object], escaped: bool) -> None:
    """An object written into fenced text is read back as it was."""
    text = f"Here it is:\n```json\n{json.dumps(value, ensure_ascii=escaped)}\n```"

    assert read_answer(Reply(text=text), tool="t", required=tuple(value)) == value


@given(st.text(alphabet='{}"\\: a1[],\n`', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text makes the reader fail in another way."""
    with contextlib.suppress(Unreadable):
        assert isinstance(read_answer(Reply(text=text), tool="t", required=()), dict)


def test_answer_text_prefers_calls() -> None:
    """The text of an answer is its arguments, and the words only without a call."""
    parsed, raw = call("t", {"名": 1}), call("t", "{broken")

    assert answer_text(Reply(text="words", tool_calls=(parsed, raw))) == '{"名":1}\n{broken'
    assert answer_text(Reply(text="words")) == "words"
