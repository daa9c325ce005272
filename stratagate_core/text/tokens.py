"""The analyser: one way to cut text into tokens, for documents and for queries (04 §1).

Words are cut in the manner of UAX #29 and reduced to English stems; runs of Han characters,
which no dictionary here divides, give their overlapping pairs. One linear pass, any input.
A token is `w:` + word, `h1:` + a Han character that stands alone, or `h2:` + a Han pair.
"""

import re
from collections.abc import Iterator, Sequence, Set
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.resources import files
from itertools import pairwise
from threading import local

import regex
from snowballstemmer.english_stemmer import EnglishStemmer

from stratagate_core.text.normalise import normalise

#: an index made under another id is not used; another stemmer may give other stems
ANALYSER_ID = f"words-2+snowball-{'.'.join(version('snowballstemmer').split('.')[:2])}"
PLAIN_ID = "plain-1"

#: what is longer is no word of a language but data; so no token outgrows an index key
_LONGEST = 128

_HAN, _KANA, _HANGUL = r"\p{Han}", r"\p{Hiragana}\p{Katakana}ー", r"\p{Hangul}"
#: scripts written without spaces that UAX #29 leaves to dictionaries
_DENSE = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_START = rf"[[\p{{L}}\p{{N}}_]--[{_HAN}{_KANA}{_HANGUL}{_DENSE}]]"
_CORE = rf"{_START}[[\p{{L}}\p{{N}}\p{{M}}\p{{Cf}}_]--[{_HAN}{_KANA}{_HANGUL}{_DENSE}\u200b]]*"
_PIECES = regex.compile(
    rf"(?V1){_CORE}(?:[.,'’]{_CORE})*|[{_HAN}]+"
    rf"|[{_KANA}][{_KANA}\p{{M}}]*|[{_HANGUL}][{_HANGUL}\p{{M}}]*|[{_DENSE}][{_DENSE}\p{{M}}]*"
)
_ASCII_PIECES = re.compile(r"[a-z0-9_]+(?:[.,'][a-z0-9_]+)*")
_HAN_CHARACTER = regex.compile(r"\p{Han}")
_DENSE_CHARACTER = regex.compile(rf"[{_DENSE}]")
_INVISIBLE = regex.compile(r"(?V1)[[\p{Cf}\p{Me}\p{Variation_Selector}]--\u200b]+")
_LATIN = regex.compile(r"\p{Latin}+")
_CLUSTER = regex.compile(r"\X")
_JOINT = re.compile(r"[.,'’]")
_PARTS = re.compile(r"[.,'’_]")

#: texts up to so many characters are remembered with their tokens
_REMEMBERED = 1000

_stemmers = local()


def tokens(text: str) -> list[str]:
    """The tokens of a document, in reading order, repeats kept."""
    # candidates of a search are analysed again and again; a long text is seldom one
    return list(_remembered(text) if len(text) <= _REMEMBERED else _analysed(text))


def _analysed(text: str) -> tuple[str, ...]:
    return tuple(token for piece in _pieces(_visible(text)) for token in _analyse(piece))


@lru_cache(maxsize=4096)
def _remembered(text: str) -> tuple[str, ...]:
    return _analysed(text)


def query_tokens(text: str) -> list[str]:
    """The tokens of a query: function words are left out if other tokens remain."""
    return telling_tokens(text) or tokens(text)


def telling_tokens(text: str) -> list[str]:
    """The tokens of a query without function words; none if it has no others."""
    return [token for piece in _pieces(_visible(text)) for token in _telling(piece)]


def plain_tokens(text: str) -> list[str]:
    """The plain mode: whole words, then Han pairs; no parts, no stems, nothing left out."""
    words: list[str] = []
    han: list[str] = []
    for piece in _pieces(normalise(text)):
        if _is_han(piece):
            han += [f"han{len(gram)}:{gram}" for gram in _grams(piece)]
        else:
            words.append(f"word:{piece}")
    return words + han


def fuzzy_match(a: str, b: str) -> bool:
    """Whether two texts, normalised and not empty, are equal or one contains the other."""
    first, second = normalise(a), normalise(b)
    return bool(first and second) and (first in second or second in first)


def containment(a: Set[str], b: Set[str]) -> float:
    """How much of the smaller token set the other holds, 0..1; fewer than 2 shared count as 0."""
    shared = len(a & b)
    return shared / min(len(a), len(b)) if shared >= 2 else 0.0


def _visible(text: str) -> str:
    """`text` normalised, without characters that only steer its display (joiners, marks)."""
    text = normalise(text)
    return text if text.isascii() else _INVISIBLE.sub("", text)


def _pieces(text: str) -> Iterator[str]:
    """The words and the runs of Han characters of a normalised text."""
    found = _ASCII_PIECES.findall(text) if text.isascii() else _PIECES.findall(text)
    for piece in found:
        for word in (piece,) if piece.isalnum() else _words(piece):
            if not word.startswith("_") or word.strip("_"):
                yield word


def _words(piece: str) -> Iterator[str]:
    """`piece` cut at the signs that do not belong inside a word where they stand."""
    start = 0
    for joint in _JOINT.finditer(piece):
        at = joint.start()
        if not _joins(piece[at], _base_before(piece, at), piece[at + 1]):
            yield piece[start:at]
            start = at + 1
    yield piece[start:]


def _joins(sign: str, before: str, after: str) -> bool:
    """`.` joins letters and digits, `'` only letters, `,` only digits; never a mixture."""
    if before.isalpha() and after.isalpha():
        return sign != ","
    return before.isnumeric() and after.isnumeric() and sign in ".,"


def _base_before(piece: str, at: int) -> str:
    """The character before `at`, skipping the marks that sit on it."""
    while at > 1 and not (piece[at - 1].isalnum() or piece[at - 1] in "_.,'’"):
        at -= 1
    return piece[at - 1]


def _analyse(piece: str) -> tuple[str, ...]:
    """The tokens of one word or Han run."""
    if _is_han(piece):
        return tuple(f"h{len(gram)}:{gram}" for gram in _grams(piece))
    # only short words are remembered: what is longer hardly comes again, and may be huge
    return _word(piece) if len(piece) <= _LONGEST else _word.__wrapped__(piece)


def _telling(piece: str) -> tuple[str, ...]:
    """The tokens of a piece of a query, without function words and parts that are such."""
    if _is_function_word(piece):
        return ()
    found = _analyse(piece)
    if _PARTS.search(piece) is None:
        return found
    idle = {f"w:{_stem(part)}" for part in _PARTS.split(piece) if _is_function_word(part)}
    return tuple(token for token in found if token not in idle)


@lru_cache(maxsize=1 << 16)
def _word(piece: str) -> tuple[str, ...]:
    if _DENSE_CHARACTER.match(piece):
        return tuple(f"w:{gram[:_LONGEST]}" for gram in _grams(_CLUSTER.findall(piece)))
    parts = [part for part in _PARTS.split(piece) if part]
    whole = () if parts == [piece] else (f"w:{piece[:_LONGEST]}",)
    return whole + tuple(f"w:{_stem(part)}" for part in parts)


def _grams(run: Sequence[str]) -> list[str]:
    """The overlapping pairs of a run, or its only character."""
    return [a + b for a, b in pairwise(run)] or list(run)


def _is_han(piece: str) -> bool:
    return not piece.isascii() and bool(_HAN_CHARACTER.match(piece))


def _stem(word: str) -> str:
    """The English stem of a word of Latin letters only; any other word as it is."""
    if len(word) > _LONGEST:
        return word[:_LONGEST]
    return _english(word) if word.isalpha() and _LATIN.fullmatch(word) else word


@lru_cache(maxsize=1 << 16)
def _english(word: str) -> str:
    stemmer = getattr(_stemmers, "english", None)
    if stemmer is None:  # a stemmer holds the word it works on: one for each thread
        stemmer = _stemmers.english = EnglishStemmer()
    return str(stemmer.stemWord(_irregular_verbs().get(word, word)))


def _is_function_word(piece: str) -> bool:
    return piece.replace("’", "'") in _function_words()


@cache
def _function_words() -> frozenset[str]:
    return frozenset(word for line in _lines("function-words.txt") for word in line.split())


@cache
def _irregular_verbs() -> dict[str, str]:
    pairs = (line.split("\t") for line in _lines("irregular-verbs.txt"))
    return dict(pairs)


def _lines(name: str) -> list[str]:
    text = (files("stratagate_core.text") / "lists" / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
