"""What becomes of a filing that fails: classes, waits, halving, retrying by hand (08 §7)."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from stratagate_core import Conflict, NotFound, Reply, Request
from stratagate_core.llm.port import ToolCall
from stratagate_core.store import schema
from stratagate_core.testing import CountingIds, ManualClock
from tests import bad_answers
from tests.conftest import START
from tests.topics.world import TopicWorld, one_topic, payload_of, topic

SECRET = "sk-abcdefghijklmnop said Zanzibar"


def _cut(request: Request) -> Reply:
    """The right answer, reported as cut at the limit."""
    call = ToolCall(name=request.task, arguments=one_topic()(request))
    return Reply(tool_calls=(call,), finish_reason="length")


def test_T_10_three_attempts_each_in_its_time(world: TopicWorld) -> None:
    """30 and 60 seconds apart, each under an id of its own; then for good."""
    world.tell("The harbour is blue", ids=("evt_1",))
    world.otherwise = ConnectionError("no line")
    ids = []
    for wait in (0, 30, 60):
        if wait:
            world.clock.advance(seconds=wait - 1)
            assert 0 == world.memory.run_pending()
            world.clock.advance(seconds=1)
        world.memory.run_pending()
        (job,) = world.jobs
        ids.append(job.id)
        assert ("failed", "provider-failed", len(ids)) == (job.status, job.error, job.attempts)
    assert (3, None) == (len(set(ids)), world.jobs[0].next_retry_at)
    world.clock.advance(days=1)
    assert 0 == world.memory.run_pending(retry_failed=True)
    assert "failed" == world.memory.stats()["topics"]["filing"]
    assert ["fallback:evt_1"] == [one.id for one in world.memory.topics().items]
    with pytest.raises(NotFound):
        world.memory.retry(ids[0])


def test_T_10_a_changed_source_files_again(world: TopicWorld) -> None:
    """After the last failure a new status of the event is a new beginning."""
    world.tell("The harbour is blue", ids=("evt_1",))
    world.otherwise = ConnectionError("no line")
    for _ in range(3):
        world.memory.run_pending(retry_failed=True)
        world.clock.advance(minutes=2)
    world.otherwise = one_topic()
    world.memory.forget("evt_1")
    world.memory.restore("evt_1")
    world.work()

    assert [("evt_1",)] == [one.source_event_ids for one in world.memory.topics().items]
    assert "completed" == world.memory.stats()["topics"]["filing"]


@pytest.mark.slow
@pytest.mark.one_database
def test_T_10_a_failure_is_kept_beyond_64_newer_jobs() -> None:
    """The last 64 finished jobs are kept, and every failure for good."""
    world = TopicWorld()
    world.tell("The harbour is blue", ids=("evt_a",))
    world.otherwise = ConnectionError("no line")
    for _ in range(3):
        world.memory.run_pending(retry_failed=True)
        world.clock.advance(minutes=2)
    world.otherwise = one_topic()
    for number in range(70):
        world.tell(f"thing {number}")
        world.work()

    states = [job.status for job in world.jobs]
    assert (64, 1) == (states.count("succeeded"), states.count("failed"))
    world.memory.close()


def test_T_11_a_cut_answer_halves_the_batch(world: TopicWorld) -> None:
    """12 events become 6 and 6, at most four times; single events get their attempts."""
    world.many(12)
    world.otherwise = _cut
    world.memory.run_pending()
    states = sorted((job.status, job.error or "") for job in world.jobs)
    assert [("pending", ""), ("pending", ""), ("superseded", "max-tokens")] == states
    for _ in range(30):
        world.memory.run_pending()

    assert {12, 6, 3, 2, 1} == {len(asked["events"]) for asked in world.asked}
    alone = [job for job in world.jobs if job.status == "failed"]
    assert {1} == {job.diagnostics["events"] for job in alone}
    assert 4 == max(job.diagnostics["split_depth"] for job in world.jobs)
    world.otherwise = one_topic()
    world.clock.advance(minutes=5)
    world.work()
    assert [12] == [len(one.source_event_ids) for one in world.memory.topics().items]


def test_T_11_other_failures_never_split(world: TopicWorld) -> None:
    """A batch that fails otherwise stays whole."""
    world.many(4)
    world.answers += [{"topics": []}, {"topics": []}]
    world.memory.run_pending()

    assert ["validation-failed"] == [job.error for job in world.jobs]


@pytest.mark.one_database
def test_T_15_a_lease_is_not_stolen_and_a_late_answer_refused(tmp_path: Path) -> None:
    """Another opening waits for the end of the lease; then it works under a new id."""
    clock = ManualClock(START)
    ids = CountingIds()
    world = TopicWorld(tmp_path / "memory.db", clock=clock, new_id=ids)
    other = TopicWorld(tmp_path / "memory.db", clock=clock, new_id=ids)
    seen: list[str] = []

    def slow(request: Request) -> Any:
        (running,) = world.jobs
        seen.append(running.id)
        other.memory.run_pending()
        assert [] == other.asked
        clock.advance(minutes=10, milliseconds=1)
        other.answers.append(one_topic("Port"))
        other.memory.run_pending()
        return one_topic()(request)

    world.tell("The harbour is blue", ids=("evt_1",))
    world.answers.append(slow)
    world.memory.run_pending()

    (job,) = world.jobs
    assert ("succeeded", True) == (job.status, job.id not in seen)
    assert ["Port"] == [one.title for one in world.memory.topics().items]
    for opened in (world, other):
        opened.memory.close()


def test_T_19_retrying_by_hand_queues_once(world: TopicWorld) -> None:
    """Attempts begin anew, only what is left is asked about, and a second click conflicts."""
    world.tell("The harbour is blue", "Mara sails", ids=("evt_1", "evt_2"))
    world.otherwise = ConnectionError("no line")
    world.memory.run_pending()
    with pytest.raises(Conflict):
        world.memory.retry(world.jobs[0].id)
    for _ in range(2):
        world.clock.advance(minutes=2)
        world.memory.run_pending()
    (failed,) = world.jobs
    world.memory.forget("evt_1")

    queued = world.memory.retry(failed.id)
    assert ("pending", 0) == (queued.status, queued.attempts)
    assert queued.id != failed.id
    with pytest.raises(Conflict):
        world.memory.retry(failed.id)
    world.otherwise = one_topic()
    world.work()
    assert ["evt_2"] == [event["id"] for event in world.asked[-1]["events"]]
    assert ["superseded", "succeeded"] == [job.status for job in world.jobs]


class _Small:
    """A model with a small window."""

    context_window = 4_000

    def __init__(self, world: TopicWorld) -> None:
        self.inner = world.model

    def complete(self, request: Request) -> Reply:
        return self.inner.complete(request)


@pytest.mark.one_database
def test_T_22_what_does_not_fit_the_window_is_not_asked() -> None:
    """It fails as the provider's; a small general budget does not lower that of topics."""
    source = TopicWorld()
    world = TopicWorld(model=_Small(source), max_output_tokens=256)
    world.tell(*(f"thing {at} {'word ' * 150}" for at in range(12)))
    world.memory.run_pending()
    assert ["provider-failed"] == [job.error for job in world.jobs]
    assert "input-too-large" == world.jobs[0].diagnostics["reason"]
    assert [] == source.asked

    plain = TopicWorld(max_output_tokens=256)
    plain.tell("The harbour is blue")
    plain.work()
    (request,) = (r for r in plain.model.requests if r.task == "project_topics")
    assert (32_768, 32_768) == (request.max_tokens, payload_of(request)["output_budget"])
    for opened in (source, world, plain):
        opened.memory.close()


def test_T_23_no_diagnostic_holds_a_word(world: TopicWorld) -> None:
    """Whatever a model answers or raises, what is stored names classes and numbers only."""
    world.tell(SECRET, ids=("evt_1",))
    for line in (
        {"topics": [topic(SECRET * 9, "evt_1")]},
        lambda _request: Reply(text=SECRET),
        lambda _request: ValueError(SECRET),
        {"topics": [topic("A", SECRET, "evt_1")]},
    ):
        world.answers += [line, line]
        world.memory.run_pending(retry_failed=True)
        with world.memory._read() as work:
            (row,) = work.tx.rows(
                sa.select(schema.jobs).where(schema.jobs.c.kind == "topic_projection")
            )
        assert "Zanzibar" not in f"{row.error}{row.diagnostics}"
        assert "sk-" not in f"{row.error}{row.diagnostics}"
        with world.memory._write() as work:
            work.tx.change(sa.update(schema.jobs).values(attempts=0, next_retry_at=None))
        world.answers.clear()
    with world.memory._read() as work:
        kept = work.tx.rows(sa.select(schema.answers.c.kind))
    assert "topic_projection" not in {one.kind for one in kept}


@pytest.mark.slow
@pytest.mark.one_database
@pytest.mark.parametrize("name", sorted(bad_answers.UNUSABLE))
def test_an_unusable_answer_costs_nothing(name: str) -> None:
    """Nothing is written, the events keep their entries, and a good answer ends it."""
    world = TopicWorld()
    world.tell("Mara walked along the harbour", ids=("evt_1",))
    line = bad_answers.UNUSABLE[name]
    world.answers += [line, line]
    world.memory.run_pending()
    states = {(job.status, job.attempts) for job in world.jobs}
    assert {("failed", 1)} == states
    assert ["fallback:evt_1"] == [one.id for one in world.memory.topics().items]

    world.answers.clear()
    world.otherwise = bad_answers.good
    world.clock.advance(minutes=1)
    world.work()
    assert ["Walks"] == [one.title for one in world.memory.topics().items]
    world.memory.close()


@pytest.mark.slow
@pytest.mark.one_database
@pytest.mark.parametrize("name", sorted(bad_answers.USABLE))
def test_a_usable_answer_is_used(name: str) -> None:
    """However an answer is wrapped, one object that fits is taken; thinking is not."""
    world = TopicWorld()
    world.tell("Mara walked along the harbour", ids=("evt_1",))
    world.answers.append(bad_answers.USABLE[name])
    world.work()

    assert ["Walks"] == [one.title for one in world.memory.topics().items]
    world.memory.close()
