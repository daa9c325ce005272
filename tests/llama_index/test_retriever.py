"""A memory as a retriever in LlamaIndex engines, tools and fusion."""

import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from stratagate_core import InvalidArgument, Message, Results, StorageError, StrataGate
from stratagate_lc.llama_index import StrataGateRetriever

pytestmark = [
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20"),
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince211"),
]

import llama_index.core  # noqa: E402
from llama_index.core import set_global_tokenizer  # noqa: E402
from llama_index.core.base.llms.types import ChatMessage, MessageRole  # noqa: E402
from llama_index.core.chat_engine import (  # noqa: E402
    CondensePlusContextChatEngine,
    ContextChatEngine,
)
from llama_index.core.evaluation import RetrieverEvaluator  # noqa: E402
from llama_index.core.indices.prompt_helper import PromptHelper  # noqa: E402
from llama_index.core.memory import ChatMemoryBuffer  # noqa: E402
from llama_index.core.node_parser import TokenTextSplitter  # noqa: E402
from llama_index.core.query_engine import (  # noqa: E402
    CitationQueryEngine,
    RetrieverQueryEngine,
    RouterQueryEngine,
)
from llama_index.core.response_synthesizers import (  # noqa: E402
    TreeSummarize,
    get_response_synthesizer,
)
from llama_index.core.retrievers import QueryFusionRetriever, RouterRetriever  # noqa: E402
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES  # noqa: E402
from llama_index.core.schema import (  # noqa: E402
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    TextNode,
)
from llama_index.core.selectors import LLMSingleSelector  # noqa: E402
from llama_index.core.tools import QueryEngineTool, RetrieverTool  # noqa: E402

from stratagate_lc.llama_index.convert import clean_query, to_nodes  # noqa: E402
from stratagate_lc.passages import Passage  # noqa: E402
from tests.conftest import Opener  # noqa: E402
from tests.llama_index.fakes import ScriptedLLM, scripted  # noqa: E402

AT = datetime(2026, 5, 6, 9, 0, tzinfo=UTC)
QUESTION = "Which package manager does Mara use?"
ANSWER = "She uses pnpm."


def words(text: str) -> list[str]:
    """Tokens without a download."""
    return text.split()


@pytest.fixture(autouse=True)
def _local_tokenizer() -> Iterator[None]:
    """The framework counts tokens by words."""
    before = llama_index.core.global_tokenizer
    set_global_tokenizer(words)
    yield
    llama_index.core.global_tokenizer = before


@pytest.fixture
def core(memory: StrataGate) -> StrataGate:
    """A memory with two sealed turns, three events and one turn in the open tail."""
    memory.add_turn("I switched to pnpm.", "Noted: {query_str} pnpm.", thread="main", at=AT)
    memory.add_turn("My cat Miso likes boxes.", "Lovely.", thread="main", at=AT, work="append")
    memory.seal_tails()
    block = memory.blocks()[0].id
    first, *_, cat, _ = (message.id for message in memory.thread_messages())
    memory.ingest_events(
        [
            _draft(
                "evt_pnpm", "Mara uses pnpm", "Mara switched to the package manager pnpm", first
            ),
            _draft("evt_npm", "npm is too slow", "npm was a slow package manager", first),
            _draft("evt_cat", "Miso the cat", "Miso likes boxes", cat),
        ]
    )
    assert memory.event("evt_cat").source_block_id == block
    memory.add_turn("The pnpm lockfile is broken.", "Delete it.", thread="main", at=AT)
    return memory


def _draft(event_id: str, title: str, summary: str, source: str | None) -> dict[str, Any]:
    return {
        "id": event_id,
        "title": title,
        "summary": summary,
        "source_message_ids": [source],
        "temporal": {"mentioned_at": AT.isoformat(), "event_type": "tooling"},
    }


def retriever(core: StrataGate, **options: Any) -> StrataGateRetriever:
    """A retriever of the memory's own events, without what the offline model extracts."""
    named = ["evt_pnpm", "evt_npm", "evt_cat"]
    return StrataGateRetriever(core, filters={"event_ids": named}, **options)


def ids(nodes: list[NodeWithScore]) -> list[str]:
    """The ids of nodes."""
    return [found.node.node_id for found in nodes]


def place(found: NodeWithScore) -> dict[str, Any]:
    """What stands in the source relationship of a node."""
    source: Any = found.node.relationships[NodeRelationship.SOURCE]
    return dict(source.metadata)


def synthesizer(llm: ScriptedLLM, **options: Any) -> Any:
    """A synthesizer that needs no download."""
    helper = PromptHelper(tokenizer=words)
    return get_response_synthesizer(llm=llm, prompt_helper=helper, **options)


def query_engine(core: StrataGate, llm: ScriptedLLM, **options: Any) -> RetrieverQueryEngine:
    """The plain query engine on the memory."""
    return RetrieverQueryEngine(retriever(core), response_synthesizer=synthesizer(llm, **options))


def test_LI_62_query_engine(core: StrataGate) -> None:
    """A query engine answers from memories and names them."""
    llm = scripted(ANSWER)
    response = query_engine(core, llm).query(QUESTION)
    assert str(response) == ANSWER
    assert ids(response.source_nodes) == ["evt_pnpm", "evt_npm"]
    assert "Mara switched to the package manager pnpm" in llm.prompts[0]


async def test_LI_62_query_engine_async(core: StrataGate) -> None:
    """The same, awaited: async engines call by keyword."""
    response = await query_engine(core, scripted(ANSWER)).aquery(QUESTION)
    assert (str(response), ids(response.source_nodes)) == (ANSWER, ["evt_pnpm", "evt_npm"])


def test_LI_62_query_engine_streaming(core: StrataGate) -> None:
    """The same, word by word."""
    response: Any = query_engine(core, scripted(ANSWER), streaming=True).query(QUESTION)
    assert "".join(response.response_gen) == ANSWER
    assert ids(response.source_nodes) == ["evt_pnpm", "evt_npm"]


async def test_LI_62_async_search_leaves_the_loop_free(open_memory: Opener) -> None:
    """The async retrieval does no database work in the thread of the loop."""
    threads: list[int] = []

    def clock() -> datetime:
        threads.append(threading.get_ident())
        return AT

    memory = open_memory(clock=clock)
    memory.add_turn("I switched to pnpm.", "Noted.")
    threads.clear()
    assert len(await StrataGateRetriever(memory, kind="raw").aretrieve("pnpm")) == 1
    assert threads
    assert threading.get_ident() not in threads


def citation_engine(core: StrataGate, llm: ScriptedLLM, **options: Any) -> CitationQueryEngine:
    """The citation engine with a splitter that needs no download."""
    return CitationQueryEngine(
        retriever(core),
        llm=llm,
        response_synthesizer=synthesizer(llm, **options),
        text_splitter=TokenTextSplitter(chunk_size=64, chunk_overlap=0, tokenizer=words),
    )


def test_LI_62_LI_65_citation_engine_keeps_the_source(core: StrataGate) -> None:
    """Re-chunked citation nodes still lead to the memory and its ref."""
    response = citation_engine(core, scripted("pnpm [1].")).query(QUESTION)
    first = response.source_nodes[0]
    assert first.node.get_content().startswith("Source 1:")
    assert first.node.metadata["memory_id"] == "evt_pnpm"
    assert place(first) == {"ref": "event:evt_pnpm"}


async def test_LI_62_citation_engine_async(core: StrataGate) -> None:
    """The same, awaited."""
    response = await citation_engine(core, scripted("pnpm [1].")).aquery(QUESTION)
    assert [found.node.metadata["memory_id"] for found in response.source_nodes] == [
        "evt_pnpm",
        "evt_npm",
    ]


def test_LI_62_citation_engine_streaming(core: StrataGate) -> None:
    """The same, word by word."""
    response: Any = citation_engine(core, scripted("pnpm [1]."), streaming=True).query(QUESTION)
    assert "".join(response.response_gen) == "pnpm [1]."


def chat_memory(*messages: ChatMessage) -> ChatMemoryBuffer:
    """The framework's own short memory."""
    return ChatMemoryBuffer.from_defaults(
        chat_history=list(messages), token_limit=2000, tokenizer_fn=words
    )


def context_engine(core: StrataGate, llm: ScriptedLLM) -> ContextChatEngine:
    """The context chat engine on the memory."""
    return ContextChatEngine.from_defaults(retriever(core), llm=llm, memory=chat_memory())


def test_LI_62_context_chat_engine(core: StrataGate) -> None:
    """A context chat engine sees the memories and lists them as sources."""
    llm = scripted(ANSWER)
    response = context_engine(core, llm).chat(QUESTION)
    assert (response.response, ids(response.source_nodes)) == (ANSWER, ["evt_pnpm", "evt_npm"])
    assert "Mara switched to the package manager pnpm" in llm.prompts[0]


async def test_LI_62_context_chat_engine_async(core: StrataGate) -> None:
    """The same, awaited and streamed."""
    response = await context_engine(core, scripted(ANSWER)).achat(QUESTION)
    assert ids(response.source_nodes) == ["evt_pnpm", "evt_npm"]
    streamed = await context_engine(core, scripted(ANSWER)).astream_chat(QUESTION)
    assert "".join([part async for part in streamed.async_response_gen()]) == ANSWER


def test_LI_62_context_chat_engine_streaming(core: StrataGate) -> None:
    """The same, word by word."""
    response = context_engine(core, scripted(ANSWER)).stream_chat(QUESTION)
    assert "".join(response.response_gen) == ANSWER


def condense_engine(core: StrataGate, llm: ScriptedLLM) -> CondensePlusContextChatEngine:
    """The condensing chat engine, in the middle of a conversation."""
    said = ChatMessage(role=MessageRole.USER, content="Tell me about Mara.")
    return CondensePlusContextChatEngine.from_defaults(
        retriever(core), llm=llm, memory=chat_memory(said)
    )


def test_LI_62_condense_chat_engine(core: StrataGate) -> None:
    """The condensed question is what is searched for."""
    response = condense_engine(core, scripted(QUESTION, ANSWER)).chat("And what does she use?")
    assert (response.response, ids(response.source_nodes)) == (ANSWER, ["evt_pnpm", "evt_npm"])


async def test_LI_62_condense_chat_engine_async(core: StrataGate) -> None:
    """The same, awaited."""
    engine = condense_engine(core, scripted(QUESTION, ANSWER))
    response = await engine.achat("And what does she use?")
    assert ids(response.source_nodes) == ["evt_pnpm", "evt_npm"]


def test_LI_62_condense_chat_engine_streaming(core: StrataGate) -> None:
    """The same, word by word."""
    response = condense_engine(core, scripted(QUESTION, ANSWER)).stream_chat("And what?")
    assert "".join(response.response_gen) == ANSWER


def fusion(core: StrataGate, mode: str) -> QueryFusionRetriever:
    """Events and messages fused; no query is generated."""
    return QueryFusionRetriever(
        [retriever(core), StrataGateRetriever(core, kind="raw")],
        llm=scripted(),
        num_queries=1,
        similarity_top_k=10,
        mode=FUSION_MODES(mode),
        use_async=False,
    )


@pytest.mark.parametrize("mode", ["reciprocal_rerank", "relative_score", "simple"])
def test_LI_64_LI_66_fusion(core: StrataGate, mode: str) -> None:
    """Fusion keeps one node per memory, twice the same, and leaves our scores alone."""
    first, second = (fusion(core, mode).retrieve("pnpm package manager") for _ in range(2))
    assert ids(first) == ids(second)
    assert len(set(ids(first))) == len(first) > 2
    assert max(found.score or 0 for found in retriever(core).retrieve(QUESTION)) == 1.0


async def test_LI_62_fusion_async(core: StrataGate) -> None:
    """Fusion awaited gives the same."""
    fused = fusion(core, "reciprocal_rerank")
    assert ids(await fused.aretrieve(QUESTION)) == ids(fused.retrieve(QUESTION))


def test_LI_65_fusion_keeps_batch_ids(core: StrataGate) -> None:
    """The same memory in two batches is one memory to fusion, and the batch id survives it."""
    opening = retriever(core, session_id="main", open_batch=True)
    fused = QueryFusionRetriever(
        [opening, opening], llm=scripted(), num_queries=1, use_async=False, similarity_top_k=10
    ).retrieve(QUESTION)
    assert sorted(ids(fused)) == ["evt_npm", "evt_pnpm"]
    opened = {batch.id for batch in core.open_batches("main")}
    assert {place(found)["batch_id"] for found in fused} <= opened


CHOICE = '[{"choice": 1, "reason": "it is about memory"}]'


def test_LI_62_router(core: StrataGate) -> None:
    """Routers of retrievers and of query engines reach the memory."""
    tool = RetrieverTool.from_defaults(retriever(core), description="what Mara said")
    chooser = scripted(CHOICE)
    routed = RouterRetriever(LLMSingleSelector.from_defaults(chooser), [tool], llm=chooser)
    assert ids(routed.retrieve(QUESTION)) == ["evt_pnpm", "evt_npm"]
    llm = scripted(CHOICE, ANSWER)
    engine = RouterQueryEngine(
        LLMSingleSelector.from_defaults(llm),
        [QueryEngineTool.from_defaults(query_engine(core, llm), description="what Mara said")],
        llm=llm,
        summarizer=TreeSummarize(llm=llm, prompt_helper=PromptHelper(tokenizer=words)),
    )
    assert str(engine.query(QUESTION)) == ANSWER


async def test_LI_62_router_async(core: StrataGate) -> None:
    """The same, awaited."""
    tool = RetrieverTool.from_defaults(retriever(core), description="what Mara said")
    chooser = scripted(CHOICE)
    routed = RouterRetriever(LLMSingleSelector.from_defaults(chooser), [tool], llm=chooser)
    assert ids(await routed.aretrieve(QUESTION)) == ["evt_pnpm", "evt_npm"]


async def test_LI_62_LI_67_retriever_tool(core: StrataGate) -> None:
    """A retriever tool called by position or by name searches for the same words."""
    tool = RetrieverTool.from_defaults(retriever(core), description="what Mara said")
    expected = ["evt_pnpm", "evt_npm"]
    assert ids(tool.call(QUESTION).raw_output) == expected
    assert ids(tool.call(input=QUESTION).raw_output) == expected
    assert ids((await tool.acall(input=QUESTION)).raw_output) == expected
    content = tool.call(input="pnpm").content
    assert "evt_pnpm" not in content
    assert "kind: event" in content


def test_LI_63_one_plain_node_per_memory(core: StrataGate) -> None:
    """Nodes are plain text nodes whose id is the memory's."""
    nodes = StrataGateRetriever(core, k=20).retrieve("pnpm boxes")
    assert {type(found.node) for found in nodes} == {TextNode}
    assert len(set(ids(nodes))) == len(nodes) >= 4


def test_LI_63_a_message_and_an_event_of_one_id() -> None:
    """Equal ids of different kinds stay two nodes."""
    event = Passage(key="1", kind="event", ref="event:1", text="t", score=2.0, share=1.0)
    message = Passage(key="1", kind="message", ref="raw:-:1:0", text="c", score=1.0, share=0.5)
    assert ids(to_nodes((event, message), None, UTC)) == ["1", "raw:-:1:0"]


def created_at(core: StrataGate) -> str:
    """When the event of the questions was written."""
    return core.event("evt_pnpm").created_at.astimezone(UTC).isoformat()


def test_LI_64_metadata_is_flat_and_stable(core: StrataGate) -> None:
    """Two calls give the same text, metadata and hash; ids are not shown to the LLM."""
    first, second = (retriever(core).retrieve(QUESTION)[0].node for _ in range(2))
    assert first.metadata == {
        "memory_id": "evt_pnpm",
        "kind": "event",
        "source": "mem://event/evt_pnpm",
        "created_at": created_at(core),
        "session_id": "main",
    }
    assert first.hash == second.hash
    assert "evt_pnpm" not in first.get_content(MetadataMode.LLM)
    assert first.get_content(MetadataMode.EMBED) == first.get_content(MetadataMode.NONE)


def test_LI_64_metadata_of_a_message(core: StrataGate) -> None:
    """A message carries when it was said."""
    found = StrataGateRetriever(core, kind="raw", k=1).retrieve("switched")[0].node
    assert found.get_content() == "user: I switched to pnpm."
    assert found.metadata == {
        "memory_id": found.node_id,
        "kind": "message",
        "source": f"mem://message/{found.node_id}",
        "created_at": "2026-05-06T09:00:00+00:00",
        "session_id": "main",
    }


def test_LI_65_batch_id_stands_in_the_source_only(core: StrataGate) -> None:
    """An open batch shows in the source relationship, never in text, metadata or hash."""
    plain = retriever(core).retrieve(QUESTION)[0]
    opened = retriever(core, session_id="main", open_batch=True).retrieve(QUESTION)[0]
    batch = core.open_batches("main")[0]
    assert place(opened) == {"ref": "event:evt_pnpm", "batch_id": batch.id}
    assert (opened.node.hash, opened.node.metadata) == (plain.node.hash, plain.node.metadata)


def test_LI_66_scores_are_fresh_shares(core: StrataGate) -> None:
    """Scores lie between 0 and 1, best first, and changing them changes no later call."""
    search = StrataGateRetriever(core, kind="both", k=20)
    first = search.retrieve("pnpm package")
    scores = [found.score or 0.0 for found in first]
    assert scores == sorted(scores, reverse=True)
    assert (scores[0], min(scores) >= 0) == (1.0, True)
    for found in first:
        found.score = 99.0
    assert [found.score for found in search.retrieve("pnpm package")] == scores


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("  pnpm \n", "pnpm"),
        ("\ninput is pnpm\n", "pnpm"),
        ("1. pnpm or npm", "pnpm or npm"),
        ("12) pnpm", "pnpm"),
        ("input is one\nline two", "input is one\nline two"),
        ("3.14 is pi", "3.14 is pi"),
        ("北京 2026", "北京 2026"),
        ("input is ", "input is"),
        (" \n ", ""),
    ],
)
def test_LI_67_clean_query(given: str, expected: str) -> None:
    """What tools and query generators put around a query is taken off."""
    assert clean_query(given) == expected


async def test_LI_67_LI_68_blank_query_finds_nothing(core: StrataGate) -> None:
    """A blank query gives no nodes, though a blank search would list."""
    assert retriever(core).retrieve("  \n") == []
    assert await retriever(core).aretrieve("") == []


def test_LI_68_k_is_clamped(core: StrataGate, memory: StrataGate) -> None:
    """`k` beyond its range or the corpus is no error; nothing found is an empty list."""
    assert len(retriever(core, k=-5).retrieve("package manager")) == 1
    assert len(retriever(core, k=500).retrieve("package manager")) == 2
    assert retriever(core).retrieve("zeppelin") == []
    empty = memory.for_namespace("empty")
    for kind in ("events", "raw", "both"):
        assert StrataGateRetriever(empty, kind=kind).retrieve("pnpm") == []


async def test_LI_69_evaluator(core: StrataGate) -> None:
    """The framework's retrieval metrics work on memory ids."""
    evaluator = RetrieverEvaluator.from_metric_names(["mrr", "hit_rate"], retriever=retriever(core))
    result = await evaluator.aevaluate(QUESTION, ["evt_npm"])
    assert result.metric_vals_dict == {"mrr": 0.5, "hit_rate": 1.0}


def test_LI_70_no_batch_unless_asked(core: StrataGate) -> None:
    """Plain retrieval opens no batch."""
    retriever(core, session_id="main").retrieve(QUESTION)
    assert core.open_batches("main") == ()


def test_LI_10_the_session_decides_on_the_tail(core: StrataGate) -> None:
    """The asking session's open tail is left out; without a session nothing is."""
    found = {
        session: [
            found.node.get_content()
            for found in StrataGateRetriever(core, kind="raw", session_id=session).retrieve(
                "lockfile"
            )
        ]
        for session in ("main", "other", None)
    }
    said = ["user: The pnpm lockfile is broken."]
    assert found == {"main": [], "other": said, None: said}


def test_arguments_are_checked(core: StrataGate) -> None:
    """What is not acceptable is refused when the retriever is made, by name."""
    for options, words_of_error in [
        ({"kind": "topics"}, "kind must be one of auto, both, events, graph, raw"),
        ({"k": "6"}, "k must be a whole number"),
        ({"on_error": "log"}, "on_error must be 'raise' or 'empty'"),
        ({"filters": {"topics": 1}}, "kind='auto' has no filter topics"),
        ({"min_score": 1.5}, "min_score must lie between 0 and 1"),
        ({"max_tokens": 0}, "max_tokens must be 1 or more"),
    ]:
        with pytest.raises(InvalidArgument, match=words_of_error):
            StrataGateRetriever(core, **options)  # type: ignore[arg-type]


class FailingCore:
    """A memory whose database fails."""

    def __getattr__(self, _name: str) -> Any:
        return self.search

    def search(self, query: str = "", **_options: Any) -> Results[Any]:
        """Fails."""
        raise StorageError(f"disk full while looking for {query}")


async def test_on_error(caplog: pytest.LogCaptureFixture) -> None:
    """A failing memory raises, or gives no nodes and a line in the log without content."""
    failing: Any = FailingCore()
    with pytest.raises(StorageError):
        StrataGateRetriever(failing).retrieve("secret")
    with pytest.raises(StorageError):
        await StrataGateRetriever(failing).aretrieve("secret")
    lenient = StrataGateRetriever(failing, on_error="empty")
    with caplog.at_level(logging.WARNING):
        assert lenient.retrieve("secret") == []
        assert await lenient.aretrieve("secret") == []
    assert "StorageError" in caplog.text
    assert "secret" not in caplog.text


def test_filters_reach_the_search(core: StrataGate) -> None:
    """Filters narrow, and metadata filters work for messages too."""
    core.add_messages(
        [Message(role="user", content="pnpm for work", metadata={"project": "acme"})], thread="b"
    )
    found = StrataGateRetriever(core, kind="raw", filters={"metadata": {"project": "acme"}})
    assert [node.node.get_content() for node in found.retrieve("pnpm")] == ["user: pnpm for work"]
    bundle = QueryBundle("pnpm")
    assert ids(StrataGateRetriever(core, filters={"event_ids": []}).retrieve(bundle)) == []


def test_few_messages_come_with_their_neighbours(memory: StrataGate) -> None:
    """Up to four nodes hold two messages on either side; more hold the answer alone."""
    memory.add_turn("Shall we name the parrot?", "Gladly.")
    memory.add_turn("What did you call the hamster?", "Bo.")
    few = StrataGateRetriever(memory, k=2).retrieve("hamster")[0].node.get_content()
    many = StrataGateRetriever(memory, k=8).retrieve("hamster")[0].node.get_content()
    assert few.splitlines() == [
        "assistant: Gladly.",
        "user: What did you call the hamster?",
        "assistant: Bo.",
    ]
    assert many == "assistant: Bo."


def test_floor_and_budget_end_the_list(core: StrataGate) -> None:
    """Nodes below the floor, and from the first that does not fit, are left out."""
    found = StrataGateRetriever(core, k=20).retrieve("pnpm package")
    above = StrataGateRetriever(core, k=20, min_score=1.0).retrieve("pnpm package")
    first = core.count_tokens(found[0].node.get_content())
    one = StrataGateRetriever(core, k=20, max_tokens=first).retrieve("pnpm package")
    none = StrataGateRetriever(core, k=20, max_tokens=first - 1).retrieve("pnpm package")
    assert ids(above) == [node.node_id for node in found if node.score == 1.0]
    assert len(found) > len(above)
    assert (ids(one), none) == (ids(found[:1]), [])
