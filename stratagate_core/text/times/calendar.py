"""Calendar arithmetic for the grammars: intervals of local time, without zones.

Weeks start on Monday. Seasons are the northern ones by whole months (winter December to February).
A date that does not exist raises `ValueError` or `OverflowError`; the finder reads it as no date.
"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

from stratagate_core.text.times.expression import Basis, Precision

#: ahead: to come, or gone by a short while ago; open: whichever is nearest
Tense = Literal["past", "future", "ahead", "open"]
Unit = Literal["minute", "hour", "day", "week", "weekend", "month", "year", "decade"]

_MINUTE = timedelta(minutes=1)
#: a day that something was set for is spoken of without its year for as long as this
_JUST_GONE = timedelta(days=31)
_SEASON_START = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


@dataclass(frozen=True, slots=True)
class Interval:
    """A half-open stretch of local time."""

    start: datetime
    end: datetime
    precision: Precision
    basis: Basis


def midnight(day: date) -> datetime:
    """The first moment of a day."""
    return datetime.combine(day, time())


def days(start: date, end: date, precision: Precision, basis: Basis) -> Interval:
    """The days from `start` to before `end`."""
    return Interval(midnight(start), midnight(end), precision, basis)


def one_day(day: date, basis: Basis = "relative") -> Interval:
    """A whole day."""
    return days(day, day + timedelta(days=1), "day", basis)


def minute(moment: datetime, basis: Basis) -> Interval:
    """The minute of a moment: an instant as precise as people name it."""
    start = moment.replace(second=0, microsecond=0)
    return Interval(start, start + _MINUTE, "instant", basis)


def one_month(year: int, month: int, basis: Basis = "relative") -> Interval:
    """A calendar month; months beyond 1..12 run into the years around."""
    start = month_start(year, month)
    return days(start, month_start(year, month + 1), "month", basis)


def one_year(year: int, basis: Basis = "relative") -> Interval:
    """A calendar year."""
    return days(date(year, 1, 1), date(year + 1, 1, 1), "year", basis)


def month_start(year: int, month: int) -> date:
    """The first of a month; months beyond 1..12 run into the years around."""
    return date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def week_start(day: date) -> date:
    """The Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def week(day: date) -> Interval:
    """The week around a day."""
    monday = week_start(day)
    return days(monday, monday + timedelta(days=7), "range", "relative")


def weekend(day: date) -> Interval:
    """Saturday and Sunday of the week around a day."""
    saturday = week_start(day) + timedelta(days=5)
    return days(saturday, saturday + timedelta(days=2), "range", "relative")


def season(name: str, year: int, basis: Basis = "relative") -> Interval:
    """A season that starts in `year`."""
    month = _SEASON_START[name]
    return days(month_start(year, month), month_start(year, month + 3), "range", basis)


def shift_day(day: date, count: int, unit: Unit) -> date:
    """A day moved by whole units; the end of a shorter month stands in for a missing day."""
    if unit in ("day", "week", "weekend"):
        return day + timedelta(days=count * (1 if unit == "day" else 7))
    months = count * {"month": 1, "year": 12, "decade": 120}[unit]
    first = month_start(day.year, day.month + months)
    last = month_start(first.year, first.month + 1) - timedelta(days=1)
    return first.replace(day=min(day.day, last.day))


def unit_at(day: date, count: int, unit: Unit) -> Interval:
    """The calendar unit `count` units away: last week is -1, next year +1."""
    if unit == "week":
        return week(shift_day(day, count, "week"))
    if unit == "weekend":
        return weekend(shift_day(day, count, "week"))
    return distance(day, count, unit)


def distance(day: date, count: int, unit: Unit) -> Interval:
    """What `count` units ago or ahead names: a day for days and weeks, else the month or year."""
    if unit == "weekend":
        return weekend(shift_day(day, count, unit))
    there = shift_day(day, count, unit)
    if unit in ("day", "week"):
        return one_day(there)
    return one_month(there.year, there.month) if unit == "month" else one_year(there.year)


def between(day: date, low: int, high: int, unit: Unit) -> Interval:
    """The days from `low` to `high` units away, both included."""
    if unit in ("minute", "hour"):
        return one_day(day)
    start, end = sorted((shift_day(day, low, unit), shift_day(day, high, unit)))
    return days(start, end + timedelta(days=1), "range", "relative")


def weekday_of(day: date, weekday: int, weeks: int = 0) -> date:
    """A weekday (Monday 0) in the week `weeks` away from a day's own."""
    return week_start(day) + timedelta(days=weekday + 7 * weeks)


def nearest_weekday(day: date, weekday: int, *, ahead: bool) -> date:
    """The first such weekday strictly after (`ahead`) or before a day."""
    if ahead:
        return day + timedelta(days=(weekday - day.weekday() - 1) % 7 + 1)
    return day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)


def nearest_date(today: date, month: int, day: int, tense: Tense) -> date:
    """A date without its year: the nearest one on the side that the tense leaves open."""
    found = []
    for year in range(today.year - 4, today.year + 5):
        try:
            found.append(date(year, month, day))
        except ValueError:
            continue
    if tense == "past":
        found = [candidate for candidate in found if candidate <= today]
    elif tense != "open":
        earliest = today - (_JUST_GONE if tense == "ahead" else timedelta())
        found = [candidate for candidate in found if candidate >= earliest]
    return min(found, key=lambda candidate: abs(candidate - today))


def nearest_month(today: date, month: int, tense: Tense) -> Interval:
    """A month without its year: the nearest one on the side that the tense leaves open."""
    if not 1 <= month <= 12:
        raise ValueError(month)
    gap = (month - today.month) % 12
    first_gone = {"past": 1, "open": 6, "ahead": 11, "future": 12}[tense]
    if gap >= first_gone:
        gap -= 12
    return one_month(today.year, today.month + gap, "explicit")
