"""Which sentences of a block are worth keeping, told by their form alone.

People are later asked about what someone did, has, likes or plans, and when: so the first person,
dates, deeds, names and numbers count for a sentence, and questions, courtesy and talk about the
listener count against it. A sentence that shares the rarer words of its block belongs to what the
block is about.
"""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from math import log

from stratagate_core.text.modality import (
    is_first_person,
    is_greeting_or_praise,
    is_question,
    is_second_person,
)
from stratagate_core.text.names import find_names
from stratagate_core.text.tokens import tokens


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sentence and who said it."""

    text: str
    role: str
    speaker: str


_DATES = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|weekends?|birthday|anniversary|christmas|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:days?|weeks?|months?|years?|hours?)|"
    r"january|february|april|june|july|august|september|october|november|december|"
    r"(?:last|next|past|every|each|this)\s+(?:night|summer|winter|spring|fall|autumn|time|morning|"
    r"evening|few|couple)|since|recently|lately|soon|(?:19|20)\d\d|(?-i:May|March))\b"
    r"|[今昨明前后]天|[昨今明][早晚日]|[去今明前后]年|[上下这本]个?(?:周|月|星期|礼拜)|周末|周[一二三四五六日]"
    r"|[\d一二两三四五六七八九十半几]个?(?:天|日|号|周|星期|月|年|小时)|最近|刚刚|刚才|生日|周年|春节|圣诞",
    re.IGNORECASE,
)
#: what people do, get, have, like and decide; forms of the past come first
_DEEDS = re.compile(
    r"\b(?:\w{3,}ed|went|took|made|got|saw|met|came|bought|found|gave|told|began|started|left|lost|"
    r"won|ran|wrote|ate|felt|became|held|kept|read|drove|flew|built|taught|sold|chose|grew|"
    r"(?:play|work|stud|mak|cook|bak|paint|writ|read|learn|teach|plan|look|try|tak|go|do|hav|"
    r"build|start|us|run|visit|travel|volunteer|help)(?:y|i|e)?ing|"
    r"have|has|had|own|like|likes|love|loves|enjoy|enjoys|prefer|prefers|hate|want|wants|need|needs|"
    r"use|uses|decide|plan|plans|moved?|join|bring|live|lives|work|works|favou?rite|always|usually)\b"
    r"|[去买做写学读看吃搬换用玩听养拍养种画]|[了过]|参加|开始|完成|决定|喜欢|讨厌|打算|计划|准备|见到|认识|找到|得到|"
    r"收到|发现|加入|住在|工作|需要|希望|拿到|最爱|习惯",
    re.IGNORECASE,
)
_FIGURES = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|first|second|third)\b"
    r"|[一二两三四五六七八九十百千万几][个只本次位名条张件家部台块元岁公]"
)
_WORDS = re.compile(r"[A-Za-z0-9'’]+|[\u3400-\u9fff]")

#: fewer words (a Chinese character counts as 0.8) say too little to be kept
_SHORT = 4


def names_a_figure(text: str) -> bool:
    """Whether a text holds a number."""
    return _FIGURES.search(text) is not None


def names_a_time(text: str) -> bool:
    """Whether a text holds words for a time, told by their form alone."""
    return _DATES.search(text) is not None


def score_sentences(sentences: Sequence[Spoken]) -> tuple[float, ...]:
    """How much each sentence of one block deserves to be kept; higher is better."""
    overlap = _overlap([tokens(sentence.text) for sentence in sentences])
    speakers = {sentence.speaker.casefold() for sentence in sentences}
    return tuple(
        form_of(sentence.text, speakers) + shared
        for sentence, shared in zip(sentences, overlap, strict=True)
    )


def key_points(spoken: Sequence[Spoken], limit: int) -> tuple[int, ...]:
    """The positions of the `limit` best sentences, in reading order; earlier wins a tie."""
    scores = score_sentences(spoken)
    best = sorted(range(len(spoken)), key=lambda position: (-scores[position], position))
    return tuple(sorted(best[: max(0, limit)]))


def form_of(text: str, speakers: Set[str]) -> float:
    """How much a sentence tells by its form alone; `speakers` are case-folded names."""
    first = is_first_person(text)
    names = sum(name.casefold() not in speakers for name in find_names(text))
    score = 1.0 * first
    score += 1.2 * (_DATES.search(text) is not None)
    score += 0.5 * min(3, len(set(_DEEDS.findall(text))))
    score += 0.6 * min(2, names)
    score += 0.4 * (_FIGURES.search(text) is not None)
    score -= 2.0 * is_question(text)
    score -= 1.0 * is_greeting_or_praise(text)
    score -= 1.0 * (is_second_person(text) and not first)
    score -= 1.0 * (_length(text) < _SHORT)
    return score


def _length(text: str) -> float:
    return sum(1.0 if word.isascii() else 0.8 for word in _WORDS.findall(text))


def _overlap(analysed: Sequence[Sequence[str]]) -> list[float]:
    """What a sentence shares with the rest of its block, rare words weighing more; 0 to 1."""
    seen_in = Counter(token for sentence in analysed for token in set(sentence))
    rarity = {token: log(1 + len(analysed) / count) for token, count in seen_in.items()}
    shared = [
        sum(rarity[token] for token in sorted(set(sentence)) if seen_in[token] > 1)
        for sentence in analysed
    ]
    most = max(shared, default=0.0)
    return [value / most if most else 0.0 for value in shared]
