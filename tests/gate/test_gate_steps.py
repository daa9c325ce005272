"""The gate's steps on a database: batches, assessment, recorded use, receipts, expiry."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from stratagate_core.engine import Env
from stratagate_core.errors import BatchError, Conflict, EvidenceError, InvalidArgument
from stratagate_core.gate import steps
from stratagate_core.model.event import Event, Weight
from stratagate_core.model.evidence import Evidence, UseReceipt
from stratagate_core.store import batches, events

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SPACE = "project:test"


def evidence(name: str, *event_ids: str) -> Evidence:
    """Evidence with this ref, behind which these events stand."""
    return Evidence(ref=name, kind="event", id=name, title=f"Title {name}", event_ids=event_ids)


def add_events(env: Env, *names: str) -> None:
    """Store events with these ids."""
    with env.write(SPACE) as work:
        for name in names:
            events.insert(
                work.tx,
                Event(
                    id=name,
                    title=name,
                    summary=name,
                    source_message_ids=("msg_1",),
                    scope="project",
                    created_at=NOW,
                    updated_at=NOW,
                    weight=Weight(),
                ),
                block_sequence=0,
            )


def mentions(env: Env, name: str) -> int:
    """How often an event counts as mentioned."""
    with env.read(SPACE) as work:
        return events.by_ids(work.tx, [name])[name].weight.mention_count


def retrieve(env: Env, *found: Evidence, thread: str = "a") -> str:
    """Open a batch; its id."""
    with env.write(SPACE) as work:
        return steps.open_batch(work, thread, "search_events", found, result=[]).id


def judge(env: Env, refs: Sequence[str], batch_id: str | None = None, thread: str = "a") -> str:
    """Assess refs as sufficient; the verdict that stands."""
    with env.write(SPACE) as work:
        return steps.assess(
            work, thread, verdict="sufficient", evidence_refs=list(refs), batch_id=batch_id
        ).verdict


def use(
    env: Env,
    refs: Sequence[object],
    batch_id: str | None = None,
    receipt: str | None = None,
    thread: str = "a",
) -> UseReceipt:
    """Record use."""
    with env.write(SPACE) as work:
        return steps.record_use(
            work, thread, evidence_refs=refs, batch_id=batch_id, receipt=receipt
        )


def opened(env: Env, thread: str = "a") -> list[str]:
    """Ids of the open batches of a thread."""
    with env.read(SPACE) as work:
        return [batch.id for batch in steps.open_batches(work, thread)]


def audit(env: Env) -> list[dict[str, object]]:
    """The usage audit, newest first."""
    with env.read(SPACE) as work:
        return [dict(row) for row in steps.usage(work).items]


def test_V_01_a_foreign_ref_is_not_sufficient(env: Env) -> None:
    """A sufficient verdict stands with a ref of the batch only, and the batch stays open."""
    first = retrieve(env, evidence("event:e1", "e1"))
    second = retrieve(env, evidence("event:e2", "e2"))

    assert judge(env, ["event:e1"]) == "partial"
    assert judge(env, ["event:e2"]) == "sufficient"
    assert [first, second] == opened(env)


def test_V_02_assessment_names_rejected_refs_and_batches(env: Env) -> None:
    """An assessment tells its batch, the latest batch and why refs were rejected."""
    first = retrieve(env, evidence("own", "e1"))
    second = retrieve(env)
    with env.write(SPACE) as work:
        judged = steps.assess(
            work,
            "a",
            verdict="partial",
            evidence_refs=["own", "foreign", "foreign", 3],
            batch_id=f" {first} ",
        )

    assert (first, "unresolved", second) == (
        judged.batch_id,
        judged.batch_status,
        judged.latest_batch_id,
    )
    assert judged.evidence_refs == ("own",)
    assert [rejection.reason for rejection in judged.rejected_evidence_refs] == [
        "not_in_batch",
        "duplicate",
        "invalid_ref",
    ]


def test_the_last_assessment_counts(env: Env) -> None:
    """A second assessment replaces the first."""
    retrieve(env, evidence("r1"), evidence("r2"))
    judge(env, ["r1"])
    judge(env, ["r2"])

    with pytest.raises(EvidenceError):
        use(env, ["r1"])
    assert use(env, ["r2"]).evidence_refs == ("r2",)


def test_V_09_use_needs_a_sufficient_assessment(env: Env) -> None:
    """Recording before assessing is refused; afterwards only the adopted event is reinforced."""
    add_events(env, "e1", "e2")
    retrieve(env, evidence("event:e1", "e1"), evidence("event:e2", "e2"))

    with pytest.raises(EvidenceError):
        use(env, ["event:e1"])
    judge(env, ["event:e1"])
    receipt = use(env, ["event:e1"])

    assert (receipt.incremented, receipt.event_ids) == (1, ("e1",))
    assert (mentions(env, "e1"), mentions(env, "e2")) == (2, 1)


def test_V_09_topic_ids_are_no_evidence(env: Env) -> None:
    """A topic id is not in any batch."""
    retrieve(env, evidence("event:e1", "e1"))

    assert judge(env, ["topic_1"]) == "partial"


def test_V_10_one_error_names_every_issue(env: Env) -> None:
    """Bad refs make one error with all reasons and ids; nothing is written."""
    add_events(env, "e1")
    batch = retrieve(env, evidence("r1", "e1"), evidence("r2"))
    judge(env, ["r1"])

    with pytest.raises(EvidenceError) as caught:
        use(env, ["r1", " ", "foreign", "r2"])

    details = caught.value.details
    assert [(issue["input_index"], issue["reason"]) for issue in details["issues"]] == [
        (1, "invalid_ref"),
        (2, "not_in_batch"),
        (3, "not_adopted"),
    ]
    assert (batch, batch, [batch]) == (
        details["batch_id"],
        details["latest_batch_id"],
        details["unresolved_batch_ids"],
    )
    assert (
        details["available_evidence_refs"],
        details["adopted_evidence_refs"],
        details["verdict"],
    ) == (["r1", "r2"], ["r1"], "sufficient")
    assert all(name in str(caught.value) for name in (batch, "foreign", "r2"))
    assert ([batch], 1) == (opened(env), mentions(env, "e1"))


def test_V_10_a_repeated_ref_counts_once(env: Env) -> None:
    """A ref given twice is listed as duplicate and counts once."""
    add_events(env, "e1")
    retrieve(env, evidence("r1", "e1"))
    judge(env, ["r1"])

    receipt = use(env, ["r1", " r1 "])

    assert (receipt.evidence_refs, receipt.duplicate_evidence_refs) == (("r1",), ("r1",))
    assert mentions(env, "e1") == 2


def test_V_11_an_unused_batch_closes_without_assessment(env: Env) -> None:
    """An empty list closes a batch with its real id and changes no counter."""
    add_events(env, "e1")
    batch = retrieve(env, evidence("r1", "e1"), evidence("r2"))

    receipt = use(env, [])

    assert (batch, "recorded", 2, 0) == (
        receipt.batch_id,
        receipt.batch_status,
        receipt.retrieved_count,
        receipt.incremented,
    )
    assert (mentions(env, "e1"), opened(env)) == (1, [])


def test_V_12_parallel_batches_settle_in_any_order(env: Env) -> None:
    """Four batches are settled by id in any order, and each receipt tells what is left."""
    ids = [retrieve(env, evidence(f"r{n}")) for n in range(4)]
    for batch, ref in zip(reversed(ids), ("r3", "r2", "r1", "r0"), strict=True):
        judge(env, [ref], batch)

    left = [use(env, [f"r{n}"], ids[n]).unresolved_batch_ids for n in (2, 0, 3, 1)]

    assert [(ids[0], ids[1], ids[3]), (ids[1], ids[3]), (ids[1],), ()] == left


def test_V_12_a_sequential_flow_needs_no_ids(env: Env) -> None:
    """Without ids the latest batch is meant, one after the other."""
    used = []
    for name in ("r1", "r2"):
        retrieve(env, evidence(name))
        judge(env, [name])
        used.append(use(env, [name]).evidence_refs)

    assert used == [("r1",), ("r2",)]


def test_V_13_batches_belong_to_their_thread(env: Env) -> None:
    """Another thread neither sees nor settles a batch, not even as its latest."""
    batch = retrieve(env, evidence("r1"))

    with pytest.raises(BatchError) as caught:
        judge(env, ["r1"], batch, thread="b")
    assert batch not in str(caught.value.details["available_batch_ids"])
    with pytest.raises(BatchError):
        use(env, [], thread="b")
    assert ([batch], []) == (opened(env), opened(env, "b"))


def test_unknown_batch_error_lists_ids(env: Env) -> None:
    """An unknown id is answered with the requested, latest, unresolved and available ids."""
    first = retrieve(env)
    use(env, [])
    second = retrieve(env)

    with pytest.raises(BatchError) as caught:
        judge(env, [], "batch_99")

    assert {
        "requested_batch_id": "batch_99",
        "latest_batch_id": second,
        "unresolved_batch_ids": [second],
        "available_batch_ids": [second, first],
    } == caught.value.details


def test_V_14_a_finished_turn_expires_its_batches(env: Env) -> None:
    """Unresolved batches of the thread expire with zero-use receipts and stay closed."""
    add_events(env, "e1")
    batch = retrieve(env, evidence("r1", "e1"))
    other = retrieve(env, thread="b")
    judge(env, ["r1"])
    with env.write(SPACE) as work:
        expired = steps.expire(work, "a")

    assert (batch,) == expired
    assert ([], [other]) == (opened(env), opened(env, "b"))
    for settle in (lambda: judge(env, ["r1"], batch), lambda: use(env, [], batch)):
        with pytest.raises(BatchError, match="already expired"):
            settle()
    assert [("expired", [], batch)] == [
        (row["batch_status"], row["evidence_refs"], row["batch_id"]) for row in audit(env)
    ]
    assert mentions(env, "e1") == 1


def test_V_15_a_repeated_call_has_no_second_effect(env: Env) -> None:
    """The same key with the same refs returns the stored result, in any order of refs."""
    add_events(env, "e1", "e2")
    batch = retrieve(env, evidence("r1", "e1"), evidence("r2", "e2"))
    judge(env, ["r1", "r2"])
    first = use(env, ["r1", "r2"], receipt="call_1")
    retrieve(env)

    assert first == use(env, ["r2", "r1"], batch, "call_1")
    assert first == use(env, ["r2", "r1"], receipt=" call_1 ")
    assert (mentions(env, "e1"), mentions(env, "e2")) == (2, 2)


def test_V_15_another_body_under_the_same_key_is_refused(env: Env) -> None:
    """The same key with other refs or another batch is an error."""
    retrieve(env, evidence("r1"), evidence("r2"))
    judge(env, ["r1", "r2"])
    use(env, ["r1"], receipt="call_1")
    other = retrieve(env, evidence("r1"))

    with pytest.raises(Conflict):
        use(env, ["r2"], receipt="call_1")
    with pytest.raises(Conflict):
        use(env, ["r1"], other, "call_1")
    assert [other] == opened(env)


def test_V_15_blank_keys_do_not_collapse(env: Env) -> None:
    """Without a key each batch has its own receipt, which answers repeated calls."""
    first, second = retrieve(env), retrieve(env)

    receipts = [use(env, [], first, " "), use(env, [], second), use(env, [], first)]

    assert [first, second, first] == [receipt.batch_id for receipt in receipts]
    assert len(audit(env)) == 2


def test_keys_of_other_threads_do_not_meet(env: Env) -> None:
    """The same tool call id in two threads means two receipts."""
    first, second = retrieve(env), retrieve(env, thread="b")
    receipts = [use(env, [], receipt="call_1"), use(env, [], receipt="call_1", thread="b")]

    assert [first, second] == [receipt.batch_id for receipt in receipts]


def test_V_17_a_result_that_is_no_json_leaves_no_batch(env: Env) -> None:
    """What JSON cannot carry fails before anything is registered."""
    with pytest.raises(InvalidArgument), env.write(SPACE) as work:
        steps.open_batch(work, "a", "search_events", [], result=[float("nan")])

    assert opened(env) == []


def test_V_17_an_empty_result_opens_a_batch(env: Env) -> None:
    """A search without hits is closed with an empty list."""
    batch = retrieve(env)

    assert [batch] == opened(env)
    assert (batch, 0) == (use(env, []).batch_id, use(env, []).retrieved_count)


def test_W_06_two_refs_reinforce_once_two_batches_twice(env: Env) -> None:
    """One event behind two refs of a batch counts once, in another batch again."""
    add_events(env, "e1")
    for _ in range(2):
        retrieve(env, evidence("r1", "e1"), evidence("r2", "e1"))
        judge(env, ["r1", "r2"])
        assert use(env, ["r1", "r2"]).incremented == 1

    assert mentions(env, "e1") == 3


def test_citations_and_audit_tell_what_was_used(env: Env) -> None:
    """Receipt and audit hold the citations, the judgement, the turn and the time."""
    block = Evidence(
        ref="block:blk_1:level:5",
        kind="block",
        id="blk_1",
        title="a 1-2",
        detail_kind="L5 raw transcript",
        level=5,
        expanded=True,
    )
    batch = retrieve(env, block, evidence("r2"))
    judge(env, [block.ref])

    (citation,) = use(env, [block.ref], receipt="call_7").citations
    (row,) = audit(env)

    assert ("blk_1", 5, True, batch) == (
        citation.id,
        citation.level,
        citation.expanded,
        citation.batch_id,
    )
    assert {
        "thread": "a",
        "receipt": "call_7",
        "turn": 0,
        "at": NOW,
        "namespace": SPACE,
        "batch_id": batch,
        "batch_status": "recorded",
        "retrieved_memories": [block.ref, "r2"],
        "evidence_refs": [block.ref],
        "event_ids": [],
        "verdict": "sufficient",
        "fit": "",
        "missing": "",
        "next_strategy": "answer",
    } == {key: value for key, value in row.items() if key != "citations"}


def test_usage_is_read_in_pages(env: Env) -> None:
    """The audit is newest first and paged without gaps."""
    ids = [retrieve(env) for _ in range(5)]
    for batch in ids:
        env.clock.advance(minutes=1)  # type: ignore[attr-defined]
        use(env, [], batch)
    with env.read(SPACE) as work:
        first = steps.usage(work, limit=3)
        second = steps.usage(work, limit=3, offset=3)

    assert (first.total, first.next_offset, second.next_offset) == (5, 3, None)
    assert ids[::-1] == [row["batch_id"] for row in (*first.items, *second.items)]


def test_the_batch_survives_its_round_trip(env: Env) -> None:
    """A stored batch reads back as it was written."""
    found = (evidence("r1", "e1", "e2"), evidence("r2"))
    batch_id = retrieve(env, *found)
    with env.read(SPACE) as work:
        row = batches.get(work.tx, "a", batch_id)

    assert row is not None
    assert (found, 1, None, "search_events") == (
        row.evidence,
        row.sequence,
        row.assessment,
        row.operation,
    )
