"""Event cards without a model: sentences worth keeping, quoted, with speaker and time.

A card holds the sentence itself, so nothing is ever attributed to the wrong person. Questions,
hypotheses, greetings and one-off requests make no card; a plan is stored as a plan.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stratagate_core.events.rules import cues
from stratagate_core.text.clip import clip_words
from stratagate_core.text.modality import (
    is_cancellation,
    is_greeting_or_praise,
    is_hypothetical,
    is_plan,
    is_question,
    looks_back,
)
from stratagate_core.text.names import find_names
from stratagate_core.text.normalise import collapse
from stratagate_core.text.salience import Spoken, score_sentences
from stratagate_core.text.sentences import split_sentences
from stratagate_core.text.times import TimeExpression, find_times
from stratagate_core.text.tokens import containment, query_tokens

TITLE, SUMMARY, QUESTION = 120, 800, 160
#: cards of one message
MOST_PER_MESSAGE = 2
#: how telling a sentence must be (see `text.salience`): people easily, assistants hardly
LOW_BAR, HIGH_BAR = 0.8, 3.0
#: how much of the shorter text a change must share with what it replaces
SAME_SUBJECT = 0.35
_PEOPLE, _TAGS = 12, 6


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence, its message and what was asked just before."""

    text: str
    message: Mapping[str, Any]
    speaker: str
    by_person: bool
    asked: tuple[str, str] | None

    @property
    def time(self) -> TimeExpression | None:
        """The first time it names."""
        reference = datetime.fromisoformat(str(self.message["created_at"]))
        return next(iter(find_times(self.text, reference=reference)), None)


def extract(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The cards of a block from the JSON a model would see."""
    sentences = list(_sentences(payload["messages"]))
    known = sorted({one.speaker for one in sentences} - {"User", "Assistant"})
    cards = [_card(one, known, payload["timeline"]) for one in _chosen(sentences)]
    reason = "sentences that state something lasting" if cards else "nothing lasting was stated"
    return {"should_extract": bool(cards), "reason": reason, "events": cards}


def _sentences(messages: Sequence[Mapping[str, Any]]) -> Iterator[_Sentence]:
    asked: tuple[str, str] | None = None
    for message in messages:
        role = str(message.get("role", "")).lower()
        if role not in ("user", "assistant") or "id" not in message:
            continue
        speaker = str(message.get("name") or role.capitalize())
        by_person = role == "user" or bool(message.get("name"))
        parts = [part.strip() for part in split_sentences(str(message.get("content", "")))]
        for part in parts:
            if part:
                yield _Sentence(part, message, speaker, by_person, asked)
        last = parts[-1] if parts else ""
        asked = (speaker, last) if last and is_question(last) else None


def _chosen(sentences: Sequence[_Sentence]) -> Iterator[_Sentence]:
    """The telling sentences of each message, in reading order."""
    role = {True: "user", False: "assistant"}
    spoken = [Spoken(one.text, role[one.by_person], one.speaker) for one in sentences]
    scores = score_sentences(spoken)
    by_message: dict[str, list[int]] = {}
    for index, one in enumerate(sentences):
        if _states_something(one) and scores[index] >= (LOW_BAR if one.by_person else HIGH_BAR):
            by_message.setdefault(str(one.message["id"]), []).append(index)
    for indexes in by_message.values():
        best = sorted(indexes, key=lambda index: (-scores[index], index))[:MOST_PER_MESSAGE]
        yield from (sentences[index] for index in sorted(best))


def _states_something(one: _Sentence) -> bool:
    text = one.text
    if is_question(text) or is_hypothetical(text) or is_greeting_or_praise(text):
        return False
    if cues.is_request(text) and not cues.is_lasting(text):
        return False
    if not one.by_person and not looks_back(text):
        return False
    return len(query_tokens(text)) >= 2


def _card(
    one: _Sentence, known: Sequence[str], timeline: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    text = collapse(one.text)
    names = find_names(text, known)
    return {
        "title": clip_words(_attributed(one, text), TITLE),
        "summary": _summary(one, text),
        "source_message_ids": [one.message["id"]],
        "scope": cues.scope_of(text, by_person=one.by_person),
        "tags": list(names)[:_TAGS],
        "quotes": [one.text],
        "criticality": cues.criticality_of(text) if one.by_person else "routine",
        "temporal": _temporal(one, names, timeline),
    }


def _attributed(one: _Sentence, text: str) -> str:
    """The sentence with its speaker in front, unless the user of the assistant is speaking."""
    return text if one.speaker == "User" else f"{one.speaker}: {text}"


def _summary(one: _Sentence, text: str) -> str:
    said = f'{one.speaker} said: "{clip_words(text, SUMMARY)}"'
    if one.asked is None or one.asked[0] == one.speaker:
        return said
    asker, question = one.asked
    return f'{said} ({asker} had asked: "{clip_words(collapse(question), QUESTION)}")'


def _temporal(
    one: _Sentence, names: Sequence[str], timeline: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    time = one.time
    people = [one.speaker] if one.speaker not in ("User", "Assistant") else []
    times: dict[str, Any] = {
        "status": _status(one.text, time),
        "event_type": cues.event_type_of(one.text),
        "participants": list(dict.fromkeys([*people, *names]))[:_PEOPLE],
    }
    if time is not None:
        times["original_text"] = time.text
    if replaced := _replaced(one, timeline):
        times["supersedes_event_ids"] = [replaced]
    return times


def _status(text: str, time: TimeExpression | None) -> str:
    if is_cancellation(text):
        return "cancelled"
    if is_plan(text) or (time is not None and time.direction == "future"):
        return "planned"
    if looks_back(text) or (time is not None and time.direction == "past"):
        return "occurred"
    return "unknown"


def _replaced(one: _Sentence, timeline: Sequence[Mapping[str, Any]]) -> str | None:
    """The event that a sentence about a change puts out of force, if one clearly is its subject."""
    if not cues.is_change(one.text):
        return None
    words = set(query_tokens(one.text))
    shared = [
        (containment(words, set(query_tokens(str(event["title"])))), str(event["id"]))
        for event in timeline
        if event["status"] == "active" and _speaker_fits(one, event)
    ]
    best = max(shared, default=(0.0, ""))
    return best[1] if best[0] >= SAME_SUBJECT else None


def _speaker_fits(one: _Sentence, event: Mapping[str, Any]) -> bool:
    """What one person says puts nothing out of force that another said of themselves."""
    people = event["temporal"].get("participants") or []
    return one.speaker in ("User", "Assistant") or one.speaker in people
