"""What summary and extraction models see."""

import json
from datetime import UTC, datetime

from hypothesis import given

from stratagate_core.conversation.rules.derivation import derivation_view
from stratagate_core.conversation.rules.render import render_l5
from stratagate_core.model.message import Message, ToolTrace
from stratagate_core.text.markers import without_ours
from tests.strategies import conversations

_AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


def _message(role: str, content: str, *tool_calls: ToolTrace) -> Message:
    return Message(
        id="m1", role=role, content=content, thread="main", created_at=_AT, tool_calls=tool_calls
    )


def test_B_08_long_tool_data_is_cut() -> None:
    """Code becomes a note, a long log its ends and summary; all else and L5 stay."""
    code = "\n".join(f"line_{number} = {number}" for number in range(300))
    log = [f"step {number} passed without anything to report" for number in range(400)]
    result = {"summary": "all green", "log": log, "status": "exit 0"}
    trace = ToolTrace(name="run", arguments={"code": code, "cwd": "/app"}, result=result)
    message = _message("assistant", "Ran it.", trace)
    l5 = render_l5([message])

    [seen] = derivation_view([message])

    [call] = seen["tool_calls"]
    assert call["arguments"] == {
        "code": f"[code omitted: {len(code)} chars; full value remains in L5]",
        "cwd": "/app",
    }
    assert call["result"]["summary"] == "all green"
    assert "exit 0" in call["result"]["tail"]
    told = {key: seen[key] for key in ("id", "role", "content", "thread", "created_at")}
    assert told == {
        "id": "m1",
        "role": "assistant",
        "content": "Ran it.",
        "thread": "main",
        "created_at": _AT.isoformat(),
    }
    assert len(json.dumps(seen)) < len(l5) / 4
    assert (trace.arguments["code"], l5) == (code, render_l5([message]))


def test_B_09_only_tool_text_is_cut() -> None:
    """A tool's long text keeps its ends; what a user says is untouched."""
    text = "FIRST " + "filling " * 1000 + "LAST"
    [tool, user] = derivation_view([_message("tool", text), _message("user", text)])
    assert len(tool["content"]) < len(text) / 2
    assert tool["content"].startswith("FIRST")
    assert tool["content"].endswith("LAST")
    assert f"[{len(text) - 1440 - 480} chars omitted" in tool["content"]
    assert user["content"] == text


def test_code_is_found_at_any_depth() -> None:
    """Spelling of the key, nesting and lists hide no code; short code stays."""
    long, short = "y" * 241, "y" * 240
    arguments = {"steps": [{"Source-Code": long}, {"script": [long, short]}], "text": long}
    [seen] = derivation_view([_message("assistant", "", ToolTrace(name="t", arguments=arguments))])
    assert seen["tool_calls"][0]["arguments"] == {
        "steps": [
            {"Source-Code": "[Source-Code omitted: 241 chars; full value remains in L5]"},
            {"script": ["[script omitted: 241 chars; full value remains in L5]", short]},
        ],
        "text": long,
    }


def test_long_arguments_become_an_excerpt() -> None:
    """Arguments above the limit are told by head, tail and size."""
    arguments = {"text": "z" * 3000}
    size = len(json.dumps(arguments, separators=(",", ":")))
    [seen] = derivation_view([_message("assistant", "", ToolTrace(name="t", arguments=arguments))])
    excerpt = seen["tool_calls"][0]["arguments"]
    assert (len(excerpt["head"]), len(excerpt["tail"])) == (576, 240)
    assert (excerpt["original_chars"], excerpt["omitted_chars"]) == (size, size - 576 - 240)
    assert "summary" not in excerpt


@given(conversations())
def test_the_view_is_plain_json_with_every_spoken_word(messages: tuple[Message, ...]) -> None:
    """Any conversation has a view, and user and assistant texts stand in it unchanged."""
    view = json.loads(json.dumps(derivation_view(messages)))
    for message, seen in zip(messages, view, strict=True):
        assert message.role == seen["role"]
        assert message.name == seen.get("name")
        if message.role != "tool":
            assert without_ours(message.content) == seen["content"]
