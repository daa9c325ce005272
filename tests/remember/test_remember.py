"""Recording one fact on purpose: once, with its sources, and never at the cost of another."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core import Conflict, Disabled, InvalidArgument, Remembered, Settings, StrataGate
from stratagate_core.remember import rules
from stratagate_core.store import schema
from stratagate_core.testing import ScriptedModel
from stratagate_core.tools.protocol import protocol
from tests.bad_answers import DECIDE, UNUSABLE, USABLE
from tests.conftest import Opener

KILN = "The kiln of the shed is fired on Mondays."
#: about half of the words of KILN
LATER = "The kiln is fired on Fridays now, in Ghent."


#: what the model of `decided` is told to answer
TOLD: dict[str, Any] = {}


def deciding(answer: Any) -> ScriptedModel:
    """A model that decides as it is told and leaves everything else to rules."""
    return ScriptedModel({DECIDE: itertools.repeat(answer)})


def agent_events(memory: StrataGate) -> list[Any]:
    """Everything in the agent's pool, oldest first."""
    with memory._read() as work:
        table = schema.events
        query = sa.select(table).where(work.tx.of(table), table.c.pool == "agent")
        return list(work.tx.rows(query.order_by(table.c.created_at, table.c.id)))


@pytest.fixture
def quiet(open_memory: Opener) -> StrataGate:
    """A memory without a model whose jobs nobody runs."""
    return open_memory(settings={"processing": "external"})


def test_M_01_a_clearly_new_fact_is_added(quiet: StrataGate) -> None:
    """No model is asked; scope, tags, kind and graph job are those of an agent's event."""
    done = quiet.remember(KILN, category="decision")

    event = quiet.event(str(done.event_id))
    assert ("ADDED", "clear-new", True) == (done.action, done.gate, done.recorded)
    assert ("agent", "user", "decision") == (event.pool, event.scope, event.temporal.event_type)
    assert {"agent-recorded", "category:decision"} <= set(event.tags)
    assert KILN == event.summary
    assert ["pending"] == [job.status for job in quiet.jobs(kind="graph_projection")]
    assert 0 == quiet.stats()["events"]["superseded"]


@pytest.mark.parametrize(
    "again",
    [
        KILN,
        KILN.upper(),
        KILN.replace(" ", "  "),
        KILN.rstrip(".") + "!",
        "Ｔｈｅ ｋｉｌｎ of the shed is fired on Mondays.",
    ],
)
def test_M_02_the_same_again_is_one_event(quiet: StrataGate, again: str) -> None:
    """In another case, width, spacing or punctuation it is one event that counts two."""
    first, second = quiet.remember(KILN), quiet.remember(again)

    assert ("REINFORCED", first.event_id) == (second.action, second.event_id)
    assert 1 == len(agent_events(quiet))
    assert 2 == quiet.event(str(first.event_id)).weight.mention_count


def test_M_02_what_an_event_says_already_is_not_added(open_memory: Opener) -> None:
    """A text contained in an event of a conversation reinforces that event."""
    memory = open_memory(settings={"block_turn_size": 1, "processing": "inline"})
    memory.add_turn("We decided to fire the kiln of the shed on Mondays and Thursdays.", "Noted.")
    (known,) = memory.search_events("kiln").hits

    done = memory.remember("We decided to fire the kiln of the shed on Mondays and Thursdays.")
    assert ("REINFORCED", known.item["id"]) == (done.action, done.event_id)
    assert done.gate in ("near-duplicate", "exact-duplicate")
    assert [] == agent_events(memory)


def test_M_03_without_a_model_both_stay_in_conflict(quiet: StrataGate) -> None:
    """What may contradict is written beside it; each names the other and the old one is active."""
    first, second = quiet.remember(KILN), quiet.remember(LATER)

    assert ("CONFLICT_MARKED", "heuristic-conflict") == (second.action, second.gate)
    old, new = quiet.event(str(first.event_id)), quiet.event(str(second.event_id))
    assert (new.id,) == old.temporal.conflicts_with_event_ids
    assert (old.id,) == new.temporal.conflicts_with_event_ids
    assert "active" == old.status


def decision(memory: StrataGate, action: str, confidence: float | None, **more: Any) -> Remembered:
    """What becomes of LATER when the model decides so about KILN."""
    first = memory.remember(KILN)
    TOLD.update(action=action, existing_event_ids=[first.event_id], confidence=confidence, **more)
    return memory.remember(LATER)


@pytest.fixture
def decided(open_memory: Opener) -> StrataGate:
    """A memory whose model waits to be told what to decide."""
    TOLD.clear()
    return open_memory(model=deciding(lambda _: dict(TOLD)), settings={"processing": "external"})


def test_M_03_a_sure_replacement_supersedes(decided: StrataGate) -> None:
    """SUPERSEDE with 0.92: the old one is superseded, nothing is linked as a conflict."""
    done = decision(decided, "SUPERSEDE", 0.92)

    (old_id,) = done.existing_event_ids
    old, new = decided.event(old_id), decided.event(str(done.event_id))
    assert ("SUPERSEDED", "decider", 0.92) == (done.action, done.gate, done.confidence)
    assert ("superseded", ()) == (old.status, new.temporal.conflicts_with_event_ids)


def test_M_03_an_unsure_merge_is_a_conflict(decided: StrataGate) -> None:
    """MERGE with 0.6 is written beside the other, and says what it was downgraded from."""
    done = decision(decided, "MERGE", 0.6, merged_candidate={"title": "K", "summary": "Both."})

    assert ("CONFLICT_MARKED", "MERGE") == (done.action, done.downgraded_from)
    assert LATER == decided.event(str(done.event_id)).summary


def test_M_03_a_sure_merge_is_one_event(decided: StrataGate) -> None:
    """MERGE with 0.9 writes the merged text in place of the target."""
    merged = {"title": "Kiln", "summary": "The kiln is fired on Mondays and, in Ghent, on Fridays."}
    done = decision(decided, "MERGE", 0.9, merged_candidate=merged)

    assert "MERGED" == done.action
    assert merged["summary"] == decided.event(str(done.event_id)).summary
    assert "superseded" == decided.event(done.existing_event_ids[0]).status


@pytest.mark.parametrize("action", ["IGNORE", "WHATEVER"])
def test_M_03_ignored_is_not_written(decided: StrataGate, action: str) -> None:
    """IGNORE, and what no one knows, writes nothing."""
    done = decision(decided, action, 0.99)

    assert ("IGNORED", False, None) == (done.action, done.recorded, done.event_id)
    assert 1 == len(agent_events(decided))


@pytest.mark.parametrize("confidence", [None, 7.0, -1.0, float("nan")])
def test_M_03_a_confidence_is_brought_inside(confidence: float | None) -> None:
    """Missing counts as one half, the rest is clamped."""
    assert 0.0 <= rules.confidence_of(confidence) <= 1.0


@pytest.mark.parametrize("name", UNUSABLE)
def test_M_03_a_failing_model_costs_no_fact(open_memory: Opener, name: str) -> None:
    """A model that fails, or says nothing usable, leaves both facts as a conflict."""
    memory = open_memory(model=deciding(UNUSABLE[name]), settings={"processing": "external"})
    memory.remember(KILN)
    done = memory.remember(LATER)

    assert ("CONFLICT_MARKED", "decider-error") == (done.action, done.gate)
    assert LATER == memory.event(str(done.event_id)).summary


@pytest.mark.parametrize("name", USABLE)
def test_M_03_an_oddly_written_decision_is_read(open_memory: Opener, name: str) -> None:
    """However it is wrapped, the decision holds."""
    memory = open_memory(model=deciding(USABLE[name]), settings={"processing": "external"})
    memory.remember(KILN)

    done = memory.remember(LATER)
    assert ("ADDED", "decider") == (done.action, done.gate)


def test_M_04_an_identical_record_that_was_finished_meanwhile(open_memory: Opener) -> None:
    """While the model runs another call records the same: then it is a duplicate of it."""
    handles: list[StrataGate] = []

    def meanwhile(_request: Any) -> Any:
        handles[0].remember(LATER)
        return {"action": "ADD", "confidence": 0.9}

    model = deciding(meanwhile)
    memory = open_memory(model=model, settings={"processing": "external"})
    memory.remember(KILN)
    other = open_memory(settings={"processing": "external"})
    handles.append(other)
    done = memory.remember(LATER)

    assert ("REINFORCED", "exact-duplicate") == (done.action, done.gate)
    assert 2 == len(agent_events(memory))


def test_M_05_sources_are_what_was_said_last(open_memory: Opener) -> None:
    """Messages of the open tail, else of the latest block, else a block of its own."""
    memory = open_memory(settings={"block_turn_size": 2, "processing": "external"})
    alone = memory.remember("The shed stands in Ghent.", thread="nobody")
    memory.add_turn("Shall we fire the kiln?", "On Mondays.")
    tail = memory.remember(KILN)
    memory.add_turn("And glazing?", "On Sundays.")
    memory.seal_tails()
    sealed = memory.remember("Glazing happens on Sundays.")

    said = {
        key: memory.sources(str(one.event_id))
        for key, one in {"tail": tail, "sealed": sealed, "alone": alone}.items()
    }
    assert ["Shall we fire the kiln?", "On Mondays."] == [m.content for m in said["tail"]]
    assert (None, memory.blocks()[0].id) == (tail.source_block_id, sealed.source_block_id)
    assert "On Sundays." == said["sealed"][-1].content
    assert [("assistant", "The shed stands in Ghent.")] == [
        (message.role, message.content) for message in said["alone"]
    ]
    assert () == memory.thread_messages("nobody")


def test_M_06_agent_events_are_events(open_memory: Opener) -> None:
    """Other threads find them after a restart; they are adopted and forgotten like any."""
    memory = open_memory(settings={"processing": "inline"})
    done = memory.remember(KILN, thread="a")
    memory.close()
    memory = open_memory(settings={"processing": "inline"})
    found = memory.search_events("kiln", thread="b", open_batch=True)
    (hit,) = found.hits

    assert (done.event_id, "agent-recorded") == (hit.item["id"], hit.item["source"])
    memory.assess("sufficient", [hit.ref], batch_id=found.batch_id, thread="b")
    assert memory.record_use([hit.ref], batch_id=found.batch_id, thread="b").incremented
    memory.forget(str(done.event_id))
    assert () == memory.search_events("kiln").hits
    again = memory.remember(KILN)
    assert ("ADDED", True) == (again.action, again.event_id != done.event_id)


def test_M_07_it_can_be_switched_off(open_memory: Opener) -> None:
    """Then there is no tool, a call names the setting, and the protocol does not speak of it."""
    toolkit: Any = pytest.importorskip("stratagate_lc.langchain").StrataGateToolkit
    memory = open_memory(settings={"agent_memory_enabled": False})

    with pytest.raises(Disabled, match="agent_memory_enabled"):
        memory.remember(KILN)
    assert "memory_remember" not in {tool.name for tool in toolkit(memory).get_tools()}
    assert "memory_remember" not in protocol(memory.settings())
    assert "memory_remember" in protocol(Settings())
    assert "memory_remember" in protocol(Settings(language="zh"))


def test_S_04_L_04_weight_zero_hides_the_agents_pool(open_memory: Opener) -> None:
    """Stored and listed, but not searched and not recalled."""
    memory = open_memory(settings={"processing": "inline"})
    done = memory.remember(KILN, category="preference")
    memory.save_settings(agent_memory_retrieval_weight=0.0)

    assert () == memory.search_events("kiln").hits
    assert (
        "kiln"
        not in memory.recall("When is the kiln fired?", thread="b")
        .text.casefold()
        .replace("knowledge", "")
        or () == memory.recall("When is the kiln fired?", thread="b").events
    )
    assert "active" == memory.event(str(done.event_id)).status


def test_a_repeated_call_writes_nothing(quiet: StrataGate) -> None:
    """The same receipt gives the stored result; with another content it is an error."""
    first = quiet.remember(KILN, receipt="call_1")

    assert first == quiet.remember(KILN, receipt="call_1")
    assert 1 == quiet.event(str(first.event_id)).weight.mention_count
    with pytest.raises(Conflict, match="call_1"):
        quiet.remember("Something else.", receipt="call_1")


def test_sixteen_threads_leave_one_current(quiet: StrataGate) -> None:
    """Near-duplicates recorded at once: one event is current, and it counts all of them."""
    ready = threading.Barrier(16)
    marks = ("", "!", "!!", " …")

    def record(number: int) -> Remembered:
        ready.wait(timeout=60)
        return quiet.remember(KILN.rstrip(".") + marks[number % 4], thread=f"t{number}")

    with ThreadPoolExecutor(16) as pool:
        done = list(pool.map(record, range(16)))

    assert 1 == len({one.event_id for one in done})
    (event,) = agent_events(quiet)
    assert ("active", 16) == (event.status, quiet.event(event.id).weight.mention_count)


def test_figures_tell_facts_apart(quiet: StrataGate) -> None:
    """June 13 is not June 20, however alike the rest is."""
    quiet.remember("The open day of the shed is on June 13, at noon, in Ghent.")
    done = quiet.remember("The open day of the shed is on June 20, at noon, in Ghent.")

    assert "CONFLICT_MARKED" == done.action
    assert 2 == len(agent_events(quiet))


@pytest.mark.parametrize(
    ("content", "category", "words"),
    [("  ", None, "content"), (KILN, "rumour", "category"), (3, None, "content")],
)
def test_bad_input_is_refused(quiet: StrataGate, content: Any, category: Any, words: str) -> None:
    """By name, and nothing is written."""
    with pytest.raises(InvalidArgument, match=words):
        quiet.remember(content, category=category)
    assert [] == agent_events(quiet)


@given(st.text(min_size=1, max_size=300))
def test_any_text_makes_a_candidate_within_bounds(text: str) -> None:
    """Titles and summaries keep their limits in any script."""
    try:
        candidate = rules.candidate_of(text, None)
    except InvalidArgument:
        assert not text.strip()
        return
    assert 1 <= len(candidate.title) <= rules.TITLE
    assert len(candidate.summary) <= rules.SUMMARY


def test_chinese_is_remembered(quiet: StrataGate) -> None:
    """Equal but for width and marks is one event; the tool does the same."""
    first = quiet.remember("窑每周一点火。以后不变。", category="decision")
    second = quiet.remember("窑每周一点火，以后不变！")

    assert "窑每周一点火" == quiet.event(str(first.event_id)).title
    assert first.event_id == second.event_id


def test_purging_takes_the_words_with_it(quiet: StrataGate) -> None:
    """The event and the record of its call lose what was purged."""
    done = quiet.remember(KILN, receipt="call_1")
    quiet.purge(events=[str(done.event_id)])

    with quiet._read() as work:
        (row,) = work.tx.rows(sa.select(schema.memory_records))
    assert (None, "") == (row.event_id, row.body_hash)
    assert () == quiet.search_events("kiln").hits


def test_export_holds_what_was_recorded(quiet: StrataGate, tmp_path: Path) -> None:
    """The records stand in the export."""
    quiet.remember(KILN)
    quiet.export(tmp_path / "all.jsonl")

    assert '"kind":"memory_record"' in (tmp_path / "all.jsonl").read_text(encoding="utf-8")


def test_a_source_that_is_no_conversation(open_memory: Opener) -> None:
    """It is found and cited like what was said, and no event is read out of it."""
    memory = open_memory(settings={"processing": "inline"})
    at = datetime(2026, 3, 2, tzinfo=UTC)
    block = memory.add_source(
        "Manual\n\nThe kiln needs dry clay.\nI live in Ghent.",
        title="Manual of the kiln",
        at=at,
        metadata={"page": 3},
    )

    (hit,) = memory.search_raw("dry clay", metadata={"page": 3}).hits
    shown = memory.expand_block(block.id, "L0")["results"][0]["content"]
    assert ("ready", True) == (block.status, shown.startswith("Manual of the kiln"))
    assert at == memory.sources(hit.ref)[0].created_at
    assert () == memory.search_events("kiln").hits
    assert () == memory.threads()
    (event,) = memory.ingest_events(
        [{"title": "Dry clay", "summary": "Dry clay only.", "source_message_ids": [hit.item["id"]]}]
    )
    assert "Manual" in memory.sources(event.id)[0].content
    for wrong in ({"text": " ", "title": "a"}, {"text": "a", "title": ""}):
        with pytest.raises(InvalidArgument, match="text and a title"):
            memory.add_source(**wrong)  # type: ignore[arg-type]
