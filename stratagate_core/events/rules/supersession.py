"""Which stored event a sentence about a change puts out of force, told without a model.

Only what clearly is the same: a plan whose subject the change names, or a state that it says has
ended. In doubt nothing is superseded: two cards that disagree can still be told apart.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from stratagate_core.events.rules import cues
from stratagate_core.text.modality import is_cancellation
from stratagate_core.text.normalise import normalise
from stratagate_core.text.tokens import query_tokens

#: how much of the smaller subject, and of both together, two texts about one thing share
SHARED_OF_SMALLER, SHARED_OF_BOTH = 0.6, 0.3

#: words of changing, planning and time belong to no subject
_IDLE = re.compile(
    r"\b(?:moved?|postponed?|rescheduled?|pushed|delayed?|shifted|brought|forward|back|changed?|"
    r"cancel\w*|called|off|decided?|plan\w*|scheduled|set|booked|fixed|will|now|longer|any ?more|"
    r"(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber|next|last|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weeks?|months?|years?|today|tomorrow|"
    r"\d+(?:st|nd|rd|th)?)\b"
    r"|[\d一二三四五六七八九十两]+(?:月份?|号|日|点|年)|[上下这本]个?(?:周|月|星期|礼拜)[一二三四五六日天末]?"
    r"|周[一二三四五六日末]|[今明后昨]天|[今明]年|改[到成为在期]?|推迟|延期|提前|定[在于到]|安排|计划|打算"
    r"|准备|取消|决定|不再|[了的到在]|我们"
)
#: verbs that say so of a plan or a habit; the noun `change` does not
_CHANGED = re.compile(
    r"\b(?:moved|moves to|postponed|rescheduled|pushed back|delayed|shifted|brought forward|"
    r"renamed|changed|replaced|switched|migrated|no longer|any ?more|instead)\b"
    r"|改|推迟|延期|延后|提前|挪|换|不再|迁移"
)
#: what something was changed to, which is no part of what was changed
_NEW_VALUE = re.compile(
    r"\b((?:mov|switch|migrat|chang|postpon|reschedul|push|delay|shift)\w*(?: \w+){0,6}?)"
    r" (?:from|to|into|until)\b.*"
)
_VALUE = r"(?P<old>[^\s,.;]+(?: [^\s,.;]+)?)"
#: a sentence that ends a state, and how the state was told
_ENDED = tuple(
    (re.compile(sentence), title)
    for sentence, title in (
        (
            rf"\b(?:i|we) (?:\w+ )?moved from {_VALUE} to\b",
            r"\b(?:i|we) (?:\w+ )?(?:live|lived|(?:am|are) based) in {old}\b",
        ),
        (
            rf"\b(?:switched|migrated|moved|changed) (?:\w+ ){{0,3}}from {_VALUE} to\b",
            r"\b(?:i|we|(?:our|the|my) \w+) (?:\w+ )?(?:use[sd]?|runs? on|are on) {old}\b",
        ),
        (
            rf"\breplaced {_VALUE} (?:with|by)\b",
            r"\b(?:i|we|(?:our|the|my) \w+) (?:\w+ )?(?:use[sd]?|runs? on|are on) {old}\b",
        ),
        (r"\b(?:i|we) no longer (?P<old>\w+ [^,.;]+)", r"\b(?:i|we) (?:\w+ )?{old}\b"),
        (
            r"\b(?:i|we) (?:do not|don['’]t) (?P<old>\w+ [^,.;]+?) any ?more\b",
            r"\b(?:i|we) (?:\w+ )?{old}\b",
        ),
        (r"从\s*(?P<old>[^，。,.]{1,12}?)\s*搬[到去]", r"我们?(?:现在|目前)?住在?\s*{old}"),
        (
            r"从\s*(?P<old>[^，。,.]{1,20}?)\s*(?:换成|换到|改成|改用|迁移?到|切换到)",
            r"(?:用|使用|采用)(?:的是)?\s*{old}",
        ),
        (r"不再\s*(?P<old>[^，。；、了,.]{2,20})", r"我们?\S{{0,4}}?\s*{old}"),
    )
)


def replaced_event(
    sentence: str, speaker: str | None, timeline: Sequence[Mapping[str, Any]]
) -> str | None:
    """The id of the one active event that the sentence clearly puts out of force.

    Args:
        sentence: what was said.
        speaker: the name of who said it; what one person says puts nothing out of force that
            another said of themselves. None if it has no name.
        timeline: the events that may be related to.

    """
    if not cues.is_change(sentence):
        return None
    known = [it for it in timeline if it["status"] == "active" and _is_theirs(speaker, it)]
    ended = [str(event["id"]) for event in known if _ends(sentence, str(event["title"]))]
    return min(ended) if ended else _changed_plan(sentence, speaker, known)


def _ends(sentence: str, title: str) -> bool:
    """Whether the sentence says that the state in the title is over."""
    said, told = normalise(sentence), normalise(title)
    for pattern, state in _ENDED:
        for found in pattern.finditer(said):
            old = r"\s*".join(map(re.escape, found["old"].split()))
            if re.search(state.format(old=old), told):
                return True
    return False


def _changed_plan(
    sentence: str, speaker: str | None, known: Sequence[Mapping[str, Any]]
) -> str | None:
    """The event with the subject of the sentence; None when two fit equally."""
    text = normalise(sentence)
    if not is_cancellation(text):
        if not _CHANGED.search(text):
            return None
        text = _NEW_VALUE.sub(r"\1", text)
    subject = _subject(text, speaker)
    fits = sorted((-_likeness(subject, event, speaker), str(event["id"])) for event in known)
    if not fits or not fits[0][0] or (len(fits) > 1 and fits[0][0] == fits[1][0]):
        return None
    return fits[0][1]


def _likeness(subject: frozenset[str], event: Mapping[str, Any], speaker: str | None) -> float:
    """How much an event shares the subject, 0 if not enough; one word alone names a plan only."""
    other = _subject(normalise(str(event["title"])), speaker)
    shared = len(subject & other)
    if not shared or (shared == 1 and event["temporal"].get("status") != "planned"):
        return 0.0
    of_both = shared / len(subject | other)
    enough = shared / min(len(subject), len(other)) >= SHARED_OF_SMALLER
    return of_both if enough and of_both >= SHARED_OF_BOTH else 0.0


def _subject(text: str, speaker: str | None) -> frozenset[str]:
    """What a normalised text is about: its telling words without the name of who said it."""
    rest = _IDLE.sub(" ", text)
    idle = query_tokens(speaker or "")
    return (
        frozenset(query_tokens(rest)).difference(idle) if rest.strip(" ,.!。，！") else frozenset()
    )


def _is_theirs(speaker: str | None, event: Mapping[str, Any]) -> bool:
    people = event["temporal"].get("participants") or ()
    return speaker is None or not people or speaker in people
