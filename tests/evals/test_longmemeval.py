"""Reading the LongMemEval format."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from stratagate_core import InvalidArgument, Message
from stratagate_core.evals.dataset import Conversation
from stratagate_core.evals.longmemeval import read_longmemeval, read_time
from tests.evals.made import INSTANCES, write


@pytest.fixture
def conversations(tmp_path: Path) -> tuple[Conversation, ...]:
    """The made-up instances, read from a file."""
    return read_longmemeval(write(tmp_path / "made.json", INSTANCES))


def test_every_question_has_a_conversation(conversations: tuple[Conversation, ...]) -> None:
    """Each instance is a conversation of its own, named by its question."""
    found = [(each.id, each.namespace, len(each.questions)) for each in conversations]
    assert found == [
        ("made_q1", "longmemeval:made_q1", 1),
        ("made_q2", "longmemeval:made_q2", 1),
        ("made_q3_abs", "longmemeval:made_q3_abs", 0),
    ]


def test_sessions_stand_in_order_of_time(conversations: tuple[Conversation, ...]) -> None:
    """The earlier session comes first; nothing of a message tells which holds the answer."""
    first = conversations[0]
    assert [[message.id for message in turn] for turn in first.turns] == [
        ["2:1", "2:2"],
        ["2:3"],
        ["1:1", "1:2"],
    ]
    assert first.messages[0] == Message(
        role="user",
        id="2:1",
        content="How long do lentils cook?",
        created_at=datetime(2023, 5, 20, 2, 21, tzinfo=UTC),
        metadata={"session": 2},
    )


def test_evidence_is_marked_turns_and_named_sessions(
    conversations: tuple[Conversation, ...],
) -> None:
    """Marked turns are evidence; a named session counts though no turn of it is marked."""
    asked = [question for each in conversations for question in each.questions]
    assert [(each.category, each.evidence, each.sessions) for each in asked] == [
        ("single-session-user", {"1:1"}, {1}),
        ("multi-session", frozenset(), {1}),
    ]
    assert [each.skipped_ids for each in conversations] == [0, 1, 0]


def test_unanswerable_questions_are_left_out(conversations: tuple[Conversation, ...]) -> None:
    """What was never said has no evidence, whatever is marked."""
    assert [each.skipped for each in conversations] == [0, 0, 1]


def test_read_time() -> None:
    """Session times are read with and without the day of the week."""
    expected = datetime(2023, 5, 20, 2, 21, tzinfo=UTC)
    assert [read_time("2023/05/20 (Sat) 02:21"), read_time("2023/05/20 02:21")] == [expected] * 2


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "holds no conversations"),
        ({}, "the whole: Input should be a valid list"),
        ([{}], "0.question_id: Field required"),
        ([INSTANCES[2]], "no question that cites a message"),
        ([INSTANCES[0], INSTANCES[0]], "two conversations called 'made_q1'"),
        ([{**INSTANCES[1], "haystack_dates": []}], "as many ids and dates as sessions"),
        ([{**INSTANCES[1], "haystack_dates": ["x"]}], "0.haystack_dates.0: Value error, time data"),
        (
            [{**INSTANCES[1], "haystack_sessions": [[{"role": "cook", "content": "Hi."}]]}],
            "0.haystack_sessions.0.0.role: Input should be 'user' or 'assistant'",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, value: Any, complaint: str) -> None:
    """The place and the fault are named."""
    with pytest.raises(InvalidArgument, match=complaint):
        read_longmemeval(write(tmp_path / "foreign.json", value))
