"""Purging: the words are gone from every row and every byte, the rest is as it was."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagate_core import (
    InvalidArgument,
    NotFound,
    Settings,
    StrataGate,
    ToolTrace,
)
from stratagate_core.apps.doctor import database
from stratagate_core.llm.port import Request
from stratagate_core.store import integrity, schema
from stratagate_core.testing import CountingIds, ManualClock, ScriptedModel
from tests.conftest import START

SECRET = "Zanzibarium"
INLINE: dict[str, Any] = {"block_turn_size": 2, "processing": "inline"}


def answer(request: Request) -> Mapping[str, Any]:
    """A model that repeats whatever it sees in everything it writes."""
    payload = json.loads(request.messages[1]["content"])
    if request.task == "summarise_block":
        said = " ".join(str(message["content"]) for message in payload["messages"])
        return {
            "l0_title": said[:100],
            "l0_tags": said.split()[:3],
            "l1_summary": said,
            "l2_keypoints": [said],
            "should_extract": True,
        }
    if request.task == "extract_events":
        said = {message["id"]: message["content"] for message in payload["messages"]}
        cards = [
            {
                "title": said[key][:80],
                "summary": said[key],
                "tags": said[key].split()[:2],
                "quotes": [said[key]],
                "scope": "user",
                "source_message_ids": [key],
            }
            for key in payload["allowed_source_message_ids"]
            if said[key] not in ("Noted.",)
        ]
        return {"should_extract": bool(cards), "reason": str(said), "events": cards}
    nodes = []
    for at, event in enumerate(payload["events"]):
        cited = [event["id"]]
        nodes.append(
            {
                "ref": f"n{at}",
                "name": "Mira",
                "type": "person",
                "aliases": event["summary"].split()[:1],
                "tags": event["summary"].split()[-1:],
                "source_event_ids": cited,
                "metadata_provenance": {
                    "name": cited,
                    "aliases": [{"value": event["summary"].split()[0], "source_event_ids": cited}],
                    "tags": [{"value": event["summary"].split()[-1], "source_event_ids": cited}],
                },
                "facts": [{"key": "said", "value": event["summary"], "source_event_ids": cited}],
            }
        )
    return {"reason": str(payload["events"]), "nodes": nodes, "edges": []}


def opened(path: Path | str) -> StrataGate:
    """A memory whose model repeats what it sees."""
    tasks = ("summarise_block", "extract_events", "project_graph")
    return StrataGate.open(
        path,
        model=ScriptedModel({task: (answer for _ in range(200)) for task in tasks}),
        settings=Settings(**INLINE),
        clock=ManualClock(START),
        new_id=CountingIds(),
    )


def told(path: Path | str) -> StrataGate:
    """Four turns in two blocks and one in the tail; the third tells the secret everywhere."""
    memory = opened(path)
    memory.add_turn("Lyon is where Mira lives", "Noted.", receipt="r1")
    memory.add_turn("Oslo is where Mira works", "Noted.", receipt="r2")
    trace = ToolTrace(name="look", arguments={"q": SECRET}, result=f"{SECRET} found")
    memory.add_turn(f"{SECRET} is what Mira hides", "Noted.", tool_calls=(trace,), receipt="r3")
    memory.add_turn("Porto is where Mira rests", "Noted.", receipt="r4")
    memory.add_turn("Rome is where Mira sings", "Noted.", receipt="r5")
    found = memory.search_events(SECRET, open_batch=True)
    refs = [hit.ref for hit in found.hits[:1]]
    memory.assess("sufficient", refs, fit=f"{SECRET} fits", batch_id=found.batch_id)
    memory.record_use(refs, batch_id=found.batch_id)
    memory.search_raw(SECRET, open_batch=True)
    memory.search_graph(SECRET, open_batch=True)
    return memory


def secret_ids(memory: StrataGate) -> list[str]:
    """The messages of the turn that tells the secret."""
    return [
        str(said.id)
        for said in memory.thread_messages("main")
        if SECRET in said.content or any(SECRET in str(t.result) for t in said.tool_calls)
    ]


def everything(memory: StrataGate) -> str:
    """Every row of every table, as text."""
    with memory._read() as work:
        return str([work.tx.rows(table.select()) for table in schema.metadata.tables.values()])


def test_every_byte_is_gone(tmp_path: Path) -> None:
    """No row, no page of the file and no journal holds the word; the doctor finds no damage."""
    path = tmp_path / "memory.db"
    with told(path) as memory:
        before = everything(memory)
        assert SECRET in before
        assert SECRET.casefold() in before
        receipt = memory.purge(messages=secret_ids(memory))

        assert receipt.files_clean
        assert SECRET.casefold() not in everything(memory).casefold()
        assert (1, 0) == (len(receipt.event_ids), len(receipt.block_ids))
        with memory._core.env.store.admin() as tx:
            assert [] == [fault for found in integrity.findings(tx) for fault in found.faults]
        for file in tmp_path.iterdir():
            assert SECRET.casefold().encode() not in file.read_bytes().lower()
    for file in tmp_path.iterdir():
        assert SECRET.casefold().encode() not in file.read_bytes().lower()
    assert database(str(path)).is_healthy


def test_nothing_finds_it_and_the_rest_stands(each_database: Path | str) -> None:
    """Searches, graph, blocks and recall know nothing of it; other events and weights stay."""
    with told(each_database) as memory:
        others = [memory.event(key) for key in ("evt_1", "evt_2")]
        memory.purge(messages=secret_ids(memory))

        assert () == memory.search_events(SECRET).hits
        assert () == memory.search_raw(SECRET, include_tail=True).hits
        assert () == memory.search_graph(SECRET).hits
        assert SECRET not in memory.recall(f"What of {SECRET}?", thread="other").text
        assert others == [memory.event(key) for key in ("evt_1", "evt_2")]
        block = memory.blocks("main")[1]
        assert ("ready", "Porto") == (block.status, block.content.split("user: ")[-1][:5])
        assert 1 == len(memory.search_events("Porto").hits)
        (node,) = memory.nodes().items
        assert {"Lyon", "Oslo", "Porto"} <= set(node.aliases)
        assert 1 == sum("Porto" in str(fact.value) for fact in node.facts)


def test_a_purged_turn_is_not_delivered_again(each_database: Path | str) -> None:
    """A client that sends its history anew brings nothing back."""
    with told(each_database) as memory:
        memory.purge(messages=secret_ids(memory))
        added = memory.add_turn(f"{SECRET} is what Mira hides", "Noted.", receipt="r3")

        assert (3, True) == (added.turn, added.receipt_known)
        assert SECRET not in everything(memory)


def test_purging_again_is_no_error(each_database: Path | str) -> None:
    """The second time nothing is left to do; what never was is named and nothing is deleted."""
    with told(each_database) as memory:
        ids = secret_ids(memory)
        memory.purge(messages=ids)

        assert () == memory.purge(messages=ids).message_ids
        with pytest.raises(NotFound, match="evt_99"):
            memory.purge(messages=["msg_1"], events=["evt_99"])
        assert 2 == len(memory.purges())
        assert "Lyon is where Mira lives" in memory.thread_messages("main")[0].content


def test_events_go_and_their_sources_stay(each_database: Path | str) -> None:
    """A purged event leaves graph, index and relations; its messages are still there."""
    with told(each_database) as memory:
        memory.purge(events=["evt_3"])

        with pytest.raises(NotFound):
            memory.event("evt_3")
        assert () == memory.search_graph(SECRET).hits
        assert [] != [said for said in memory.thread_messages("main") if SECRET in said.content]


def test_what_an_event_superseded_is_active_again(each_database: Path | str) -> None:
    """Unless another visible event supersedes it."""
    with told(each_database) as memory:
        source = memory.event("evt_1").source_message_ids
        draft = {"title": "New", "summary": "New home", "scope": "user"}
        cited = {"source_message_ids": source, "temporal": {"supersedes_event_ids": ["evt_1"]}}
        (new,) = memory.ingest_events([draft | cited])
        assert "superseded" == memory.event("evt_1").status
        memory.purge(events=[new.id])

        assert ("active", None) == (
            memory.event("evt_1").status,
            memory.event("evt_1").superseded_by,
        )
        assert memory.event("evt_1").weight.forced_cap is None


def test_a_block_and_a_thread(each_database: Path | str) -> None:
    """A block goes with its messages and events; a thread with all it ever said."""
    with told(each_database) as memory:
        second = memory.blocks("main")[1].id
        receipt = memory.purge(blocks=[second])

        assert ((second,), 1) == (receipt.block_ids, len(memory.blocks("main")))
        assert SECRET not in everything(memory)
        memory.purge(thread="main")
        assert ((), ()) == (memory.thread_messages("main"), memory.blocks("main"))
        assert "Mira" not in everything(memory)
        assert 6 == memory.add_turn("Hello again", "Hello.").turn


def test_a_namespace_is_emptied(each_database: Path | str) -> None:
    """Every table is empty for it but counters and receipts; another namespace stands."""
    with told(each_database) as memory:
        other = memory.for_namespace("other")
        other.add_turn("Cairo", "Noted.")
        memory.purge(namespace=True)

        kept = {"namespaces", "purges", "meta"}
        with memory._read() as work:
            left = {
                name
                for name, table in schema.metadata.tables.items()
                if "namespace" in table.c and work.tx.rows(table.select().where(work.tx.of(table)))
            }
        assert left <= kept
        assert "Cairo" == other.thread_messages("main")[0].content
        assert memory.purges()[0].whole_namespace
        assert 6 == memory.add_turn("Hello", "Hello.").turn
        assert 2 == len(memory.search_raw("Hello", include_tail=True).hits)


def test_names_that_make_no_sense(each_database: Path | str) -> None:
    """Nothing named, or too much, is refused."""
    with told(each_database) as memory:
        with pytest.raises(InvalidArgument, match="to purge"):
            memory.purge()
        with pytest.raises(InvalidArgument, match="nothing beside it"):
            memory.purge(thread="main", namespace=True)
        with pytest.raises(InvalidArgument, match="messages must be a list"):
            memory.purge(messages="msg_1")


def test_a_late_result_of_a_purged_block_is_refused() -> None:
    """A model that was asked before the purge cannot bring the words back."""
    asked: list[Request] = []

    def late(request: Request) -> Mapping[str, Any]:
        said = answer(request)
        if not asked:
            asked.append(request)
            (found,) = memory.search_raw(SECRET, include_tail=True).hits
            memory.purge(messages=[found.item["id"]])
        return said

    tasks = ("summarise_block", "extract_events", "project_graph")
    memory = StrataGate.open(
        ":memory:",
        model=ScriptedModel({task: (late for _ in range(20)) for task in tasks}),
        settings=Settings(block_turn_size=2, processing="external"),
        clock=ManualClock(START),
        new_id=CountingIds(),
    )
    memory.add_turn("Lyon", "Noted.")
    memory.add_turn(SECRET, "Noted.")
    memory.run_pending()
    memory.run_pending()

    assert SECRET in str(asked[0].messages)
    assert SECRET not in everything(memory)
    assert "ready" == memory.blocks("main")[0].status
    assert 1 == len(memory.search_events("Lyon").hits)
    memory.close()


@settings(max_examples=20)
@given(st.data())
def test_any_selection_leaves_a_sound_memory(data: st.DataObject) -> None:
    """Whatever is purged in whatever order, nothing is damaged and nothing of it is found."""
    with told(":memory:") as memory:
        ids = [str(said.id) for said in memory.thread_messages("main")]
        chosen = data.draw(st.lists(st.sampled_from(ids), min_size=1, max_size=6, unique=True))
        words = {str(m.id): m.content.split()[0] for m in memory.thread_messages("main")}
        for key in chosen:
            memory.purge(messages=[key])
        memory.run_pending()
        with memory._core.env.store.admin() as tx:
            assert [] == [fault for found in integrity.findings(tx) for fault in found.faults]
        for key in chosen:
            if words[key] != "Noted.":
                assert () == memory.search_raw(words[key], include_tail=True).hits
                assert () == memory.search_events(words[key]).hits
        assert all(block.status == "ready" for block in memory.blocks("main"))
        left = [key for key in ids if key not in chosen]
        assert left == [str(said.id) for said in memory.thread_messages("main")]
