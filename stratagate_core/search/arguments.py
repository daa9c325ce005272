"""Checks what a caller of a search gives; an error names the argument and says what is meant."""

import re
from datetime import UTC, date, datetime, tzinfo
from typing import Any, cast

from stratagate_core.cards.instants import Unit, after, parse_instant, unit_around
from stratagate_core.errors import InvalidArgument

_SHORT = {4: "year", 7: "month"}
_WIDEST = 2
_DATE_ONLY = re.compile(r"[^T\s:]+")


def checked_query(query: object) -> str:
    """The query, any text."""
    if not isinstance(query, str):
        raise InvalidArgument(f"query must be text, got {type(query).__name__}")
    return query


def checked_limit(limit: object, most: int) -> int:
    """The limit, clamped to 1..`most`."""
    if type(limit) is not int:
        raise InvalidArgument(f"limit must be a whole number from 1 to {most}, got {limit!r}")
    return min(max(limit, 1), most)


def checked_offset(offset: object) -> int:
    """The offset: a whole number, not negative."""
    if type(offset) is not int or offset < 0:
        raise InvalidArgument(f"offset must be a whole number from 0 on, got {offset!r}")
    return offset


def checked_window(window: object) -> int:
    """How many messages come before and after a hit."""
    if type(window) is not int or not 0 <= window <= _WIDEST:
        raise InvalidArgument(f"window must be a whole number from 0 to {_WIDEST}, got {window!r}")
    return window


def one_of(value: object, name: str, allowed: tuple[str, ...]) -> str:
    """The value, if it is allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise InvalidArgument(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
    return value


def window_start(bound: object, timezone: tzinfo) -> datetime | None:
    """The first instant inside a window that begins at `bound`; None without a bound."""
    return None if _absent(bound) else _instant(bound, "happened_from", timezone)


def window_end(bound: object, timezone: tzinfo) -> datetime | None:
    """The first instant after a window that ends at `bound`: a date alone counts whole."""
    if _absent(bound):
        return None
    instant, unit = _instant(bound, "happened_to", timezone), _unit(bound)
    try:
        return after(instant) if unit is None else unit_around(instant, unit, timezone)[1]
    except (OverflowError, ValueError):  # the day after it is no longer in the calendar
        return datetime.max.replace(tzinfo=UTC)


def _absent(bound: object) -> bool:
    return bound is None or (isinstance(bound, str) and not bound.strip())


def _instant(bound: Any, name: str, timezone: tzinfo) -> datetime:
    instant = parse_instant(bound, timezone)
    if instant is None:
        raise InvalidArgument(
            f"{name} must be a day such as 2026-05-06 or a time in ISO 8601, got {bound!r}"
        )
    return instant


def _unit(bound: object) -> Unit | None:
    """The calendar unit that a date without a time of day names."""
    if isinstance(bound, datetime):
        return None
    if isinstance(bound, date):
        return "day"
    text = str(bound).strip()
    return cast(Unit, _SHORT.get(len(text), "day")) if _DATE_ONLY.fullmatch(text) else None
