"""A whole memory whose model answers over HTTP: it works, and a failing server costs no turn."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda

from stratagate_core import StrataGate
from stratagate_core.testing import ManualClock
from stratagate_lc.langchain import LangChainModel
from tests.conftest import Opener
from tests.models.conftest import Make, Serve, langchain_model
from tests.models.server import Body, ChatServer, Line, calls, fails, hangs, says
from tests.models.test_failures import FAILURES, always

pytestmark = pytest.mark.allow_sockets

INLINE = {"block_turn_size": 1, "processing": "inline"}
SUMMARY = {
    "l0_title": "Move to Lyon",
    "l0_tags": ["Lyon"],
    "l1_summary": "The user moves to Lyon.",
    "l2_keypoints": ["The user moves to Lyon"],
    "should_extract": True,
}

Add = Callable[[StrataGate, str], None]


def add_sync(memory: StrataGate, text: str) -> None:
    """One turn, waiting."""
    memory.add_turn(text, "Good.")


def add_async(memory: StrataGate, text: str) -> None:
    """One turn, awaited."""
    asyncio.run(memory.aio.add_turn(text, "Good."))


@pytest.fixture(params=[add_sync, add_async], ids=["sync", "async"])
def add(request: pytest.FixtureRequest) -> Add:
    """Add a turn in either form."""
    found: Add = request.param
    return found


def competent(body: Body) -> Line:
    """A model that does the memory's tasks, and greets everybody else."""
    tools = body.get("tools")
    if not tools:
        return says("Hello there.")
    task = tools[0]["function"]["name"]
    return calls(task, ANSWERS[task](json.loads(body["messages"][1]["content"])))


def _events(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    card = {
        "title": "The user moves to Lyon",
        "summary": "The user moves to Lyon in June.",
        "source_message_ids": payload["allowed_source_message_ids"][:1],
        "scope": "user",
    }
    return {"should_extract": True, "reason": "a move", "events": [card]}


def _graph(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    cited = [event["id"] for event in payload["events"]]
    fact = {"key": "home", "value": "Lyon", "source_event_ids": cited}
    user = {"ref": "user", "name": "User", "type": "person", "source_event_ids": cited}
    node = {**user, "metadata_provenance": {"name": cited}, "facts": [fact]}
    return {"reason": "a move", "nodes": [node], "edges": []}


def _topics(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    cited = [event["id"] for event in payload["events"]]
    sections = [{"title": "How it developed", "source_event_ids": cited}]
    moves = {"title": "Moves", "description": "Moves of the user.", "overview": []}
    return {"topics": [{**moves, "source_event_ids": cited, "sections": sections}]}


ANSWERS: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "summarise_block": lambda _: SUMMARY,
    "extract_events": _events,
    "project_graph": _graph,
    "project_topics": _topics,
}


def test_a_block_an_event_and_a_node(
    serve: Serve, make: Make, add: Add, open_memory: Opener
) -> None:
    """A sealed block is summarised, read for events, put into graph and directory; four calls."""
    memory = open_memory(model=make(serve(competent)), settings=INLINE)
    add(memory, "I move to Lyon in June.")
    (block,) = memory.blocks()
    (hit,) = memory.search_events("Lyon").hits
    (node,) = memory.search_graph("Lyon").hits
    spent = memory.stats()["model"]

    assert "ready" == block.status
    title = memory.expand_block(block.id, "L0")["results"][0]["content"]
    assert "Move to Lyon\nTags: Lyon" == title
    assert ["I move to Lyon in June."] == [m.content for m in memory.sources(hit.item["id"])]
    assert ("User", "home: Lyon") == (node.item["name"], node.item["current_state"])
    kinds = {"block_summary", "event_extraction", "graph_projection", "topic_projection"}
    assert kinds == set(spent)
    assert "Moves" in memory.directory()
    assert [(1, 0, 11, 5)] * 4 == [
        (
            task["model_calls"],
            task["retries"],
            task["reported_input_tokens"],
            task["reported_output_tokens"],
        )
        for task in spent.values()
    ]
    assert all(task["estimated_input_tokens"] > 500 for task in spent.values())


BROKEN = {**{name: case[0] for name, case in FAILURES.items()}, "hangs": hangs()}
BROKEN |= {
    "prose": says("I would rather talk."),
    "empty": says(""),
    "cut": says("{", finish="length"),
}


#: the server is not there: that is no failure of the job
AWAY = ("429", "500", "503", "truncated")


@pytest.mark.parametrize("name", BROKEN)
def test_a_failing_server_costs_no_turn(
    serve: Serve, make: Make, add: Add, open_memory: Opener, clock: ManualClock, name: str
) -> None:
    """The turn is stored and found, the job says why it failed, and recovery makes it good."""
    server = serve(always(BROKEN[name]))
    options = {"timeout": 0.7} if name == "hangs" else {}
    memory = open_memory(model=make(server, **options), settings=INLINE)
    add(memory, "I move to Lyon in June.")
    (job,) = memory.jobs()
    (block,) = memory.blocks()

    assert ("failed", name not in AWAY, "pending") == (job.status, job.attempts, block.status)
    assert str(job.error).startswith("summarise_block: ")
    assert 1 <= memory.stats()["model"]["block_summary"]["model_calls"] <= 2
    found = memory.search_raw("Lyon", include_tail=True).hits
    assert ["I move to Lyon in June."] == [hit.item["message"]["content"] for hit in found]
    assert () == memory.search_events("Lyon").hits

    server.play(competent)
    clock.advance(seconds=7)
    assert 4 == memory.run_pending()
    assert "ready" == memory.blocks()[0].status
    assert 1 == len(memory.search_events("Lyon").hits)


def test_J_04_a_long_outage_uses_up_no_attempt(
    serve: Serve, make: Make, open_memory: Opener, clock: ManualClock
) -> None:
    """However long the server is away, it is asked ever more seldom, and then the work goes on."""
    server = serve(always(fails(503)))
    memory = open_memory(model=make(server), settings=INLINE)
    for number in range(2):
        memory.add_turn(f"Message {number} about Lyon.", "Good.")
        clock.advance(minutes=1)
    for _ in range(12):
        memory.run_pending()
        clock.advance(minutes=5)
    asked = len(server.requests)
    memory.run_pending()

    assert [("failed", 0)] * 2 == [(job.status, job.attempts) for job in memory.jobs()]
    # one look at the model in a round: a request and its free repeat
    assert 2 >= len(server.requests) - asked
    assert 4 == len(memory.search_raw("Lyon Good", include_tail=True).hits)

    server.play(competent)
    clock.advance(minutes=6)
    memory.run_pending()
    assert {"ready"} == {block.status for block in memory.blocks()}


def test_J_03_three_failures_end_a_job_until_it_is_retried_by_hand(
    serve: Serve, make: Make, open_memory: Opener, clock: ManualClock
) -> None:
    """A server that answers nonsense costs three attempts; all that was said stays."""
    server = serve(always(says("I would rather talk.")))
    memory = open_memory(model=make(server), settings=INLINE)
    memory.add_turn("I move to Lyon in June.", "Good.")
    for _ in range(4):
        clock.advance(minutes=1)
        memory.run_pending()
    asked = len(server.requests)
    clock.advance(days=1)

    assert 0 == memory.run_pending()
    (job,) = memory.jobs()
    assert ("failed", 3) == (job.status, job.attempts)
    # each attempt is one request and one repair
    assert 3 * 2 == asked == len(server.requests)

    server.play(competent)
    assert "succeeded" == memory.retry(job.id).status
    assert {"ready"} == {block.status for block in memory.blocks()}


class Listener(BaseCallbackHandler):
    """Hears of every model call and every token."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.tokens: list[str] = []

    def on_chat_model_start(
        self, serialized: Any, messages: list[list[BaseMessage]], **kwargs: Any
    ) -> None:
        """Record the name of the run."""
        self.calls.append(str(kwargs.get("name") or serialized["name"]))

    def on_llm_new_token(self, token: Any, **kwargs: Any) -> None:
        """Record the token."""
        self.tokens.append(str(token))


def users_chat(server: ChatServer) -> Any:
    """The chat model that talks to the user."""
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model="scripted", base_url=server.url, api_key="unused", streaming=True)


def memory_of(server: ChatServer, open_memory: Opener, *, detached: bool) -> StrataGate:
    """A memory that asks the same kind of chat model as the user."""
    model = LangChainModel(users_chat(server), detach_callbacks=detached)
    return open_memory(model=model, settings=INLINE)


@pytest.mark.parametrize("detached", [True, False])
async def test_LC_91_no_memory_call_in_the_events_of_a_chain(
    serve: Serve, open_memory: Opener, detached: bool
) -> None:
    """`astream_events` and callbacks know the user's call alone, unless the memory is attached."""
    server = serve(competent)
    chat, memory = users_chat(server), memory_of(server, open_memory, detached=detached)

    async def answer(text: str) -> str:
        said = await chat.ainvoke(text)
        await memory.aio.add_turn(text, said.text)
        return str(said.text)

    listener = Listener()
    config = RunnableConfig(callbacks=[listener])
    stream = RunnableLambda(answer).astream_events("I move to Lyon.", config, version="v2")
    events = [event async for event in stream]
    started = [event["name"] for event in events if event["event"] == "on_chat_model_start"]
    streamed = "".join(
        str(event["data"]["chunk"].text)
        for event in events
        if event["event"] == "on_chat_model_stream" and "stratagate" not in event["tags"]
    )

    of_memory = [] if detached else [f"stratagate.{task}" for task in ANSWERS]
    assert ["ChatOpenAI", *of_memory] == started
    assert ["ChatOpenAI", *of_memory] == listener.calls
    assert "Hello there." == streamed
    assert "ready" == memory.blocks()[0].status
    assert 5 == len(server.requests)


@pytest.mark.parametrize("awaited", [False, True])
async def test_LC_91_no_memory_call_in_the_messages_of_a_graph(
    serve: Serve, open_memory: Opener, awaited: bool
) -> None:
    """A graph that streams messages shows the user's answer and no token of the memory."""
    from langgraph.graph import END, START, MessagesState, StateGraph

    server = serve(competent)
    chat, memory = users_chat(server), memory_of(server, open_memory, detached=True)

    def speak(state: MessagesState) -> Any:
        said = chat.invoke(state["messages"])
        memory.add_turn("I move to Lyon.", said.text)
        return {"messages": [said]}

    graph = StateGraph(MessagesState)
    graph.add_node("speak", speak)
    graph.add_edge(START, "speak")
    graph.add_edge("speak", END)
    built: Any = graph.compile()
    given = {"messages": [("user", "I move to Lyon.")]}
    if awaited:
        stream = built.astream(given, stream_mode="messages")
        parts = [part async for part in stream]
    else:
        parts = list(built.stream(given, stream_mode="messages"))

    assert "Hello there." == "".join(str(chunk.text) for chunk, _ in parts)
    assert 1 == memory.stats()["events"]["active"]


def test_LC_91_a_background_round_is_not_heard_either(serve: Serve, open_memory: Opener) -> None:
    """Work that a thread does for a turn of a chain reports to nobody."""
    server = serve(competent)
    model = langchain_model(server, streaming=True)
    memory = open_memory(model=model, settings={"block_turn_size": 1, "processing": "external"})
    listener = Listener()

    def step(text: str) -> int:
        memory.add_turn(text, "Good.")
        return memory.run_pending()

    ran = RunnableLambda(step).invoke("I move to Lyon.", RunnableConfig(callbacks=[listener]))

    assert (4, [], []) == (ran, listener.calls, listener.tokens)
