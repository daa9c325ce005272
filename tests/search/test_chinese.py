"""Ranking in Chinese: names, questions, dates and kinds work as they do in English."""

from datetime import datetime

import pytest

from stratagate_core import Message, StrataGate
from tests.conftest import Opener
from tests.data.chinese_talk import QUESTIONS, SESSIONS


@pytest.fixture
def memory(open_memory: Opener) -> StrataGate:
    """A memory that was told the conversation."""
    memory = open_memory(settings={"block_turn_size": 6, "processing": "external"})
    for number, (at, session) in enumerate(SESSIONS, 1):
        for place, (name, words) in enumerate(session, 1):
            _say(memory, f"{number}:{place}", name, words, at)
    return memory


def _say(memory: StrataGate, key: str, name: str, words: str, at: datetime) -> None:
    role = "user" if name == "林晓" else "assistant"
    message = Message(id=key, role=role, name=name, content=words, created_at=at)
    memory.add_messages([message])


def recall_at_ten(memory: StrataGate, question: str, evidence: frozenset[str]) -> float:
    """The share of the evidence among the first ten messages."""
    found = memory.search_raw(question, limit=10, include_tail=True)
    return len(evidence & {hit.item["id"] for hit in found.hits}) / len(evidence)


def test_evidence_is_found(memory: StrataGate) -> None:
    """At least four fifths of the evidence stand among ten of forty-eight messages."""
    found = {text: recall_at_ten(memory, text, evidence) for text, evidence in QUESTIONS}
    assert sum(found.values()) / len(found) >= 0.8, found


def first(memory: StrataGate, question: str) -> str:
    """The id of the best message."""
    return str(memory.search_raw(question, include_tail=True).hits[0].item["id"])


def test_the_answer_follows_its_question(memory: StrataGate) -> None:
    """`九岁` shares no word with what is asked; the message before it asks the same."""
    assert first(memory, "女儿几岁了？") == "4:8"


def test_a_named_speaker_comes_first(memory: StrataGate) -> None:
    """A name is a prior for what that person said, and is no word to look for."""
    hits = memory.search_raw("周航做了什么手术", include_tail=True, explain=True).hits
    signals = {hit.item["id"]: hit.signals for hit in hits}
    assert signals["6:6"]["speaker"] > 0
    assert "speaker" not in signals["3:1"]


def test_a_day_finds_what_was_said_on_it(memory: StrataGate) -> None:
    """A date of the query is held against the days of the messages."""
    hits = memory.search_raw("2025年5月18日去了哪里", include_tail=True, explain=True).hits
    assert {hit.item["id"].split(":")[0] for hit in hits if "date" in hit.signals} == {"4"}
    assert hits[0].item["id"].startswith("4:")
