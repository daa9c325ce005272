"""Tidying without a model: always the same, and the same after any death."""

import contextlib
import itertools
from pathlib import Path
from typing import Any

import pytest

from stratagate_core import Settings, StrataGate
from stratagate_core.dreaming.steps import LEASE
from stratagate_core.store import events, topic_members
from stratagate_core.testing import ManualClock
from tests.conftest import START
from tests.test_crash import Killed, Killer, Places, places
from tests.topics.world import TopicWorld, one_topic, paragraph

__all__ = ["places"]
_ids = itertools.count()


def _open(place: Path | str, clock: ManualClock) -> StrataGate:
    settings = Settings(block_turn_size=1, processing="external")
    numbered = lambda prefix: f"{prefix}_{next(_ids):06}"  # noqa: E731
    return StrataGate.open(place, settings=settings, clock=clock, new_id=numbered)


def _fill(memory: StrataGate) -> None:
    """Events that come one by one, so that names are found late and land in stock topics."""
    block = memory.add_turn("Hello.", "ok", work="seal").sealed_block_id
    source = memory.sources(str(block))[0]
    names = ("Kiln", "Heron", "Kiln", "Atlas", "Heron", "Kiln", "Heron", "Atlas", "Kilns", "Kilns")
    for number, name in enumerate(names):
        card = {"id": f"evt_{number}", "title": f"about {name} {number}", "summary": "Told."}
        cited = {"source_message_ids": [source.id], "source_block_id": block}
        memory.ingest_events([card | cited | {"tags": [name], "scope": "user"}])
        while memory.run_pending():
            pass


def _directory(memory: StrataGate) -> Any:
    """All topics without their ids."""
    return sorted(
        (
            one.title,
            one.description,
            sorted(one.source_event_ids),
            sorted((part.title, sorted(part.source_event_ids)) for part in one.sections),
        )
        for one in memory.topics(limit=20).items
    )


def test_names_get_topics_and_titles_that_say_the_same_are_one(tmp_path: Path) -> None:
    """Events leave the stock topic for one of their name; a second run finds nothing to do."""
    with _open(tmp_path / "memory.db", ManualClock(START)) as memory:
        _fill(memory)
        assert ["Other experiences"] == [one[0] for one in _directory(memory)]
        run = memory.dream()
        after = _directory(memory)

        assert "completed" == run.status
        titles = {title: ids for title, _, ids, _ in after}
        assert ["evt_0", "evt_2", "evt_5"] == [key for key in titles["Kiln"] if key < "evt_8"]
        assert ["evt_1", "evt_4", "evt_6"] == titles["Heron"]
        assert ["evt_3", "evt_7"] == [key for key in titles["Other experiences"] if key < "evt_8"]
        again = memory.dream()
        assert after == _directory(memory)
        assert not [s for s in memory.dream_transcript(again.number).items if s.kind == "edit"]


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before commit", "after commit"])
def test_T_24_killed_at_every_step_it_ends_in_the_same_directory(
    places: Places, after: bool
) -> None:
    """Whatever write the process dies at, going on gives the directory of an undisturbed run."""
    with _open(places.fresh(), ManualClock(START)) as memory:
        _fill(memory)
        killer = Killer(None, after=False)
        killer.watch(memory)
        memory.dream()
        expected = _directory(memory)
    assert killer.seen > 6
    for at in range(1, killer.seen + (0 if after else 1), places.step):
        clock, place = ManualClock(START), places.fresh()
        with _open(place, clock) as memory:
            _fill(memory)
            before = _directory(memory)
        memory = _open(place, clock)
        Killer(at, after=after).watch(memory)
        with contextlib.suppress(Killed):
            memory.dream()
        memory._core.env.store.engine.dispose()
        clock.advance(seconds=LEASE.total_seconds())
        with _open(place, clock) as again:
            known = again.dream_status()
            if known is None:
                assert before == _directory(again)
                again.dream()
            elif known.status == "paused":
                assert "interrupted" == known.reason
                again.dream(resume=True)

            assert expected == _directory(again), f"killed at write {at}"


def test_stale_prose_is_dropped_and_uncovered_events_get_a_section() -> None:
    """Rules drop a paragraph on something superseded and fill sections by kind."""
    world = TopicWorld()
    world.tell("Kiln is blue", "Kiln is old", ids=("evt_1", "evt_2"))
    world.answers.append(one_topic("Kiln", overview=[paragraph("Blue for ever.", "evt_1")]))
    world.work()
    (row,) = world.memory.topics().items
    with world.memory._write() as work:
        topic_members.leave_sections(work.tx, row.id, ["evt_2"])
        events.put_status(work.tx, "evt_1", status="superseded", superseded_by=None, now=work.now)
    world.memory.dream()
    (after,) = world.memory.topics().items

    assert () == after.overview
    assert {"evt_1", "evt_2"} == {key for one in after.sections for key in one.source_event_ids}
    world.memory.close()


def test_titles_that_say_the_same_become_one() -> None:
    """The oldest topic takes in the other, with its sections."""
    world = TopicWorld()
    for title, key in (("Kiln", "evt_1"), ("The kilns", "evt_2")):
        world.tell(f"about {title}", ids=(key,))
        world.answers.append(one_topic(title))
        world.work()
    first = world.topics["Kiln"].id
    world.memory.dream()

    (only,) = world.memory.topics().items
    assert (first, "Kiln", ("evt_1", "evt_2")) == (only.id, only.title, only.source_event_ids)
    world.memory.close()
