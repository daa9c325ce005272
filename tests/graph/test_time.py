"""What was so at an instant, what was known by one, and which value holds (05 §7, §8)."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.graph.world import GraphWorld, edge, fact, instant, node, projection, values


def lives(world: GraphWorld, event_id: str, place: str, day: str, **parts: Any) -> None:
    """Mira lives somewhere, said on a day."""
    told = node("Mira", event_id, facts=[fact("home", place, event_id, **parts)])
    world.tell(event_id, f"Mira lives in {place}", projection(told), at=day)


def state(world: GraphWorld, **asked: Any) -> str:
    """The state of Mira, blank for none."""
    return str(world.expanded("Mira", **asked)["node"].get("current_state", ""))


def test_G_12_as_of_shows_what_was_valid(world: GraphWorld) -> None:
    """At the instant of a change only the new record is valid; events are unchanged."""
    for event_id, base, day in (
        ("evt_1", "SQLite", "2026-01-01"),
        ("evt_2", "PostgreSQL", "2026-02-01"),
    ):
        told = fact("database", base, event_id, valid_from=day)
        world.tell(
            event_id,
            f"Orion runs on {base}",
            projection(node("Orion", event_id, kind="project", facts=[told])),
        )
    before = world.memory.event("evt_1")

    def shown(day: str | None) -> list[Any]:
        asked = {} if day is None else {"as_of": f"{day}T00:00:00+00:00"}
        card = world.found("Orion", **asked)["Orion"]
        assert values(card["facts"]) == values(
            world.expanded("Orion", "project", **asked)["current_facts"]
        )
        return values(card["facts"])

    assert ["SQLite"] == shown("2026-01-15")
    assert ["PostgreSQL"] == shown("2026-02-01") == shown("2026-02-15") == shown(None)
    assert before == world.memory.event("evt_1")
    card = world.found("SQLite", as_of="2026-01-15T00:00:00+00:00")["Orion"]
    assert ("current", "2026-01-15T00:00:00.000+00:00") == (card["match_type"], card["as_of"])


def test_G_13_before_everything_there_is_nothing(world: GraphWorld) -> None:
    """Expansion is empty, and search passes the node over unless its name matches."""
    lives(world, "evt_1", "Lyon", "2026-03-01")
    early = {"as_of": "2020-01-01T00:00:00+00:00"}

    card = world.expanded("Mira", **early)
    assert ([], [], []) == (card["current_facts"], card["historical_facts"], card["edges"])
    assert {} == world.found("Lyon", **early)
    assert {"Mira"} == set(world.found("Mira", **early))
    assert {} == world.found("Mira", known_at="2020-01-01T00:00:00+00:00")


def test_a_later_employer_takes_the_place_of_the_first(world: GraphWorld) -> None:
    """One current value, the other historical with its period; as_of tells the first."""
    lives(world, "evt_1", "Porto", "2026-01-10")
    lives(world, "evt_2", "Lyon", "2026-06-10")

    card = world.expanded("Mira")
    assert (["Lyon"], ["Porto"]) == (
        values(card["current_facts"]),
        values(card["historical_facts"]),
    )
    assert "2026-06-10" == card["historical_facts"][0]["valid_to"][:10]
    assert "home: Porto" == state(world, as_of=instant("2026-05-01"))


def test_the_same_value_in_two_periods_is_two_facts(world: GraphWorld) -> None:
    """Back at the first place, its first period keeps its end."""
    for event_id, place, day in (
        ("evt_1", "Porto", "2026-01-01"),
        ("evt_2", "Lyon", "2026-02-01"),
        ("evt_3", "Porto", "2026-03-01"),
    ):
        lives(world, event_id, place, day)

    card = world.expanded("Mira")
    assert ["Porto"] == values(card["current_facts"])
    assert ["Porto", "Lyon"] == values(card["historical_facts"])
    for day, place in (("2026-01-15", "Porto"), ("2026-02-15", "Lyon"), ("2026-03-15", "Porto")):
        assert f"home: {place}" == state(world, as_of=instant(day))


def test_a_corrected_fact_is_valid_at_no_instant(world: GraphWorld) -> None:
    """A record whose end lies before its start stays in the history only."""
    lives(world, "evt_1", "Porto", "2026-04-01", valid_from="2026-03-01")
    lives(world, "evt_2", "Lyon", "2026-05-01", valid_from="2026-02-01")

    assert "home: Lyon" == state(world) == state(world, as_of=instant("2026-03-15"))
    assert ["Porto"] == values(world.expanded("Mira")["historical_facts"])
    (home,) = world.expanded("Mira")["resolution"]
    assert ("Lyon", "mention_time") == (home["value"], home["decided_by"])


def test_what_is_over_when_it_is_told_is_history(world: GraphWorld) -> None:
    """A value whose end has passed closes nothing; of a known fact it is the end."""
    lives(world, "evt_1", "Lyon", "2026-01-01")
    lives(world, "evt_2", "Porto", "2026-02-01", valid_to="2025-12-01")
    assert "home: Lyon" == state(world)

    lives(world, "evt_3", "Lyon", "2026-03-01", valid_to="2026-02-20")
    assert "" == state(world)
    assert "home: Lyon" == state(world, as_of=instant("2026-02-10"))


def test_known_at_shows_what_had_been_learned(world: GraphWorld) -> None:
    """Later statements and the closings they brought do not count."""
    lives(world, "evt_1", "Porto", "2026-01-01", valid_from="2025-06-01")
    lives(world, "evt_2", "Lyon", "2026-05-01", valid_from="2026-01-15")

    learned = {"known_at": "2026-04-01T00:00:00+00:00"}
    assert "home: Porto" == state(world, **learned)
    assert "home: Lyon" == state(world, as_of=instant("2026-02-01"))
    assert "home: Porto" == state(world, as_of=instant("2026-02-01"), **learned)
    assert {} == world.found("Lyon", **learned)
    assert "current" == world.found("Porto", **learned)["Mira"]["match_type"]
    assert ["Porto"] == values(world.found("Porto", **learned)["Mira"]["facts"])


def test_known_at_shows_edges_as_they_were_known(world: GraphWorld) -> None:
    """An edge that was closed later is open, and one that came later is not there."""
    for event_id, tool, day in (("evt_1", "npm", "2026-01-01"), ("evt_2", "pnpm", "2026-03-01")):
        world.tell(
            event_id,
            answer=projection(
                node("Orion", event_id, kind="project"),
                node(tool, event_id, kind="tool"),
                edges=[edge("Orion", "uses", tool, event_id, cardinality="single")],
            ),
            at=day,
        )

    card = world.expanded("Orion", "project", known_at="2026-02-01T00:00:00+00:00")
    assert ["npm"] == [one["to"] for one in card["current_edges"]]
    assert [] == card["historical_edges"]


def test_the_resolver_names_its_rule(world: GraphWorld) -> None:
    """Validity first, then mention, then trust; what nothing tells apart is disputed."""
    lives(world, "evt_1", "Porto", "2026-01-01", valid_from="2026-01-01")
    lives(world, "evt_2", "Lyon", "2026-01-02", valid_from="2026-02-01")
    (home,) = world.expanded("Mira")["resolution"]
    assert ("Lyon", "current", "validity", ["Porto"]) == (
        home["value"],
        home["status"],
        home["decided_by"],
        home["losing"],
    )


def test_a_conflict_in_one_breath_is_disputed(world: GraphWorld) -> None:
    """Two values of one message, equal in all but id, are both shown as disputed."""
    told = [fact("home", "Porto", "evt_1"), fact("home", "Lyon", "evt_1")]
    world.tell("evt_1", answer=projection(node("Mira", "evt_1", facts=told)))

    card = world.expanded("Mira")
    assert {"Porto", "Lyon"} == set(values(card["current_facts"]))
    assert {"disputed"} == {one["status"] for one in card["current_facts"]}
    (home,) = card["resolution"]
    assert (None, "disputed", "id") == (home["value"], home["status"], home["decided_by"])

    lives(world, "evt_2", "Lyon", "2026-06-01")
    assert "home: Lyon" == state(world)


def commute(world: GraphWorld, event_id: str, minutes: str, depends_on: Sequence[Any]) -> None:
    """How long the way to work takes."""
    told = fact("commute", minutes, event_id, depends_on=list(depends_on))
    world.tell(event_id, "the commute", projection(node("Mira", event_id, facts=[told])))


def test_a_changed_support_makes_its_dependants_stale(world: GraphWorld) -> None:
    """Berlin becomes Tokyo: the commute is stale, with reason, in search, recall and expansion."""
    lives(world, "evt_1", "Berlin", "2026-01-01")
    commute(world, "evt_2", "25 minutes", ["home"])
    assert "commute: 25 minutes" in state(world)
    world.clock.advance(days=30)
    lives(world, "evt_3", "Tokyo", "2026-06-01")

    (stale,) = world.expanded("Mira")["stale_facts"]
    assert ("stale", "home changed from Berlin to Tokyo") == (
        stale["status"],
        stale["stale_reason"],
    )
    assert "2026-06-01" == stale["stale_since"][:10]
    assert "home: Tokyo" == state(world)
    hit = world.found("commute")["Mira"]
    assert [("commute", "stale")] == [
        (f["key"], f["status"]) for f in hit["facts"] if f["key"] != "home"
    ]
    recalled = world.memory.recall("How long is Mira's commute?")
    assert "home changed from Berlin to Tokyo" in recalled.text
    assert ["Mira"] == [one.name for one in recalled.nodes]

    commute(world, "evt_4", "40 minutes", ["home"])
    assert [] == world.expanded("Mira")["stale_facts"]
    assert "home: Tokyo\ncommute: 40 minutes" == state(world)


def test_staleness_goes_through_steps_and_other_nodes(world: GraphWorld) -> None:
    """A support may stand on another node; what rests on a stale fact is stale too."""
    world.tell(
        "evt_1",
        answer=projection(
            node("Acme", "evt_1", kind="organization", facts=[fact("seat", "Lyon", "evt_1")])
        ),
    )
    commute(world, "evt_2", "25 minutes", [{"key": "seat", "node": "Acme"}])
    rise = fact("rises", "at six", "evt_3", depends_on=["commute"])
    world.tell("evt_3", answer=projection(node("Mira", "evt_3", facts=[rise])))
    assert 2 == len(world.expanded("Mira")["current_facts"])

    world.clock.advance(days=9)
    world.tell(
        "evt_4",
        answer=projection(
            node("Acme", "evt_4", kind="organization", facts=[fact("seat", "Porto", "evt_4")])
        ),
    )

    reasons = {one["key"]: one["stale_reason"] for one in world.expanded("Mira")["stale_facts"]}
    assert {"commute", "rises"} == set(reasons)
    assert "seat of Acme changed from Lyon to Porto" in reasons["commute"]
    assert "commute is itself stale" in reasons["rises"]


@pytest.mark.parametrize("hide", ["forget", "archive"])
def test_a_lost_support_makes_its_dependants_stale(world: GraphWorld, hide: str) -> None:
    """Without its last source a support holds nothing up; a restore makes all well."""
    lives(world, "evt_1", "Berlin", "2026-01-01")
    commute(world, "evt_2", "25 minutes", ["home"])
    getattr(world.memory, hide)("evt_1")

    (stale,) = world.expanded("Mira")["stale_facts"]
    assert "home is no longer known" == stale["stale_reason"]
    world.memory.restore("evt_1")
    assert [] == world.expanded("Mira")["stale_facts"]


def test_a_disputed_support_and_a_cycle(world: GraphWorld) -> None:
    """A dispute puts dependants in doubt; facts that depend on each other end the search."""
    lives(world, "evt_1", "Berlin", "2026-01-01")
    both = [
        fact("commute", "25 minutes", "evt_2", depends_on=["home", "rises"]),
        fact("rises", "at six", "evt_2", depends_on=["commute"]),
    ]
    world.tell("evt_2", answer=projection(node("Mira", "evt_2", facts=both)))
    assert [] == world.expanded("Mira")["stale_facts"]

    world.clock.advance(days=1)
    lives(world, "evt_3", "Tokyo", "2026-07-01", status="disputed")
    assert {"commute", "rises"} == {one["key"] for one in world.expanded("Mira")["stale_facts"]}


def test_a_support_nobody_stated_is_dropped(world: GraphWorld) -> None:
    """A wrong key does not put a fact in doubt."""
    commute(world, "evt_1", "25 minutes", ["homestead"])

    assert ["25 minutes"] == values(world.expanded("Mira")["current_facts"])
    assert "depends on" in world.memory.jobs(kind="graph_projection")[-1].diagnostics["reason"]
