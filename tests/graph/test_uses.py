"""The graph in tools, recall, export and doctor."""

import json
from pathlib import Path
from typing import Any

import pytest

from stratagate_core import Settings, StrataGate
from stratagate_core.graph.rules.fold import node_id
from stratagate_core.llm.port import Reply
from stratagate_core.store import integrity
from stratagate_core.store.index_check import index_states
from stratagate_core.tools import call, tool_specs
from tests.graph.world import GraphWorld, edge, fact, node, projection


def use(memory: StrataGate, tool: str, **arguments: Any) -> Any:
    """The value of a tool call in thread t."""
    spec = next(spec for spec in tool_specs(Settings()) if spec.operation == tool)
    return call(spec, memory, "t", arguments).value


@pytest.fixture
def mira(world: GraphWorld) -> GraphWorld:
    """Mira lives in Lyon."""
    world.tell(
        "evt_1",
        "Mira lives in Lyon",
        projection(
            node("Mira", "evt_1", facts=[fact("home", "Lyon", "evt_1")]),
            node("Lyon", "evt_1", kind="place"),
            edges=[edge("Mira", "located in", "Lyon", "evt_1")],
        ),
    )
    return world


def test_tools_search_and_expand(mira: GraphWorld) -> None:
    """Both open a batch; an expansion has the parts that are promised."""
    found = use(mira.memory, "search_graph", query="Mira", limit="3")
    assert [f"graph-node:{found['results'][0]['id']}"] == found["evidence_refs"][:1]
    expanded = use(mira.memory, "expand_graph_node", id=found["results"][0]["id"])

    assert 2 == len(mira.memory.open_batches("t"))
    assert {
        "node",
        "edges",
        "current_facts",
        "historical_facts",
        "current_edges",
        "historical_edges",
        "provenance_event_ids",
        "metadata_evidence_status",
        "timeline",
    } <= expanded["results"][0].keys()


def test_tools_tell_what_is_wrong(mira: GraphWorld) -> None:
    """Unknown nodes and unreadable instants are errors as values, and open no batch."""
    unknown = use(mira.memory, "expand_graph_node", id="node_9")["error"]
    naive = use(mira.memory, "search_graph", query="Mira", as_of="2026-01-01")["error"]

    assert ("not_found", "invalid_argument") == (unknown["code"], naive["code"])
    assert "search_graph" in unknown["message"]
    assert "time zone" in naive["message"]
    assert () == mira.memory.open_batches("t")


def test_tools_tell_what_is_stale(world: GraphWorld) -> None:
    """A commute that rested on the former home is stale with its reason, and no present state."""
    for number, place in enumerate(("Berlin", "Tokyo"), 1):
        event = f"evt_{number}"
        facts = [fact("home", place, event)]
        if number == 1:
            facts.append(fact("commute", "25 minutes", event, depends_on=["home"]))
        world.tell(event, place, projection(node("Mira", event, facts=facts)))
        world.clock.advance(days=9)
    card = use(world.memory, "search_graph", query="Mira commute")["results"][0]
    expanded = use(world.memory, "expand_graph_node", id=card["id"])["results"][0]

    assert "home: Tokyo" == card["current_state"] == expanded["node"]["current_state"]
    assert ["home changed from Berlin to Tokyo"] * 2 == [
        next(one for one in facts if one["key"] == "commute")["stale_reason"]
        for facts in (card["facts"], expanded["stale_facts"])
    ]


def test_secrets_are_redacted(world: GraphWorld) -> None:
    """A value that looks like a secret leaves the memory without it."""
    world.tell(
        "evt_1",
        answer=projection(node("Mira", "evt_1", facts=[fact("note", "token=abc123", "evt_1")])),
    )

    for text in (
        json.dumps(use(world.memory, "search_graph", query="note")),
        json.dumps(world.expanded("Mira")),
        world.memory.recall("Mira's note?").text,
    ):
        assert "abc123" not in text


def test_recall_tells_what_is_so(mira: GraphWorld) -> None:
    """A node comes as one bullet behind the events, without ids of sources."""
    recalled = mira.memory.recall("Where does Mira live?", thread="other")

    assert "Knowledge graph:\n- {" in recalled.text
    assert "home: Lyon" in recalled.text
    assert "source_event_ids" not in recalled.text
    assert ["Mira"] == [one.name for one in recalled.nodes]
    assert recalled.tokens <= 900


def test_recall_leaves_out_what_stands_in_the_request(world: GraphWorld) -> None:
    """A node whose sources are shown already, or are another thread's own, is not repeated."""
    told = projection(node("Mira", "evt_1", facts=[fact("home", "Lyon", "evt_1")]))
    world.tell("evt_1", "Mira lives in Lyon", told, scope="session")
    source = world.memory.event("evt_1").source_message_ids

    assert () == world.memory.recall("Where does Mira live?", thread="other").nodes
    assert 1 == len(world.memory.recall("Where does Mira live?", thread="t").nodes)
    assert () == world.memory.recall("Where is Mira?", thread="t", present=source).nodes


def test_recall_does_not_take_speakers_for_names(world: GraphWorld) -> None:
    """The node of the user comes when it is spoken of, not because a user speaks."""
    user = node("User", "evt_1", facts=[fact("home", "Lyon", "evt_1")])
    world.tell("evt_1", answer=projection(user), thread="other")
    world.memory.add_turn("It rains.", "Stay in.", work="append")

    assert () == world.memory.recall("What a day.").nodes
    assert ["User"] == [one.name for one in world.memory.recall("Is Lyon my home?").nodes]


def test_recall_needs_more_than_one_common_word(world: GraphWorld) -> None:
    """A name, a key or two words bring a node; a word that its type or value shares does not."""
    drill = node("Boreas", "evt_1", kind="tool", facts=[fact("weight", "two heavy kilos", "evt_1")])
    world.tell("evt_1", answer=projection(drill), thread="other")

    def recalled(message: str) -> list[str]:
        return [one.name for one in world.memory.recall(message).nodes]

    assert [[], []] == [recalled("All the tools are back."), recalled("A heavy day.")]
    assert [["Boreas"]] * 3 == [
        recalled("Where is Boreas?"),
        recalled("What is its weight?"),
        recalled("Which one has heavy kilos?"),
    ]


def test_a_cut_answer_is_not_asked_again(world: GraphWorld) -> None:
    """An answer that reached the output limit fails the attempt at once."""
    world.tell("evt_1", answer=lambda _: Reply(text='{"reason": "', finish_reason="length"))

    (job,) = world.memory.jobs(kind="graph_projection")
    assert "after 1 attempts" in str(job.error)
    assert 1 == len([one for one in world.model.requests if one.task == "project_graph"])


def test_export_and_doctor_know_the_graph(mira: GraphWorld, tmp_path: Path) -> None:
    """Nodes, facts, edges and answers are exported; nothing is found damaged."""
    mira.memory.export(tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = {json.loads(line)["kind"] for line in lines}
    assert {"graph_answer", "node", "fact", "edge"} <= kinds

    mira.memory.forget("evt_1")
    mira.memory.restore("evt_1")
    with mira.memory._core.env.store.admin() as tx:
        assert [] == [fault for finding in integrity.findings(tx) for fault in finding.faults]
        states = {one.name: one for one in index_states(tx)}
    assert ("ready", 2, 2) == (
        states["graph"].state,
        states["graph"].indexed,
        states["graph"].expected,
    )


def test_namespaces_do_not_see_each_other(mira: GraphWorld) -> None:
    """Equal ids in another namespace find nothing there."""
    other = mira.memory.for_namespace("other")

    assert () == other.search_graph("Mira").hits
    assert "error" in use(other, "expand_graph_node", id=node_id("person", "Mira"))
