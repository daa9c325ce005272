"""Names in a text, found by capitals inside sentences and by the names already known.

Cautious on purpose: a capital at the start of a sentence proves nothing, a known name does.
"""

import re
from collections.abc import Iterator, Sequence, Set

from stratagate_core.text.sentences import split_sentences

_CAPITALISED = r"[A-Z][A-Za-zÀ-ÖØ-öø-ÿ0-9&]*(?:[-.'’][A-Z][A-Za-zÀ-ÖØ-öø-ÿ]+)*"
_LINK = r"(?:\s(?:of\sthe|and\sthe|of|the|de|del|la|van|von|der|da))?"
_NAME = re.compile(rf"(?<![\w@#/.]){_CAPITALISED}(?:{_LINK}\s{_CAPITALISED}){{0,4}}(?!\w)")
_TITLED = re.compile(r"《([^《》\n]{1,60})》")
#: what may stand before the first word of a sentence or of something quoted in it
_OPENERS = re.compile(r"(?:^|[:：…\"“‘(\[—*~]|\.\.)[\W_]*$")

#: words that English writes with a capital without naming anyone or anything
_PLAIN_WORDS = """
i ok okay tv am pm dm lol omg btw hi hey hello yes no yeah oh wow thanks mr mrs ms dr
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat
sun january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
it let here there that what just even see we you he she they my
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
_OPENING_WORDS = """
yesterday today tomorrow tonight later then now our your his her their its this these those when
while if after before since as although though because but and or so also where who why how in on
at for with from to by about until during is are was were do does did can could would should have
has had both only maybe please dear
"""
#: words that stand before a name at the start of a sentence without being part of it
_BEFORE_NAMES = frozenset(_OPENING_WORDS.split())


def find_names(text: str, known: Sequence[str] = ()) -> tuple[str, ...]:
    """The names in `text`, in order of first appearance, each once.

    `known` names (speakers, for instance) are found in any case and at any place, and are given
    in the spelling they are known by.
    """
    found = [*_known(text, known), *_titles(text), *_capitals(text, known)]
    names: dict[str, str] = {}
    for _position, name in sorted(found, key=lambda one: one[0]):
        names.setdefault(name.casefold(), name)
    return tuple(names.values())


def _known(text: str, known: Sequence[str]) -> Iterator[tuple[int, str]]:
    for name in known:
        if not name.strip():
            continue
        inner = re.escape(name.strip())
        word = rf"(?<![A-Za-z0-9_]){inner}(?![A-Za-z0-9_])" if name.isascii() else inner
        match = re.search(word, text, re.IGNORECASE)
        if match:
            yield match.start(), name.strip()


def _titles(text: str) -> Iterator[tuple[int, str]]:
    for match in _TITLED.finditer(text):
        yield match.start(1), match[1].strip()


def _capitals(text: str, known: Sequence[str]) -> Iterator[tuple[int, str]]:
    position = 0
    for sentence in split_sentences(text):
        position = text.index(sentence, position)
        if not _is_shouted(sentence):
            for start, name in _in_sentence(sentence, {name.strip().casefold() for name in known}):
                yield position + start, name
        position += len(sentence)


def _in_sentence(sentence: str, known: Set[str]) -> Iterator[tuple[int, str]]:
    for match in _NAME.finditer(sentence):
        start, words = match.start(), match[0].split()
        while words and words[-1].lower() in _PLAIN:
            words.pop()
        opens = not start or _OPENERS.search(sentence[max(0, start - 6) : start])
        if opens and len(words) > 1 and words[0].lower() in _BEFORE_NAMES:
            start, opens = sentence.index(words[1], start + len(words[0])), None
            words = words[1:]
        # behind a word of its own, an opening capital may be part of a name: `Mary Smith called`
        if opens and (len(words) < 2 or " ".join(words[1:]).casefold() in known):
            continue
        name = " ".join(words)
        if len(name) > 1 and words[0].lower() not in _PLAIN:
            yield start, name


def _is_shouted(sentence: str) -> bool:
    letters = [char for char in sentence if char.isalpha() and char.isascii()]
    return len(letters) > 8 and sum(map(str.isupper, letters)) > len(letters) / 2
