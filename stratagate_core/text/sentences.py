"""Text cut into sentences that are exact pieces of it, so that a quote stays a quote.

A full stop ends a sentence only where nothing says otherwise: not inside numbers and addresses,
not after `Mr.` or an initial, not before a small letter. Line ends always cut.
"""

import re

_CLOSERS = "\"'”’」』）)】》\\]"
_ENDING = re.compile(rf"[\r\n]+|(?P<full>[。！？]+)[{_CLOSERS}]*|(?P<half>[.!?…]+)[{_CLOSERS}]*")
_NEXT = re.compile(r"\s*[\"'“‘(\[*_]?(\S?)")
_LAST_WORD = re.compile(r"(?:[A-Za-z]+\.)*[A-Za-z]+$|\d+$")
_NUMBERED = re.compile(r"\s*\d{1,3}\.")

#: words that lead on to what follows: the stop after them never ends a sentence
_LEADING_WORDS = """
mr mrs ms mx dr prof rev fr sr st mt vs cf e.g i.e eg ie fig approx ca gen col capt lt
"""
_LEADING = frozenset(_LEADING_WORDS.split())
#: words whose stop counts only before a number
_BEFORE_NUMBER = frozenset(["no", "nos", "vol", "pp", "p", "sec", "ch", "art"])


def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of `text` in order: exact substrings without outer white space, none empty."""
    pieces = []
    begin = 0
    for ending in _ENDING.finditer(text):
        if _ends(text, begin, ending):
            pieces.append(text[begin : ending.end()].strip())
            begin = ending.end()
    pieces.append(text[begin:].strip())
    return tuple(piece for piece in pieces if piece)


def _ends(text: str, begin: int, ending: re.Match[str]) -> bool:
    if ending["half"] is None:
        return True
    after = text[ending.end() : ending.end() + 1]
    if after and not after.isspace() and not _is_han(after):
        return False
    if ending["half"] != "." and "." not in ending["half"] and "…" not in ending["half"]:
        return True
    following = _first_visible(text, ending.end())
    if following.islower():
        return False
    return ending["half"] != "." or not _leads_on(text, begin, ending, following)


def _first_visible(text: str, position: int) -> str:
    found = _NEXT.match(text[position : position + 20])
    return found[1] if found else ""


def _leads_on(text: str, begin: int, ending: re.Match[str], following: str) -> bool:
    if _NUMBERED.fullmatch(text[begin : ending.start() + 1][:8]):
        return True
    before = _LAST_WORD.search(text[max(begin, ending.start() - 12) : ending.start()])
    if before is None:
        return False
    word = before[0]
    if word.isdigit():
        return _is_han(following) and text[ending.end() : ending.end() + 1] == following
    is_initial = len(word) == 1 and word.isupper() and word != "I"
    numbered = word.lower() in _BEFORE_NUMBER and following.isdigit()
    return is_initial or numbered or word.lower() in _LEADING


def _is_han(char: str) -> bool:
    return "\u4e00" <= char <= "\u9fff" or "\u3400" <= char <= "\u4dbf"
