"""Events from before the directory: frozen once, filed within an allowance (08 §4)."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from stratagate_core import StrataGate
from stratagate_core.store import allowance, schema, topic_members
from stratagate_core.testing import CountingIds, ManualClock
from stratagate_core.topics import steps
from stratagate_core.topics.queue import fill_sections
from tests.conftest import START
from tests.topics.world import TopicWorld, section, topic

#: several openings of one database give no id twice
_ids = CountingIds()


def _older(path: Path | str, number: int, clock: ManualClock) -> None:
    """Events of a memory that has no directory."""
    world = TopicWorld(path, new_id=_ids, clock=clock, topics_enabled=False)
    world.many(number)
    world.work()
    world.memory.close()


@pytest.mark.one_database
def test_T_12_older_events_are_filed_within_the_allowance(tmp_path: Path) -> None:
    """61 events: two calls in a window, also after a restart, and nothing twice."""
    clock, path = ManualClock(START), tmp_path / "memory.db"
    _older(path, 61, clock)
    asked: list[int] = []
    for window in range(3):
        for _restart in range(2):
            world = TopicWorld(path, new_id=_ids, clock=clock)
            world.work()
            asked += [len(one["events"]) for one in world.asked]
            world.memory.close()
        assert 2 * (window + 1) == len(asked)
        clock.advance(minutes=10)

    assert [1, 12, 12, 12, 12, 12] == sorted(asked)
    with StrataGate.open(path) as memory:
        assert 61 == sum(len(one.source_event_ids) for one in memory.topics().items)


@pytest.mark.one_database
def test_T_12_all_namespaces_share_the_allowance(tmp_path: Path) -> None:
    """What one namespace used is gone for the others; damaged bookkeeping counts as used up."""
    clock, path = ManualClock(START), tmp_path / "memory.db"
    _older(path, 30, clock)
    world = TopicWorld(path, new_id=_ids, clock=clock)
    world.work()
    assert 2 == len(world.asked)
    other = world.memory.for_namespace("other")
    with other._write() as work:
        until = allowance.reserve(work.tx, clock.now, most=2, window=steps.WINDOW)
        assert until == clock.now + steps.WINDOW
        work.tx.connection.execute(
            sa.update(schema.meta).where(schema.meta.c.key == "topic_allowance").values(value=7)
        )
    clock.advance(minutes=11)
    world.work()
    assert 2 == len(world.asked)
    clock.advance(minutes=11)
    world.work()
    assert 3 == len(world.asked)
    world.memory.close()


@pytest.mark.one_database
def test_T_13_new_events_need_no_allowance(tmp_path: Path) -> None:
    """Used up, it holds up neither new events nor the first one of a new namespace."""
    clock, path = ManualClock(START), tmp_path / "memory.db"
    _older(path, 40, clock)
    world = TopicWorld(path, new_id=_ids, clock=clock)
    world.work()
    world.tell("The harbour is blue", ids=("evt_new",))
    world.work()

    assert ["evt_new"] == [event["id"] for event in world.asked[-1]["events"]]
    assert 3 == len(world.asked)
    world.memory.close()


@pytest.mark.one_database
def test_T_14_the_first_writer_freezes(tmp_path: Path) -> None:
    """Two first writers queue the older events once; a reader changes no byte."""
    clock, path = ManualClock(START), tmp_path / "memory.db"
    _older(path, 20, clock)
    before = path.read_bytes()
    with StrataGate.open(path, read_only=True) as reader:
        assert "" == reader.directory()
    assert before == path.read_bytes()

    first, second = (
        TopicWorld(path, new_id=_ids, clock=clock),
        TopicWorld(path, new_id=_ids, clock=clock),
    )
    for world in (first, second):
        world.memory.run_pending(limit=0)
    with first.memory._read() as work:
        table = schema.topic_queue
        assert 20 == work.tx.scalar(sa.select(sa.func.count()).select_from(table))
        assert {"historical"} == {
            row.work for row in work.tx.rows(sa.select(schema.topic_batches)) if row.id
        }
    second.tell("The harbour is blue", ids=("evt_new",))
    with first.memory._read() as work:
        assert {"historical", "incremental"} == {
            row.work for row in work.tx.rows(sa.select(schema.topic_batches)) if row.id
        }
    for world in (first, second):
        world.memory.close()


def test_T_18_sections_are_filled_topic_by_topic(world: TopicWorld) -> None:
    """Only members without a section move; words stay; one failing topic holds up no other."""
    world.tell("one", "two", "three", ids=("evt_1", "evt_2", "evt_3"))
    world.answers.append({"topics": [topic("A", "evt_1", "evt_2"), topic("B", "evt_3")]})
    world.work()
    known = world.topics
    with world.memory._write() as work:
        for name in ("A", "B"):
            topic_members.leave_sections(work.tx, known[name].id, ["evt_2", "evt_3"])
            fill_sections(work, known[name].id)
    a, b = known["A"].id, known["B"].id
    changed = {"topics": [topic("Other words", "evt_2", topic_id=a)]}
    filled = topic("B", "evt_3", topic_id=b, sections=[section("Boats", "evt_3")])
    world.answers += [changed, changed, {"topics": [filled]}]
    world.work()

    after = world.topics
    assert [("How it developed", ("evt_1",))] == [
        (one.title, one.source_event_ids) for one in after["A"].sections
    ]
    assert ["Boats"] == [one.title for one in after["B"].sections]
    assert "words-changed" in {job.diagnostics.get("reason") for job in world.jobs}
    for _ in range(2):
        world.answers += [changed, changed]
        world.clock.advance(minutes=11)
        world.work()
    assert "failed" == world.memory.stats()["topics"]["filing"]
