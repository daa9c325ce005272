"""Which of the two languages of the library a text is written in."""

from typing import Literal

import regex

Language = Literal["en", "zh"]

_HAN_LETTER = regex.compile(r"(?V1)[\p{Han}&&\p{L}]")


def detect_language(text: str) -> Language:
    """Chinese when at least a fifth of the letters are Han characters, else English."""
    if text.isascii():
        return "en"
    han = len(_HAN_LETTER.findall(text))
    letters = sum(map(str.isalpha, text))
    return "zh" if han and han * 5 >= letters else "en"


def choose_language(setting: Literal["en", "zh", "auto"], text: str) -> Language:
    """The language of stock texts: the setting, or with ``auto`` that of `text`."""
    return detect_language(text) if setting == "auto" else setting
