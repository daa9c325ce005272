"""What a graph search finds, how it is labelled, and what proves it (05 §4–6)."""

import pytest

from stratagate_core import InvalidArgument, NotFound
from stratagate_core.graph.rules.fold import node_id
from tests.graph.world import GraphWorld, edge, fact, node, projection, values


def mira(world: GraphWorld) -> None:
    """Mira was at Borealis and is at Acme."""
    world.tell(
        "evt_1",
        "Mira works at Borealis",
        projection(
            node("Mira", "evt_1", facts=[fact("company", "Borealis", "evt_1")]),
            node("Borealis", "evt_1", kind="organization", aliases=["Northlight"]),
            edges=[edge("Mira", "belongs to", "Borealis", "evt_1", cardinality="single")],
        ),
    )
    world.tell(
        "evt_2",
        "Mira joined Acme",
        projection(
            node("Mira", "evt_2", facts=[fact("company", "Acme", "evt_2")]),
            node("Acme", "evt_2", kind="organization"),
            edges=[edge("Mira", "belongs to", "Acme", "evt_2", cardinality="single")],
        ),
    )
    world.tell(
        "evt_3",
        "Mira likes a place named Borealis",
        projection(node("Mira", "evt_3", facts=[fact("location", "Borealis", "evt_3")])),
    )


def test_G_01_current_historical_and_both(world: GraphWorld) -> None:
    """A present value is current, a former one historical with its event first."""
    mira(world)
    world.memory.forget("evt_3")

    current = world.found("Acme")["Mira"]
    assert ("current", "company: Acme") == (current["match_type"], current["current_state"])
    former = world.found("Borealis")["Mira"]
    assert ("historical", "company: Acme") == (former["match_type"], former["current_state"])
    assert ["evt_1", "evt_2"] == former["provenance_event_ids"]
    assert ["Borealis"] == values(former["historical_matches"])
    assert "both" == world.found("Acme Borealis")["Mira"]["match_type"]


def test_G_01_a_key_in_the_query_narrows_to_its_facts(world: GraphWorld) -> None:
    """With `company B` a fact location=B does not count, nor an edge without such a fact."""
    mira(world)

    assert "historical" == world.found("company Borealis")["Mira"]["match_type"]
    assert "historical" == world.found("company Northlight")["Mira"]["match_type"]
    assert "current" == world.found("location Borealis")["Mira"]["match_type"]
    assert "both" == world.found("company")["Mira"]["match_type"]


def test_G_01_a_relation_alone_finds_nothing(world: GraphWorld) -> None:
    """The words of a relation are no hit."""
    mira(world)

    assert {} == world.found("belongs")
    assert {} == world.found("")
    assert {} == world.found("zebra")


def test_G_02_only_active_sources_are_shown(world: GraphWorld) -> None:
    """Of a fact with a forgotten and an active source only the active one shows."""
    for event_id in ("evt_1", "evt_2"):
        world.tell(
            event_id,
            "Mira has a boat",
            projection(node("Mira", event_id, facts=[fact("boat", "Petrel", event_id)])),
        )
    world.memory.forget("evt_1")

    (boat,) = world.expanded("Mira")["current_facts"]
    assert ["evt_2"] == boat["source_event_ids"]
    assert ["evt_2"] == world.expanded("Mira")["provenance_event_ids"]
    world.memory.restore("evt_1")
    (boat,) = world.expanded("Mira")["current_facts"]
    assert ["evt_1", "evt_2"] == boat["source_event_ids"]


@pytest.mark.parametrize("hide", ["forget", "archive"])
def test_G_02_what_rests_on_hidden_events_is_gone(world: GraphWorld, hide: str) -> None:
    """Such a node is not visible, not searchable and not expandable; a restore brings it back."""
    mira(world)
    for event_id in ("evt_1", "evt_2", "evt_3"):
        getattr(world.memory, hide)(event_id)

    for query in ("Mira", "Acme", "Borealis", "Northlight", "company"):
        assert {} == world.found(query)
    with pytest.raises(NotFound, match="search_graph"):
        world.expanded("Mira")
    with pytest.raises(NotFound):
        world.memory.node(node_id("person", "Mira"))
    world.memory.restore("evt_2")
    assert {"Mira", "Acme"} == set(world.found("Mira Acme"))


def test_G_02_a_disputed_fact_is_current_and_marked(world: GraphWorld) -> None:
    """Nothing is closed by a disputed value; both show."""
    disputed = fact("boat", "Gannet", "evt_2", status="disputed")
    world.tell(
        "evt_1", answer=projection(node("Mira", "evt_1", facts=[fact("boat", "Petrel", "evt_1")]))
    )
    world.tell("evt_2", answer=projection(node("Mira", "evt_2", facts=[disputed])))

    assert "boat: Petrel\nboat: Gannet [disputed]" == world.found("Mira")["Mira"]["current_state"]


def test_G_06_metadata_alone(world: GraphWorld) -> None:
    """A name that holds is current; an alias whose source was superseded is historical."""
    world.tell(
        "evt_1", "Mira, called Sparrow", projection(node("Mira", "evt_1", aliases=["Sparrow"]))
    )
    world.tell("evt_2", "Mira again", projection(node("Mira", "evt_2")))
    world.tell("evt_3", temporal={"supersedes_event_ids": ["evt_1"]})

    by_name, by_alias = world.found("Mira")["Mira"], world.found("Sparrow")["Mira"]
    assert ("current", "historical") == (by_name["match_type"], by_alias["match_type"])
    assert "evt_1" == by_alias["provenance_event_ids"][0]


def test_G_08_six_events_bound_what_is_shown(world: GraphWorld) -> None:
    """Of seven facts with seven events six are shown, and the seventh is not in the state."""
    for number in range(1, 8):
        event_id = f"evt_{number}"
        told = node("Mira", event_id, facts=[fact(f"key{number}", f"value{number}", event_id)])
        world.tell(event_id, answer=projection(told))

    for card in (world.found("Mira")["Mira"], world.expanded("Mira")):
        assert 6 == len(card["provenance_event_ids"])
        assert 6 == len(card.get("current_facts") or card["facts"])
        assert len(card["timeline"]) == 6
    assert "value7" not in world.found("Mira")["Mira"]["current_state"]
    assert "current" == world.found("value7")["Mira"]["match_type"]


def test_G_09_a_historical_edge_brings_the_present_one(world: GraphWorld) -> None:
    """The current edge of the same relation comes along, its event second."""
    for event_id, tool in (("evt_1", "SQLite"), ("evt_2", "PostgreSQL")):
        world.tell(
            event_id,
            answer=projection(
                node("Orion", event_id, kind="project"),
                node(tool, event_id, kind="tool"),
                edges=[edge("Orion", "uses", tool, event_id, cardinality="single")],
            ),
        )

    hit = world.found("SQLite")["Orion"]
    assert "historical" == hit["match_type"]
    assert ["PostgreSQL"] == [one["to"] for one in hit["relations"]]
    assert ["evt_1", "evt_2"] == hit["provenance_event_ids"]


def test_the_node_that_is_named_comes_first(world: GraphWorld) -> None:
    """A search for a name leads to its node, not to what is related to it."""
    mira(world)

    for name in ("Mira", "Acme", "Borealis"):
        assert name == next(iter(world.found(name)))


def test_G_13_instants_are_checked(world: GraphWorld) -> None:
    """A naive or unreadable instant is an error that says what is meant."""
    mira(world)

    for wrong in ("2026-01-05T10:00:00", "yesterday", world.clock().replace(tzinfo=None)):
        with pytest.raises(InvalidArgument, match="as_of"):
            world.memory.search_graph("Mira", as_of=wrong)
        with pytest.raises(InvalidArgument, match="known_at"):
            world.memory.expand_graph_node("node_1", known_at=wrong)


def test_reasons_of_an_empty_search(world: GraphWorld) -> None:
    """An empty result says why."""
    assert "no_data" == world.memory.search_graph("Mira").reason
    mira(world)
    assert "no_match" == world.memory.search_graph("zebra").reason
    assert "filtered_out" == world.memory.search_graph("belongs").reason


def test_chinese_nodes_are_found(world: GraphWorld) -> None:
    """Names, keys and values in Chinese are searched like others."""
    world.tell(
        "evt_1",
        "小林住在成都",
        projection(
            node("小林", "evt_1", facts=[fact("住处", "成都", "evt_1")]),
            node("成都", "evt_1", kind="place"),
            edges=[edge("小林", "位于", "成都", "evt_1")],
        ),
    )

    assert "住处: 成都" == world.found("小林住在哪里")["小林"]["current_state"]
    assert "current" == world.found("成都")["小林"]["match_type"]
    assert "current" == world.found("住处")["小林"]["match_type"]
