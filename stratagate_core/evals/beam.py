"""Reads BEAM: very long chats with an assistant, and questions that probe ten abilities.

A chat is a list of sessions (batches of turns). Questions cite messages by number in
`source_chat_ids`, a list or lists under names; a number that stands twice in a chat cites nothing.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter

from stratagate_core.errors import InvalidArgument
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

_KIND = "BEAM"
_TIME = "%B-%d-%Y"
#: a mark of the program that made the questions, at the end of what the user says
_MARK = re.compile(r"\s*->->[\s\d,.]*$")
#: where the questions of a ``chat.json`` stand, beside it
_PROBES = ("probing_questions/probing_questions.json", "probing_questions.json")


class _Said(BaseModel):
    role: Literal["user", "assistant"]
    id: int
    content: str
    time_anchor: str | None = None


class _Probe(BaseModel):
    question: str
    source_chat_ids: Any = None


class _Row(BaseModel):
    conversation_id: Key | int
    chat: list[Any]
    probing_questions: Any


_ROWS = TypeAdapter(list[_Row])
_CHAT = TypeAdapter(list[list[_Said]])
_ABILITIES = TypeAdapter(dict[str, list[_Probe]])


def read_beam(path: Path) -> tuple[Conversation, ...]:
    """The chats of a BEAM file.

    Args:
        path: a ``chat.json`` with its questions beside it as in the authors' repository, or a
            list of rows as in the published data set, written as JSON.

    Raises:
        NotFound: there is no such file, or no questions beside it.
        InvalidArgument: the file is not of this format, or there is nothing to measure in it.

    """
    value = load_json(path, _KIND)
    if not isinstance(value, list):
        raise InvalidArgument(f"{path} is not a BEAM file: the whole: Input should be a list")
    if value and all(isinstance(row, Mapping) and "chat" in row for row in value):
        rows = shaped(value, _ROWS, path, _KIND)
        found = [
            _conversation(str(row.conversation_id), row.chat, row.probing_questions, path, path)
            for row in rows
        ]
        return usable(found, str(path))
    if not value:
        raise InvalidArgument(f"{path} holds no conversations")
    beside = _beside(path)
    name = path.resolve().parent.name
    return usable([_conversation(name, value, load_json(beside, _KIND), path, beside)], str(path))


def _beside(path: Path) -> Path:
    """The file with the questions of a chat; the usual place if there is none."""
    places = [path.parent / name for name in _PROBES]
    return next((place for place in places if place.is_file()), places[0])


def _conversation(name: str, chat: Any, probes: Any, path: Path, asked_in: Path) -> Conversation:
    sessions = shaped(list(_sessions(chat)), _CHAT, path, _KIND)
    abilities = shaped(_literal(probes), _ABILITIES, asked_in, f"{_KIND} questions")
    messages = tuple(_messages(sessions))
    places = {str(message.id): session_of(message) for message in messages}
    numbered: defaultdict[int, list[str]] = defaultdict(list)
    for said, message in zip((one for each in sessions for one in each), messages, strict=True):
        numbered[said.id].append(str(message.id))
    questions: list[Question] = []
    skipped = lost = 0
    for ability, asked in abilities.items():
        for probe in asked:
            cited = [numbered.get(number, []) for number in _numbers(probe.source_chat_ids)]
            lost += sum(len(keys) != 1 for keys in cited)
            if evidence := {keys[0] for keys in cited if len(keys) == 1}:
                questions.append(question(probe.question, ability, evidence, places))
            else:
                skipped += 1
    return Conversation(
        dataset="beam",
        id=name,
        turns=tuple(split_turns(messages)),
        questions=tuple(questions),
        skipped=skipped,
        skipped_ids=lost,
    )


def _literal(probes: Any) -> Any:
    """The published rows hold the questions as the text of a Python value."""
    if not isinstance(probes, str):
        return probes
    try:
        return ast.literal_eval(probes)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return probes


def _numbers(cited: Any) -> Iterator[int]:
    """The message numbers in a list, in lists under names, or alone; -1 for what is no number."""
    if isinstance(cited, Mapping):
        cited = list(cited.values())
    if isinstance(cited, list):
        for each in cited:
            yield from _numbers(each)
    elif cited is not None:
        yield cited if isinstance(cited, int) else -1


def _sessions(chat: Any) -> Iterator[Sequence[Any]]:
    """The messages of each batch, however deep plans, batches and turns are nested."""
    if isinstance(chat, Mapping):
        if "turns" in chat:
            yield list(_flat(chat["turns"]))
        else:
            for part in chat.values():
                yield from _sessions(part)
    elif isinstance(chat, list):
        if chat and all(isinstance(part, Mapping) and "role" in part for part in chat):
            yield chat
        else:
            for part in chat:
                yield from _sessions(part)


def _flat(turns: Any) -> Iterator[Any]:
    if isinstance(turns, list):
        for each in turns:
            yield from _flat(each)
    else:
        yield turns


def _messages(sessions: Sequence[Sequence[_Said]]) -> Iterator[Message]:
    """A session without a date has that of the one before it."""
    at: datetime | None = None
    for number, session in enumerate(sessions, 1):
        dates = (_read_time(said.time_anchor) for said in session)
        at = next((date for date in dates if date), at)
        for place, said in enumerate(session, 1):
            yield Message(
                role=said.role,
                id=f"{number}:{place}",
                content=_MARK.sub("", said.content),
                created_at=at,
                metadata={SESSION: number},
            )


def _read_time(text: str | None) -> datetime | None:
    """A date such as ``March-15-2024``; None for anything else, as the data says 'None' too."""
    try:
        return datetime.strptime((text or "").strip(), _TIME).replace(tzinfo=UTC)
    except ValueError:
        return None
