"""Reads LongMemEval: each question has a haystack of chats with an assistant of its own.

Evidence are the turns marked `has_answer`; where no turn is marked, only the sessions named by
`answer_session_ids` are known. Questions about what was never said (`_abs`) have no evidence.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, TypeAdapter, model_validator

from stratagate_core.evals.dataset import SESSION, Conversation, Question, split_turns, usable
from stratagate_core.evals.files import Key, load_json, shaped
from stratagate_core.model.message import Message

_ABSTENTION = "_abs"
_TIME = "%Y/%m/%d %H:%M"
_WEEKDAY = re.compile(r"\s*\(\w+\)\s*")


def read_time(text: str) -> datetime:
    """A session's time, for example ``2023/05/20 (Sat) 02:21``; the data names no zone."""
    return datetime.strptime(_WEEKDAY.sub(" ", text.strip()), _TIME).replace(tzinfo=UTC)


class _Said(BaseModel):
    role: Literal["user", "assistant"]
    content: str
    has_answer: bool | None = None


class _Instance(BaseModel):
    question_id: Key
    question_type: str
    question: str
    haystack_session_ids: list[str]
    haystack_dates: list[Annotated[str, AfterValidator(lambda text: read_time(text) and text)]]
    haystack_sessions: list[list[_Said]]
    answer_session_ids: list[str] = []

    @model_validator(mode="after")
    def _same_length(self) -> "_Instance":
        sessions = len(self.haystack_sessions)
        if {len(self.haystack_session_ids), len(self.haystack_dates)} != {sessions}:
            raise ValueError("as many ids and dates as sessions are needed")
        return self


_FILE = TypeAdapter(list[_Instance])


def read_longmemeval(path: Path) -> tuple[Conversation, ...]:
    """The haystacks of a LongMemEval file, one conversation with one question each.

    Raises:
        NotFound: there is no such file.
        InvalidArgument: the file is not of this format, or there is nothing to measure in it.

    """
    instances = shaped(load_json(path, "LongMemEval"), _FILE, path, "LongMemEval")
    return usable([_conversation(instance) for instance in instances], str(path))


def _conversation(instance: _Instance) -> Conversation:
    messages = tuple(_messages(instance))
    known = set(instance.haystack_session_ids)
    asked = None if instance.question_id.endswith(_ABSTENTION) else _question(instance)
    return Conversation(
        dataset="longmemeval",
        id=instance.question_id,
        turns=tuple(split_turns(messages)),
        questions=(asked,) if asked else (),
        skipped=0 if asked else 1,
        skipped_ids=sum(key not in known for key in instance.answer_session_ids),
    )


def _question(instance: _Instance) -> Question | None:
    named = set(instance.answer_session_ids)
    marked = {
        (number, place)
        for number, session in enumerate(instance.haystack_sessions, 1)
        for place, said in enumerate(session, 1)
        if said.has_answer
    }
    sessions = {number for number, _ in marked}
    sessions |= {at for at, key in enumerate(instance.haystack_session_ids, 1) if key in named}
    if not sessions:
        return None
    return Question(
        text=instance.question,
        category=instance.question_type,
        evidence=frozenset(f"{number}:{place}" for number, place in marked),
        sessions=frozenset(sessions),
    )


def _messages(instance: _Instance) -> Iterator[Message]:
    """In order of time, which the file does not always keep.

    Sessions are numbered by their place in the file: their own ids tell which hold the answer.
    """
    dated = sorted(
        (read_time(date), number, session)
        for number, (date, session) in enumerate(
            zip(instance.haystack_dates, instance.haystack_sessions, strict=True), 1
        )
    )
    for at, number, session in dated:
        for place, said in enumerate(session, 1):
            yield Message(
                role=said.role,
                id=f"{number}:{place}",
                content=said.content,
                created_at=at,
                metadata={SESSION: number},
            )
