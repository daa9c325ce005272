"""Jobs: attempts, waits, leases, manual retry, readiness, worker: over the public API."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from stratagate_core import InvalidArgument, ModelError, ModelUnavailable, NotFound, Reply, Request
from stratagate_core.jobs.outbox import Outbox
from stratagate_core.jobs.rules import lease_until, retry_at
from stratagate_core.testing import ManualClock, ScriptedModel
from tests.conftest import START, Opener, RunSql
from tests.conversation.test_turns import NOTHING, QUIET, SUMMARY

INLINE = {"block_turn_size": 1, "processing": "inline"}
EXTERNAL = {"block_turn_size": 1, "processing": "external"}


def test_back_off_doubles_and_ends() -> None:
    """A job waits 1 s, then 2 s, then never runs by itself."""
    waits = [retry_at(attempts, START) for attempts in (1, 2, 3)]

    assert [START + timedelta(seconds=1), START + timedelta(seconds=2), None] == waits


def test_a_provider_may_ask_for_a_longer_wait() -> None:
    """What a provider asks for counts where it is longer, up to an hour; attempts end as ever."""
    asked = [(1, 0.5), (1, 20.0), (2, 1.5), (1, 1e9), (3, 20.0)]
    waits = [retry_at(attempts, START, asked_for=wait) for attempts, wait in asked]

    assert [START + timedelta(seconds=s) for s in (1, 20, 2, 3600)] + [None] == waits


def test_a_job_waits_as_long_as_the_provider_asks(open_memory: Opener, clock: ManualClock) -> None:
    """`retry_after` of an error puts the next attempt off."""
    model = ScriptedModel([ModelError("slow down", retry_after=30.0), QUIET])
    memory = open_memory(model=model, settings=INLINE)
    memory.add_turn("a", "b")

    clock.advance(seconds=29)
    assert 0 == memory.run_pending()
    clock.advance(seconds=1)
    assert 1 == memory.run_pending()


def test_the_ledger_sums_what_was_spent(open_memory: Opener) -> None:
    """Statistics name calls, retries and tokens by task, over failed and good attempts."""
    reply = Reply(text=json.dumps(QUIET), usage={"input_tokens": 70, "output_tokens": 9})
    cut = Reply(text="{", usage={"input_tokens": 70, "output_tokens": 1})
    model = ScriptedModel([ModelError("no"), cut, reply, reply])
    memory = open_memory(model=model, settings=INLINE)
    memory.add_turn("a", "b")
    assert 1 == memory.stats()["model"]["block_summary"]["model_calls"]
    memory.run_pending(retry_failed=True)
    memory.add_turn("c", "d")
    spent = memory.stats()["model"]["block_summary"]

    assert (4, 1) == (spent["model_calls"], spent["retries"])
    assert (210, 19) == (spent["reported_input_tokens"], spent["reported_output_tokens"])
    assert 4 * 300 < spent["estimated_input_tokens"]
    assert 0 < spent["estimated_output_tokens"]


def test_damaged_diagnostics_do_not_break_the_ledger(open_memory: Opener, run_sql: RunSql) -> None:
    """A job whose diagnostics cannot be read counts as having spent nothing."""
    memory = open_memory(settings=INLINE)
    memory.add_turn("a", "b")
    run_sql("UPDATE jobs SET diagnostics = '{broken'")

    assert {0} == set(memory.stats()["model"]["block_summary"].values())


def test_the_ledger_is_of_one_namespace(open_memory: Opener) -> None:
    """What another namespace spent is not counted; a new one has spent nothing."""
    memory = open_memory(settings=INLINE)
    memory.add_turn("a", "b")

    assert {} == memory.for_namespace("other").stats()["model"]
    assert 1 == memory.stats()["model"]["block_summary"]["model_calls"]


def test_a_lease_fits_two_answers() -> None:
    """A lease lasts five minutes, or two time-outs and a minute."""
    assert START + timedelta(minutes=5) == lease_until(START, 30)
    assert START + timedelta(seconds=660) == lease_until(START, 300)


def test_a_failed_job_waits_for_its_time(open_memory: Opener, clock: ManualClock) -> None:
    """No attempt is made before the wait is over."""
    model = ScriptedModel([ValueError("no"), QUIET])
    memory = open_memory(model=model, settings=INLINE)
    memory.add_turn("a", "b")

    clock.advance(milliseconds=999)
    assert 0 == memory.run_pending()
    clock.advance(milliseconds=1)
    assert 1 == memory.run_pending()
    assert "ready" == memory.blocks()[0].status


def test_J_03_a_terminal_summary_is_retried_by_hand(open_memory: Opener) -> None:
    """A manual retry starts anew, runs at once, and the extraction follows."""
    script = {
        "summarise_block": [ValueError("no")] * 3 + [SUMMARY],
        "extract_events": [NOTHING],
    }
    memory = open_memory(model=ScriptedModel(script), settings=INLINE)
    memory.add_turn("a", "b")
    for _ in range(2):
        memory.run_pending(retry_failed=True)
    (job,) = memory.jobs()
    assert (3, None) == (job.attempts, job.next_retry_at)

    done = memory.retry(job.id)

    assert ("succeeded", 1) == (done.status, done.attempts)
    assert "ready" == memory.blocks()[0].status


def test_J_03_two_clicks_share_one_run(open_memory: Opener) -> None:
    """Two callers who retry one job at once cause one model call and see one result."""
    started, release = threading.Event(), threading.Event()

    def slow(_request: Request) -> dict[str, Any]:
        started.set()
        release.wait(10)
        return QUIET

    model = ScriptedModel([ValueError("no"), slow])
    memory = open_memory(model=model, settings=INLINE)
    memory.add_turn("a", "b")
    (job,) = memory.jobs()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(memory.retry, job.id)
        started.wait(10)
        second = pool.submit(memory.retry, job.id)
        release.set()

        assert first.result() == second.result()
    assert 2 == len(model.requests)


def test_J_03_an_extraction_retry_keeps_the_summary(open_memory: Opener) -> None:
    """Retrying an extraction does not summarise again, and raises its cause."""
    script = {
        "summarise_block": [SUMMARY],
        "extract_events": [ValueError("first"), ValueError("second")],
    }
    model = ScriptedModel(script)
    memory = open_memory(model=model, settings=INLINE)
    memory.add_turn("a", "b")
    (job,) = memory.jobs(kind="event_extraction")

    with pytest.raises(ModelError, match="second"):
        memory.retry(job.id)

    assert ["summarise_block", "extract_events", "extract_events"] == [
        request.task for request in model.requests
    ]


def test_only_a_failed_job_can_be_retried(open_memory: Opener) -> None:
    """Anything else is refused, naming what the job is."""
    memory = open_memory(settings=INLINE)
    memory.add_turn("a", "b")
    job = memory.jobs()[0]

    with pytest.raises(InvalidArgument, match="succeeded"):
        memory.retry(job.id)
    with pytest.raises(NotFound, match="job_none"):
        memory.retry("job_none")


def test_J_04_no_model_ready_costs_no_attempt(open_memory: Opener) -> None:
    """While the model says it is not ready nothing is claimed; then each job runs once."""
    model = ScriptedModel([QUIET, QUIET], ready=False)
    memory = open_memory(model=model, settings=INLINE)
    memory.add_turn("a", "b")
    memory.add_turn("c", "d")
    assert [("pending", 0)] * 2 == [(job.status, job.attempts) for job in memory.jobs()]

    model.available = True
    memory.run_pending()

    summaries = memory.jobs(kind="block_summary")
    assert [("succeeded", 1)] * 2 == [(job.status, job.attempts) for job in summaries]
    assert 2 == len(model.requests)


class _Crash(BaseException):
    """The process dies in the middle of a model call."""


def test_J_05_an_expired_lease_is_retried(open_memory: Opener, clock: ManualClock) -> None:
    """A live lease is not stolen; an expired one counts as a failed attempt and runs again."""
    memory = open_memory(model=ScriptedModel([_Crash()]), settings=INLINE)
    with pytest.raises(_Crash):
        memory.add_turn("a", "b")
    other = open_memory(model=ScriptedModel([QUIET]), settings=INLINE)

    assert 0 == other.run_pending(retry_failed=True)
    assert "running" == other.jobs()[0].status

    clock.advance(minutes=6)
    other.run_pending()

    assert ("succeeded", 2) == (other.jobs()[0].status, other.jobs()[0].attempts)


def test_J_05_a_late_result_is_refused(open_memory: Opener, clock: ManualClock) -> None:
    """A worker that comes back after its lease was given away changes nothing."""
    settings = EXTERNAL
    other = open_memory(model=ScriptedModel([QUIET]), settings=settings)

    def overtaken(_request: Request) -> dict[str, Any]:
        clock.advance(minutes=6)
        other.run_pending()
        return {**QUIET, "l0_title": "too late"}

    memory = open_memory(model=ScriptedModel([overtaken]), settings=settings)
    memory.add_turn("a", "b")
    memory.run_pending()

    (block,) = memory.blocks()
    assert "A title" in memory.expand_block(block.id, "L0")["results"][0]["content"]
    assert ("succeeded", 2) == (memory.jobs()[0].status, memory.jobs()[0].attempts)


def test_recover_running_gives_jobs_back(open_memory: Opener) -> None:
    """The certain single writer need not wait for a lease to end."""
    memory = open_memory(model=ScriptedModel([_Crash()]), settings=INLINE)
    with pytest.raises(_Crash):
        memory.add_turn("a", "b")

    again = open_memory(model=ScriptedModel([QUIET]), settings=INLINE, recover_running=True)
    again.run_pending()

    assert "ready" == again.blocks()[0].status


def test_J_06_a_moment_without_model_is_repeated_for_free(open_memory: Opener) -> None:
    """One free repeat, not counted as an answer; then the error."""
    model = ScriptedModel([ModelUnavailable("busy"), QUIET])
    memory = open_memory(model=model, settings=INLINE)
    memory.add_turn("a", "b")
    assert ("succeeded", 1) == (memory.jobs()[0].status, memory.jobs()[0].attempts)

    busy = ScriptedModel.failing(ModelUnavailable("busy"))
    other = open_memory(model=busy, settings=INLINE)
    other.add_turn("c", "d")

    failed = other.jobs(kind="block_summary", status="failed")
    assert 2 == len(busy.requests)
    assert ["busy" in str(job.error) for job in failed] == [True]


AWAY = (
    ModelUnavailable("out of reach"),
    ModelError("rate limit", away=True),
    ConnectionRefusedError("out of reach"),
)


@pytest.mark.parametrize("error", AWAY, ids=lambda error: type(error).__name__)
def test_an_outage_uses_up_no_attempts(
    open_memory: Opener, clock: ManualClock, error: Exception
) -> None:
    """While the model is away a job waits longer and longer; when it is back the job runs."""
    memory = open_memory(model=ScriptedModel.failing(error), settings=INLINE)
    memory.add_turn("a", "b")
    waits = []
    for _ in range(10):
        (job,) = memory.jobs()
        assert ("failed", 0) == (job.status, job.attempts)
        assert job.next_retry_at is not None
        waits.append((job.next_retry_at - clock.now).total_seconds())
        clock.now = job.next_retry_at
        assert 1 == memory.run_pending()
    again = open_memory(model=ScriptedModel([QUIET]), settings=INLINE)
    clock.advance(minutes=5)
    again.run_pending()

    assert [1, 2, 4, 8, 16, 32, 64, 128, 256, 300] == waits
    assert ("succeeded", 1) == (again.jobs()[0].status, again.jobs()[0].attempts)


def test_a_model_that_is_away_is_asked_once_a_round(open_memory: Opener) -> None:
    """One job finds out that the model is away; the others of the round are not claimed."""
    model = ScriptedModel.failing(ModelError("rate limit", away=True))
    memory = open_memory(model=model, settings=EXTERNAL)
    for number in range(3):
        memory.add_turn(f"a{number}", "b")

    assert 1 == memory.run_pending()
    assert 1 == len(model.requests)
    assert ["failed", "pending", "pending"] == [job.status for job in memory.jobs()]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModelUnavailable("x", status=503), "failed: ModelUnavailable, HTTP 503; next try not"),
        (ValueError("x"), "failed: ModelError from ValueError; next try not before 09:00:01 UTC"),
    ],
)
def test_the_log_names_the_reason(
    open_memory: Opener, caplog: pytest.LogCaptureFixture, error: Exception, told: str
) -> None:
    """A failed job is logged with its classes, its status and when it is tried again."""
    memory = open_memory(model=ScriptedModel.failing(error), settings=INLINE)
    memory.add_turn("a", "b")

    (line,) = [r.getMessage() for r in caplog.records if r.name == "stratagate_core.jobs"]
    assert told in line
    assert line.startswith(f"job {memory.jobs()[0].id} (block_summary) ")


def test_the_background_worker_finishes_the_work(open_memory: Opener) -> None:
    """With a model the writing call returns at once and a thread derives."""
    memory = open_memory(model=ScriptedModel([QUIET]), settings={"block_turn_size": 1})

    memory.add_turn("a", "b")

    assert memory.drain(timeout=20)
    assert "ready" == memory.blocks()[0].status


def test_external_processing_waits_for_the_caller(open_memory: Opener) -> None:
    """Nothing is derived until someone runs the pending work."""
    memory = open_memory(settings=EXTERNAL)
    memory.add_turn("a", "b")
    assert ["pending"] == [job.status for job in memory.jobs()]

    memory.run_pending()

    assert "ready" == memory.blocks()[0].status


async def test_async_work_awaits_the_model(open_memory: Opener) -> None:
    """The async twin awaits a model's async side and ends in the same state."""

    class Awaited(ScriptedModel):
        """Counts awaited calls."""

        awaited = 0

        async def acomplete(self, request: Request) -> Reply:
            """As the script says."""
            self.awaited += 1
            return self.complete(request)

    model = Awaited([QUIET])
    memory = open_memory(model=model, settings=INLINE)

    added = await memory.aio.add_turn("a", "b")

    assert (1, 1) == (added.turn, model.awaited)
    assert "ready" == (await memory.aio.blocks())[0].status


def test_the_last_answers_are_kept(open_memory: Opener) -> None:
    """Five successful answers are kept for diagnostics, no more."""
    from stratagate_core.store import jobs

    memory = open_memory(model=ScriptedModel([QUIET] * 7), settings=INLINE)
    for number in range(7):
        memory.add_turn(f"q{number}", "a")

    with memory._read() as work:
        kept = jobs.kept_answers(work.tx)
    assert 5 == len(kept)


def test_B_23_failed_writes_wait_in_order() -> None:
    """A failing write and what comes after it are kept in order and written by the next call."""
    box = Outbox()
    written: list[str] = []
    broken = [True]

    def write(text: str) -> None:
        if broken[0]:
            raise OSError("disk is gone")
        written.append(text)

    for text in ("one", "two", "three"):
        assert not box.write(("n", "t"), lambda text=text: write(text))
    assert (3, "OSError") == (box.health().waiting, box.health().last_error)

    broken[0] = False
    assert box.write(("n", "t"), lambda: write("four"))
    assert ["one", "two", "three", "four"] == written
    assert (0, None) == (box.health().waiting, box.health().last_error)


def test_logs_hold_no_text(open_memory: Opener, caplog: pytest.LogCaptureFixture) -> None:
    """What a model or a user said never reaches a log."""
    caplog.set_level(0)
    memory = open_memory(model=ScriptedModel.failing(ValueError("canary-model")), settings=INLINE)
    memory.add_turn("canary-user", "canary-assistant")
    memory.search_raw("canary-user", include_tail=True)

    ours = [r.getMessage() for r in caplog.records if r.name.startswith("stratagate")]
    assert ours
    assert not [text for text in ours if "canary" in text]
