"""The English grammar: dates counted from the moment of speaking, and what grows a date."""

import re
from datetime import date, timedelta

from stratagate_core.text.times import english_dates
from stratagate_core.text.times.calendar import (
    Interval,
    Unit,
    between,
    distance,
    nearest_weekday,
    one_day,
    season,
    unit_at,
    weekday_of,
    weekend,
)
from stratagate_core.text.times.english_words import (
    NUMBER,
    PART,
    SEASON,
    STEP,
    UNIT,
    VAGUE,
    WEEKDAY,
    WEEKDAYS,
    WHICH,
    number,
)
from stratagate_core.text.times.grammar import Clause, rule


def _near_day(match: re.Match[str], clause: Clause) -> Interval:
    word = match["word"].lower()
    step = -1 if word.startswith(("yesterday", "last")) else int(word.startswith("tomorrow"))
    return one_day(clause.today + timedelta(days=step))


def _which_unit(match: re.Match[str], clause: Clause) -> Interval | None:
    unit: Unit = match["unit"].lower()  # type: ignore[assignment]
    which, article = match["which"].lower(), match["article"]
    if which == "past" and article and unit != "weekend":
        return between(clause.today, -1, 0, unit)
    return unit_at(clause.today, STEP[which], unit)


def _unit_before_last(match: re.Match[str], clause: Clause) -> Interval:
    unit: Unit = match["unit"].lower()  # type: ignore[assignment]
    return unit_at(clause.today, -2 if match["side"].lower() == "before last" else 2, unit)


def _the_weekend(_match: re.Match[str], clause: Clause) -> Interval:
    this = weekend(clause.today)
    return this if clause.awaits else weekend(clause.today - timedelta(days=7))


def _which_season(match: re.Match[str], clause: Clause) -> Interval:
    name = match["season"].lower().replace("fall", "autumn")
    step, today = STEP[match["which"].lower()], clause.today
    if step == 0:
        return season(name, today.year - (name == "winter" and today.month < 3))
    around = [season(name, today.year + shift) for shift in (-2, -1, 0, 1)]
    if step < 0:
        return [one for one in around if one.end.date() <= today][-1]
    return next(one for one in around if one.start.date() > today)


def _which_weekday(match: re.Match[str], clause: Clause) -> Interval | None:
    word, which = match["weekday"], match["which"].lower()
    if len(word) < 6 and not word[0].isupper():
        return None
    weekday, today = WEEKDAYS[word.lower()], clause.today
    if which in ("this", "next"):
        return one_day(weekday_of(today, weekday, STEP[which]))
    return one_day(nearest_weekday(today, weekday, ahead=STEP[which] > 0))


def _weekday(match: re.Match[str], clause: Clause) -> Interval | None:
    word = match["weekday"]
    if clause.lean == "unclear" or (len(word) < 6 and not word[0].isupper()):
        return None
    weekday = WEEKDAYS[word.lower()]
    return one_day(nearest_weekday(clause.today, weekday, ahead=clause.awaits))


def _ago(match: re.Match[str], clause: Clause) -> Interval | None:
    return _away(match, clause, -number(match["count"]))


def _from_now(match: re.Match[str], clause: Clause) -> Interval | None:
    return _away(match, clause, number(match["count"]))


def _within(match: re.Match[str], clause: Clause) -> Interval | None:
    """`in two days` is a date, unless the past tense makes it a length of time."""
    if clause.tense == "past" and not match["time"]:
        return None
    return _away(match, clause, number(match["count"]))


def _away(match: re.Match[str], clause: Clause, count: int) -> Interval:
    unit: Unit = match["unit"].lower()  # type: ignore[assignment]
    if unit in ("minute", "hour"):
        return clause.moment(timedelta(minutes=count * (60 if unit == "hour" else 1)))
    return distance(clause.today, count, unit)


def _vague_ago(match: re.Match[str], clause: Clause) -> Interval | None:
    unit: Unit = match["unit"].lower()  # type: ignore[assignment]
    low, high = VAGUE[match["vague"].lower()]
    return between(clause.today, -high, -low, unit)


def _stretch(match: re.Match[str], clause: Clause) -> Interval | None:
    """`the past two weeks`: up to today; `the next few days`: from today on."""
    unit: Unit = match["unit"].lower()  # type: ignore[assignment]
    count = VAGUE[match["vague"].lower()][1] if match["vague"] else number(match["count"])
    sign = -1 if match["side"].lower() in ("last", "past", "previous") else 1
    return between(clause.today, 0, sign * count, unit)


RULES = (
    *english_dates.RULES,
    rule(
        rf"\b(?P<word>(?:yesterday|today|tomorrow){PART}|tonight|last night|"
        r"this (?:morning|afternoon|evening))\b",
        _near_day,
    ),
    rule(
        rf"\b(?P<article>the )?{WHICH} (?P<unit>week|weekend|month|year|decade)\b(?! of\b|-)",
        _which_unit,
    ),
    rule(
        r"\bthe (?P<unit>week|weekend|month|year) (?P<side>before last|after next)\b",
        _unit_before_last,
    ),
    rule(
        r"\b(?:over|at|on|during|for) (?P<t>the weekend)\b(?! (?:of|before|after)\b)", _the_weekend
    ),
    rule(rf"\b{WHICH} {SEASON}(?! of\b)", _which_season),
    rule(rf"\b(?:the )?{WHICH} {WEEKDAY}{PART}(?!-)", _which_weekday),
    rule(
        rf"\b(?:on|by|to|for|of|until|till|since|from|before|after) (?P<t>{WEEKDAY}{PART})(?!-)",
        _weekday,
    ),
    rule(
        r"\b(?P<t>(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day) "
        r"(?:morning|afternoon|evening|night))\b",
        _weekday,
    ),
    rule(rf"\b{NUMBER} {UNIT} ago\b", _ago),
    rule(rf"\b(?:a )?(?P<vague>couple|few|several)(?: of)? {UNIT} ago\b", _vague_ago),
    rule(rf"\b{NUMBER} {UNIT} from (?:now|today)\b", _from_now),
    rule(rf"\bin {NUMBER} {UNIT}(?P<time>'? time\b)?(?!-)", _within),
    rule(
        r"\b(?:the |these )?(?P<side>last|past|previous|next|coming) "
        rf"(?:(?P<vague>couple|few|several)(?: of)?|{NUMBER}) {UNIT}",
        _stretch,
    ),
)

#: `the week before`, `two days after`, `the Friday before` in front of a day
ANCHORED = (
    rf"\b(?:the (?P<unit>day|week|weekend|month)|the {WEEKDAY}|{NUMBER} "
    r"(?P<units>day|week|month|year)s?) (?P<side>of|before|after) $"
)


def anchored(match: re.Match[str], day: date) -> Interval | None:
    """The time that a prefix names from the day behind it."""
    sign = {"of": 0, "before": -1, "after": 1}[match["side"].lower()]
    if match["weekday"]:
        weekday = WEEKDAYS[match["weekday"].lower()]
        return one_day(nearest_weekday(day, weekday, ahead=sign > 0)) if sign else None
    if match["count"]:
        units: Unit = match["units"].lower()  # type: ignore[assignment]
        away = number(match["count"]) * sign
        return distance(day, away, units) if sign else None
    unit: Unit = match["unit"].lower()  # type: ignore[assignment]
    return unit_at(day, sign, unit)


_TIME = (
    r"(?:(?P<hour>\d\d?)(?:[:.](?P<min>\d\d))?~(?P<half>a\.?m\b\.?|p\.?m\b\.?)|(?P<hour24>\d\d?):(?P<min24>\d\d)|"
    r"(?P<noon>noon))(?![\d:])"
)
CLOCK_AFTER = rf",?~(?:at |around |about |by )?{_TIME}"
CLOCK_BEFORE = rf"(?<![\w:.])(?:at )?{_TIME}(?: on|,)? $"
