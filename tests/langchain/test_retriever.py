"""`StrataGateRetriever`: the standard suite, and in chains and tools."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain_classic.chains import create_history_aware_retriever, create_retrieval_chain
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_classic.retrievers import EnsembleRetriever, MultiQueryRetriever
from langchain_core.documents import Document
from langchain_core.load import dumps
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import ConfigurableField, RunnableLambda
from langchain_core.tools import create_retriever_tool
from langchain_tests.integration_tests import RetrieversIntegrationTests

from stratagate_core import InvalidArgument, StrataGate
from stratagate_lc.langchain import StrataGateRetriever
from tests.langchain.fakes import FORMS, FailingMemory, ScriptedChatModel, run, talk

QUERY = "project Orion plan"
KINDS = ("events", "raw", "both")


@pytest.fixture
def told(memory: StrataGate) -> StrataGate:
    """A memory with four turns about one project, sealed in two blocks."""
    talk(memory, "t", 4)
    return memory


class TestStandard(RetrieversIntegrationTests):
    """The suite that every LangChain retriever passes."""

    kind = "events"

    @pytest.fixture(autouse=True)
    def _opened(self, told: StrataGate) -> None:
        self.memory = told

    @property
    def retriever_constructor(self) -> type[StrataGateRetriever]:
        """The class under test."""
        return StrataGateRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        """A memory with enough to find."""
        return {"memory": self.memory, "kind": self.kind}

    @property
    def retriever_query_example(self) -> str:
        """A query that more than three memories match."""
        return QUERY


class TestStandardRaw(TestStandard):
    """The same over messages."""

    kind = "raw"


class TestStandardAuto(TestStandard):
    """The same over both in one ranking."""

    kind = "auto"


class TestStandardBoth(TestStandard):
    """The same over both."""

    kind = "both"


def ids(documents: list[Document]) -> list[str | None]:
    """The ids of documents."""
    return [document.id for document in documents]


@pytest.mark.parametrize("kind", KINDS)
def test_LC_68_k_everywhere(told: StrataGate, kind: Any) -> None:
    """`k` is a field, an argument of a call and a configurable field; out of range is an error."""
    retriever = StrataGateRetriever(memory=told, kind=kind, k=2)
    configurable = retriever.configurable_fields(k=ConfigurableField("k"))

    assert 2 == len(retriever.invoke(QUERY))
    assert 3 == len(retriever.invoke(QUERY, None, k=3))
    assert 1 == len(configurable.invoke(QUERY, {"configurable": {"k": 1}}))
    with pytest.raises(InvalidArgument, match="1 to 20"):
        retriever.invoke(QUERY, None, k=0)


def test_LC_08_unknown_kinds_and_filters_are_refused(told: StrataGate) -> None:
    """A filter has to fit the kind."""
    with pytest.raises(ValueError, match="kind"):
        StrataGateRetriever(memory=told, kind="topics")
    with pytest.raises(InvalidArgument, match="participants"):
        StrataGateRetriever(memory=told, kind="raw", filters={"participants": ["Ann"]})


@pytest.mark.parametrize("kind", KINDS)
def test_LC_69_documents_are_stable_json(told: StrataGate, kind: Any) -> None:
    """The same memory is the same document whatever was asked, with JSON metadata only."""
    retriever = StrataGateRetriever(memory=told, kind=kind, k=20)

    first = {document.id: document for document in retriever.invoke(QUERY)}
    second = {document.id: document for document in retriever.invoke("plan number")}

    assert first.keys() & second.keys()
    for key in first.keys() & second.keys():
        assert first[key] == second[key]
        metadata = json.loads(json.dumps(first[key].metadata))
        assert key == metadata["memory_id"] == metadata["doc_id"]
        assert f"mem://{metadata['kind']}/{key}" == metadata["source"]
        assert "t" == metadata["session_id"]
        assert metadata["created_at"].startswith("2026-05-06T09:00")


def test_LC_69_absent_is_left_out(told: StrataGate) -> None:
    """What is not known has no key; what is known of an event is there."""
    (document,) = StrataGateRetriever(memory=told, k=1).invoke(QUERY)

    assert {"doc_id", "kind", "memory_id", "source"} <= document.metadata.keys()
    assert document.metadata["happened_at"].startswith("2026-05-0")
    assert not [key for key, value in document.metadata.items() if value in (None, "")]


def test_LC_70_volatile_only_when_asked(told: StrataGate) -> None:
    """Score, rank and batch id come only with `include_volatile`."""
    plain = StrataGateRetriever(memory=told, k=2).invoke(QUERY)
    full = StrataGateRetriever(
        memory=told, k=2, session_id="t", include_volatile=True, open_batch=True
    ).invoke(QUERY)

    assert not {"score", "rank", "batch_id"} & plain[0].metadata.keys()
    assert [1, 2] == [document.metadata["rank"] for document in full]
    (batch,) = told.open_batches("t")
    assert {batch.id} == {document.metadata["batch_id"] for document in full}


def test_LC_71_no_batch_by_default(told: StrataGate) -> None:
    """A plain search opens nothing; with `open_batch` a conversation is needed."""
    StrataGateRetriever(memory=told, session_id="t").invoke(QUERY)

    assert () == told.open_batches("t")
    with pytest.raises(InvalidArgument, match="conversation"):
        StrataGateRetriever(memory=told, open_batch=True).invoke(QUERY)


def test_LC_72_cited_text(told: StrataGate) -> None:
    """Cited documents begin with date and source; the rest is the plain text."""
    (plain,) = StrataGateRetriever(memory=told, k=1).invoke(QUERY)
    (cited,) = StrataGateRetriever(memory=told, k=1, render="cited").invoke(QUERY)

    date = plain.metadata["happened_at"][:10]
    heading = f"[{date}] [{plain.metadata['source']}]"
    assert f"{heading}\n{plain.page_content}" == cited.page_content


def test_filters_narrow(told: StrataGate) -> None:
    """Filters reach the search of the kind."""
    on_the_third = {"happened_from": "2026-05-03", "happened_to": "2026-05-03"}
    found = StrataGateRetriever(memory=told, filters=on_the_third).invoke(QUERY)
    none = StrataGateRetriever(memory=told, kind="both", filters={"metadata": {"a": 1}})

    assert ["2026-05-03"] == [document.metadata["happened_at"][:10] for document in found]
    assert [] == none.invoke(QUERY)


def test_LC_12_no_thread_hides_no_tail(memory: StrataGate) -> None:
    """Without a conversation every message is found, also in the core's default thread."""
    memory.add_turn("The parrot is called Ada.", "Nice name.")
    memory.add_turn("The parrot eats nuts.", "I see.", thread="t")
    retriever = StrataGateRetriever(memory=memory, kind="raw")
    mine: RunnableLambda[str, list[Document]] = RunnableLambda(
        lambda query: retriever.invoke(query)
    )

    assert 2 == len(retriever.invoke("parrot"))
    (other,) = mine.invoke("parrot", {"configurable": {"thread_id": "t"}})
    assert "main" == other.metadata["session_id"]


def test_LC_13_resolver_per_call(memory: StrataGate) -> None:
    """One retriever serves two users and keeps neither."""
    for user in ("ann", "bob"):
        memory.for_namespace(user).add_turn(f"The parrot of {user} is green.", "I see.")
    retriever = StrataGateRetriever(
        memory=lambda run: memory.for_namespace(run["user"]), kind="raw"
    )

    for user in ("ann", "bob"):
        (found,) = retriever.invoke("parrot", {"configurable": {"user": user}})
        assert f"user: The parrot of {user} is green." == found.page_content


@pytest.mark.parametrize("form", FORMS)
async def test_LC_97_all_forms_agree(told: StrataGate, form: str) -> None:
    """Every form of call finds the same."""
    retriever = StrataGateRetriever(memory=told, kind="both")

    assert retriever.invoke(QUERY) == await run(retriever, QUERY, form)


@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_LC_95_failing_memory(told: StrataGate, form: str) -> None:
    """Explicit retrieval fails loud; `on_error="empty"` finds nothing."""
    failing: Any = FailingMemory(told, "search")

    with pytest.raises(OSError, match="disk"):
        await run(StrataGateRetriever(memory=failing), QUERY, form)
    assert [] == await run(StrataGateRetriever(memory=failing, on_error="empty"), QUERY, form)


def test_LC_67_copies_and_dumps(told: StrataGate) -> None:
    """Copies share the memory, dumps hold nothing of it."""
    retriever = StrataGateRetriever(memory=told)

    assert told is copy.deepcopy(retriever).memory
    assert told is retriever.model_copy(deep=True).memory
    assert "StrataGate(" not in dumps(retriever) + repr(retriever)


def test_multi_query_finds_each_memory_once(told: StrataGate) -> None:
    """Several phrasings of one question give each memory once."""
    model = ScriptedChatModel("project Orion\nplan number\nOrion plan")
    plain = StrataGateRetriever(memory=told, kind="events")
    retriever = MultiQueryRetriever.from_llm(plain, model)

    found = ids(retriever.invoke("Which plans?"))

    assert len(set(found)) == len(found) == 4


def test_ensemble_joins_by_id_key(told: StrataGate) -> None:
    """An ensemble merges plain and cited documents of one memory by `doc_id`."""
    ensemble = EnsembleRetriever(
        retrievers=[
            StrataGateRetriever(memory=told, kind="events"),
            StrataGateRetriever(memory=told, kind="events", render="cited"),
        ],
        weights=[0.5, 0.5],
        id_key="doc_id",
    )

    found = ids(ensemble.invoke(QUERY))

    assert len(set(found)) == len(found) == 4


def answering(model: ScriptedChatModel) -> Any:
    """The part of a retrieval chain that answers from documents."""
    prompt = ChatPromptTemplate.from_messages([("system", "{context}"), ("human", "{input}")])
    return create_stuff_documents_chain(model, prompt)


@pytest.mark.parametrize("form", FORMS)
async def test_retrieval_chain(told: StrataGate, form: str) -> None:
    """The documents stand in the prompt and come back with the answer."""
    model = ScriptedChatModel("Plan 4.")
    chain = create_retrieval_chain(StrataGateRetriever(memory=told, k=2), answering(model))

    answer = await run(chain, {"input": QUERY}, form)

    assert 2 == len(answer["context"])
    assert answer["context"][0].page_content in model.requests[0][0].text


async def test_history_aware_retrieval_chain(told: StrataGate) -> None:
    """With a history the question is rewritten before it is searched for."""
    model = ScriptedChatModel("Orion plan number 2", "Plan 2.")
    prompt = ChatPromptTemplate.from_messages(
        [MessagesPlaceholder("chat_history"), ("human", "{input}")]
    )
    retriever = StrataGateRetriever(memory=told, kind="events")
    aware = create_history_aware_retriever(model, retriever, prompt)
    chain = create_retrieval_chain(aware, answering(model))

    answer = await chain.ainvoke(
        {"input": "And then?", "chat_history": [("human", "Tell me of Orion.")]}
    )

    assert "Plan 2." == answer["answer"]
    assert 4 == len(answer["context"])


async def test_LC_14_retriever_tool_knows_the_thread(memory: StrataGate) -> None:
    """The thread id of a run reaches the retriever inside a retriever tool."""
    memory.add_turn("The parrot eats nuts.", "I see.", thread="t")
    retriever = StrataGateRetriever(memory=memory, kind="raw", render="cited")
    tool = create_retriever_tool(retriever, "notes", "Find notes.")
    config: Any = {"configurable": {"thread_id": "t"}}

    assert "" == tool.invoke({"query": "parrot"}, config)
    assert "" == await tool.ainvoke({"query": "parrot"}, config)
    assert "mem://message/" in tool.invoke({"query": "parrot"})


def test_secrets_are_redacted(open_memory: Callable[..., StrataGate]) -> None:
    """Documents hold no secrets that somebody once said."""
    memory = open_memory()
    memory.add_turn("The parrot has the key sk-abcdefghijklmnopqrstuvwxyz123456.", "Hm.")

    (found,) = StrataGateRetriever(memory=memory, kind="raw").invoke("parrot key")

    assert "abcdefghijklmnop" not in found.page_content


def test_ls_params(memory: StrataGate) -> None:
    """Traces name the retriever."""
    params = StrataGateRetriever(memory=memory)._get_ls_params()

    assert {"ls_retriever_name": "stratagate"} == params


def test_auto_is_the_default_and_says_nothing_twice(told: StrataGate) -> None:
    """Events and messages in one ranking; a message that an event covers is not listed again."""
    retriever = StrataGateRetriever(memory=told, k=20)

    found = retriever.invoke(QUERY)

    assert "auto" == retriever.kind
    covered = [
        {source.id for source in told.sources(f"event:{document.id}")}
        for document in found
        if document.metadata["kind"] == "event"
    ]
    said = {document.id for document in found if document.metadata["kind"] == "message"}
    assert covered
    assert not said & set[Any]().union(*covered)


def test_filters_of_events_leave_events_only(told: StrataGate) -> None:
    """What only an event can satisfy is satisfied by no message."""
    found = StrataGateRetriever(memory=told, k=20, filters={"happened_from": "2026-05-03"})

    assert {"event"} == {document.metadata["kind"] for document in found.invoke(QUERY)}


def test_few_messages_come_with_their_neighbours(memory: StrataGate) -> None:
    """Up to four documents hold two messages on either side; more hold the answer alone."""
    memory.add_turn("Shall we name the parrot?", "Gladly.")
    memory.add_turn("What did you call the hamster?", "Bo.")
    few = StrataGateRetriever(memory=memory, k=2).invoke("hamster")[0]
    many = StrataGateRetriever(memory=memory, k=8).invoke("hamster")[0]
    alone = StrataGateRetriever(memory=memory, k=2, window=0).invoke("hamster")[0]

    spoken = ["assistant: Gladly.", "user: What did you call the hamster?", "assistant: Bo."]
    assert "\n".join(spoken) == few.page_content
    assert spoken[2] == many.page_content == alone.page_content
    assert 3 == len(few.metadata["message_ids"])
    assert "message_ids" not in many.metadata


def test_floor_and_budget_end_the_list(told: StrataGate) -> None:
    """Documents below the floor, and from the first that does not fit, are left out."""
    everything = StrataGateRetriever(memory=told, kind="raw", k=20, include_volatile=True)
    found = everything.invoke(QUERY)
    scores = [document.metadata["score"] for document in found]
    floor = (scores[0] + scores[-1]) / 2
    above = StrataGateRetriever(memory=told, kind="raw", k=20, min_score=floor)
    first = told.count_tokens(f"2026-05-06\n{found[0].page_content}")
    one = StrataGateRetriever(memory=told, kind="raw", k=20, max_tokens=first)
    none = StrataGateRetriever(memory=told, kind="raw", k=20, max_tokens=first - 1)

    assert [d.id for d, s in zip(found, scores, strict=True) if s >= floor] == ids(
        above.invoke(QUERY)
    )
    assert len(found) > len(above.invoke(QUERY)) > 0
    assert [found[0].id] == ids(one.invoke(QUERY))
    assert [] == none.invoke(QUERY)
