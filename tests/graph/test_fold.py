"""The graph is a fold: order of finishing, repetition and batching do not matter."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagate_core.graph import steps
from stratagate_core.graph.rules.fold import entities, fold_node, stated_nodes
from stratagate_core.graph.rules.statements import (
    Answer,
    FactStatement,
    NodeStatement,
    Source,
    answer_from_json,
    answer_to_json,
)
from stratagate_core.model.graph import Node, Support
from stratagate_core.store import jobs, schema
from tests.conftest import START
from tests.graph.world import GraphWorld, edge, fact, node, projection

NAMES = st.sampled_from(["Mira", "Tove", "mira ", "Sparrow", "Wren", "小林"])
STATUSES = st.sampled_from(["active", "active", "active", "superseded", "disputed", "archived"])
EVENT_STATUSES = st.sampled_from(["active", "active", "superseded", "forgotten"])
DAYS = st.none() | st.integers(0, 30)


def source(number: int, status: str = "active") -> Source:
    """An event of a day of its own."""
    at = START + timedelta(days=number)
    return Source(
        id=f"evt_{number}",
        chronology=at,
        mentioned_at=at,
        created_at=at,
        turn=number,
        status=status,
    )


@st.composite
def answers(draw: st.DrawFn) -> list[Answer]:
    """Up to eight answers, each about one event of which some are hidden."""
    made = []
    for number in range(draw(st.integers(1, 8))):
        event = source(
            number, draw(st.sampled_from(["active", "active", "superseded", "forgotten"]))
        )
        ids = (event.id,)
        stated = []
        for place, name in enumerate(draw(st.lists(NAMES, min_size=1, max_size=2))):
            told = [
                FactStatement(
                    key=draw(st.sampled_from(["home", "boat", "Boat"])),
                    value=draw(st.sampled_from(["Lyon", "lyon", "Porto", ("a", "b")])),
                    sources=ids,
                    mode=draw(st.sampled_from(["state", "set"])),
                    status=draw(STATUSES),
                    valid_from=_day(draw(DAYS)),
                    valid_to=_day(draw(DAYS)),
                    depends_on=(Support(key="home"),),
                )
                for _ in range(draw(st.integers(0, 2)))
            ]
            aliases = tuple((alias, ids) for alias in draw(st.lists(NAMES, max_size=2)))
            stated.append(
                NodeStatement(
                    ref=f"n{place}",
                    name=name,
                    type="person",
                    sources=ids,
                    name_sources=ids,
                    aliases=aliases,
                    facts=tuple(told),
                )
            )
        made.append(Answer(id=f"graph_{number}", sources={event.id: event}, nodes=tuple(stated)))
    return made


def _day(number: int | None) -> Any:
    return None if number is None else START + timedelta(days=number)


def folded(given_answers: Sequence[Answer]) -> list[Node]:
    """The nodes of answers, by their ids."""
    nodes = [fold_node(group) for group in entities(stated_nodes(given_answers))]
    return sorted(nodes, key=lambda one: one.id)


@given(answers(), st.randoms(use_true_random=False))
def test_order_does_not_matter(made: list[Answer], chance: Any) -> None:
    """Answers may come in any order; the nodes are the same."""
    shuffled = list(made)
    chance.shuffle(shuffled)

    assert folded(made) == folded(shuffled)


@given(answers())
def test_ids_are_unique_and_names_belong_to_one_node(made: list[Answer]) -> None:
    """No two nodes share an id, a name or an alias; facts have ids of their own."""
    nodes = folded(made)
    ids = [one.id for one in nodes] + [fact_.id for one in nodes for fact_ in one.facts]

    assert len(ids) == len(set(ids))
    keys = [
        {name.replace(" ", "").casefold() for name in (one.name, *one.aliases)} for one in nodes
    ]
    assert sum(len(one) for one in keys) == len(set().union(*keys) if keys else set())


@given(answers())
def test_single_values_have_one_active_fact(made: list[Answer]) -> None:
    """Of a key whose values are single, at most one fact is active."""
    single = [
        replace(
            one,
            nodes=tuple(
                replace(n, facts=tuple(replace(f, mode="state") for f in n.facts))
                for n in one.nodes
            ),
        )
        for one in made
    ]
    for shown in folded(single):
        active = [one.key.casefold() for one in shown.facts if one.status == "active"]
        assert len(active) == len(set(active))


@given(answers())
def test_hidden_events_leave_no_trace(made: list[Answer]) -> None:
    """Folding with hidden events is folding without them."""
    seen = [one for one in made if all(event.visible for event in one.sources.values())]

    assert folded(seen) == folded(made)


@given(answers())
def test_statements_survive_storing(made: list[Answer]) -> None:
    """What is read back is what was stored."""
    for one in made:
        assert one == answer_from_json(one.id, answer_to_json(one), one.sources)


OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["forget", "restore", "archive"]), st.integers(1, 5)),
    max_size=4,
)


def story(world: GraphWorld, order: Sequence[int]) -> None:
    """Five events whose batches are finished in the given order."""
    told = {
        1: projection(
            node("Mira", "evt_1", facts=[fact("home", "Porto", "evt_1")]),
            node("Porto", "evt_1", kind="place"),
            edges=[edge("Mira", "located in", "Porto", "evt_1", cardinality="single")],
        ),
        2: projection(
            node("Sparrow", "evt_2", facts=[fact("boat", "Petrel", "evt_2")]),
            node("Acme", "evt_2", kind="organization"),
            edges=[edge("Sparrow", "belongs to", "Acme", "evt_2")],
        ),
        3: projection(node("Mira", "evt_3", aliases=["Sparrow"], tags=["sailor"])),
        4: projection(
            node("Sparrow", "evt_4", facts=[fact("home", "Lyon", "evt_4")]),
            node("Lyon", "evt_4", kind="place"),
            edges=[edge("Sparrow", "located in", "Lyon", "evt_4", cardinality="single")],
        ),
        5: projection(
            node("Acme Ltd", "evt_5", kind="organization", aliases=["Acme"]),
            node("Mira", "evt_5", facts=[fact("home", "lyon", "evt_5")]),
            edges=[edge("Mira", "founded", "Acme Ltd", "evt_5")],
        ),
    }
    for number in range(1, 6):
        world.tell(f"evt_{number}")
    batches = {job.subject: job.id for job in world.memory.jobs(kind="graph_projection")}
    assert 5 == len(batches)
    ids = list(batches.values())
    for number in order:
        world.answers.append(told[number])
        with world.memory._write() as work:
            jobs.update(work.tx, ids[number - 1], priority=9000)
        world.memory.run_pending()


def quiet_world() -> GraphWorld:
    """A world that works only when it is told to."""
    return GraphWorld(processing="external")


@pytest.mark.slow
def test_jobs_may_finish_in_any_order() -> None:
    """Every order of five answers gives the same graph, the same ids and the same search."""
    seen = []
    for order in list(permutations(range(1, 6)))[::17]:
        world = quiet_world()
        story(world, order)
        card = world.found("Lyon")
        for one in card.values():
            one.pop("rank_score")  # type: ignore[attr-defined]
        seen.append((world.rows(), sorted(card), world.memory.event("evt_2").temporal))
        world.memory.close()

    assert all(one == seen[0] for one in seen)
    assert 4 == len(seen[0][0]["nodes"])


@pytest.mark.slow
@settings(max_examples=6)
@given(OPERATIONS)
def test_a_rebuild_gives_the_same_graph(operations: list[tuple[str, int]]) -> None:
    """Whatever was forgotten and restored, folding all answers anew changes nothing."""
    world = quiet_world()
    story(world, (3, 1, 5, 2, 4))
    for name, number in operations:
        getattr(world.memory, name)(f"evt_{number}")
    before = (world.rows(), world.found("Mira Acme Lyon Porto"), world.memory.stats()["graph"])

    with world.memory._write() as work:
        steps.rebuild(work)

    assert before == (
        world.rows(),
        world.found("Mira Acme Lyon Porto"),
        world.memory.stats()["graph"],
    )
    world.memory.close()


def test_the_index_is_rebuilt_from_the_graph(world: GraphWorld) -> None:
    """Without its index the graph is still searched, and says so, until it is whole again."""
    world.tell(
        "evt_1", answer=projection(node("Mira", "evt_1", facts=[fact("home", "Lyon", "evt_1")]))
    )
    before = world.memory.search_graph("Lyon")
    with world.memory._write() as work:
        table = schema.index_stats
        work.tx.change(sa.delete(table).where(table.c.name == "graph"))

    meanwhile = world.memory.search_graph("Lyon")
    assert ("index_rebuilding", before.hits) == (meanwhile.reason, meanwhile.hits)
    world.memory.run_pending()
    assert before == world.memory.search_graph("Lyon")
