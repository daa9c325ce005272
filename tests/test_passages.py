"""What both retrievers make of search hits: full text, its source, and much in few tokens."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stratagate_core import InvalidArgument, StrataGate
from stratagate_lc.finding import Finding
from stratagate_lc.passages import Passage
from tests.conftest import Opener

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def found(memory: StrataGate, query: str, *, limit: int = 20, **options: Any) -> list[Passage]:
    """The passages for a query."""
    return Finding(**options).find(memory, query, limit=limit, thread=None)[0]


def two_days(memory: StrataGate) -> StrataGate:
    """Five messages about one kiln on two days of one conversation, and one of another."""
    memory.add_turn("The kiln came.", "Is the kiln heavy?", at=MONDAY)
    memory.add_turn("The kiln weighs 40 kilos.", "Good.", at=MONDAY + timedelta(minutes=1))
    memory.add_turn("The kiln is broken.", "Sorry.", at=MONDAY + timedelta(days=1))
    memory.add_turn("My kiln is red.", "I see.", at=MONDAY, thread="other")
    return memory


def test_a_budget_puts_a_day_of_a_conversation_together(memory: StrataGate) -> None:
    """Messages of one day stand below one date, as they were said; other days and threads apart."""
    packed = found(two_days(memory), "kiln", kind="raw", max_tokens=1000)

    assert {
        "2026-03-02\nuser: The kiln came.\nassistant: Is the kiln heavy?\n"
        "user: The kiln weighs 40 kilos.",
        "2026-03-03\nuser: The kiln is broken.",
        "2026-03-02\nuser: My kiln is red.",
    } == {passage.text for passage in packed}
    day = next(passage for passage in packed if "came" in passage.text)
    assert 3 == len(day.message_ids)
    assert day.key in day.message_ids


@pytest.mark.parametrize("budget", range(5, 60, 3))
def test_a_budget_is_kept(memory: StrataGate, budget: int) -> None:
    """What is given fits, and a larger budget never gives less."""
    two_days(memory)
    packed, wider = (found(memory, "kiln", kind="raw", max_tokens=n) for n in (budget, budget + 5))

    def shown(passages: list[Passage]) -> set[str]:
        return {line for passage in passages for line in passage.text.splitlines()}

    assert sum(memory.count_tokens(passage.text) for passage in packed) <= budget
    assert shown(packed) <= shown(wider)


def test_what_is_assessed_stays_single(memory: StrataGate) -> None:
    """With a batch every message has a ref of its own, budget or not."""
    two_days(memory)
    finding = Finding(kind="raw", max_tokens=1000, open_batch=True)
    passages, batch = finding.find(memory, "kiln", limit=20, thread="main")

    assert batch is not None
    assert 1 == len({passage.ref for passage in passages}) / len(passages)
    assert all(passage.message_ids == () for passage in passages)


def test_long_texts_come_in_full(memory: StrataGate) -> None:
    """A passage is the whole message, where a card of a search holds an excerpt."""
    said = "The kiln needs " + "very " * 300 + "dry clay."
    memory.add_turn(said, "I see.")

    assert [f"user: {said}"] == [
        passage.text for passage in found(memory, "kiln", kind="raw", window=0)
    ]


def test_what_is_so_now_is_a_kind(open_memory: Opener) -> None:
    """A node is a passage with its facts, the present first."""
    memory = open_memory(settings={"block_turn_size": 1})
    memory.add_turn("I live in Ghent.", "Noted.", at=MONDAY)
    memory.add_turn("I moved to Bruges.", "Noted.", at=MONDAY + timedelta(days=9))

    (node,) = found(memory, "home", kind="graph")
    (before,) = found(memory, "home", kind="graph", filters={"as_of": MONDAY + timedelta(days=1)})

    assert "node" == node.kind
    assert [
        "User (person)",
        "home: Bruges",
        "User located in Bruges",
        "(before) home: Ghent",
    ] == node.text.splitlines()[:4]
    assert ["User (person)", "home: Ghent"] == before.text.splitlines()[:2]
    assert {"memory_id", "kind", "source"} == node.metadata(UTC).keys()


def test_times_are_local(open_memory: Opener) -> None:
    """Metadata and date lines are of the display timezone."""
    memory = open_memory(settings={"display_timezone": "Asia/Shanghai"})
    memory.add_turn("The kiln came.", "Good.", at=datetime(2026, 3, 2, 20, 0, tzinfo=UTC))

    (packed,) = found(memory, "kiln", kind="raw", max_tokens=100)

    assert "2026-03-03\nuser: The kiln came." == packed.text
    zone = memory.settings().timezone
    assert "2026-03-03T04:00:00+08:00" == packed.metadata(zone)["created_at"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"kind": "topics"}, "kind must be one of auto, both, events, graph, raw"),
        ({"kind": "graph", "filters": {"scope": "session"}}, "it has as_of, known_at"),
        ({"window": 3}, "window must be 0, 1 or 2"),
        ({"min_score": -1}, "min_score must lie between 0 and 1"),
        ({"max_tokens": 0}, "max_tokens must be 1 or more"),
    ],
)
def test_bad_arguments_are_refused(wrong: dict[str, Any], words: str) -> None:
    """What is not acceptable is refused by name when a retriever is made."""
    with pytest.raises(InvalidArgument, match=words):
        Finding(**wrong)
