"""Turns are stored, tails are sealed, blocks become ready: over the public API."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from stratagate_core import (
    Conflict,
    InvalidArgument,
    Message,
    NotFound,
    StorageError,
    StrataGate,
    ToolTrace,
)
from stratagate_core.testing import ManualClock, ScriptedModel
from tests.conftest import NO_GRAPH, Opener

SUMMARY = {
    "l0_title": "A title",
    "l0_tags": ["one", "two"],
    "l1_summary": "They talked.",
    "l2_keypoints": ["a point"],
    "should_extract": True,
}
QUIET = {**SUMMARY, "should_extract": False}
NOTHING = {"should_extract": False, "reason": "nothing lasting", "events": []}


def _event_of(request: Any) -> dict[str, Any]:
    """One valid card that cites the first allowed message of the payload."""
    import json

    payload = json.loads(request.messages[-1]["content"])
    source = payload["allowed_source_message_ids"][0]
    card = {"title": "T", "summary": "S", "source_message_ids": [source], "scope": "user"}
    return {"should_extract": True, "reason": "", "events": [card]}


def _talk(memory: StrataGate, count: int, *, thread: str = "main", **options: Any) -> None:
    for number in range(count):
        memory.add_turn(f"question {number}", f"answer {number}", thread=thread, **options)


def _failing() -> ScriptedModel:
    return ScriptedModel.failing(ValueError("no"))


def test_B_10_failing_summariser_keeps_every_turn(open_memory: Opener) -> None:
    """Blocks are sealed without a model; a failing one leaves them pending with L3–L5."""
    memory = open_memory(model=_failing(), settings={"block_turn_size": 6, "processing": "inline"})
    for number in range(1, 20):
        memory.add_turn(f"q{number}", f"a{number}", receipt=f"r{number}", work="seal")

    assert 3 == len(memory.blocks())
    assert ["q19", "a19"] == [message.content for message in memory.open_tail()]

    memory.run_pending()

    assert ["pending"] * 3 == [block.status for block in memory.blocks()]
    assert 0 == memory.get_blocks()["block_count"]
    jobs = memory.jobs(kind="block_summary")
    assert [("failed", 1)] * 3 == [(job.status, job.attempts) for job in jobs]


def test_B_11_a_turn_becomes_a_ready_block_with_an_event(open_memory: Opener) -> None:
    """With N=1 and a good model one turn gives one ready block and one event."""
    model = ScriptedModel(
        {
            "summarise_block": [SUMMARY],
            "extract_events": [_event_of],
            "project_graph": [NO_GRAPH],
        }
    )
    memory = open_memory(model=model, settings={"block_turn_size": 1, "processing": "inline"})

    memory.add_turn("I moved to Lyon", "Nice")

    (block,) = memory.blocks()
    assert "ready" == block.status
    assert 1 == memory.get_blocks()["block_count"]
    assert "A title\nTags: one, two" == memory.expand_block(block.id, "L0")["results"][0]["content"]
    assert 1 == memory.stats()["events"]["active"]
    assert ["succeeded"] * 4 == [job.status for job in memory.jobs()]


def test_B_12_nothing_to_extract_is_a_valid_answer(open_memory: Opener) -> None:
    """An extractor that finds nothing leaves a ready block and a skipped job."""
    model = ScriptedModel({"summarise_block": [SUMMARY], "extract_events": [NOTHING]})
    memory = open_memory(model=model, settings={"block_turn_size": 1, "processing": "inline"})

    memory.add_turn("hello", "hi")

    (block,) = memory.blocks()
    (job,) = memory.jobs(kind="event_extraction")
    assert ("ready", "skipped", None) == (block.status, job.status, job.error)
    assert 0 == memory.stats()["events"]["active"]


def test_B_13_three_attempts_and_no_more(open_memory: Opener) -> None:
    """An always failing summariser is asked three times; later turns still seal."""
    model = _failing()
    memory = open_memory(model=model, settings={"block_turn_size": 1, "processing": "inline"})

    memory.add_turn("one", "two")
    for _ in range(3):
        memory.run_pending(retry_failed=True)

    (job,) = memory.jobs()
    assert 3 == len(model.requests)
    assert (3, None) == (job.attempts, job.next_retry_at)

    memory.add_turn("three", "four", work="seal")

    assert 2 == len(memory.blocks())


def test_B_14_threads_never_mix(open_memory: Opener) -> None:
    """Blocks, tails and extraction belong to one thread, whatever is interleaved."""
    model = ScriptedModel({"summarise_block": [SUMMARY] * 3, "extract_events": [NOTHING] * 3})
    memory = open_memory(model=model, settings={"block_turn_size": 2, "processing": "inline"})

    memory.add_turn("a1", "x", thread="a")
    memory.add_turn("b1", "x", thread="b")
    memory.add_turn("a2", "x", thread="a")

    assert [("a", (1, 2))] == [(block.thread, block.turn_range) for block in memory.blocks()]
    assert "b1" == memory.open_tail("b")[0].content

    for name in ("b2", "a3", "a4"):
        memory.add_turn(name, "x", thread=name[0])

    assert 2 == memory.get_blocks(thread="a")["block_count"]
    assert 1 == memory.get_blocks(thread="b")["block_count"]
    for request in model.requests:
        text = request.messages[-1]["content"]
        assert not ('"a1"' in text and '"b1"' in text)


def test_B_15_age_and_level_follow_the_thread_alone(open_memory: Opener) -> None:
    """Ages and levels fall as the thread gains ready blocks, untouched by other threads."""
    memory = open_memory(settings={"block_turn_size": 2})

    def seen() -> list[tuple[int, int]]:
        return [(block.age, block.level) for block in memory.blocks("a")]

    _talk(memory, 2, thread="a")
    assert [(0, 5)] == seen()
    _talk(memory, 4, thread="b")
    _talk(memory, 2, thread="a")
    assert [(1, 5), (0, 5)] == seen()
    _talk(memory, 2, thread="a")
    assert [(2, 4), (1, 5), (0, 5)] == seen()


def test_B_16_lifts_persist(open_memory: Opener, clock: ManualClock) -> None:
    """Who lifted a block last, and to which level, survives reopening."""
    memory = open_memory(settings={"block_turn_size": 1})
    memory.add_turn("one", "two")
    (block,) = memory.blocks()

    memory.expand_block(block.id, 4, by="agent")
    memory.expand_block(block.id, 5, by="user")
    memory.close()
    (again,) = open_memory().blocks()

    assert ("user", 5, clock.now) == (again.lifted_by, again.level, again.lifted_at)


def test_B_17_append_only(open_memory: Opener) -> None:
    """Append-only stores and nothing else; resuming seals."""
    memory = open_memory(settings={"block_turn_size": 1})

    added = memory.add_turn("one", "two", work="append")

    assert None is added.sealed_block_id
    assert (2, 0) == (len(memory.open_tail()), len(memory.blocks()))

    memory.run_pending()

    assert (0, 1) == (len(memory.open_tail()), len(memory.blocks()))


def test_B_18_the_same_turn_twice_is_one_turn(open_memory: Opener) -> None:
    """A receipt that was delivered before changes nothing, also after a restart."""
    memory = open_memory()

    first = memory.add_turn("hello", "hi", receipt="r1")
    second = memory.add_turn("hello", "hi", receipt="r1")
    memory.close()
    third = open_memory().add_turn("hello", "hi", receipt="r1")

    assert (1, False) == (first.turn, first.receipt_known)
    assert (1, True) == (second.turn, second.receipt_known)
    assert (1, True) == (third.turn, third.receipt_known)
    assert 2 == len(open_memory().open_tail())


def test_B_18_an_interrupted_turn_is_completed(memory: StrataGate) -> None:
    """The answer that arrives after an interruption completes the stored turn."""
    user = Message(role="user", content="hello")
    memory.add_messages([user], receipt="r1", ended="cancelled")
    memory.add_messages([user, Message(role="assistant", content="hi")], receipt="r1")

    assert ["hello", "hi"] == [message.content for message in memory.open_tail()]
    assert 1 == memory.stats()["current_turn"]


def test_B_18_a_regenerated_answer_replaces_an_unsealed_one(memory: StrataGate) -> None:
    """The new answer is the turn; the old one leaves views and search but stays stored."""
    memory.add_turn("capital of Italy?", "Florence perhaps", receipt="r1")
    memory.add_turn("capital of Italy?", "Rome", receipt="r1")

    assert ["capital of Italy?", "Rome"] == [m.content for m in memory.open_tail()]
    assert () == memory.search_raw("Florence", include_tail=True).hits
    assert "Florence perhaps" in _exported(memory)


def test_B_18_a_sealed_turn_never_changes(open_memory: Opener) -> None:
    """After sealing another answer under the same receipt changes nothing."""
    memory = open_memory(settings={"block_turn_size": 1})
    memory.add_turn("q", "first", receipt="r1")
    added = memory.add_turn("q", "second", receipt="r1")

    assert added.receipt_known
    assert "User: q\n\nAssistant: first" == _content(memory, "L4")


def _exported(memory: StrataGate) -> str:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "all.jsonl"
        memory.export(path)
        return path.read_text()


def _content(memory: StrataGate, level: str) -> str:
    block = memory.blocks()[0]
    text: str = memory.expand_block(block.id, level)["results"][0]["content"]
    return text


def test_B_19_the_tail_survives_reopening(open_memory: Opener) -> None:
    """Turn, tail and block size are restored; the next turn seals turns 1–2."""
    memory = open_memory(settings={"block_turn_size": 2})
    memory.add_turn("one", "two")
    memory.close()
    again = open_memory()

    assert ["one", "two"] == [message.content for message in again.open_tail()]

    again.add_turn("three", "four")

    assert [(1, 2)] == [block.turn_range for block in again.blocks()]


def test_B_20_a_later_good_model_finishes_the_work(open_memory: Opener) -> None:
    """What a throwing summariser left pending is done after reopening with a good one."""
    settings = {"block_turn_size": 1, "processing": "inline"}
    memory = open_memory(model=_failing(), settings=settings)
    memory.add_turn("one", "two")
    memory.close()
    again = open_memory(model=ScriptedModel([QUIET]), settings=settings)

    again.run_pending(retry_failed=True)

    assert ["ready"] == [block.status for block in again.blocks()]
    assert 1 == again.stats()["current_turn"]


def test_B_21_stored_settings_change_only_when_given(open_memory: Opener) -> None:
    """New size and λ are stored, the tail is kept, sealed blocks stay as cut."""
    memory = open_memory(settings={"block_turn_size": 4, "block_decay_lambda": 0.2})
    _talk(memory, 5)
    memory.close()
    open_memory(settings={"block_turn_size": 6, "block_decay_lambda": 0.35}).close()
    again = open_memory()

    in_force = again.settings()
    assert (6, 0.35) == (in_force.block_turn_size, in_force.block_decay_lambda)
    assert 2 == len(again.open_tail())
    assert [(1, 4)] == [block.turn_range for block in again.blocks()]


def test_B_25_a_late_block_does_not_age_a_newer_one(open_memory: Opener) -> None:
    """Block 2 keeps age 0 when block 1 becomes ready after it."""
    broken = [ValueError("no"), QUIET, QUIET]
    memory = open_memory(
        model=ScriptedModel(broken), settings={"block_turn_size": 1, "processing": "inline"}
    )
    memory.add_turn("one", "x")
    memory.add_turn("two", "x")
    assert ["pending", "ready"] == [block.status for block in memory.blocks()]
    assert 0 == memory.blocks()[1].age

    memory.run_pending(retry_failed=True)

    assert [("ready", 1), ("ready", 0)] == [(b.status, b.age) for b in memory.blocks()]


def test_an_open_turn_is_completed_by_its_receipt(memory: StrataGate) -> None:
    """An opened turn shows at once and is completed, not doubled."""
    user = Message(role="user", content="hello")
    memory.add_messages([user], receipt="r", complete=False)

    assert ["hello"] == [message.content for message in memory.open_tail()]

    memory.add_messages([user, Message(role="assistant", content="hi")], receipt="r")

    assert ["hello", "hi"] == [message.content for message in memory.open_tail()]


def test_an_abandoned_turn_ends_when_the_next_one_starts(memory: StrataGate) -> None:
    """A turn that was never completed is stored as interrupted and no longer blocks sealing."""
    memory.add_messages([Message(role="user", content="hello")], receipt="r", complete=False)
    memory.add_turn("again", "hi")

    (block,) = memory.blocks()
    assert (1, 2) == block.turn_range
    assert "Turn ended: interrupted." in _content(memory, "L4")


def test_an_open_turn_is_never_sealed(open_memory: Opener) -> None:
    """A turn still open is not finished, so it is not cut off."""
    memory = open_memory(settings={"block_turn_size": 1})
    memory.add_messages([Message(role="user", content="hello")], receipt="r", complete=False)

    assert () == memory.blocks()


def test_reset_keeps_everything_and_empties_the_transcript(memory: StrataGate) -> None:
    """A reset thread starts empty; what was said is sealed and found."""
    memory.add_turn("the harbour is blue", "yes", receipt="r")
    memory.reset_thread("main")

    assert ((), ()) == (memory.open_tail(), memory.thread_messages())
    assert 1 == len(memory.search_raw("harbour").hits)

    added = memory.add_turn("new start", "ok", receipt="r")

    assert (2, False) == (added.turn, added.receipt_known)


def test_rebase_keeps_the_common_prefix(open_memory: Opener) -> None:
    """Turns beyond the common prefix leave transcript and search."""
    memory = open_memory()
    memory.add_turn("one", "a")
    memory.add_turn("two", "walrus")

    kept = memory.rebase_thread("main", memory.thread_messages()[:2])

    assert 2 == kept
    assert ["one", "a"] == [message.content for message in memory.thread_messages()]
    assert () == memory.search_raw("walrus", include_tail=True).hits


def test_messages_are_stored_one_by_one_untouched(memory: StrataGate) -> None:
    """Any script, whitespace and NUL survive; nothing is joined."""
    texts = ["  مرحبا  ", "שלום\n\n", "สวัสดี", "🙂\u0000x", "你好，世界"]
    memory.add_messages([Message(role="user", content=text) for text in texts])

    assert texts == [message.content for message in memory.open_tail()]


def test_lone_surrogates_never_cost_a_turn(memory: StrataGate) -> None:
    """What is no text in any database is replaced, the rest is kept."""
    memory.add_turn("bad \ud800 here", "ok", receipt="\udfff")

    assert "bad ? here" == memory.open_tail()[0].content


def test_traces_keep_what_they_have(memory: StrataGate) -> None:
    """A trace comes back as it was given, a stored null included."""
    trace = ToolTrace(name="find", arguments={"q": "x"}, result=None, call_id="c1")
    memory.add_turn("go", "done", tool_calls=[trace])

    assert (trace,) == memory.open_tail()[1].tool_calls


def test_extra_and_metadata_come_back(memory: StrataGate) -> None:
    """A connector's opaque JSON is returned as it was given."""
    message = Message(role="user", content="x", extra={"blocks": [1, None]}, metadata={"k": "v"})
    memory.add_messages([message])

    (stored,) = memory.open_tail()
    assert ({"blocks": [1, None]}, {"k": "v"}) == (stored.extra, dict(stored.metadata))


def test_a_taken_message_id_does_not_cost_the_message(memory: StrataGate) -> None:
    """An id that stands for another message already is replaced by a fresh one."""
    for text in ("one", "two"):
        memory.add_messages([Message(role="user", content=text, id="m")])

    found = [m.content for b in memory.blocks() for m in memory.sources(b.id)]
    assert ["one", "two"] == found


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda m: m.add_messages([]), "at least one message"),
        (lambda m: m.add_turn("a", "b", thread="  "), "thread"),
        (lambda m: m.add_turn("a", "b", receipt=""), "receipt"),
        (lambda m: m.add_turn("a", "b", at=datetime(2026, 1, 1)), "time zone"),
        (lambda m: m.add_turn(3, "b"), "must be text"),
        (lambda m: m.add_turn("a", "b", metadata={"x": float("nan")}), "plain JSON"),
        (lambda m: m.add_turn("a", "b", work="some"), "work"),
        (
            lambda m: m.add_turn("a", "b", tool_calls=[ToolTrace(name="t", result=object())]),
            "plain JSON",
        ),
    ],
)
def test_bad_input_is_refused_whole(memory: StrataGate, call: Any, named: str) -> None:
    """An unacceptable turn is refused with a message that says why; nothing is written."""
    with pytest.raises(InvalidArgument, match=named):
        call(memory)
    assert 0 == memory.stats()["current_turn"]


def test_unknown_and_pending_blocks_cannot_be_expanded(open_memory: Opener) -> None:
    """Expanding what is not there, or not ready, is an error that says so."""
    memory = open_memory(settings={"block_turn_size": 1, "processing": "external"})
    memory.add_turn("one", "two")
    (block,) = memory.blocks()

    with pytest.raises(NotFound, match="blk_none"):
        memory.expand_block("blk_none")
    with pytest.raises(InvalidArgument, match="pending"):
        memory.expand_block(block.id)


def test_times_are_stored_in_utc(memory: StrataGate) -> None:
    """A time with an offset is the same instant in UTC."""
    at = datetime(2026, 5, 6, 18, 0, tzinfo=timezone(timedelta(hours=9)))
    memory.add_turn("one", "two", at=at)

    stored = memory.open_tail()[0].created_at
    assert (datetime(2026, 5, 6, 9, 0, tzinfo=UTC), timedelta(0)) == (
        stored,
        stored.utcoffset() if stored else None,
    )


def test_conflict_is_part_of_the_error_tree() -> None:
    """Errors of the library share one root that is no RuntimeError."""
    assert not issubclass(Conflict, RuntimeError)


def test_what_no_database_holds_is_refused(memory: StrataGate) -> None:
    """JSON nested beyond reason and times beyond the calendar are refused by name."""
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    with pytest.raises(InvalidArgument, match="nested"):
        memory.add_turn("a", "b", metadata={"deep": deep})
    late = datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-12)))
    with pytest.raises(InvalidArgument, match="beyond the calendar"):
        memory.add_turn("a", "b", at=late)


def test_a_closed_memory_says_so(open_memory: Opener) -> None:
    """After closing, twice if one likes, nothing is read or written any more."""
    memory = open_memory()
    memory.close()
    memory.close()

    with pytest.raises(StorageError, match="closed"):
        memory.add_turn("a", "b")
