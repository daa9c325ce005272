"""Runs: what they write, how they are held and go on, and what stops them (08 §9)."""

from pathlib import Path
from typing import Any

import pytest

from stratagate_core import Conflict, Disabled, DreamRun, NotFound, Reply, Request
from stratagate_core.dreaming.steps import LEASE
from tests.conftest import START
from tests.dreaming.world import DONE, DreamWorld, edits
from tests.topics.world import paragraph

#: what a run may write
OWN = ("topic", "dream", "namespaces")


def _busy(world: DreamWorld) -> tuple[str, str]:
    """Two topics, a batch of evidence, an expanded block and a pinned event."""
    boats = world.file("Boats", "evt_a", "evt_b", overview=[paragraph("Old.", "evt_a")])
    ships = world.file("Ships", "evt_c")
    world.memory.search_events("boats", open_batch=True)
    world.memory.pin("evt_a")
    world.memory.expand_block(world.memory.blocks()[0].id, "L2")
    return boats, ships


def test_T_24_only_the_directory_is_written(world: DreamWorld) -> None:
    """Events, sources, graph, batches, weights and levels are as before, row by row."""
    boats, ships = _busy(world)
    before = world.rows(*OWN)
    world.tidying.append(
        edits(
            {"op": "merge_topics", "topic_id": boats, "other_topic_ids": [ships]},
            {"op": "rename_topic", "topic_id": boats, "title": "Vessels"},
            {
                "op": "write_experience",
                "topic_id": boats,
                "title": "Tar first",
                "text": "Tar the hull before painting.",
                "source_event_ids": ["evt_c"],
            },
        )
    )
    run = world.memory.dream()

    assert ("completed", "", 1, 1) == (
        run.status,
        run.reason,
        run.batches_done,
        run.batches_planned,
    )
    assert before == world.rows(*OWN)
    vessels = world.topics["Vessels"]
    assert ("evt_a", "evt_b", "evt_c") == vessels.source_event_ids
    assert ["Tar first"] == [one.title for one in vessels.experiences]
    assert ["Tar first"] == [
        one["title"] for one in world.memory.expand_topic(vessels.id)["topic"]["experiences"]
    ]
    with pytest.raises(NotFound):
        world.memory.topic(ships)
    assert ["edit", "edit", "edit", "batch-done"] == [step.kind for step in world.done]


@pytest.mark.parametrize("reply", ["I will think about it.", "", Reply(text="hm")])
def test_T_24_three_replies_without_action_hold_the_run(world: DreamWorld, reply: Any) -> None:
    """Each is told to go on; after the third the run is paused, and it can go on."""
    boats, _ = _busy(world)
    change = edits({"op": "rename_topic", "topic_id": boats, "title": "Vessels"}, done=False)
    world.tidying += [change, reply, reply, reply]
    run = world.memory.dream()

    assert ("paused", "no-action") == (run.status, run.reason)
    assert 4 == len(world.shown)
    assert "no-action" == world.shown[-1]["history"][-1]["kind"]
    assert "Vessels" in world.topics
    assert "completed" == world.memory.dream(resume=True).status


def test_an_action_in_between_begins_the_count_anew(world: DreamWorld) -> None:
    """Two empty replies, something done, two more: the run goes on."""
    boats, _ = _busy(world)
    change = edits({"op": "rename_topic", "topic_id": boats, "title": "Vessels"}, done=False)
    world.tidying += ["a", "b", change, "c", "d", DONE]

    assert "completed" == world.memory.dream().status


def test_T_24_a_changed_directory_must_be_started_anew(world: DreamWorld) -> None:
    """What other work filed meanwhile is never overwritten."""
    boats, _ = _busy(world)
    world.tidying.append(
        edits({"op": "rename_topic", "topic_id": boats, "title": "Vessels"}, done=False)
    )
    assert "paused" == world.memory.dream(limit=2).status
    world.file("Gulls", "evt_d")
    run = world.memory.dream(resume=True)

    assert ("paused", "source-changed") == (run.status, run.reason)
    with pytest.raises(Conflict, match="start"):
        world.memory.dream(resume=True)
    assert "stopped" == world.memory.stop_dream().status
    assert "completed" == world.memory.dream().status
    assert 2 == world.memory.dream_status().number  # type: ignore[union-attr]


def test_a_second_start_is_refused(world: DreamWorld) -> None:
    """One run in a namespace at a time; another namespace has its own."""
    _busy(world)
    world.memory.dream(limit=0)
    with pytest.raises(Conflict, match="continue it or stop it"):
        world.memory.dream()
    assert "completed" == world.memory.for_namespace("other").dream().status
    world.memory.stop_dream()
    with pytest.raises(Conflict):
        world.memory.stop_dream()


def test_a_run_is_held_from_outside(world: DreamWorld) -> None:
    """Paused while a model is asked, it keeps what was written and takes no late answer."""
    boats, _ = _busy(world)

    def slow(_request: Request) -> Any:
        world.memory.pause_dream()
        return edits({"op": "rename_topic", "topic_id": boats, "title": "Vessels"})

    world.tidying.append(slow)
    run = world.memory.dream()

    assert ("paused", "user") == (run.status, run.reason)
    assert "Boats" in world.topics
    assert "completed" == world.memory.dream(resume=True).status


def test_directions_are_passed_on(world: DreamWorld) -> None:
    """Also one that is added while the run works."""
    _busy(world)

    def slow(_request: Request) -> Any:
        world.memory.direct_dream("And nothing about gulls.")
        return {"edits": [], "show_topic_ids": ["topic_1"]}

    world.tidying += [slow]
    world.memory.dream(["Shorter titles."])

    assert [["Shorter titles."], ["Shorter titles.", "And nothing about gulls."]] == [
        shown["directions"] for shown in world.shown
    ]
    assert ["direction", "direction", "show", "batch-done"] == [one.kind for one in world.done]


def test_a_failed_request_holds_the_run(world: DreamWorld) -> None:
    """Progress is kept."""
    _busy(world)
    world.tidying.append(ConnectionError("no line"))
    run = world.memory.dream()

    assert ("paused", "request-failed") == (run.status, run.reason)
    assert "completed" == world.memory.dream(resume=True).status


def test_the_same_invalid_call_again_holds_the_run(world: DreamWorld) -> None:
    """A refused edit is told with its reason; repeated, it pauses the run."""
    _busy(world)
    bad = edits({"op": "rename_topic", "topic_id": "topic_9", "title": "X"}, done=False)
    world.tidying += [bad, bad]
    run = world.memory.dream()

    assert ("paused", "repeated-invalid") == (run.status, run.reason)
    assert "topic_id" in str(world.shown[1]["history"][-1]["why"])
    world.memory.stop_dream()
    odd = {"edits": [{"op": "rename_topic", "topic_id": "topic_1", "mood": 1}], "batch_done": True}
    world.tidying += [odd, odd]
    assert "repeated-invalid" == world.memory.dream().reason


def test_a_run_without_owner_was_interrupted(world: DreamWorld) -> None:
    """A process that is gone leaves a run that shows as interrupted and goes on."""
    _busy(world)

    def die(_request: Request) -> Any:
        raise SystemExit

    world.tidying.append(die)
    with pytest.raises(SystemExit):
        world.memory.dream()
    assert "running" == world.memory.dream_status().status  # type: ignore[union-attr]
    with pytest.raises(Conflict):
        world.memory.dream(resume=True)
    world.clock.advance(seconds=LEASE.total_seconds())

    known = world.memory.dream_status()
    assert known is not None
    assert ("paused", "interrupted") == (known.status, known.reason)
    assert "completed" == world.memory.dream(resume=True).status


def test_progress_counts_batches(world: DreamWorld) -> None:
    """A large topic is split; each batch leads to the next."""
    ids = [f"evt_{at:02}" for at in range(30)]
    world.tell(*("word " * 200 for _ in ids), ids=ids)
    world.work()
    seen: list[DreamRun] = []
    run = world.memory.dream(progress=seen.append)

    assert run.batches_planned > 1
    assert run.batches_planned == run.batches_done == len(world.shown)
    assert sorted({one.batches_done for one in seen}) == list(range(run.batches_planned + 1))
    assert run.spent["model_calls"] == run.batches_planned
    assert START < run.started_at
    met = [key for shown in world.shown for key in shown["topics"][0]["event_ids"]]
    assert ids == met


def test_hidden_events_take_their_part_of_the_transcript_along(world: DreamWorld) -> None:
    """Forgotten, it is not shown; purged, it is not stored."""
    boats = world.file("Boats", "evt_a", "evt_b")
    world.tidying.append(
        edits({"op": "rename_topic", "topic_id": boats, "title": "Zanzibar boats"})
    )
    world.memory.dream()
    assert "Zanzibar" in str(world.done)
    world.memory.forget("evt_b")
    assert "Zanzibar" not in str(world.done)
    world.memory.restore("evt_b")
    world.memory.purge(events=["evt_b"])

    assert "Zanzibar" not in str(world.done)
    assert "Zanzibar" not in str(world.rows()["dream_steps"])
    assert "Zanzibar" not in world.memory.directory()


@pytest.mark.one_database
def test_switched_off(tmp_path: Path) -> None:
    """Without dreaming a run is refused."""
    world = DreamWorld(tmp_path / "memory.db", dreaming_enabled=False)
    with pytest.raises(Disabled):
        world.memory.dream()
    assert None is world.memory.dream_status()
    with pytest.raises(NotFound):
        world.memory.dream_transcript()
    world.memory.close()
