"""Reading the BEAM format."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from stratagate_core import InvalidArgument, Message, NotFound
from stratagate_core.evals.beam import read_beam
from stratagate_core.evals.dataset import Conversation, session_of
from tests.evals.made import CHAT, PROBES, write, write_chat


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    """The made-up chat, read from its folder."""
    (read,) = read_beam(write_chat(tmp_path / "7"))
    return read


def test_a_chat_is_named_after_its_folder(conversation: Conversation) -> None:
    """Chats have no name of their own in the file."""
    assert conversation.namespace == "beam:7"


def test_batches_are_sessions(conversation: Conversation) -> None:
    """Each batch is a session with its date; one without has the date before; marks are cut."""
    assert [session_of(message) for message in conversation.messages] == [1, 1, 1, 1, 2, 2, 3]
    assert conversation.messages[0] == Message(
        role="user",
        id="1:1",
        content="I plan a greenhouse with twelve panes.",
        created_at=datetime(2024, 3, 15, tzinfo=UTC),
        metadata={"session": 1},
    )
    dates = [message.created_at for message in conversation.messages[3:]]
    march, april = datetime(2024, 3, 15, tzinfo=UTC), datetime(2024, 4, 2, tzinfo=UTC)
    assert dates == [march, march, march, april]


def test_evidence_is_what_the_numbers_name(conversation: Conversation) -> None:
    """Lists and lists under names are read; what is unknown, ambiguous or no number is counted."""
    found = [(asked.category, asked.evidence, asked.sessions) for asked in conversation.questions]
    assert found == [
        ("information_extraction", {"1:3"}, {1}),
        ("knowledge_update", {"1:1"}, {1}),
    ]
    assert (conversation.skipped, conversation.skipped_ids) == (1, 3)


def _row(chat: Any, probes: Any) -> list[dict[str, Any]]:
    return [{"conversation_id": "7", "chat": chat, "probing_questions": probes}]


@pytest.mark.parametrize(
    "chat",
    [
        CHAT,
        [[said for turn in batch["turns"] for said in turn] for batch in CHAT],
        [{"plan-1": CHAT[:2]}, {"plan-2": CHAT[2:]}],
    ],
    ids=["batches", "lists", "plans"],
)
@pytest.mark.parametrize("probes", [PROBES, repr(PROBES)], ids=["json", "literal"])
def test_published_rows_are_the_same(
    tmp_path: Path, conversation: Conversation, chat: Any, probes: Any
) -> None:
    """Rows of the published data set, in any nesting, are read as the chat in a folder is."""
    assert read_beam(write(tmp_path / "rows.json", _row(chat, probes))) == (conversation,)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "holds no conversations"),
        ({}, "the whole: Input should be a list"),
        (_row(CHAT, "{"), "is not a BEAM questions file: the whole"),
        (_row(CHAT, {"abstention": [{}]}), "abstention.0.question: Field required"),
        (_row(CHAT, {}), "no question that cites a message"),
        (_row([[{"role": "user"}]], PROBES), "0.0.id: Field required"),
        (_row([], PROBES), "no question that cites a message"),
        ([{"chat": CHAT}], "0.conversation_id: Field required"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, value: Any, complaint: str) -> None:
    """The place and the fault are named."""
    with pytest.raises(InvalidArgument, match=complaint):
        read_beam(write(tmp_path / "foreign.json", value))


def test_a_chat_needs_its_questions(tmp_path: Path) -> None:
    """Without questions beside it, the file that is missing is named."""
    with pytest.raises(NotFound, match=r"probing_questions\.json"):
        read_beam(write(tmp_path / "chat.json", CHAT))
