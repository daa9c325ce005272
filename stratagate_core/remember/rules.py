"""Whether a fact is new, known or at odds with what is known, and what follows (10 §1, §2)."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from stratagate_core.errors import InvalidArgument
from stratagate_core.model.event import Criticality, Event
from stratagate_core.model.remembered import CATEGORIES, Action, Gate
from stratagate_core.text.clip import clip, clip_line
from stratagate_core.text.modality import is_negated
from stratagate_core.text.normalise import collapse
from stratagate_core.text.tokens import containment, query_tokens, tokens

TITLE, MERGED_TITLE, SUMMARY, REASON = 80, 200, 2000, 500
#: events a fact is compared with, and how many of them a model is shown
COMPARED, SHOWN = 50, 5
#: from this containment on two texts say the same, and from this one on they may
SAME, ALIKE = 0.85, 0.35
#: a model must be this sure to put an older event out of force
SURE = 0.85

_SENTENCE_END = re.compile(r"[。．！!？?；\r\n]")
_DIGIT = re.compile(r"\d")
_KINDS = {"decision": "decision", "correction": "change"}
#: the model's word -> what is done
_REPLACING: Mapping[str, Action] = {"MERGE": "MERGED", "SUPERSEDE": "SUPERSEDED"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What is to be recorded."""

    title: str
    summary: str
    category: str

    @property
    def words(self) -> str:
        """What is compared."""
        return f"{self.title} {self.summary}"

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of its event."""
        return ("agent-recorded", f"category:{self.category}")

    @property
    def criticality(self) -> Criticality:
        """The criticality of its event."""
        return "preference" if self.category == "preference" else "routine"

    @property
    def event_type(self) -> str:
        """The kind of its event."""
        return _KINDS.get(self.category, "other")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is to be done with a candidate."""

    action: Action
    gate: Gate
    #: as it is to be written
    candidate: Candidate
    #: the event that says so already
    known: Event | None = None
    #: events that are superseded
    targets: tuple[str, ...] = ()
    #: events that conflict with it
    conflicts: tuple[str, ...] = ()
    confidence: float | None = None
    downgraded_from: Literal["MERGE", "SUPERSEDE"] | None = None
    reason: str = ""


def candidate_of(content: str, category: str | None) -> Candidate:
    """The candidate in what an agent gave.

    Raises:
        InvalidArgument: there is nothing to record, or no such category.

    """
    text = content.strip()
    if not text:
        raise InvalidArgument("content must not be blank: give one self-contained sentence")
    named = "fact" if category is None else category
    if named not in CATEGORIES:
        raise InvalidArgument(f"category must be one of {', '.join(CATEGORIES)}, not {named!r}")
    first = clip_line(_SENTENCE_END.split(text, maxsplit=1)[0], TITLE)
    return Candidate(
        title=first or "Agent memory", summary=clip_line(text, SUMMARY), category=named
    )


def body_hash(candidate: Candidate) -> str:
    """What makes two calls ask for the same."""
    body = json.dumps([candidate.summary, candidate.category])
    return hashlib.sha256(body.encode()).hexdigest()


def same_as(candidate: Candidate, known: Sequence[Event]) -> Event | None:
    """The event that says the same in nearly the same words, the best one of several.

    Not one that differs in a figure or in what it denies: `June 13` is not `June 20`.
    """
    found = [(containment_of(candidate, event), event) for event in known]
    alike = [pair for pair in found if pair[0] >= SAME and not _says_otherwise(candidate, pair[1])]
    return max(alike, key=lambda pair: pair[0])[1] if alike else None


def unclear_among(candidate: Candidate, known: Sequence[Event]) -> tuple[Event, ...]:
    """Of the most relevant events those that may be about the same: they must be decided on."""
    telling = _telling(candidate.words)
    return tuple(
        event
        for event in known[:SHOWN]
        if containment_of(candidate, event) >= ALIKE
        and not telling.isdisjoint(_telling(_words(event)))
    )


def containment_of(candidate: Candidate, event: Event) -> float:
    """How much of the smaller of two texts stands in the other (04 §1)."""
    return containment(frozenset(tokens(candidate.words)), frozenset(tokens(_words(event))))


def _words(event: Event) -> str:
    return f"{event.title} {event.summary}"


def _telling(text: str) -> frozenset[str]:
    """The words that say what a text is about: nearly every note names the user."""
    return frozenset(query_tokens(text)) - _everywhere()


@cache
def _everywhere() -> frozenset[str]:
    return frozenset(tokens("user users assistant 用户 助手"))


def _says_otherwise(candidate: Candidate, event: Event) -> bool:
    if is_negated(candidate.words) != is_negated(_words(event)):
        return True
    new, old = _figures(candidate.words), _figures(_words(event))
    return not (new <= old or old <= new)


def _figures(text: str) -> frozenset[str]:
    return frozenset(token for token in tokens(text) if _DIGIT.search(token))


def known_already(candidate: Candidate, event: Event, *, exact: bool) -> Verdict:
    """The event counts once more."""
    gate: Gate = "exact-duplicate" if exact else "near-duplicate"
    reason = "an event says exactly this" if exact else "an event says this in other words"
    return Verdict(action="REINFORCED", gate=gate, candidate=candidate, known=event, reason=reason)


def clearly_new(candidate: Candidate) -> Verdict:
    """Nothing stored is about the same."""
    reason = "no stored event is about the same"
    return Verdict(action="ADDED", gate="clear-new", candidate=candidate, reason=reason)


def undecided(candidate: Candidate, unclear: Sequence[Event], *, failed: bool) -> Verdict:
    """Nobody could tell which holds: both stay, and each names the other."""
    reason = (
        "the model could not decide; both are kept and marked as a possible conflict"
        if failed
        else "no model to decide; both are kept and marked as a possible conflict"
    )
    return Verdict(
        action="CONFLICT_MARKED",
        gate="decider-error" if failed else "heuristic-conflict",
        candidate=candidate,
        conflicts=tuple(event.id for event in unclear),
        reason=reason,
    )


def decided(candidate: Candidate, unclear: Sequence[Event], answer: Mapping[str, Any]) -> Verdict:
    """What a model's answer amounts to; `unclear` are the events it may have meant."""
    action = str(answer.get("action") or "").strip().upper()
    confidence = confidence_of(answer.get("confidence"))
    matches = tuple(event.id for event in unclear)
    given = answer.get("existing_event_ids")
    named = given if isinstance(given, list | tuple) else ()
    targets = tuple(key for key in dict.fromkeys(named) if key in matches)
    base = Verdict(
        action="IGNORED",
        gate="decider",
        candidate=candidate,
        confidence=confidence,
        reason=clip_line(str(answer.get("reason") or ""), REASON),
    )
    if action == "ADD" or (action in ("CONFLICT", *_REPLACING) and not matches):
        return replace(base, action="ADDED")
    if action == "CONFLICT":
        return replace(base, action="CONFLICT_MARKED", conflicts=targets or matches)
    if action in _REPLACING and targets and confidence >= SURE:
        merged = merged_text(candidate, answer) if action == "MERGE" else candidate
        return replace(base, action=_REPLACING[action], candidate=merged, targets=targets)
    if action == "MERGE" or action == "SUPERSEDE":
        kept = replace(base, action="CONFLICT_MARKED", conflicts=matches)
        return replace(kept, downgraded_from="MERGE" if action == "MERGE" else "SUPERSEDE")
    return base


def merged_text(candidate: Candidate, answer: Mapping[str, Any]) -> Candidate:
    """The candidate with the text that says both, if that text is complete."""
    merged = answer.get("merged_candidate")
    if not isinstance(merged, Mapping):
        return candidate
    title, summary = (
        collapse(value) if isinstance(value := merged.get(name), str) else ""
        for name in ("title", "summary")
    )
    if not (title and summary):
        return candidate
    return replace(candidate, title=clip(title, MERGED_TITLE), summary=clip(summary, SUMMARY))


def confidence_of(value: object) -> float:
    """A confidence inside 0..1; one half where none is said."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return 0.5
    return min(1.0, max(0.0, float(value)))
