"""The offline summary of a block: quotes only, so nothing is put into anyone's mouth."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from stratagate_core.conversation.rules.fillers import without_fillers
from stratagate_core.conversation.rules.keywords import keywords
from stratagate_core.text.clip import clip_words
from stratagate_core.text.modality import is_first_person, is_greeting_or_praise, is_question
from stratagate_core.text.names import find_names
from stratagate_core.text.normalise import collapse
from stratagate_core.text.salience import Spoken, key_points
from stratagate_core.text.sentences import split_sentences
from stratagate_core.text.tokens import query_tokens

TITLE = 60
SENTENCE = 300
POINTS, SUMMARY_SENTENCES, TAGS = 8, 3, 5
#: with fewer names than this, other words are tags too
_FEW_NAMES = 2
#: sentences a key point may be chosen from; longer blocks are thinned evenly
_MOST_SENTENCES = 2000
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CLAUSE_END = re.compile(r"[,;:](?=\s)|\s[–—-](?=\s)|[，；：。！？]")
#: words that lead on to what was cut off
_LEADING_ON = re.compile(
    r"(?:\s(?:an?|the|of|to|in|on|at|for|with|from|by|and|or|but|so|my|our|your|his|her|their|its|"
    r"that|which|who|is|are|was|were|not|we|i|you|they|he|she|it))+…$",
    re.IGNORECASE,
)


def summarise(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """L0–L2 of a block from the JSON a model would see."""
    spoken = _sentences(payload["messages"])
    telling = [one for one in spoken if _tells(one)] or spoken
    points = [telling[index] for index in key_points(telling, POINTS)]
    top = [telling[index] for index in key_points(telling, SUMMARY_SENTENCES)]
    subject = next((one for one in top if _by_person(one)), top[0] if top else None)
    title = _headline(subject.text) if subject else "Conversation"
    return {
        "l0_title": title,
        "l0_tags": _tags(spoken, points, subject),
        "l1_summary": " ".join(_quoted(one) for one in top) or title,
        "l2_keypoints": [_quoted(one) for one in points],
        "should_extract": any(_is_statement(one) for one in spoken),
    }


def _sentences(messages: Sequence[Mapping[str, Any]]) -> list[Spoken]:
    found = []
    for message in messages:
        role = str(message.get("role", "")).lower()
        if role not in ("user", "assistant"):
            continue
        speaker = str(message.get("name") or role.capitalize())
        prose = _CODE.sub("\n", str(message.get("content", "")))
        found += [Spoken(sentence, role, speaker) for sentence in split_sentences(prose)]
    step = -(-len(found) // _MOST_SENTENCES) or 1
    return found[::step]


def _tells(sentence: Spoken) -> bool:
    """Whether a sentence may be a key point: no mere courtesy, no question of an assistant."""
    text = sentence.text
    if not without_fillers(text) or is_greeting_or_praise(text):
        return False
    return (_by_person(sentence) or not is_question(text)) and len(query_tokens(text)) >= 2


def _by_person(sentence: Spoken) -> bool:
    return sentence.role == "user" or sentence.speaker != "Assistant"


def _quoted(sentence: Spoken) -> str:
    return f"{sentence.speaker}: {clip_words(collapse(sentence.text), SENTENCE)}"


def _is_statement(sentence: Spoken) -> bool:
    """Whether it may state something; also `could you note that my …?` and `nice, I have …`."""
    text = sentence.text
    empty = (is_question(text) or is_greeting_or_praise(text)) and not is_first_person(text)
    return _by_person(sentence) and not empty and len(query_tokens(text)) >= 2


def _headline(sentence: str) -> str:
    """The sentence, or as many of its clauses or words as a title holds."""
    text = collapse(sentence)
    if len(text) <= TITLE:
        return text.rstrip(".。") or text
    ends = [end.start() for end in _CLAUSE_END.finditer(text, TITLE // 3, TITLE - 1)]
    if ends:
        return f"{text[: ends[-1]].rstrip()}…"
    return _LEADING_ON.sub("…", clip_words(text, TITLE))


def _tags(spoken: Sequence[Spoken], points: Sequence[Spoken], subject: Spoken | None) -> list[str]:
    """Names, the most frequent first; where there are few, words that come up again."""
    speakers = sorted({one.speaker for one in spoken} - {"User", "Assistant"})
    counts = Counter(name for one in points for name in find_names(one.text, speakers))
    names = [name for name, _ in counts.most_common(TAGS)]
    if len(names) >= _FEW_NAMES:
        return names
    telling = [one.text for one in (*([subject] if subject else ()), *points)]
    words = keywords([one.text for one in spoken], telling, TAGS)
    known = {part.casefold() for name in names for part in name.split()}
    return [*names, *(word for word in words if word.casefold() not in known)][:TAGS]
