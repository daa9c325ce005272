"""Reads LoCoMo: long conversations of two people, and questions with the messages that answer.

A message is cited by its ``dia_id``, for example ``D8:6``: session 8, sixth message. Some
citations of the data set are malformed; they are repaired where that is certain, else skipped.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stratagate_core.errors import InvalidArgument, NotFound
from stratagate_core.model.message import Message

#: category ids of the data set
CATEGORIES: Mapping[int, str] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
_TIME = "%I:%M %p on %d %B, %Y"
_SESSION = re.compile(r"session_(\d+)")
_WELL_FORMED = re.compile(r"D[1-9]\d*:[1-9]\d*")
#: also reads ``D:11:26`` and ``D30:05``
_READABLE = re.compile(r"D:?0*(\d+):0*(\d+)")
_SEPARATOR = re.compile(r"[\s;,]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question and the ids of the messages that answer it."""

    text: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One conversation as turns of messages, and its questions that have evidence."""

    id: str
    turns: tuple[tuple[Message, ...], ...]
    questions: tuple[Question, ...]
    #: questions left out because they cite no message
    skipped: int = 0
    #: citations that were read although malformed, and those that name no message
    repaired_ids: int = 0
    skipped_ids: int = 0

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages in order."""
        return tuple(message for turn in self.turns for message in turn)


def read_locomo(path: Path) -> tuple[Conversation, ...]:
    """The conversations of a LoCoMo file.

    Raises:
        NotFound: there is no such file.
        InvalidArgument: the file is not of this format.

    """
    if not path.is_file():
        raise NotFound(f"no file {path}; the data set is published as locomo10.json")
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return tuple(_conversation(row) for row in rows)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidArgument(
            f"{path} is not a LoCoMo file: {type(error).__name__} {error}"
        ) from error


def _conversation(row: Mapping[str, Any]) -> Conversation:
    turns = tuple(_turns(row["conversation"]))
    known = frozenset(str(message.id) for turn in turns for message in turn)
    questions: list[Question] = []
    skipped = repaired = lost = 0
    for entry in row["qa"]:
        cited = [read_citation(text) for text in entry.get("evidence", ())]
        evidence = frozenset(key for keys, _ in cited for key in keys) & known
        repaired += sum(was_repaired for _, was_repaired in cited)
        lost += sum(not keys or not known.issuperset(keys) for keys, _ in cited)
        if not evidence:
            skipped += 1
            continue
        category = CATEGORIES[entry["category"]]
        questions.append(Question(text=entry["question"], category=category, evidence=evidence))
    return Conversation(
        id=row["sample_id"],
        turns=turns,
        questions=tuple(questions),
        skipped=skipped,
        repaired_ids=repaired,
        skipped_ids=lost,
    )


def read_citation(text: str) -> tuple[tuple[str, ...], bool]:
    """The message ids that a citation names, and whether it had to be repaired."""
    if _WELL_FORMED.fullmatch(text):
        return (text,), False
    found = [_READABLE.fullmatch(part) for part in _SEPARATOR.split(text.strip())]
    keys = tuple(f"D{match[1]}:{match[2]}" for match in found if match)
    return keys, bool(keys)


def _turns(conversation: Mapping[str, Any]) -> Iterator[tuple[Message, ...]]:
    """A turn begins with a session, and where the first speaker speaks after the second."""
    user = conversation["speaker_a"]
    for number in _sessions(conversation):
        name = f"session_{number}"
        at = read_time(conversation[f"{name}_date_time"])
        rows = conversation[name]
        yield from _session_turns(_message(row, user, at, number) for row in rows)


def _sessions(conversation: Iterable[str]) -> list[int]:
    return sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)))


def _session_turns(messages: Iterable[Message]) -> Iterator[tuple[Message, ...]]:
    turn: list[Message] = []
    for message in messages:
        if turn and message.role == "user" and turn[-1].role == "assistant":
            yield tuple(turn)
            turn = []
        turn.append(message)
    if turn:
        yield tuple(turn)


def read_time(text: str) -> datetime:
    """A session's time, for example ``1:56 pm on 8 May, 2023``; the data names no zone."""
    return datetime.strptime(text.strip(), _TIME).replace(tzinfo=UTC)


def _message(row: Mapping[str, Any], user: str, at: datetime, session: int) -> Message:
    caption = row.get("blip_caption")
    text = str(row["text"])
    return Message(
        role="user" if row["speaker"] == user else "assistant",
        name=row["speaker"],
        id=row["dia_id"],
        content=f"{text}\nImage: {caption}" if caption else text,
        created_at=at,
        metadata={"session": session},
    )
