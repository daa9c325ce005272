"""Running an evaluation."""

from dataclasses import replace
from pathlib import Path

import pytest

from stratagate_core import InvalidArgument, StrataGate
from stratagate_core.evals.beam import read_beam
from stratagate_core.evals.dataset import Conversation
from stratagate_core.evals.harness import evaluate, ingest
from stratagate_core.evals.items import event_items, message_items
from stratagate_core.evals.locomo import read_locomo
from stratagate_core.evals.longmemeval import read_longmemeval
from stratagate_core.evals.rivals import RankBm25
from tests.conftest import Opener
from tests.evals.made import CONVERSATION, INSTANCES, write, write_chat

LOCOMO = Path(__file__).parents[2].parent / "shared" / "data" / "locomo" / "locomo-dev.json"


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    """The made-up conversation."""
    return read_locomo(write(tmp_path / "made.json", [CONVERSATION]))[0]


def test_evaluate_scores_all_ways(memory: StrataGate, conversation: Conversation) -> None:
    """Messages, events and the baseline are scored overall and by category."""
    told: list[str] = []
    report = evaluate(memory, [conversation], baseline=True, progress=told.append)
    assert list(report.sets) == ["search_raw", "search_events", "baseline"]
    raw = report.sets["search_raw"]
    assert list(raw.by_category) == ["multi-hop", "single-hop", "temporal"]
    assert raw.by_category["single-hop"]["recall@1"] == 1.0
    assert raw.overall["recall@10"] == pytest.approx(
        sum(score["recall@10"] for score in raw.by_category.values()) / 3
    )
    assert raw.by_conversation == {"made-1": raw.overall}
    assert raw.tokens > 0
    assert told == ["1/1 made-1: telling 6 messages", "1/1 made-1: asking 3 questions"]


def test_evaluate_says_what_was_missed(memory: StrataGate, conversation: Conversation) -> None:
    """Questions of which evidence was missed are kept for each search of ours, not for rivals."""
    report = evaluate(memory, [conversation], baseline=True)
    assert {each.search for each in report.failures} <= {"search_raw", "search_events"}
    missed = [each for each in report.failures if each.question == "When?"]
    assert [[(one.id, one.why) for one in each.missed] for each in missed] == [
        [("D10:1", "no shared word")],
        [("D10:1", "no shared word")],
    ]


def test_evaluate_longmemeval(memory: StrataGate, tmp_path: Path) -> None:
    """Where only sessions are cited, a question counts for the measures of sessions alone."""
    conversations = read_longmemeval(write(tmp_path / "made.json", INSTANCES))
    raw = evaluate(memory, conversations).sets["search_raw"]
    assert raw.by_category["single-session-user"]["recall@1"] == 1.0
    assert raw.by_category["multi-session"] == {
        "session_hit@1": 1.0,
        "session_hit@5": 1.0,
        "session_ndcg@5": 1.0,
    }


def test_evaluate_beam(memory: StrataGate, tmp_path: Path) -> None:
    """Chats with an assistant are told and found by what the questions share with them."""
    raw = evaluate(memory, read_beam(write_chat(tmp_path / "7"))).sets["search_raw"]
    assert raw.by_category["information_extraction"]["recall@5"] == 1.0
    assert raw.by_category["knowledge_update"]["recall@5"] == 1.0


def test_windows_stay_in_their_session(conversation: Conversation) -> None:
    """A window reaches two messages to either side, not into another session."""
    windows = {key: each.window for key, each in message_items(conversation).items()}
    assert windows["D1:2"] == {"D1:1", "D1:2", "D1:3", "D1:4"}
    assert windows["D10:1"] == {"D10:1"}


def test_an_event_covers_its_sources(memory: StrataGate, conversation: Conversation) -> None:
    """It is shown with the date of its first source, and its window is around all of them."""
    ingest(memory, conversation)
    found = memory.search_events("tortoise", limit=1).hits[0].item["id"]
    shown = event_items(memory, conversation)(str(found))
    assert "D1:1" in shown.covers
    assert shown.covers < shown.window
    assert (shown.date, shown.sessions) == ("[2023-05-08 13:56]", (1,))


def test_context_counts_blocks_and_tail(memory: StrataGate, conversation: Conversation) -> None:
    """Two of three turns are a block; what is layered and what was said are both counted."""
    context = evaluate(memory, [conversation]).context
    assert context.full_tokens > 0
    assert context.share == context.layered_tokens / context.full_tokens


def test_ingest_is_idempotent(memory: StrataGate, conversation: Conversation) -> None:
    """A conversation that is told twice stands there once, with its own message ids."""
    ingest(memory, conversation)
    ingest(memory, conversation)
    stored = [message.id for message in memory.thread_messages()]
    assert stored == [message.id for message in conversation.messages]


def test_another_version_of_the_data(memory: StrataGate, conversation: Conversation) -> None:
    """A memory that holds other messages of the conversation is refused, not measured."""
    ingest(memory.for_namespace(conversation.namespace), conversation)
    shorter = replace(conversation, turns=conversation.turns[:1])
    with pytest.raises(InvalidArgument, match="holds other messages of made-1"):
        evaluate(memory, [shorter])


def test_baseline_ranks_by_shared_words(conversation: Conversation) -> None:
    """Only messages that share a word are found, the best first."""
    ranker = RankBm25(conversation.messages)
    assert ranker.search("kayak bought", 5)[0] == "D1:3"
    assert ranker.search("zeppelin", 5) == []


@pytest.mark.slow
@pytest.mark.skipif(not LOCOMO.is_file(), reason="the LoCoMo development conversations are absent")
def test_raw_search_is_well_above_the_baseline(open_memory: Opener) -> None:
    """On the first development conversation raw search finds far more than rank_bm25."""
    memory = open_memory(settings={"block_turn_size": 6, "processing": "external"})
    conversations = read_locomo(LOCOMO)[:1]
    report = evaluate(memory, conversations, baseline=True)
    raw, baseline = (report.sets[way].overall["recall@10"] for way in ("search_raw", "baseline"))
    assert raw >= 0.78
    assert raw >= baseline + 0.30
