"""Words that tell one stretch of conversation from another, in the form they were written in.

Without a dictionary a Chinese word is a run of characters that comes again and holds no word of
grammar; elsewhere words stand between spaces and are counted by their stems.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from stratagate_core.text.tokens import query_tokens, tokens

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[^\W\d_{_HAN}][^\W{_HAN}]{{2,40}}(?![^\W{_HAN}])")
_HAN_RUN = re.compile(rf"[{_HAN}]+")
_LENGTHS = (2, 3, 4)
_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+")
#: most frequent runs that are looked at; the others cannot come out on top
_CANDIDATES = 60
_IDLE_HAN = re.compile(
    "[的地得了着过我你您他她它们是在有没和与及就不也都又还再这那哪谁什么怎吗呢吧啊呀嘛要会能想可以应该去来到说"
    "看做用把被让给对从向跟为因所但如果而且很太最更好多少个些一二三四五六七八九十两几次天年月日号周点分上下前后"
    "今明昨每请帮谢]"
)
_IDLE_WORDS = """
actually add again already also always another anything asked back bad better bit called check come
could day days done even every everything feel find fine first get getting give goes going gone
good got great happy hello help here hope idea keep kind know last later least let like little
long look looking lot made main make making many maybe mean might mine month months more morning
much need needs never new next nice night now okay old one only other people perfect place please
point pretty probably put quite really right said same say says see seems set should show since
something sometimes soon sound sounds start started still stuff suggest sure take takes tell
thank thanks that then there thing things think thought time times today together tomorrow
tonight too took totally tried try two use used user uses using very want wanted wants way week
weekend weeks well went will without wonderful work works would year years yes yesterday yet
monday tuesday wednesday thursday friday saturday sunday january february march april may june
july august september october november december
"""
_IDLE = frozenset(_IDLE_WORDS.split())


def keywords(sentences: Sequence[str], telling: Sequence[str], limit: int) -> tuple[str, ...]:
    """The words of the `telling` sentences that come up most often in all of them.

    Args:
        sentences: all that was said.
        telling: the sentences that matter, the most important one first.
        limit: how many words at most.

    """
    return (*_han_words(sentences, telling), *_spaced_words(sentences, telling))[:limit]


def _spaced_words(sentences: Sequence[str], telling: Sequence[str]) -> list[str]:
    """Words between spaces; those of the first telling sentence count once more."""
    surface: dict[str, str] = {}
    for sentence in telling:
        for stem, word in _stems(sentence):
            surface.setdefault(stem, word)
    counts = Counter(stem for sentence in sentences for stem, _ in _stems(sentence))
    counts.update(stem for sentence in telling[:1] for stem, _ in _stems(sentence))
    places = {stem: place for place, stem in enumerate(surface)}
    return [surface[stem] for stem in sorted(surface, key=lambda key: (-counts[key], places[key]))]


def _stems(sentence: str) -> Iterator[tuple[str, str]]:
    """Each telling word of a sentence once, with its stem."""
    wanted = set(query_tokens(sentence))
    found: dict[str, str] = {}
    for word in _WORD.findall(_ADDRESS.sub(" ", sentence)):
        stems = tokens(word)
        if len(stems) == 1 and stems[0] in wanted and word.lower() not in _IDLE:
            found.setdefault(stems[0], word)
    yield from found.items()


def _han_words(sentences: Sequence[str], telling: Sequence[str]) -> list[str]:
    """Runs of Chinese characters that come again; of overlapping ones the longest."""
    wanted = set(_grams(telling))
    counts = Counter(gram for gram in _grams(sentences) if gram in wanted)
    ranked = sorted(counts, key=lambda gram: (-counts[gram], -len(gram), gram))[:_CANDIDATES]
    again = [gram for gram in ranked if counts[gram] > 1]
    return [gram for gram in again if not any(gram != other and gram in other for other in again)]


def _grams(sentences: Sequence[str]) -> Iterator[str]:
    for sentence in sentences:
        for run in _HAN_RUN.findall(_IDLE_HAN.sub(" ", sentence)):
            for length in _LENGTHS:
                yield from (run[at : at + length] for at in range(len(run) - length + 1))
