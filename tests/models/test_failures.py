"""Every way in which a server fails is an error that says what to do, after one request."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from stratagate_core.errors import ModelError, ModelUnavailable
from stratagate_core.llm.port import Model, Request
from tests.models.conftest import Complete, Make, Serve, langchain_model
from tests.models.server import Line, fails, hangs, says, sends, truncated
from tests.models.test_answers import CALL, REQUEST

pytestmark = pytest.mark.allow_sockets

EMPTY = {"id": "1", "object": "chat.completion", "created": 0, "model": "scripted"}
#: what the server does, the error, whether it may pass, how many requests, what the message says
FAILURES: dict[str, tuple[Line, type[ModelError], bool, int, str]] = {
    "429": (fails(429, retry_after="7"), ModelError, True, 1, "limits the rate"),
    "500": (fails(500), ModelUnavailable, True, 1, "server failed"),
    "503": (fails(503), ModelUnavailable, True, 1, "server failed"),
    "408": (fails(408), ModelError, True, 1, "408"),
    "truncated": (truncated(), ModelUnavailable, True, 1, "cannot be reached"),
    "no json": (sends(b"<html>hello</html>"), ModelError, True, 1, "address of the server"),
    "no choices": (sends({**EMPTY, "choices": []}), ModelError, True, 1, "address of the server"),
    "null choices": (
        sends({**EMPTY, "choices": None}),
        ModelError,
        True,
        1,
        "address of the server",
    ),
    "another service": (sends({"status": "up"}), ModelError, True, 1, "address of the server"),
    "filtered": (says("", finish="content_filter"), ModelError, False, 1, "refused to answer"),
    "refusal": (says(None, refusal="I cannot"), ModelError, False, 1, "refused to answer"),
    "401": (fails(401), ModelError, False, 1, "Check the API key"),
    "403": (fails(403), ModelError, False, 1, "what the API key of the model may do"),
    "404": (fails(404), ModelError, False, 1, "Check the name of the model"),
    "413": (fails(413), ModelError, False, 1, "block_turn_size"),
    "400": (fails(400), ModelError, False, 5, "refuses the request"),
    "422": (fails(422), ModelError, False, 5, "refuses the request"),
    "overflow": (
        fails(400, "too long", code="context_length_exceeded"),
        ModelError,
        False,
        1,
        "block_turn_size",
    ),
}


def always(line: Line) -> Callable[[Any], Line]:
    """A server that gives this answer to everything."""
    return lambda _body: line


def failure(complete: Complete, model: Model, request: Request = REQUEST) -> ModelError:
    """The error that a request ends with."""
    with pytest.raises(ModelError) as failed:
        complete(model, request)
    return failed.value


@pytest.mark.parametrize("name", FAILURES)
def test_LC_89_LC_90_LI_82_failures(
    serve: Serve, make: Make, complete: Complete, name: str
) -> None:
    """The kind, the number of requests and the advice, whatever the client's own retries are."""
    line, kind, retryable, requests, advice = FAILURES[name]
    server = serve(always(line))
    error = failure(complete, make(server))

    assert (kind, retryable) == (type(error), error.retryable)
    assert error.message.startswith("name_colour: the model ")
    assert advice in error.message
    assert requests == len(server.requests)


@pytest.mark.parametrize("name", ["429", "500", "401", "filtered"])
def test_a_failure_does_not_change_how_a_model_is_asked(
    serve: Serve, make: Make, complete: Complete, name: str
) -> None:
    """After a failure that is no refusal the same way is asked again, and works."""
    server = serve([FAILURES[name][0], CALL])
    model = make(server)
    failure(complete, model)

    assert complete(model, REQUEST).tool_calls
    assert ["required", "required"] == [body["tool_choice"] for body in server.requests]


@pytest.mark.parametrize(
    ("name", "away"), [("429", True), ("500", True), ("503", True), ("401", False)]
)
def test_a_provider_that_is_away_is_told_from_one_that_fails(
    serve: Serve, make: Make, complete: Complete, name: str, away: bool
) -> None:
    """A rate limit and a failing server cost a job no attempt; the status is kept."""
    error = failure(complete, make(serve([FAILURES[name][0]])))

    assert (away, int(name)) == (error.away, error.details["status"])


def test_the_wait_that_a_provider_asks_for_is_kept(
    serve: Serve, make: Make, complete: Complete
) -> None:
    """`Retry-After` in seconds becomes a detail of the error; a date or nonsense does not."""
    waits = ["7", "0.5", "Wed, 21 Oct 2026 07:28:00 GMT", "soon", "-1", "inf"]
    model = make(serve([fails(429, retry_after=wait) for wait in waits]))
    found = [failure(complete, model).details.get("retry_after") for _ in waits]

    assert [7.0, 0.5, None, None, None, None] == found


@pytest.mark.parametrize("options", [{}, {"timeout": 30}, {"timeout": 0.1}], ids=repr)
def test_a_request_ends_at_its_time(
    serve: Serve, make: Make, complete: Complete, options: dict[str, Any]
) -> None:
    """The time-out of the request counts unless the client's own is shorter; there is one try."""
    server = serve(always(hangs()))
    timeout = 10.0 if options.get("timeout") == 0.1 else 0.1
    error = failure(complete, make(server, **options), replace(REQUEST, timeout=timeout))

    assert (ModelError, True) == (type(error), error.retryable)
    assert "raise structured_task_timeout" in error.message
    assert 1 == len(server.requests)


def test_a_server_that_is_not_there(serve: Serve, make: Make, complete: Complete) -> None:
    """A refused connection is a model that is momentarily not available."""
    server = serve([])
    server.close()

    error = failure(complete, make(server))
    assert (ModelUnavailable, True) == (type(error), error.retryable)
    assert "cannot be reached" in error.message


@pytest.mark.parametrize(("code", "kind"), [(502, ModelUnavailable), (429, ModelError)])
def test_an_error_that_is_sent_as_success(
    serve: Serve, complete: Complete, code: int, kind: type[ModelError]
) -> None:
    """A gateway that answers 200 with an error in the body is read by the code in it."""
    server = serve(always(sends({"error": {"message": "upstream", "code": code}})))
    error = failure(complete, langchain_model(server))

    assert (kind, True, 1) == (type(error), error.retryable, len(server.requests))


def test_the_message_keeps_no_secret(serve: Serve, make: Make, complete: Complete) -> None:
    """A provider that quotes the key in its error does not bring it into the job's error."""
    server = serve([fails(401, "Incorrect API key provided: sk-abcdefghijklmnopqrstuvwx")])

    assert "sk-abc" not in failure(complete, make(server)).message


def objects(server: Any) -> Iterable[Any]:
    """The objects of a user, made as users make them."""
    from langchain_openai import ChatOpenAI
    from llama_index.llms.openai_like import OpenAILike  # type: ignore[import-untyped]

    yield ChatOpenAI(model="scripted", base_url=server.url, api_key="unused", max_retries=4)
    yield OpenAILike(
        model="scripted",
        api_base=server.url,
        api_key="unused",
        is_chat_model=True,
        max_retries=4,
        timeout=33.0,
    )


def test_the_users_object_stays_as_it_is(serve: Serve, complete: Complete) -> None:
    """Budget, time-out and tries are set on copies; the user's own calls keep their retries."""
    from stratagate_lc.langchain import LangChainModel
    from stratagate_lc.llama_index import LlamaIndexModel

    server = serve(always(says("{}")))
    chat, llm = objects(server)
    llm.complete("the user's own call makes the client")
    before = [repr(chat), repr(llm), chat.root_client, llm._client]
    complete(LangChainModel(chat), REQUEST)
    complete(LlamaIndexModel(llm), REQUEST)

    assert before == [repr(chat), repr(llm), chat.root_client, llm._client]
    assert [4, 4] == [chat.root_client.max_retries, llm._client.max_retries]
    assert [None, None] == [chat.max_tokens, llm.max_tokens]


def test_a_client_that_was_used_before_tries_once(serve: Serve, complete: Complete) -> None:
    """The user's client may exist with its own retries: the memory's requests have none."""
    from stratagate_lc.llama_index import LlamaIndexModel

    server = serve([says("hello"), *[fails(500)] * 5])
    _, llm = objects(server)
    llm.complete("hello")
    failure(complete, LlamaIndexModel(llm))

    assert 2 == len(server.requests)
