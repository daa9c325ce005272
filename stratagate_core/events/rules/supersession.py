"""Which stored event a sentence about a change puts out of force, told without a model."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from stratagate_core.events.rules import cues
from stratagate_core.text.tokens import containment, query_tokens

#: how much of the shorter text a change must share with what it replaces
SAME_SUBJECT = 0.35


def replaced_event(
    sentence: str, speaker: str | None, timeline: Sequence[Mapping[str, Any]]
) -> str | None:
    """The id of the active event whose subject the sentence changes, if one clearly is.

    Args:
        sentence: what was said.
        speaker: the name of who said it; what one person says puts nothing out of force that
            another said of themselves. None if it has no name.
        timeline: the events that may be related to.

    """
    if not cues.is_change(sentence):
        return None
    words = _subject(sentence, speaker)
    shared = [
        (containment(words, _subject(str(event["title"]), speaker)), str(event["id"]))
        for event in timeline
        if event["status"] == "active" and _is_theirs(speaker, event)
    ]
    score, event_id = min(shared, key=lambda one: (-one[0], one[1]), default=(0.0, ""))
    return event_id if score >= SAME_SUBJECT else None


def _subject(text: str, speaker: str | None) -> Set[str]:
    """What a text is about: its telling words without the name of who said it."""
    return set(query_tokens(text)) - set(query_tokens(speaker or ""))


def _is_theirs(speaker: str | None, event: Mapping[str, Any]) -> bool:
    people = event["temporal"].get("participants") or ()
    return speaker is None or not people or speaker in people
