"""Dates that English names outright: months, years, seasons and fixed holidays.

Small words that are also names of months (`may`, `march`) need a capital or other evidence.
"""

import re
from datetime import date, timedelta

from stratagate_core.text.times.calendar import (
    Interval,
    days,
    nearest_date,
    nearest_month,
    one_day,
    one_month,
    one_year,
    season,
)
from stratagate_core.text.times.english_words import (
    DAY,
    HOLIDAYS,
    MONTH,
    MONTHS,
    OF_WEEK,
    SEASON,
    STEP,
    WHICH,
    YEAR,
    choice,
)
from stratagate_core.text.times.grammar import Clause, rule


def _month_needs_proof(match: re.Match[str]) -> bool:
    """`may`, `march` and three-letter months are read only with a capital or other evidence."""
    word = match["month"]
    is_plain = len(word) > 3 and word.lower() != "march"
    return not (is_plain or word[0].isupper())


def _month_day(match: re.Match[str], clause: Clause) -> Interval | None:
    month, day = MONTHS[match["month"].lower()], int(match["day"])
    if _month_needs_proof(match) and not (match["suffix"] or match["year"]):
        return None
    if match["year"]:
        first = date(int(match["year"]), month, day)
    else:
        first = nearest_date(clause.today, month, day, clause.tense)
    last = match.groupdict().get("until")
    if last is None:
        return one_day(first, "explicit")
    return days(first, first.replace(day=int(last)) + timedelta(days=1), "range", "explicit")


def _month_year(match: re.Match[str], _clause: Clause) -> Interval:
    return one_month(int(match["year"]), MONTHS[match["month"].lower()], "explicit")


def _in_month(match: re.Match[str], clause: Clause) -> Interval | None:
    word, before = match["month"], match["before"].lower()
    if _month_needs_proof(match) and before not in ("in", "since"):
        return None
    return nearest_month(clause.today, MONTHS[word.lower()], clause.tense)


def _which_month(match: re.Match[str], clause: Clause) -> Interval | None:
    if _month_needs_proof(match):
        return None
    month, step = MONTHS[match["month"].lower()], STEP[match["which"].lower()]
    year = clause.today.year
    if step < 0:
        year -= month >= clause.today.month
    elif step > 0:
        year += month <= clause.today.month
    return one_month(year, month)


def _year(match: re.Match[str], _clause: Clause) -> Interval:
    return one_year(int(match["year"]), "explicit")


def _decade(match: re.Match[str], _clause: Clause) -> Interval:
    year = int(match["decade"])
    return days(date(year, 1, 1), date(year + 10, 1, 1), "range", "explicit")


def _season_year(match: re.Match[str], _clause: Clause) -> Interval:
    return season(match["season"].lower().replace("fall", "autumn"), int(match["year"]), "explicit")


def _which_holiday(match: re.Match[str], clause: Clause) -> Interval | None:
    month, day = HOLIDAYS[match["holiday"].lower()]
    today = clause.today
    if match["year"]:
        return one_day(date(int(match["year"]), month, day), "explicit")
    which = match["which"]
    if which is None:
        # `for` a feast tells what was given, too, so it does not point ahead
        tense = "open" if clause.tense == "ahead" else clause.tense
        near = nearest_date(today, month, day, tense)
        return one_day(near, "explicit") if match["before"] else None
    step = STEP[which.lower()]
    this = date(today.year, month, day)
    late = step < 0 and this >= today
    early = step > 0 and this <= today
    return one_day(this.replace(year=today.year - late + early))


RULES = (
    rule(
        rf"(?<![\w-]){OF_WEEK}{MONTH}~(?:the )?(?P<day>\d\d?)(?P<suffix>st|nd|rd|th)?"
        rf"(?:~[-–]~(?P<until>\d\d?)(?:st|nd|rd|th)?)?(?![\w%$]|[.:/,-]\d)(?:,?~{YEAR})?",
        _month_day,
    ),
    rule(rf"(?<![\w.:/-]){OF_WEEK}(?:the )?{DAY}~(?:of )?{MONTH}(?:,?~{YEAR})?", _month_day),
    rule(rf"(?<![\w-]){MONTH},?~(?:of )?{YEAR}", _month_year),
    rule(
        r"\b(?P<before>in|since|during|until|till|by|early|mid|late|of)[ -](?:early |mid |late )?"
        rf"(?P<t>{MONTH})(?!~\d|-)",
        _in_month,
    ),
    rule(rf"\b{WHICH} {MONTH}(?!~\d)", _which_month),
    rule(
        r"\b(?:in|since|during|until|till|from|before|after|early|mid|late|around|year|of) "
        rf"(?:early |mid |late )?(?P<t>{YEAR})",
        _year,
    ),
    rule(rf"\bby (?P<t>{YEAR})(?=~(?:[.,;!?)]|$|and\b|or\b|but\b))", _year),
    rule(r"(?<![\w-])(?:the )?(?P<decade>(?:18|19|20)\d0)'?s\b", _decade),
    rule(rf"\b(?:the )?{SEASON}(?: of)?,? {YEAR}", _season_year),
    rule(
        rf"\b(?P<before>(?:on|at|for|since|until|before|after|during) )?"
        rf"(?P<t>(?:{WHICH} )?(?P<holiday>{choice(HOLIDAYS)})\b(?:,? {YEAR})?)",
        _which_holiday,
    ),
)
