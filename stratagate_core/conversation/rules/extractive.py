"""The offline summary of a block: quotes only, so nothing is put into anyone's mouth."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from stratagate_core.text.clip import clip_words
from stratagate_core.text.modality import is_greeting_or_praise, is_question
from stratagate_core.text.names import find_names
from stratagate_core.text.normalise import collapse
from stratagate_core.text.salience import Spoken, key_points, score_sentences
from stratagate_core.text.sentences import split_sentences
from stratagate_core.text.tokens import query_tokens

TITLE = 60
SENTENCE = 300
POINTS, SUMMARY_SENTENCES, TAGS = 8, 3, 5
#: sentences a key point may be chosen from; longer blocks are thinned evenly
_MOST_SENTENCES = 2000


def summarise(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """L0–L2 of a block from the JSON a model would see."""
    spoken = _sentences(payload["messages"])
    best = key_points(spoken, POINTS)
    said = [spoken[index] for index in best]
    scores = score_sentences(spoken)
    order = sorted(best, key=lambda index: (-scores[index], index))
    top = sorted(order[:SUMMARY_SENTENCES])
    title = collapse(spoken[order[0]].text) if order else "Conversation"
    return {
        "l0_title": clip_words(title, TITLE),
        "l0_tags": _tags(spoken, said),
        "l1_summary": " ".join(_quoted(spoken[index]) for index in top) or title,
        "l2_keypoints": [_quoted(sentence) for sentence in said],
        "should_extract": any(_is_statement(sentence) for sentence in spoken),
    }


def _sentences(messages: Sequence[Mapping[str, Any]]) -> list[Spoken]:
    found = []
    for message in messages:
        role = str(message.get("role", ""))
        if role.lower() not in ("user", "assistant"):
            continue
        speaker = str(message.get("name") or role.capitalize())
        for sentence in split_sentences(str(message.get("content", ""))):
            if sentence.strip():
                found.append(Spoken(sentence.strip(), role, speaker))
    step = -(-len(found) // _MOST_SENTENCES) or 1
    return found[::step]


def _quoted(sentence: Spoken) -> str:
    return f"{sentence.speaker}: {clip_words(collapse(sentence.text), SENTENCE)}"


def _is_statement(sentence: Spoken) -> bool:
    spoken_by_person = sentence.role == "user" or sentence.speaker != "Assistant"
    empty = is_question(sentence.text) or is_greeting_or_praise(sentence.text)
    return spoken_by_person and not empty and len(query_tokens(sentence.text)) >= 2


def _tags(spoken: Sequence[Spoken], said: Sequence[Spoken]) -> list[str]:
    """Names first, then the words that come up most often in the chosen sentences."""
    speakers = {sentence.speaker for sentence in spoken} - {"User", "Assistant"}
    names = [name for sentence in said for name in find_names(sentence.text, sorted(speakers))]
    counts = Counter(names)
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    return list(dict.fromkeys(ranked))[:TAGS]
