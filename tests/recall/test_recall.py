"""Activated memory on a real database: what is found, what is left out, what never happens."""

from itertools import repeat
from typing import Any

import pytest

from stratagate_core import Event, StrataGate
from stratagate_core.model.message import Message
from stratagate_core.testing import ScriptedModel
from tests.conftest import NO_GRAPH, Opener, RunSql

SUMMARY = {
    "l0_title": "A block",
    "l1_summary": "They talked.",
    "l0_tags": [],
    "l2_keypoints": [],
    "should_extract": False,
}
MARKER = "[No memory was activated]"


def quiet_model() -> ScriptedModel:
    """A model that summarises and never extracts, so that tests choose the events."""
    return ScriptedModel({"summarise_block": repeat(SUMMARY), "project_graph": repeat(NO_GRAPH)})


@pytest.fixture
def memory(open_memory: Opener) -> StrataGate:
    """A memory whose turns are sealed one by one, without events of their own."""
    return open_memory(
        settings={"block_turn_size": 1, "processing": "inline", "recall_messages": False},
        model=quiet_model(),
    )


def told(memory: StrataGate, text: str, title: str, *, thread: str = "old", **draft: Any) -> Event:
    """An event that rests on the user message of a new block."""
    block_id = memory.add_turn(text, "Noted.", thread=thread).sealed_block_id
    source = next(said for said in memory.thread_messages(thread) if said.block_id == block_id)
    card = {"title": title, "summary": text, "scope": "project"}
    cited = {"source_block_id": block_id, "source_message_ids": [source.id]}
    (event,) = memory.ingest_events([card | cited | draft])
    return event


def titles(memory: StrataGate, message: str, **options: Any) -> list[str]:
    """The titles of the activated events."""
    return sorted(event.title for event in memory.recall(message, **options).events)


def test_R_01_the_tail_speaks_along(memory: StrataGate) -> None:
    """The tail finds its event; pinned and safety events come along, unrelated ones do not."""
    told(memory, "The project moved from npm to pnpm.", "Moved to pnpm", quotes=["to pnpm"])
    told(memory, "Allergic to penicillin.", "Penicillin allergy", criticality="safety")
    memory.pin(told(memory, "Answers stay short.", "Short answers").id)
    told(memory, "The garden has roses.", "Roses")
    memory.add_turn("Shall we use pnpm here?", "Good idea.", work="append")

    recall = memory.recall("Continue with that plan.")

    assert sorted(event.title for event in recall.events) == [
        "Moved to pnpm",
        "Penicillin allergy",
        "Short answers",
    ]
    assert all(event.id in recall.text for event in recall.events)
    hidden = ("quote", "source", "count", "msg_", "blk_", "Shall we")
    assert [word for word in hidden if word in recall.text] == []


def test_R_01_recall_changes_nothing(memory: StrataGate) -> None:
    """Being shown neither reinforces an event nor opens a batch nor writes at all."""
    event = told(memory, "The project moved from npm to pnpm.", "Moved to pnpm")
    before = memory.stats()

    memory.recall("pnpm?")

    assert memory.stats() == before
    assert memory.event(event.id) == event
    assert memory.open_batches() == ()


def test_R_02_another_subject_activates_another_event(memory: StrataGate) -> None:
    """When the subject changes, so does the activated event."""
    told(memory, "The project moved from npm to pnpm.", "Moved to pnpm")
    told(memory, "Ann prefers oolong tea.", "Oolong tea")

    first = titles(memory, "How about pnpm?")
    second = titles(memory, "Which tea does Ann prefer?")

    assert (first, second) == (["Moved to pnpm"], ["Oolong tea"])


def test_R_03_session_events_stay_in_their_thread(memory: StrataGate) -> None:
    """A `session` event is seen in its own thread only."""
    told(memory, "Keep the oolong reply brief.", "Brief reply", thread="a", scope="session")
    told(memory, "Ann prefers oolong tea.", "Oolong tea", thread="a")

    assert titles(memory, "oolong", thread="b") == ["Oolong tea"]
    assert titles(memory, "oolong", thread="a") == ["Brief reply", "Oolong tea"]


def test_R_03_what_stands_in_the_request_is_left_out(memory: StrataGate) -> None:
    """Events are dropped while their sources stand there natively or as a deep view."""
    event = told(memory, "Ann prefers oolong tea.", "Oolong tea", thread="b")
    block_id = str(event.source_block_id)

    assert titles(memory, "oolong", thread="b") == ["Oolong tea"]
    assert titles(memory, "oolong", thread="b", present=[block_id]) == []
    assert titles(memory, "oolong", thread="b", present=event.source_message_ids) == []
    memory.expand_block(block_id, "L2", by="user")
    assert titles(memory, "oolong", thread="b", present=[block_id]) == ["Oolong tea"]


def test_messages_fill_what_is_left(open_memory: Opener) -> None:
    """Messages are shown verbatim with speaker and id; tails and tool results are not."""
    memory = open_memory(
        settings={"block_turn_size": 1, "processing": "inline"}, model=quiet_model()
    )
    memory.add_turn("The tea was oolong,\nI think.", "Oolong it is.", thread="old")
    memory.add_turn("Oolong elsewhere, unsealed.", "Yes.", thread="other", work="append")
    memory.add_turn("Oolong in my own tail.", "Yes.", work="append")
    memory.add_messages(
        [Message(role="user", content="Look."), Message(role="tool", content="oolong: 3")],
        thread="old",
    )

    recall = memory.recall("Which oolong?")

    said = [message for message in memory.thread_messages("old") if "oolong" in message.content]
    assert {message.thread for message in recall.messages} == {"old"}
    assert f"- user [{said[0].id}]: The tea was oolong,\n  I think." in recall.text
    assert "unsealed" not in recall.text
    assert "own tail" not in recall.text
    assert "oolong: 3" not in recall.text


def test_nothing_found_is_said(memory: StrataGate) -> None:
    """Without a match, and for a blank message, only the marker line stands."""
    told(memory, "Ann prefers oolong tea.", "Oolong tea")

    assert memory.recall("harbour").text == MARKER
    assert memory.recall("  ").text == MARKER


def test_chinese_memory_is_recalled(open_memory: Opener) -> None:
    """Chinese text is found and stands below a Chinese heading."""
    memory = open_memory(
        settings={"block_turn_size": 1, "processing": "inline", "language": "zh"},
        model=quiet_model(),
    )
    told(memory, "项目从 npm 迁移到包管理器 pnpm。", "迁移到 pnpm")

    text = memory.recall("我们用哪个包管理器？").text

    assert text.startswith("[激活的长期记忆]\n")
    assert "迁移到 pnpm" in text


def test_recall_can_be_switched_off(open_memory: Opener) -> None:
    """Switched off, recall is empty and says why."""
    recall = open_memory(settings={"recall_enabled": False}).recall("anything")

    assert (recall.text, recall.reasons) == ("", {"recall": "disabled"})


def test_budget_holds_with_many_events(memory: StrataGate) -> None:
    """The text stays within the budget however much matches."""
    for number in range(8):
        told(memory, f"Oolong {number} " + "very long tea story " * 40, f"Oolong {number}")

    recall = memory.recall("oolong")

    assert recall.tokens <= 900
    assert recall.reasons["events"] == "budget"


def test_R_11_a_failing_part_is_left_out(
    open_memory: Opener, run_sql: RunSql, caplog: pytest.LogCaptureFixture
) -> None:
    """What fails is named and logged without content; the rest is still recalled."""
    memory = open_memory(
        settings={"block_turn_size": 1, "processing": "inline"}, model=quiet_model()
    )
    memory.add_turn("The tea was oolong.", "Oolong it is.", thread="old")
    run_sql("DROP TABLE events")

    recall = memory.recall("Which oolong?")

    assert recall.reasons["events"] == "failed"
    assert "The tea was oolong." in recall.text
    assert "without events" in caplog.text
    assert "oolong" not in caplog.text
