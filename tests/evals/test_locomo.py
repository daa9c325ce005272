"""Reading the LoCoMo format."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from stratagate_core import InvalidArgument, Message
from stratagate_core.evals.corrections import read_corrections
from stratagate_core.evals.dataset import Conversation
from stratagate_core.evals.locomo import read_citation, read_locomo, read_time
from tests.evals.made import CONVERSATION, write


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    """The made-up conversation, read from a file."""
    (read,) = read_locomo(write(tmp_path / "made.json", [CONVERSATION]))
    return read


def test_turns_begin_where_the_first_speaker_speaks_again(conversation: Conversation) -> None:
    """What one speaker says in a row is one turn with the answer; a session begins anew."""
    assert [[str(message.id) for message in turn] for turn in conversation.turns] == [
        ["D1:1", "D1:2", "D1:3", "D1:4"],
        ["D1:5"],
        ["D10:1"],
    ]


def test_messages_keep_speaker_time_caption_and_id(conversation: Conversation) -> None:
    """Speakers become roles and names, captions are text, session times are message times."""
    assert conversation.messages[1] == Message(
        role="user",
        name="Ana",
        id="D1:2",
        content="Look!\nImage: a green shell",
        created_at=datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        metadata={"session": 1},
    )
    last = conversation.messages[-1]
    assert (last.role, last.name, last.metadata) == ("assistant", "Ben", {"session": 10})


def test_questions_have_evidence_that_exists(conversation: Conversation) -> None:
    """Citations are repaired or skipped and counted; questions without any are left out."""
    found = [
        (asked.category, sorted(asked.evidence), sorted(asked.sessions))
        for asked in conversation.questions
    ]
    assert found == [
        ("single-hop", ["D1:1"], [1]),
        ("multi-hop", ["D10:1", "D1:3"], [1, 10]),
        ("temporal", ["D10:1"], [10]),
    ]
    counted = (conversation.skipped, conversation.repaired_ids, conversation.skipped_ids)
    assert counted == (2, 2, 3)


@pytest.mark.parametrize(
    ("citation", "expected"),
    [
        ("D8:6", (("D8:6",), False)),
        ("D8:6; D9:17", (("D8:6", "D9:17"), True)),
        ("D8:6 D9:17", (("D8:6", "D9:17"), True)),
        ("D:11:26", (("D11:26",), True)),
        ("D30:05", (("D30:5",), True)),
        ("D", ((), False)),
        ("", ((), False)),
    ],
)
def test_read_citation(citation: str, expected: tuple[tuple[str, ...], bool]) -> None:
    """Malformed citations are read where it is certain what they mean."""
    assert read_citation(citation) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:05 am on 1 June, 2023", datetime(2023, 6, 1, 0, 5, tzinfo=UTC)),
    ],
)
def test_read_time(text: str, expected: datetime) -> None:
    """Session times are read as written."""
    assert read_time(text) == expected


def _without(key: str) -> list[dict[str, Any]]:
    return [{name: value for name, value in CONVERSATION.items() if name != key}]


def _talk(**changes: Any) -> list[dict[str, Any]]:
    return [{**CONVERSATION, "conversation": {**CONVERSATION["conversation"], **changes}}]


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "holds no conversations"),
        ({}, "the whole: Input should be a valid list"),
        (1, "the whole: Input should be a valid list"),
        ([1], "0: Input should be a valid dictionary$"),
        (_without("sample_id"), "0.sample_id: Field required"),
        (_without("qa"), "0.qa: Field required"),
        ([{**CONVERSATION, "qa": []}], "no question that cites a message"),
        ([{**CONVERSATION, "qa": {}}], "0.qa: Input should be a valid list"),
        ([{**CONVERSATION, "conversation": []}], "0.conversation: "),
        ([CONVERSATION, CONVERSATION], "two conversations called 'made-1'"),
        (_talk(speaker_a=None), "0.conversation.speaker_a: Input should be a valid string"),
        (_talk(session_1=None), "0.conversation.sessions.0.messages: Input should be a valid list"),
        (_talk(session_1_date_time="soon"), "sessions.0.time: Value error, time data 'soon'"),
        (
            _talk(session_1=[{"speaker": "Ana", "text": "Hi."}]),
            "sessions.0.messages.0.dia_id: Field required",
        ),
        (
            _talk(session_1=[{"speaker": "Ana", "text": "Hi.", "dia_id": " "}]),
            "sessions.0.messages.0.dia_id: String should have at least 1 character",
        ),
        (
            _talk(session_10=[{"speaker": "Ana", "text": "Hi.", "dia_id": "D1:1"}]),
            "two messages 'D1:1' in made-1",
        ),
        (
            [{**CONVERSATION, "qa": [{"question": "Who?", "category": 6}]}],
            "0.qa.0.category: Value error, no category 6",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, value: Any, complaint: str) -> None:
    """The file, the place in it and the fault are named; nothing else is raised."""
    path = write(tmp_path / "foreign.json", value)
    with pytest.raises(InvalidArgument, match=complaint) as raised:
        read_locomo(path)
    assert raised.value.message.startswith(str(path))
    assert "\n" not in raised.value.message


def test_corrections_replace_what_is_cited(tmp_path: Path) -> None:
    """Known errors are put right, counted, and may leave a question out."""
    entries = [
        {"question": "Who is the tortoise that Ana adopted?", "correct_evidence": ["D1:2"]},
        {"question": "When? ", "correct_evidence": [], "conversation": "made-1"},
        {"question": "Why?", "correct_evidence": ["D1:5"], "cited_evidence": []},
        {"question": "Who?", "correct_evidence": ["D1:5"], "cited_evidence": ["D7:8"]},
        {"question": "Who?", "correct_evidence": ["D1:5"], "conversation": "made-2"},
    ]
    corrections = read_corrections(write(tmp_path / "errors.json", entries))
    (read,) = read_locomo(write(tmp_path / "made.json", [CONVERSATION]), corrections)
    assert read.corrected == 3
    assert read.skipped == 2
    assert [(asked.text, sorted(asked.evidence)) for asked in read.questions] == [
        ("Who is the tortoise that Ana adopted?", ["D1:2"]),
        ("Where and with what does Ben paddle?", ["D10:1", "D1:3"]),
        ("Why?", ["D1:5"]),
    ]


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "holds no corrections"),
        ({}, "is not a list of corrections file: the whole"),
        ([{"question": "Who?"}], "0.correct_evidence: Field required"),
    ],
)
def test_corrections_that_cannot_be_read(tmp_path: Path, value: Any, complaint: str) -> None:
    """A list of another shape is refused."""
    with pytest.raises(InvalidArgument, match=complaint):
        read_corrections(write(tmp_path / "errors.json", value))
