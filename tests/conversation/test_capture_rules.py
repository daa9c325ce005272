"""What becomes a turn, and how a turn is recognised again."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given

from stratagate_core.conversation.rules.capture import (
    body_hash,
    ended_text,
    has_content,
    is_blank,
    parse_arguments,
    text_hash,
)
from stratagate_core.model.message import Message, ToolTrace
from tests.strategies import conversations, json_values

_AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ('{"q": "茶"}', {"q": "茶"}),
        ({"q": 1}, {"q": 1}),
        ("{broken", {"raw": "{broken"}),
        ("", {"raw": ""}),
        ("NaN", {"raw": "NaN"}),
        ("[1]", {"value": [1]}),
        ("null", {"value": None}),
        (7, {"value": 7}),
    ],
)
def test_arguments_become_an_object(raw: object, arguments: dict[str, object]) -> None:
    """Whatever a model wrote as arguments is kept as a JSON object."""
    assert arguments == parse_arguments(raw)


@given(json_values())
def test_no_arguments_are_lost(value: object) -> None:
    """Every JSON value is kept, as the object it is or as the one value of an object."""
    expected = value if isinstance(value, dict) else {"value": value}
    assert expected == parse_arguments(json.dumps(value))


def test_an_answer_without_text_is_told() -> None:
    """A stock text says that a turn completed, or why it ended."""
    assert ended_text() == "Turn completed."
    assert ended_text(" timed\nout. ") == "Turn ended: timed out."
    assert ended_text(language="zh") == "本轮已完成。"
    assert ended_text("超时", "zh") == "本轮已结束：超时。"


@pytest.mark.parametrize("text", [None, "", " \n\t　"])
def test_blank_texts(text: str | None) -> None:
    """Nothing, and nothing but whitespace of any script, is blank."""
    assert is_blank(text)


def test_a_turn_needs_a_speaker() -> None:
    """Tool output, system text and empty messages alone make no turn; a tool call does."""
    silent = [
        Message(role="system", content="rules"),
        Message(role="tool", content="output"),
        Message(role="user", content=" "),
    ]
    calling = Message(role="assistant", content="", tool_calls=(ToolTrace(name="t"),))
    assert not has_content(silent)
    assert has_content([*silent, calling])
    assert has_content([Message(role="user", content="hi")])


@given(conversations())
def test_hashes_ignore_ids_and_times(messages: tuple[Message, ...]) -> None:
    """The same words delivered again under new ids and times are the same turn."""
    again = [replace(message, id="new", created_at=_AT) for message in messages]
    assert body_hash(messages) == body_hash(again)
    assert text_hash(messages) == text_hash(again)


@given(conversations())
def test_pruned_tools_leave_the_text_hash(messages: tuple[Message, ...]) -> None:
    """A turn whose tool output the framework dropped is still recognised."""
    pruned = [replace(message, tool_calls=()) for message in messages if message.role != "tool"]
    assert text_hash(messages) == text_hash(pruned)


@given(conversations(), conversations())
def test_other_bodies_have_other_hashes(
    one: tuple[Message, ...], other: tuple[Message, ...]
) -> None:
    """Two bodies share a hash only if they are equal."""
    assume(one != other)
    assert body_hash(one) != body_hash(other)


def test_text_hash_tells_who_said_it() -> None:
    """Words, speaker and order all count."""
    hashes = {
        text_hash(messages)
        for messages in (
            [Message(role="user", content="a"), Message(role="assistant", content="b")],
            [Message(role="assistant", content="b"), Message(role="user", content="a")],
            [Message(role="user", content="ab")],
            [Message(role="assistant", content="ab")],
        )
    }
    assert len(hashes) == 4
