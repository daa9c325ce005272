"""Dates written in figures, the same in every language. `06/05/2023` names two days and so none."""

import re
from datetime import date, datetime, timezone

from stratagate_core.text.times.calendar import Interval, minute, one_day
from stratagate_core.text.times.grammar import Clause, rule

_CLOCK = (
    r"(?:[T ](?P<hour>\d\d):(?P<min>\d\d)(?::\d\d(?:\.\d{1,9})?)?"
    r"(?:~(?P<zone>Z|[+-]\d\d:?\d\d))?(?![\d:]))?"
)


def _year_first(match: re.Match[str], clause: Clause) -> Interval:
    day = date(int(match["y"]), int(match["m"]), int(match["d"]))
    if match["hour"] is None:
        return one_day(day, "explicit")
    zone = match["zone"]
    there = clause.now.tzinfo if zone is None else _offset(zone)
    moment = datetime(day.year, day.month, day.day, int(match["hour"]), int(match["min"]))
    local = moment.replace(tzinfo=there).astimezone(clause.now.tzinfo)
    return minute(local.replace(tzinfo=None), "explicit")


def _offset(zone: str) -> timezone:
    parsed = datetime.strptime(zone.upper(), "%z").tzinfo
    assert isinstance(parsed, timezone)
    return parsed


def _year_last(match: re.Match[str], _clause: Clause) -> Interval | None:
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    if first <= 12 and second <= 12 and first != second:
        return None
    day, month = (first, second) if first > 12 else (second, first)
    return one_day(date(year, month, day), "explicit")


RULES = (
    rule(
        rf"(?<![\w.-])(?P<y>\d{{4}})(?P<sep>[-/])(?P<m>\d\d?)(?P=sep)(?P<d>\d\d?){_CLOCK}"
        r"(?![\d/]|-\d|[A-Za-z_])",
        _year_first,
    ),
    rule(
        r"(?<![\w./-])(?P<a>\d\d?)(?P<sep>[./])(?P<b>\d\d?)(?P=sep)(?P<y>(?:19|20)\d\d)(?![\w/]|[.-]\d)",
        _year_last,
    ),
)
