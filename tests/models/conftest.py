"""A scripted server, and both adapters over real clients that talk to it."""

import asyncio
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import pytest
from pytest_socket import socket_allow_hosts

from stratagate_core.llm.port import Model, Reply, Request
from tests.models.server import ChatServer, Script

pytest.importorskip("langchain_openai")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # frameworks import what they deprecated themselves
    pytest.importorskip("llama_index.llms.openai_like")

#: set by users who go through a proxy or have their runs traced
_AMBIENT = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_PROXY", "OPENAI_API_BASE")
_TRACING = ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2")

Serve = Callable[[Script], ChatServer]


class Make(Protocol):
    """Makes an adapter over a client of the server, with options for the client."""

    def __call__(self, server: ChatServer, **options: Any) -> Model:
        """The adapter."""


Complete = Callable[[Model, Request], Reply]


@pytest.fixture(autouse=True)
def only_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing leaves the machine, and nothing around the tests changes where requests go."""
    for name in (*_AMBIENT, *(name.lower() for name in _AMBIENT), *_TRACING):
        monkeypatch.delenv(name, raising=False)
    socket_allow_hosts(["127.0.0.1"])


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers and closes them after the test."""
    started: list[ChatServer] = []

    def start(script: Script) -> ChatServer:
        started.append(ChatServer(script))
        return started[-1]

    yield start
    for server in started:
        server.close()
    for thread in threading.enumerate():
        if thread.name.startswith("stratagate-"):
            thread.join(5)


def langchain_model(server: ChatServer, **options: Any) -> Model:
    """The LangChain adapter over `ChatOpenAI` as a user would make it."""
    from langchain_openai import ChatOpenAI

    from stratagate_lc.langchain import LangChainModel

    return LangChainModel(
        ChatOpenAI(model="scripted", base_url=server.url, api_key="unused", **options)
    )


def llama_index_model(server: ChatServer, **options: Any) -> Model:
    """The LlamaIndex adapter over `OpenAILike` as a user would make it."""
    from llama_index.llms.openai_like import OpenAILike  # type: ignore[import-untyped]

    from stratagate_lc.llama_index import LlamaIndexModel

    known = {"is_chat_model": True, "is_function_calling_model": True, **options}
    return LlamaIndexModel(
        OpenAILike(model="scripted", api_base=server.url, api_key="unused", **known)
    )


@pytest.fixture(params=[langchain_model, llama_index_model], ids=["langchain", "llama_index"])
def make(request: pytest.FixtureRequest) -> Make:
    """Either adapter."""
    found: Make = request.param
    return found


def complete_sync(model: Model, request: Request) -> Reply:
    """The waiting form."""
    return model.complete(request)


def complete_async(model: Any, request: Request) -> Reply:
    """The awaited form."""
    reply: Reply = asyncio.run(model.acomplete(request))
    return reply


@pytest.fixture(params=[complete_sync, complete_async], ids=["sync", "async"])
def complete(request: pytest.FixtureRequest) -> Complete:
    """Answer a request in either form."""
    found: Complete = request.param
    return found
