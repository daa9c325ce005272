"""Event cards without a model: sentences worth keeping, quoted, with speaker and time.

A card holds the sentence itself, so nothing is put into anyone's mouth. Questions, suppositions
and one-off requests make no card; a plan stays a plan. People count easily, assistants hardly.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from stratagate_core.events.rules import cues
from stratagate_core.events.rules.relations import place
from stratagate_core.events.rules.statements import Statement, statements_of
from stratagate_core.events.rules.supersession import replaced_event
from stratagate_core.events.rules.times import occurrence_of
from stratagate_core.text.clip import clip_words
from stratagate_core.text.modality import (
    is_first_person,
    is_greeting_or_praise,
    is_hypothetical,
    is_question,
    is_second_person,
)
from stratagate_core.text.names import find_names
from stratagate_core.text.normalise import collapse
from stratagate_core.text.salience import Spoken, score_sentences
from stratagate_core.text.tokens import query_tokens

TITLE, SUMMARY, CONTEXT = 120, 700, 160
#: cards of one speaker in one turn
MOST_PER_SPEAKER = 2
#: how telling a sentence must be (see `text.salience`), and one that opens with courtesy
BAR, BAR_OF_COURTESY = 0.8, 2.0
#: what is longer is no sentence but data
_LONGEST = 600
_PEOPLE, _TAGS = 12, 6
_COMMA = re.compile(r"[,，!！]\s*")
_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+")


def extract(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The cards of a block from the JSON a model would see."""
    statements = statements_of(payload)
    known = sorted({one.speaker for one in statements if one.named})
    cards = _cards(_chosen(statements), known, payload["timeline"])
    reason = "sentences that state something lasting" if cards else "nothing lasting was stated"
    return {"should_extract": bool(cards), "reason": reason, "events": cards}


def _chosen(statements: Sequence[Statement]) -> Iterator[Statement]:
    """The telling statements of each turn, in reading order."""
    role = {True: "user", False: "assistant"}
    spoken = [Spoken(one.text, role[one.by_person], one.speaker) for one in statements]
    scores = score_sentences(spoken)
    by_turn: dict[tuple[int, str], list[int]] = {}
    for index, one in enumerate(statements):
        if _is_kept(one, scores[index]):
            by_turn.setdefault((one.turn, one.speaker), []).append(index)

    def rank(index: int) -> tuple[bool, float, int]:
        return cues.criticality_of(statements[index].text) == "routine", -scores[index], index

    best = [
        index
        for indexes in by_turn.values()
        for index in sorted(indexes, key=rank)[:MOST_PER_SPEAKER]
    ]
    return (statements[index] for index in sorted(best))


def _is_kept(one: Statement, score: float) -> bool:
    text = one.text
    if len(text) > _LONGEST or len(query_tokens(_ADDRESS.sub(" ", text))) < 2:
        return False
    if one.by_person and cues.is_to_be_kept(text):
        return True
    if is_question(text) or is_hypothetical(text) or cues.is_request(text):
        return False
    if not one.by_person:
        return cues.is_finding(text)
    if cues.criticality_of(text) != "routine" or cues.is_change(text):
        return True
    if is_greeting_or_praise(text) and not _goes_on(text):
        return score >= BAR_OF_COURTESY
    return score >= BAR or _reports_work(text)


def _goes_on(text: str) -> bool:
    """Whether a sentence that opens with courtesy goes on to what the speaker did."""
    rest = _COMMA.split(text, maxsplit=1)[-1]
    return rest != text and is_first_person(rest) and not is_greeting_or_praise(rest)


def _reports_work(text: str) -> bool:
    """Whether it states a fact of the project, however plain; not what the listener does."""
    if is_second_person(text) and not is_first_person(text):
        return False
    return cues.is_of_the_project(text) or cues.is_finding(text)


def _cards(
    chosen: Iterable[Statement], known: Sequence[str], timeline: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The cards in reading order; a later one may put an earlier one out of force."""
    cards: list[dict[str, Any]] = []
    in_force = {str(event["id"]): event for event in timeline if event["status"] == "active"}
    for number, one in enumerate(chosen, 1):
        card = _card(one, known, list(in_force.values()))
        for replaced in card["temporal"].get("supersedes_event_ids", ()):
            del in_force[replaced]
        in_force[place(number)] = {**card, "id": place(number), "status": "active"}
        cards.append(card)
    return cards


def _card(
    one: Statement, known: Sequence[str], timeline: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    text = collapse(one.text)
    names = find_names(text, known)
    return {
        "title": clip_words(f"{one.speaker}: {text}" if one.named else text, TITLE),
        "summary": _summary(one, text),
        "source_message_ids": list(dict.fromkeys(said.message_id for said in (one, *one.context))),
        "scope": cues.scope_of(text, is_person=one.named),
        "tags": list(names)[:_TAGS],
        "quotes": [one.text],
        "criticality": cues.criticality_of(text) if one.by_person else "routine",
        "temporal": _temporal(one, names, timeline),
    }


def _summary(one: Statement, text: str) -> str:
    """The words with their speaker, behind those they lean on."""
    context = [(it.speaker, clip_words(collapse(it.text), CONTEXT)) for it in one.context]
    said = [*context, (one.speaker, clip_words(text, SUMMARY))]
    return " ".join(f'{speaker}: "{words}"' for speaker, words in said)


def _temporal(
    one: Statement, names: Sequence[str], timeline: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    time = one.time
    people = [one.speaker] if one.named else []
    direction = None if time is None else time.direction
    happening = cues.happening_of(one.text, direction=direction)
    times: dict[str, Any] = {
        "status": happening,
        "event_type": cues.kind_of(one.text, happening),
        "participants": list(dict.fromkeys([*people, *names]))[:_PEOPLE],
    }
    if time is not None:
        times |= {"original_text": time.text, **occurrence_of(time)}
    replaced = replaced_event(one.text, one.speaker if one.named else None, timeline)
    return times | ({"supersedes_event_ids": [replaced]} if replaced else {})
