"""When events are projected, again and again until it worked, and only once (12 §3)."""

from collections import Counter
from itertools import repeat
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from stratagate_core import Settings, StrataGate
from stratagate_core.store import schema
from stratagate_core.testing import ManualClock, ScriptedModel
from tests.conftest import NO_GRAPH, START
from tests.graph.world import SUMMARY, GraphWorld, node, projection


def statuses(memory: StrataGate) -> list[tuple[str, int]]:
    """State and attempts of the graph jobs."""
    return [(job.status, job.attempts) for job in memory.jobs(kind="graph_projection")]


def test_G_14_a_failure_waits_and_is_not_repeated_after_success(each_database: Path | str) -> None:
    """No call before a second has passed; then two attempts in all, also after reopening."""
    clock = ManualClock(START)
    lines: list[Any] = [ConnectionError("no line"), NO_GRAPH]
    model = ScriptedModel({"summarise_block": repeat(SUMMARY), "project_graph": lines})
    settings = Settings(block_turn_size=1, processing="inline")

    def opened() -> StrataGate:
        return StrataGate.open(each_database, model=model, settings=settings, clock=clock)

    with opened() as memory:
        memory.add_turn("Mira lives in Lyon", "ok")
        source = memory.thread_messages()[0]
        card = {"title": "Lyon", "summary": "Lyon", "source_message_ids": [source.id]}
        memory.ingest_events([card])
        memory.run_pending()
        assert [("failed", 1)] == statuses(memory)
        clock.advance(seconds=1)
        memory.run_pending()
        assert [("succeeded", 2)] == statuses(memory)
    with opened() as memory:
        clock.advance(hours=1)
        memory.run_pending()
        assert [("succeeded", 2)] == statuses(memory)
    assert 2 == Counter(asked.task for asked in model.requests)["project_graph"]


def test_G_15_pending_before_failed_and_three_attempts() -> None:
    """A new batch goes before a due failed one; the third failure is final."""
    world = GraphWorld(processing="external")

    def broken(_request: object) -> object:
        return ConnectionError("no line")

    world.tell("evt_1", answer=broken)
    world.memory.run_pending()
    world.tell("evt_2", answer=projection(node("Mira", "evt_2")))
    world.memory.run_pending()
    assert [("failed", 1), ("succeeded", 1)] == statuses(world.memory)

    for attempt in (2, 3):
        world.answers.append(broken)
        world.clock.advance(seconds=5)
        world.memory.run_pending()
        assert ("failed", attempt) == statuses(world.memory)[0]
    world.clock.advance(days=1)
    assert 0 == world.memory.run_pending(retry_failed=True)
    (job, _) = world.memory.jobs(kind="graph_projection")
    assert job.next_retry_at is None
    with world.memory._write() as work:
        table = schema.jobs
        work.tx.change(sa.update(table).where(table.c.id == job.id).values(status="failed"))
    assert 0 == world.memory.run_pending(retry_failed=True)
    world.memory.close()


def test_one_job_for_each_round(world: GraphWorld) -> None:
    """Events added together share a batch; a round runs one, and draining runs all."""
    world.memory.add_turn("many things", "ok", work="seal")
    (source, _) = world.memory.thread_messages()
    world.memory.run_pending()
    cards = [
        {"title": f"thing {n}", "summary": "x", "source_message_ids": [source.id]}
        for n in range(40)
    ]
    world.memory.ingest_events(cards)

    assert Counter(succeeded=1, pending=2) == Counter(s for s, _ in statuses(world.memory))
    world.memory.drain()
    assert {("succeeded", 1)} == set(statuses(world.memory))


def test_older_events_are_queued_behind_new_ones(world: GraphWorld) -> None:
    """Events from before the graph come in batches of eight, the most telling first."""
    for number in range(10):
        world.tell(f"evt_{number}")
    with world.memory._write() as work:
        for table in (schema.graph_batches, schema.jobs, schema.graph_answers):
            work.tx.change(sa.delete(table))
    asked = len(world.model.requests)

    world.tell("evt_new")

    with world.memory._read() as work:
        table = schema.jobs
        rows = work.tx.rows(sa.select(table).where(table.c.kind == "graph_projection"))
        assert [2, 10, 1000] == sorted(row.priority for row in rows)
    world.memory.drain()
    assert 3 == len([r for r in world.model.requests[asked:] if r.task == "project_graph"])
    world.tell("evt_last")
    assert 4 == len(world.memory.jobs(kind="graph_projection"))
