"""Reading the LoCoMo format."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stratagate_core import InvalidArgument, Message, NotFound
from stratagate_core.evals.locomo import Conversation, read_citation, read_locomo, read_time
from tests.evals.made import CONVERSATION


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    """The made-up conversation, read from a file."""
    path = tmp_path / "made.json"
    path.write_text(json.dumps([CONVERSATION]), encoding="utf-8")
    (read,) = read_locomo(path)
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
    assert [(asked.category, sorted(asked.evidence)) for asked in conversation.questions] == [
        ("single-hop", ["D1:1"]),
        ("multi-hop", ["D10:1", "D1:3"]),
        ("temporal", ["D10:1"]),
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


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file and a foreign one are told apart."""
    with pytest.raises(NotFound, match="no file"):
        read_locomo(tmp_path / "nothing.json")
    foreign = tmp_path / "foreign.json"
    for text in ("not json", "{}", '[{"id": 1}]', "[1]", "1"):
        foreign.write_text(text, encoding="utf-8")
        if text == "{}":
            assert read_locomo(foreign) == ()
            continue
        with pytest.raises(InvalidArgument, match="is not a LoCoMo file"):
            read_locomo(foreign)
