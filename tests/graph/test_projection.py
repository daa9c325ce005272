"""How an answer gets into the graph, and what keeps it out (05 §2, §3)."""

import json

import pytest

from stratagate_core import Node, Request
from stratagate_core.graph import steps
from stratagate_core.graph.rules.fold import node_id
from tests.graph.world import GraphWorld, edge, fact, instant, node, projection, values


def job(world: GraphWorld) -> tuple[str, int, str | None]:
    """State, attempts and error of the last graph job."""
    last = world.memory.jobs(kind="graph_projection")[-1]
    return last.status, last.attempts, last.error


def read(world: GraphWorld, name: str, kind: str = "person") -> Node:
    """A node by its first name."""
    return world.memory.node(node_id(kind, name))


def asked(world: GraphWorld) -> list[Request]:
    """What the projector was asked."""
    return [request for request in world.model.requests if request.task == "project_graph"]


def test_G_04_unproven_and_hidden_names_do_not_merge(world: GraphWorld) -> None:
    """Only a visible name or alias makes two nodes one."""
    unproven = node("Mira", "evt_1", aliases=["Sparrow"])
    unproven["metadata_provenance"]["aliases"] = []
    world.tell("evt_1", answer=projection(unproven))
    world.tell("evt_2", answer=projection(node("Sparrow", "evt_2")))
    assert {"Mira"} == set(world.found("Mira"))
    assert {"Sparrow"} == set(world.found("Sparrow"))

    world.tell("evt_3", answer=projection(node("Tove", "evt_3")))
    world.tell("evt_4", answer=projection(node("Tove", "evt_4", aliases=["Wren"])))
    world.memory.forget("evt_4")
    world.tell("evt_5", answer=projection(node("Wren", "evt_5")))
    assert {"Wren"} == set(world.found("Wren"))
    world.memory.restore("evt_4")
    assert {"Tove"} == set(world.found("Wren"))


def test_G_04_a_proven_alias_merges(world: GraphWorld) -> None:
    """The node keeps its name; the new name becomes an alias with its own event."""
    world.tell("evt_1", answer=projection(node("Acme", "evt_1", kind="organization")))
    world.tell(
        "evt_2",
        answer=projection(node("Acme Corporation", "evt_2", kind="organization", aliases=["ACME"])),
    )

    merged = read(world, "Acme", "organization")
    assert ("Acme", ("Acme Corporation",)) == (merged.name, merged.aliases)
    assert merged.provenance is not None
    assert {"Acme Corporation": ("evt_2",)} == merged.provenance.aliases
    assert ("evt_1", "evt_2") == merged.provenance.name
    assert {"nodes": 1, "facts": 0, "edges": 0} == world.memory.stats()["graph"]


def test_G_04_two_proven_aliases_are_one_node(world: GraphWorld) -> None:
    """A person under a name and two proven aliases is one, whichever of them is spoken of."""
    both = node("Mira Lund", "evt_1", aliases=["Mira", "Dr. Lund"])
    world.tell("evt_1", answer=projection(both))
    for number, name in enumerate(("Mira", "Dr. Lund"), 2):
        event = f"evt_{number}"
        told = fact(f"key {number}", "x", event)
        world.tell(event, answer=projection(node(name, event, facts=[told])))

    (one,) = world.memory.nodes().items
    assert "Mira Lund" == one.name
    assert {"Mira", "Dr. Lund"} == set(one.aliases)
    assert {"key 2", "key 3"} == {held.key for held in one.facts}


def test_G_05_a_name_without_proof_fails_the_answer(world: GraphWorld) -> None:
    """Nothing changes; the job says what was wrong."""
    bare = node("Mira", "evt_1")
    del bare["metadata_provenance"]
    world.tell("evt_1", answer=projection(node("Tove", "evt_1"), bare))

    status, attempts, error = job(world)
    assert ("failed", 1) == (status, attempts)
    assert "name" in str(error)
    assert {"nodes": 0, "facts": 0, "edges": 0} == world.memory.stats()["graph"]


def test_G_05_a_proof_in_an_odd_shape_is_asked_again(world: GraphWorld) -> None:
    """The second question names the path; objects with exactly the name are fine."""
    odd, good = node("Mira", "evt_1"), node("Mira", "evt_1")
    odd["metadata_provenance"]["name"] = [{"text": "Mira", "source_event_ids": ["evt_1"]}]
    good["metadata_provenance"]["name"] = [{"value": "Mira", "source_event_ids": ["evt_1"]}]
    world.answers.append(projection(odd))
    world.tell("evt_1", answer=projection(good))

    assert "succeeded" == job(world)[0]
    repair = asked(world)[-1].messages[-1]["content"]
    assert "nodes.0.metadata_provenance.name.0" in repair


def test_G_05_what_is_not_proven_is_dropped_with_a_warning(world: GraphWorld) -> None:
    """Aliases, tags, facts and edges fall alone; the job completes and tells."""
    loose = node("Mira", "evt_1", aliases=["Sparrow", "Mir"], tags=["pilot"])
    loose["metadata_provenance"]["aliases"] = [{"value": "mir", "source_event_ids": ["evt_1"]}]
    loose["metadata_provenance"]["tags"] = [{"value": "pilot", "source_event_ids": ["evt_99"]}]
    loose["facts"] = [
        fact("boat", "Petrel", "evt_99"),
        fact("", "x", "evt_1"),
        fact("car", "none", "evt_1", valid_from="soon"),
    ]
    world.tell(
        "evt_1",
        answer=projection(
            loose,
            node("Fog", "evt_1", kind="weather"),
            edges=[edge("Mira", "fears", "Fog", "evt_1"), edge("Mira", "is", "Mira", "evt_1")],
        ),
    )

    kept = read(world, "Mira")
    assert (("Mir",), (), ["car"]) == (kept.aliases, kept.tags, [one.key for one in kept.facts])
    (last,) = world.memory.jobs(kind="graph_projection")
    assert "succeeded" == last.status
    assert 7 == last.diagnostics["warnings"]
    assert len(last.diagnostics["reason"]) <= 500


def test_G_07_a_source_forgotten_meanwhile_refuses_the_answer(world: GraphWorld) -> None:
    """The answer is refused and the existing fact is untouched."""
    world.tell(
        "evt_1", answer=projection(node("Mira", "evt_1", facts=[fact("boat", "Petrel", "evt_1")]))
    )

    def late(_request: object) -> object:
        world.memory.forget("evt_2")
        return projection(node("Mira", "evt_2", facts=[fact("boat", "Gannet", "evt_2")]))

    world.tell("evt_2", answer=late)

    status, _, error = job(world)
    assert "failed" == status
    assert "evt_2" in str(error)
    assert ["Petrel"] == values(world.expanded("Mira")["current_facts"])
    world.memory.run_pending(retry_failed=True)
    assert "visible" in str(job(world)[2])


def test_G_10_a_projection_of_three_nodes(world: GraphWorld) -> None:
    """All nodes are participants of the event, tags are searchable, one attempt is enough."""
    world.tell(
        "evt_1",
        "Orion 2.0 was released",
        projection(
            node("Orion", "evt_1", kind="project", tags=["scheduler"]),
            node("Mira", "evt_1"),
            node("Lyon", "evt_1", kind="place"),
            edges=[
                edge("Mira", "contributes to", "Orion", "evt_1"),
                edge("Mira", "located in", "Lyon", "evt_1"),
            ],
        ),
        temporal={"event_type": "版本发布"},
    )

    event = world.memory.event("evt_1")
    assert "release" == event.temporal.event_type
    assert set(event.temporal.participant_node_ids) == {
        node_id("project", "Orion"),
        node_id("person", "Mira"),
        node_id("place", "Lyon"),
    }
    assert {"Orion"} == set(world.found("scheduler"))
    assert ("succeeded", 1, None) == job(world)


def test_G_11_many_and_single(world: GraphWorld) -> None:
    """A second target stays beside the first with `many`, and takes its place with `single`."""
    for relation, cardinality in (("uses", "many"), ("runs on", "single")):
        for number, tool in enumerate(("pnpm", "npm")):
            event_id = f"evt_{cardinality}_{number}"
            world.tell(
                event_id,
                answer=projection(
                    node("Orion", event_id, kind="project"),
                    node(tool, event_id, kind="tool"),
                    edges=[edge("Orion", relation, tool, event_id, cardinality=cardinality)],
                ),
            )

    card = world.expanded("Orion", "project")
    current = [(one["relation"], one["to"]) for one in card["current_edges"]]
    assert [("uses", "pnpm"), ("uses", "npm"), ("runs on", "npm")] == current
    (closed,) = card["historical_edges"]
    assert ("pnpm", "superseded") == (closed["to"], closed["status"])
    assert "valid_to" in closed


def test_G_16_restating_adds_a_source(world: GraphWorld) -> None:
    """One fact in five conversations: one node, one fact, one edge, five events."""
    for number in range(5):
        event_id = f"evt_{number}"
        world.tell(
            event_id,
            answer=projection(
                node("Mira", event_id, facts=[fact("home", " LYON"[number % 2 :], event_id)]),
                node("Lyon", event_id, kind="place"),
                edges=[edge("Mira", "located in", "Lyon", event_id, cardinality="single")],
            ),
            thread=f"t{number}",
        )

    assert {"nodes": 2, "facts": 1, "edges": 1} == world.memory.stats()["graph"]
    (home,) = read(world, "Mira").facts
    assert tuple(f"evt_{number}" for number in range(5)) == home.source_event_ids
    (relation,) = world.expanded("Mira")["current_edges"]
    assert 5 == len(relation["source_event_ids"])


def test_V_16_a_node_reinforces_its_provenance(world: GraphWorld) -> None:
    """Use of a graph ref strengthens the events of the match, and no others."""
    for number, key in enumerate(("boat", "car"), start=1):
        event_id = f"evt_{number}"
        world.tell(
            event_id, answer=projection(node("Mira", event_id, facts=[fact(key, key, event_id)]))
        )
    world.tell("evt_3", "Mira again")
    found = world.memory.search_graph("car", open_batch=True)
    ref = found.hits[0].ref
    world.memory.assess("sufficient", [ref], batch_id=found.batch_id)

    used = world.memory.record_use([ref], batch_id=found.batch_id)

    assert set(found.hits[0].item["provenance_event_ids"]) == set(used.event_ids)
    assert "evt_3" not in used.event_ids
    (citation,) = used.citations
    assert ("graph", node_id("person", "Mira")) == (citation.kind, citation.id)
    assert 2 == world.memory.event("evt_2").weight.mention_count
    expanded = world.memory.expand_graph_node(citation.id, open_batch=True)
    assert [f"graph-node:{citation.id}:expanded"] == expanded["evidence_refs"]
    assert [expanded["batch_id"]] == [batch.id for batch in world.memory.open_batches()]


def test_completing_again_changes_nothing(world: GraphWorld) -> None:
    """A finished batch is not asked about again and its answer is stored once."""
    world.tell("evt_1", answer=projection(node("Mira", "evt_1")))
    before, asked = world.rows(), len(world.model.requests)
    with world.memory._write() as work:
        assert () == steps.queue_events(work, ["evt_1"])
    world.memory.run_pending()

    assert (before, asked) == (world.rows(), len(world.model.requests))


def test_confidence_and_lengths_are_kept_in_bounds(world: GraphWorld) -> None:
    """Confidence is clamped, an absent one is 0.8, long texts are cut."""
    told = [
        fact("sure", "x", "evt_1", confidence=1.4),
        fact("open", "y" * 2000, "evt_1"),
        fact("many", [str(n) for n in range(60)], "evt_1"),
    ]
    world.tell("evt_1", answer=projection(node("M" * 300, "evt_1", facts=told)))

    sure, open_, many = read(world, "M" * 160).facts
    assert (1.0, 0.8) == (sure.confidence, open_.confidence)
    assert (1200, 40) == (len(open_.value), len(many.value))


def test_the_projector_sees_what_it_may_touch(world: GraphWorld) -> None:
    """Events without quotes and hints, and the nodes that the events name."""
    world.tell(
        "evt_1", answer=projection(node("Mira", "evt_1", facts=[fact("boat", "P", "evt_1")]))
    )
    world.tell("evt_2", "Mira sold her boat", at=instant("2026-05-07"), quotes=["Mira sold"])

    payload = json.loads(asked(world)[-1].messages[1]["content"])
    assert ["evt_2"] == [one["id"] for one in payload["events"]]
    assert not {"quotes", "catalog_hints", "extractor_version"} & payload["events"][0].keys()
    (shown,) = payload["nodes"]
    assert ("Mira", ["boat"]) == (shown["name"], [one["key"] for one in shown["facts"]])


@pytest.mark.parametrize("status", ["superseded", "archived"])
def test_a_value_that_holds_no_longer_closes_nothing(world: GraphWorld, status: str) -> None:
    """Only an active statement takes the place of another."""
    world.tell(
        "evt_1", answer=projection(node("Mira", "evt_1", facts=[fact("boat", "Petrel", "evt_1")]))
    )
    old = fact("boat", "Gannet", "evt_2", status=status)
    world.tell("evt_2", answer=projection(node("Mira", "evt_2", facts=[old])))

    card = world.expanded("Mira")
    assert ["Petrel"] == values(card["current_facts"])
    assert ([] if status == "archived" else ["Gannet"]) == values(card["historical_facts"])
