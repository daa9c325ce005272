"""The sentences of a block as statements: who said what, when, and what it leans on.

Code, quoted lines and texts that were only handed over for work are nobody's statement.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from stratagate_core.events.rules import cues
from stratagate_core.text.modality import is_question
from stratagate_core.text.sentences import split_sentences
from stratagate_core.text.times import TimeExpression, find_times

#: a longer block is thinned evenly
_MOST_SENTENCES = 2000
_TOWARDS = re.compile(r"(?:\b(?:to|until|till)(?: the)?|[到至为成]了?)\s*$", re.IGNORECASE)
#: code, and lines quoted from elsewhere
_FOREIGN = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence with what is needed to keep it."""

    text: str
    message_id: str
    turn: int
    speaker: str
    #: whether the speaker has a name of their own
    named: bool
    #: said by a person, not by an assistant without a name
    by_person: bool
    said_at: datetime
    #: what it leans on: the question it answers, the sentence before
    context: tuple["Statement", ...]

    @property
    def time(self) -> TimeExpression | None:
        """The first time it names or, where something is moved, the one it is moved to."""
        zone = self.said_at.tzinfo or UTC
        times = find_times(self.text, reference=self.said_at, timezone=zone)
        moved = [one for one in times if _TOWARDS.search(self.text[: one.span[0]])]
        return next(iter(moved[-1:] if moved and cues.is_change(self.text) else times), None)


def statements_of(payload: Mapping[str, Any]) -> Sequence[Statement]:
    """All statements of people and assistants, in order; a very long block is thinned evenly."""
    zone = ZoneInfo(payload["timezone"])
    found: list[Statement] = []
    turn = 0
    for message in payload["messages"]:
        role = str(message.get("role", "")).lower()
        turn += role == "user"
        if role in ("user", "assistant"):
            found += _of_message(message, role, turn, zone, found[-1] if found else None)
    step = -(-len(found) // _MOST_SENTENCES) or 1
    return found[::step]


def _of_message(
    message: Mapping[str, Any], role: str, turn: int, zone: ZoneInfo, last: Statement | None
) -> Iterator[Statement]:
    name = message.get("name")
    speaker = str(name or role.capitalize())
    answers = last is not None and last.speaker != speaker and is_question(last.text)
    asked = (replace(last, context=()),) if last and answers else ()
    before: tuple[Statement, ...] = ()
    for text in split_sentences(_FOREIGN.sub("\n", str(message.get("content", "")))):
        one = Statement(
            text=text,
            message_id=str(message["id"]),
            turn=turn,
            speaker=speaker,
            named=bool(name),
            by_person=role == "user" or bool(name),
            said_at=datetime.fromisoformat(message["created_at"]).astimezone(zone),
            context=(*asked, *before),
        )
        before = (replace(one, context=()),)
        yield one
        if one.by_person and cues.hands_over(text):
            return
