"""The words of English times: their values, and the pieces that patterns are built from."""

import re
from collections.abc import Mapping

MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ],
        1,
    )
    for name in names.split()
}
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        [
            "monday mon",
            "tuesday tues tue",
            "wednesday weds wed",
            "thursday thurs thur thu",
            "friday fri",
            "saturday sat",
            "sunday sun",
        ]
    )
    for name in names.split()
}
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
NUMBERS = {word: number for number, word in enumerate(_SMALL.split())} | {
    "a": 1, "an": 1, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
}  # fmt: skip
#: vague amounts and the counts they may stand for
VAGUE = {"couple": (2, 3), "few": (2, 5), "several": (3, 7)}
HOLIDAYS = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25),
    "new year's eve": (12, 31), "new year's day": (1, 1), "new year's": (1, 1),
    "halloween": (10, 31), "valentine's day": (2, 14), "valentine's": (2, 14),
}  # fmt: skip
STEP = {
    "last": -1, "past": -1, "previous": -1, "this past": -1, "this": 0, "next": 1, "coming": 1,
    "this coming": 1, "upcoming": 1,
}  # fmt: skip


def choice(words: Mapping[str, object]) -> str:
    """A pattern of any of the words, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)).replace(r"\ ", " ")


MONTH = rf"(?P<month>{'|'.join(MONTHS)})\b(?:\.(?=~\d))?"
DAY = r"(?P<day>\d\d?)(?P<suffix>st|nd|rd|th)?(?![\w%$]|[.:,/]\d)"
YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)(?![\w%]|[-.:/,]\d)"
WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})\b"
NUMBER = rf"(?P<count>\d{{1,4}}|{'|'.join(NUMBERS)})"
UNIT = r"(?P<unit>minute|hour|day|week|weekend|month|year|decade)s?\b"
WHICH = rf"(?P<which>{choice(STEP)})"
PART = r"(?: (?:early )?(?:morning|afternoon|evening|night))?"
SEASON = r"(?P<season>spring|summer|autumn|fall|winter)\b"
OF_WEEK = rf"(?:\b(?:{'|'.join(WEEKDAYS)})\b\.?,?~)?"


def number(word: str) -> int:
    """The value of a counted number, figures or words."""
    return int(word) if word.isdigit() else NUMBERS[word.lower()]
