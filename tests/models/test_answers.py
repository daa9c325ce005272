"""Both adapters over HTTP: what a server gives comes back, in the best way the server accepts."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from stratagate_core.llm.port import Reply, Request, ToolCall
from tests.models.conftest import Complete, Make, Serve
from tests.models.server import Body, Line, calls, fails, says

pytestmark = pytest.mark.allow_sockets

BLUE = {"colour": "蓝"}
CALL = calls("name_colour", BLUE)
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"colour": {"type": "string"}},
    "required": ["colour"],
}
REQUEST = Request(
    task="name_colour",
    messages=(
        {"role": "system", "content": "Name a colour. {braces}"},
        {"role": "user", "content": '{"mood":"平静"}'},
    ),
    schema=SCHEMA,
    max_tokens=100,
    timeout=10.0,
)
USAGE = {"input_tokens": 11, "output_tokens": 5}


def given(reply: Reply) -> Any:
    """What a reply answers with; adapters may leave the arguments of a call as JSON."""
    found = reply.tool_calls[0].arguments if reply.tool_calls else reply.text
    return json.loads(found) if isinstance(found, str) else found


def way_of(body: Body) -> str:
    """The way in which a request asks for its answer."""
    if tools := body.get("tools"):
        assert [tool["function"]["name"] for tool in tools] == ["name_colour"]
        return "forced" if body.get("tool_choice") == "required" else "offered"
    return str(body.get("response_format", {}).get("type", "text"))


def accepts(*ways: str) -> Any:
    """A server that refuses every other way to ask."""

    def answer(body: Body) -> Line:
        way = way_of(body)
        if way not in ways:
            return fails(400, f"{way} is not supported")
        return CALL if way in ("forced", "offered") else says(json.dumps(BLUE))

    return answer


def test_LC_87_LI_78_the_tool_is_forced(serve: Serve, make: Make, complete: Complete) -> None:
    """The first request has the tool, its schema, the prompts as they are, and the budget."""
    server = serve([CALL])
    reply = complete(make(server), REQUEST)
    (body,) = server.requests

    assert (["name_colour"], BLUE) == ([call.name for call in reply.tool_calls], given(reply))
    assert ("", "tool_calls", USAGE) == (reply.text, reply.finish_reason, reply.usage)
    assert "forced" == way_of(body)
    assert SCHEMA.items() <= body["tools"][0]["function"]["parameters"].items()
    assert [dict(message) for message in REQUEST.messages] == body["messages"]
    assert 100 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert not body.get("stream")


@pytest.mark.parametrize(
    ("accepted", "tried"),
    [
        ("offered", ["forced", "offered"]),
        ("json_schema", ["forced", "offered", "json_schema"]),
        ("json_object", ["forced", "offered", "json_schema", "json_object"]),
        ("text", ["forced", "offered", "json_schema", "json_object", "text"]),
    ],
)
def test_LC_88_refusals_lead_to_what_the_server_accepts(
    serve: Serve, make: Make, complete: Complete, accepted: str, tried: list[str]
) -> None:
    """Each refused way is followed by a plainer one, and the accepted one is remembered."""
    server = serve(accepts(accepted))
    model = make(server)
    replies = [complete(model, REQUEST) for _ in range(2)]

    assert [*tried, accepted] == [way_of(body) for body in server.requests]
    assert [BLUE, BLUE] == [given(reply) for reply in replies]


@pytest.mark.parametrize("accepted", ["json_schema", "json_object", "text"])
def test_a_model_that_writes_json_reads_the_schema(
    serve: Serve, make: Make, complete: Complete, accepted: str
) -> None:
    """Without a tool the schema stands in the instructions, and in native output also beside."""
    server = serve(accepts(accepted))
    complete(make(server), REQUEST)
    body = server.requests[-1]

    assert json.dumps(SCHEMA, separators=(",", ":")) in body["messages"][0]["content"]
    if accepted == "json_schema":
        assert SCHEMA == body["response_format"]["json_schema"]["schema"]


@pytest.mark.parametrize("accepted", ["json_schema", "forced"])
def test_a_model_that_declares_native_output_is_asked_so_first(
    serve: Serve, make: Make, complete: Complete, accepted: str
) -> None:
    """Structured output comes before tools where the model's description says it can do it."""
    server = serve(accepts(accepted))
    declared = {"profile": {"structured_output": True}}
    if "llama" in make.__name__:  # type: ignore[attr-defined]  # the fixture gives functions
        declared = {"should_use_structured_outputs": True}  # type: ignore[dict-item]
    complete(make(server, **declared), REQUEST)

    assert "json_schema" == way_of(server.requests[0])
    assert accepted == way_of(server.requests[-1])


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (says("blue, I think"), "blue, I think"),
        (says("```json\n{}\n```"), "```json\n{}\n```"),
        (says(""), ""),
        (says(None), ""),
    ],
)
def test_LC_87_words_come_back(
    serve: Serve, make: Make, complete: Complete, line: Line, text: str
) -> None:
    """Words instead of a call are no error: the core reads them and asks for repair."""
    assert Reply(text=text, finish_reason="stop", usage=USAGE) == complete(
        make(serve([line])), REQUEST
    )


def test_LC_87_broken_and_foreign_calls_come_back(
    serve: Serve, make: Make, complete: Complete
) -> None:
    """A call of another tool, and arguments that are no JSON, are delivered to be judged."""
    server = serve([calls("other", {}), calls("name_colour", '{"colour": "bl')])
    model = make(server)
    other, broken = complete(model, REQUEST), complete(model, REQUEST)

    assert ["other"] == [call.name for call in other.tool_calls]
    assert ["name_colour"] == [call.name for call in broken.tool_calls]
    assert {"colour": "bl"} != broken.tool_calls[0].arguments


@pytest.mark.parametrize("way", ["forced", "json_schema", "json_object", "text"])
def test_LC_90_a_cut_answer_says_so(serve: Serve, make: Make, complete: Complete, way: str) -> None:
    """An answer that reached the output limit comes back as cut, whatever way it was asked in."""

    def answer(body: Body) -> Line:
        if way_of(body) != way:
            return fails(400, "not supported")
        return says('{"colour": "bl', finish="length")

    reply = complete(make(serve(answer)), REQUEST)

    assert ("length", '{"colour": "bl') == (reply.finish_reason, reply.text)
    assert USAGE == reply.usage


def test_a_streaming_chat_model_is_put_together(serve: Serve, complete: Complete) -> None:
    """A chat model that streams for its user answers the memory all the same."""
    from tests.models.conftest import langchain_model

    server = serve([CALL, says("蓝 blue")])
    model = langchain_model(server, streaming=True, stream_usage=True)
    called, said = complete(model, REQUEST), complete(model, REQUEST)

    assert [True, True] == [body["stream"] for body in server.requests]
    assert (ToolCall(name="name_colour", arguments=BLUE),) == called.tool_calls
    assert ("蓝 blue", "stop", USAGE) == (said.text, said.finish_reason, said.usage)
