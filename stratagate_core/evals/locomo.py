"""Reads LoCoMo: long conversations of two people, and questions with the messages that answer.

A message is cited by its ``dia_id``, for example ``D8:6``: session 8, sixth message. Some
citations of the data set are malformed; they are repaired where that is certain, else skipped.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, TypeAdapter, model_validator

from stratagate_core.evals.corrections import Corrections
from stratagate_core.evals.dataset import (
    SESSION,
    Conversation,
    Question,
    question,
    session_of,
    split_turns,
    usable,
)
from stratagate_core.evals.files import Key, load_json, shaped
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


def read_time(text: str) -> datetime:
    """A session's time, for example ``1:56 pm on 8 May, 2023``; the data names no zone."""
    return datetime.strptime(text.strip(), _TIME).replace(tzinfo=UTC)


def _known_category(number: int) -> int:
    if number not in CATEGORIES:
        raise ValueError(f"no category {number}")
    return number


class _Said(BaseModel):
    speaker: str
    dia_id: Key
    text: str
    blip_caption: str | None = None


class _Session(BaseModel):
    number: int
    time: Annotated[str, AfterValidator(lambda text: read_time(text) and text)]
    messages: list[_Said]


class _Talk(BaseModel):
    speaker_a: str
    sessions: list[_Session]

    @model_validator(mode="before")
    @classmethod
    def _gather_sessions(cls, value: Any) -> Any:
        """The file spells them as numbered keys; a time alone is no session."""
        if not isinstance(value, Mapping):
            return value
        numbers = sorted(int(found[1]) for key in value if (found := _SESSION.fullmatch(key)))
        sessions = [
            {
                "number": number,
                "time": value.get(f"session_{number}_date_time"),
                "messages": value[f"session_{number}"],
            }
            for number in numbers
        ]
        return {"speaker_a": value.get("speaker_a"), "sessions": sessions}


class _Asked(BaseModel):
    question: str
    category: Annotated[int, AfterValidator(_known_category)]
    evidence: list[str] = []


class _Sample(BaseModel):
    sample_id: Key
    conversation: _Talk
    qa: list[_Asked]


_FILE = TypeAdapter(list[_Sample])


def read_locomo(path: Path, corrections: Corrections | None = None) -> tuple[Conversation, ...]:
    """The conversations of a LoCoMo file.

    Args:
        path: the file; the data set is published as ``locomo10.json``.
        corrections: evidence that replaces what the file cites.

    Raises:
        NotFound: there is no such file.
        InvalidArgument: the file is not of this format, or there is nothing to measure in it.

    """
    samples = shaped(load_json(path, "LoCoMo"), _FILE, path, "LoCoMo")
    corrections = corrections or Corrections()
    return usable([_conversation(sample, corrections) for sample in samples], str(path))


def _conversation(sample: _Sample, corrections: Corrections) -> Conversation:
    messages = tuple(_messages(sample.conversation))
    sessions = {str(message.id): session_of(message) for message in messages}
    questions: list[Question] = []
    repaired = lost = corrected = 0
    for asked in sample.qa:
        right = corrections.evidence(sample.sample_id, asked.question, asked.evidence)
        corrected += right is not None
        cited = [read_citation(text) for text in (asked.evidence if right is None else right)]
        repaired += sum(was_repaired for _, was_repaired in cited)
        lost += sum(not keys or not sessions.keys() >= set(keys) for keys, _ in cited)
        if evidence := {key for keys, _ in cited for key in keys if key in sessions}:
            questions.append(
                question(asked.question, CATEGORIES[asked.category], evidence, sessions)
            )
    return Conversation(
        dataset="locomo",
        id=sample.sample_id,
        turns=tuple(split_turns(messages)),
        questions=tuple(questions),
        skipped=len(sample.qa) - len(questions),
        repaired_ids=repaired,
        skipped_ids=lost,
        corrected=corrected,
    )


def read_citation(text: str) -> tuple[Sequence[str], bool]:
    """The message ids that a citation names, and whether it had to be repaired."""
    if _WELL_FORMED.fullmatch(text):
        return (text,), False
    found = [_READABLE.fullmatch(part) for part in _SEPARATOR.split(text.strip())]
    keys = tuple(f"D{match[1]}:{match[2]}" for match in found if match)
    return keys, bool(keys)


def _messages(talk: _Talk) -> Iterator[Message]:
    for session in talk.sessions:
        at = read_time(session.time)
        for said in session.messages:
            caption = said.blip_caption
            yield Message(
                role="user" if said.speaker == talk.speaker_a else "assistant",
                name=said.speaker,
                id=said.dia_id,
                content=f"{said.text}\nImage: {caption}" if caption else said.text,
                created_at=at,
                metadata={SESSION: session.number},
            )
