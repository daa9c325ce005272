"""How events get into topics, and what keeps an answer out (08 §3 to §5)."""

from typing import Any

import pytest

from stratagate_core import Request
from stratagate_core.topics import queue
from tests.topics.world import Json, TopicWorld, one_topic, paragraph, payload_of, section, topic


def test_T_01_unfiled_events_have_entries_of_their_own(world: TopicWorld) -> None:
    """What is in no topic is listed; reading calls no model and changes nothing."""
    world.tell("The harbour is blue", "Mara sails", ids=("evt_1", "evt_2"))
    before = world.rows()

    page = world.memory.topics()
    assert ["fallback:evt_1", "fallback:evt_2"] == [one.id for one in page.items]
    assert [True, True] == [one.is_fallback for one in page.items]
    assert "The harbour is blue" == world.memory.topic("fallback:evt_1").title
    assert "Not yet organised; see the event" == page.items[0].description
    world.memory.directory()
    world.memory.list_topics("harbour")
    world.memory.expand_topic("fallback:evt_1")
    assert (before, []) == (world.rows(), world.asked)


def test_T_02_a_batch_a_round_and_one_stable_topic(world: TopicWorld) -> None:
    """29 events make three batches; the topic of the first goes on in the others."""
    world.many(29)
    world.memory.run_pending()
    assert ["succeeded", "pending", "pending"] == [job.status for job in world.jobs]
    (first,) = (one for one in world.memory.topics().items if not one.is_fallback)
    world.work()

    assert [12, 12, 5] == [len(asked["events"]) for asked in world.asked]
    assert [[], [first.id], [first.id]] == [
        [shown["id"] for shown in asked["topics"]] for asked in world.asked
    ]
    (only,) = world.memory.topics().items
    assert (first.id, 29) == (only.id, len(only.source_event_ids))


def test_events_that_come_one_by_one_share_a_batch(world: TopicWorld) -> None:
    """Until a batch is asked about it fills up."""
    for number in range(14):
        world.tell(f"thing {number}")

    world.work()
    assert [12, 2] == [len(asked["events"]) for asked in world.asked]


def test_T_03_use_changes_nothing_and_a_changed_event_is_filed_again(world: TopicWorld) -> None:
    """Search, pin and use refile nothing; a new status does, and so does a relation."""
    world.tell("The harbour is blue", "Mara sails", ids=("evt_1", "evt_2"))
    world.work()
    (asked,) = world.asked
    world.memory.pin("evt_1")
    world.memory.search_events("harbour", open_batch=True)
    world.memory.assess("sufficient", ["event:evt_1"])
    world.memory.record_use(["event:evt_1"])
    world.work()
    assert [asked] == world.asked

    world.tell("The harbour is red", ids=("evt_3",), temporal={"supersedes_event_ids": ["evt_1"]})
    world.work()
    again = [event["id"] for asked in world.asked[1:] for event in asked["events"]]
    assert {"evt_1", "evt_3"} <= set(again)
    assert "superseded" == next(
        event["status"]
        for asked in world.asked[1:]
        for event in asked["events"]
        if event["id"] == "evt_1"
    )


def _meanwhile(world: TopicWorld, change: Any) -> None:
    """While the model is asked, something else happens."""

    def line(request: Request) -> Json:
        change()
        return one_topic()(request)

    world.answers.append(line)


@pytest.mark.one_database
def test_T_05_a_changed_source_refuses_the_answer(tmp_path: Any) -> None:
    """An event that changes while the model is asked makes its answer void."""
    world = TopicWorld(tmp_path / "memory.db")
    world.tell("The harbour is blue", "Mara sails", ids=("evt_1", "evt_2"))
    _meanwhile(world, lambda: world.memory.forget("evt_1"))
    world.memory.run_pending()

    (job,) = world.jobs
    assert ("failed", "source-changed") == (job.status, job.error)
    assert ["fallback:evt_2"] == [one.id for one in world.memory.topics().items]
    world.clock.advance(seconds=30)
    world.work()
    assert [("evt_2",)] == [one.source_event_ids for one in world.memory.topics().items]
    world.memory.close()


@pytest.mark.one_database
def test_T_05_a_changed_candidate_refuses_the_answer(tmp_path: Any) -> None:
    """A topic that loses its words while it is shown takes no events."""
    world = TopicWorld(tmp_path / "memory.db")
    world.tell("The harbour is blue", "Mara sails", ids=("evt_1", "evt_2"))
    world.work()
    world.tell("The harbour is full", ids=("evt_3",))
    _meanwhile(world, lambda: world.memory.forget("evt_1"))
    world.memory.run_pending()

    assert "source-changed" == world.jobs[1].error
    world.memory.close()


FAULTS: dict[str, tuple[list[Json], str]] = {
    "no topic": ([], "topic-count"),
    "an invalid id": ([topic("A", "evt_1", "evt_9")], "foreign-source"),
    "an omitted event": ([topic("A", "evt_1")], "event-not-covered"),
    "an unknown topic": ([topic("A", "evt_1", "evt_2", topic_id="topic_9")], "unknown-topic"),
    "an id twice": ([topic("A", "evt_1", "evt_1", "evt_2")], "duplicate-source"),
    "no source": ([topic("A", "evt_1", "evt_2"), topic("B")], "source-count"),
    "a blank title": ([topic("  ", "evt_1", "evt_2")], "blank"),
    "a long title": ([topic("a" * 121, "evt_1", "evt_2")], "too-long"),
    "a long description": (
        [topic("A", "evt_1", "evt_2", description="a" * 401)],
        "too-long",
    ),
    "one title twice": ([topic("A", "evt_1"), topic("ａ", "evt_2")], "duplicate-label"),
    "an event in no section": (
        [topic("A", "evt_1", "evt_2", sections=[section("S", "evt_1")])],
        "event-not-in-section",
    ),
    "one section twice": (
        [topic("A", "evt_1", "evt_2", sections=[section("S", "evt_1"), section("s ", "evt_2")])],
        "duplicate-section",
    ),
    "a foreign section source": (
        [topic("A", "evt_1", "evt_2", sections=[section("S", "evt_1", "evt_2", "evt_9")])],
        "foreign-source",
    ),
    "an unknown kind": (
        [topic("A", "evt_1", "evt_2", overview=[paragraph("x", "evt_1", kind="poem")])],
        "unknown-kind",
    ),
    "a foreign paragraph source": (
        [topic("A", "evt_1", "evt_2", overview=[paragraph("x", "evt_9")])],
        "foreign-source",
    ),
    "a paragraph without source": (
        [topic("A", "evt_1", "evt_2", overview=[paragraph("x")])],
        "source-count",
    ),
    "a paragraph of no section": (
        [topic("A", "evt_1", "evt_2", overview=[paragraph("x", "evt_1", title="Elsewhere")])],
        "no-such-section",
    ),
    "nine paragraphs": (
        [topic("A", "evt_1", "evt_2", overview=[paragraph(f"{n}", "evt_1") for n in range(9)])],
        "paragraph-count",
    ),
}


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_T_06_any_fault_refuses_the_whole(world: TopicWorld, name: str) -> None:
    """Nothing is written, and a valid answer of the second try is."""
    answer, reason = FAULTS[name]
    world.tell("The harbour is blue", "Mara sails", ids=("evt_1", "evt_2"))
    world.answers += [{"topics": answer}, {"topics": answer}]
    world.memory.run_pending()

    (job,) = world.jobs
    assert ("validation-failed", reason) == (job.error, job.diagnostics["reason"])
    assert 2 == len([one for one in world.memory.topics().items if one.is_fallback])
    world.answers += [{"topics": answer}, {"topics": [topic("A", "evt_1", "evt_2")]}]
    world.clock.advance(seconds=30)
    world.memory.run_pending()
    assert ["A"] == [one.title for one in world.memory.topics().items]


ODD: dict[str, Json] = {
    "answer": {"topics": [topic("A", "evt_1")], "why": "x"},
    "topic": {"topics": [topic("A", "evt_1", mood="x")]},
    "section": {"topics": [topic("A", "evt_1", sections=[{**section("S", "evt_1"), "n": 1}])]},
    "paragraph": {"topics": [topic("A", "evt_1", overview=[paragraph("x", "evt_1", n=1)])]},
}


@pytest.mark.one_database
@pytest.mark.parametrize("level", sorted(ODD))
def test_T_06_unknown_keys_are_refused(world: TopicWorld, level: str) -> None:
    """A key that the contract does not know fails the answer, at every level."""
    world.tell("The harbour is blue", ids=("evt_1",))
    world.answers += [ODD[level], ODD[level]]
    world.memory.run_pending()

    assert ["schema-invalid"] == [job.error for job in world.jobs]
    assert all(one.is_fallback for one in world.memory.topics().items)


def test_a_title_of_another_topic_is_refused(world: TopicWorld) -> None:
    """Two topics never share a title; a title alone names the topic that has it."""
    world.tell("The harbour is blue", "Mara sails", ids=("evt_1", "evt_2"))
    world.answers.append({"topics": [topic("Harbour", "evt_1"), topic("Mara", "evt_2")]})
    world.work()
    harbour = world.topics["Harbour"]
    world.tell("The harbour is red", ids=("evt_3",))
    stolen = {"topics": [topic("ＭＡＲＡ", "evt_3", topic_id=harbour.id)]}
    world.answers += [stolen, stolen]
    world.memory.run_pending()
    assert "label-taken" == world.jobs[-1].diagnostics["reason"]

    world.answers.append({"topics": [topic("harbour", "evt_3")]})
    world.clock.advance(seconds=30)
    world.memory.run_pending()
    assert ("evt_1", "evt_3") == world.memory.topic(harbour.id).source_event_ids


def test_T_07_the_topic_that_shares_members_is_kept(world: TopicWorld) -> None:
    """A topic that lost its words goes on under its id if one topic takes its members."""
    world.tell("The harbour is blue", "Mara sails", "A gull", ids=("evt_1", "evt_2", "evt_3"))
    world.answers.append({"topics": [topic("Harbour", "evt_1", "evt_2", "evt_3")]})
    world.work()
    old = world.topics["Harbour"].id
    world.memory.forget("evt_3")
    world.answers.append({"topics": [topic("Port", "evt_1", "evt_2")]})
    world.work()

    assert (old, ("evt_1", "evt_2")) == (
        world.topics["Port"].id,
        world.topics["Port"].source_event_ids,
    )


def test_T_07_a_topic_that_several_share_retires(world: TopicWorld) -> None:
    """Its members stand in the new topics, and its id is gone."""
    world.tell("The harbour is blue", "Mara sails", "A gull", ids=("evt_1", "evt_2", "evt_3"))
    world.answers.append({"topics": [topic("Harbour", "evt_1", "evt_2", "evt_3")]})
    world.work()
    old = world.topics["Harbour"].id
    world.memory.forget("evt_3")
    world.answers.append({"topics": [topic("Port", "evt_1"), topic("Mara", "evt_2")]})
    world.work()

    assert {"Port", "Mara"} == set(world.topics)
    assert old not in {one.id for one in world.topics.values()}


def test_T_08_cut_events_are_cited_by_scope_only(world: TopicWorld) -> None:
    """An event that is shown cut is no ground for a decision; large ones shrink the batch."""
    long = {"tags": [f"{n:04}" * 300 for n in range(12)]}
    world.tell("one", "two", "three", ids=("evt_1", "evt_2", "evt_3"), **long)
    bad = {"topics": [topic("A", "evt_1", "evt_2", "evt_3", overview=[paragraph("x", "evt_1")])]}
    world.answers += [bad, bad]
    world.memory.run_pending()

    (job, *_) = world.jobs
    assert "truncated-source" == job.diagnostics["reason"]
    assert ["evt_1", "evt_2", "evt_3"] == world.asked[0]["truncated_event_ids"]
    assert all(len(tag) == 40 for tag in world.asked[0]["events"][0]["tags"])
    world.tell("big", "bigger", ids=("evt_4", "evt_5"), tags=["x" * 4000, "y" * 4500])
    world.tell("last", ids=("evt_6",))
    world.memory.run_pending()
    assert 1 == len(world.asked[-1]["events"])


def test_T_09_too_long_a_paragraph_fails_and_stored_prose_stays(world: TopicWorld) -> None:
    """The next try may leave the draft out; what was stored stays."""
    world.tell("The harbour is blue", ids=("evt_1",))
    stored = paragraph("Blue from the first day.", "evt_1")
    world.answers.append({"topics": [topic("Harbour", "evt_1", overview=[stored])]})
    world.work()
    known = world.topics["Harbour"]
    world.tell("The harbour is red", ids=("evt_2",))
    long = topic("Harbour", "evt_2", overview=[paragraph("x" * 1001, "evt_2")])
    world.answers += [{"topics": [long]}, {"topics": [topic("Harbour", "evt_2")]}]
    world.work()

    after = world.memory.topic(known.id)
    assert known.overview == after.overview
    assert ("evt_1", "evt_2") == after.source_event_ids
    assert "too-long" not in str(world.jobs[-1].error)


def test_a_paragraph_on_old_events_must_be_the_stored_one(world: TopicWorld) -> None:
    """Repeating one changes nothing; a new one may rest on the batch only."""
    world.tell("The harbour is blue", ids=("evt_1",))
    stored = paragraph("Blue from the first day.", "evt_1")
    world.answers.append({"topics": [topic("Harbour", "evt_1", overview=[stored])]})
    world.work()
    world.tell("The harbour is red", ids=("evt_2",))
    sections = [section("How it developed", "evt_2")]
    new = paragraph("Then red.", "evt_1", "evt_2")
    changed = topic("Harbour", "evt_1", "evt_2", sections=sections, overview=[new])
    repeated = topic("Harbour", "evt_1", "evt_2", sections=sections, overview=[stored, stored])
    world.answers += [{"topics": [changed]}, {"topics": [repeated]}]
    world.work()

    assert "succeeded" == world.jobs[-1].status
    assert ["Blue from the first day."] == [one.text for one in world.topics["Harbour"].overview]


def test_T_17_sections_keep_their_numbers(world: TopicWorld) -> None:
    """New events append sections; titles equal but for width, case and spacing are one."""
    world.tell("one", "two", ids=("evt_1", "evt_2"))
    sections = [section("Boats", "evt_2"), section("Key decisions", "evt_1")]
    world.answers.append({"topics": [topic("A", "evt_1", "evt_2", sections=sections)]})
    world.work()
    assert ["Key decisions", "Boats"] == [one.title for one in world.topics["A"].sections]

    world.tell("three", "four", ids=("evt_3", "evt_4"))
    sections = [section("ＫＥＹ  decisions", "evt_3"), section("Aardvarks", "evt_4")]
    prose = [paragraph("x", "evt_3", title="keydecisions")]
    world.answers.append(
        {"topics": [topic("A", "evt_3", "evt_4", sections=sections, overview=prose)]}
    )
    world.work()
    after = world.topics["A"]
    assert ["Key decisions", "Boats", "Aardvarks"] == [one.title for one in after.sections]
    assert ("evt_1", "evt_3") == after.sections[0].source_event_ids
    assert 1 == len(after.overview)


def test_T_17_moving_the_only_event_removes_section_and_prose() -> None:
    """A section without events is gone, with the paragraphs that stood in it."""
    world = TopicWorld()
    world.tell("one", "two", ids=("evt_1", "evt_2"))
    sections = [section("Boats", "evt_1"), section("Other", "evt_2")]
    prose = [paragraph("All about boats.", "evt_1", title="Boats")]
    world.answers.append(
        {"topics": [topic("A", "evt_1", "evt_2", sections=sections, overview=prose)]}
    )
    world.work()
    known = world.memory.event("evt_1")
    with world.memory._write() as work:
        queue.queue_again(work, [known])
    world.answers.append({"topics": [topic("A", "evt_1", sections=[section("Other", "evt_1")])]})
    world.work()

    after = world.topics["A"]
    assert ["Other"] == [one.title for one in after.sections]
    assert () == after.overview
    world.memory.close()


def test_the_filing_sees_no_quotes_and_no_message_ids(world: TopicWorld) -> None:
    """E-22: hints are shown to the filing; quotes and sources are not."""
    world.tell("The harbour is blue", ids=("evt_1",), quotes=["harbour"], catalog_hints=["港口"])
    world.work()

    (event,) = world.asked[0]["events"]
    assert ["港口"] == event["catalog_hints"]
    assert not {"quotes", "source_message_ids", "weight", "formed_turn"} & event.keys()
    assert 32_768 == world.asked[0]["output_budget"]


def test_E_22_hints_round_trip_in_both_pools(world: TopicWorld) -> None:
    """Hints and the version of the extractor are stored, read, and shown to the filing only."""
    world.tell("The harbour is blue", ids=("evt_1",), catalog_hints=["港口", "UI/UX"])
    world.work()

    assert ("港口", "UI/UX") == world.memory.event("evt_1").catalog_hints
    (hit,) = world.memory.search_events("harbour").hits
    assert "evt_1" == hit.item["id"]
    graph = [r for r in world.model.requests if r.task == "project_graph"]
    assert all("catalog_hints" not in str(payload_of(r)) for r in graph)
    assert ["港口", "UI/UX"] == world.asked[0]["events"][0]["catalog_hints"]
