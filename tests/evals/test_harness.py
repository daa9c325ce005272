"""Running an evaluation."""

import json
from pathlib import Path

import pytest

from stratagate_core import StrataGate
from stratagate_core.evals.harness import evaluate, ingest
from stratagate_core.evals.locomo import Conversation, read_locomo
from stratagate_core.evals.rivals import RankBm25
from tests.conftest import Opener
from tests.evals.made import CONVERSATION

LOCOMO = Path(__file__).parents[2].parent / "shared" / "data" / "locomo" / "locomo-dev.json"


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    """The made-up conversation."""
    path = tmp_path / "made.json"
    path.write_text(json.dumps([CONVERSATION]), encoding="utf-8")
    return read_locomo(path)[0]


def test_evaluate_scores_all_ways(memory: StrataGate, conversation: Conversation) -> None:
    """Messages, events and the baseline are scored overall and by category."""
    told: list[str] = []
    report = evaluate(memory, [conversation], baseline=True, progress=told.append)
    assert list(report.sets) == ["search_raw", "search_events", "baseline"]
    assert report.questions == {"multi-hop": 1, "temporal": 1, "single-hop": 1}
    counted = (report.conversations, report.messages, report.skipped)
    assert counted == (1, 6, 2)
    raw = report.sets["search_raw"]
    assert list(raw.by_category) == ["multi-hop", "temporal", "single-hop"]
    assert raw.by_category["single-hop"]["recall@1"] == 1.0
    assert raw.overall["recall@10"] == pytest.approx(
        sum(score["recall@10"] for score in raw.by_category.values()) / 3
    )
    assert set(report.seconds) == {"ingest", "search_raw", "search_events", "baseline"}
    assert told == ["1/1 made-1: telling 6 messages", "1/1 made-1: asking 3 questions"]


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
