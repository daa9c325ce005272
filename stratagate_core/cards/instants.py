"""Instants as events hold them: UTC, whole milliseconds, and the calendar unit around one."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, Literal

from stratagate_core.errors import InvalidArgument

Unit = Literal["day", "month", "year"]

_TICK = timedelta(milliseconds=1)
_YEAR_OR_MONTH = re.compile(r"\d{4}(-\d{2})?", re.ASCII)


def parse_instant(raw: object, timezone: tzinfo) -> datetime | None:
    """The instant `raw` names in ISO 8601, None if it names none.

    A text without offset is read in `timezone`; a day, month or year alone is its first moment.

    Raises:
        InvalidArgument: `raw` is a datetime object without timezone.

    """
    try:
        if isinstance(raw, datetime):
            return _utc(_aware(raw))
        if isinstance(raw, date):
            return _utc(datetime(raw.year, raw.month, raw.day, tzinfo=timezone))
        return _parse(raw.strip(), timezone) if isinstance(raw, str) else None
    except (OverflowError, ValueError) as error:
        if isinstance(error, InvalidArgument):
            raise
        return None


def write_instant(instant: datetime, timezone: tzinfo = UTC) -> str:
    """ISO 8601 with milliseconds and the offset of `timezone`."""
    return instant.astimezone(timezone).isoformat(timespec="milliseconds")


def written(value: Any, timezone: tzinfo) -> Any:
    """A card as plain JSON, its instants in the display timezone: the one way they are shown."""
    if isinstance(value, datetime):
        return write_instant(value, timezone)
    if isinstance(value, Mapping):
        return {key: written(item, timezone) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [written(item, timezone) for item in value]
    return value


def unit_around(instant: datetime, unit: Unit, timezone: tzinfo) -> tuple[datetime, datetime]:
    """First moment of the day, month or year that holds `instant`, and of the one after it."""
    local = instant.astimezone(timezone)
    start = date(
        local.year,
        1 if unit == "year" else local.month,
        local.day if unit == "day" else 1,
    )
    if unit == "day":
        after = start + timedelta(days=1)
    elif unit == "month":
        after = date(start.year + start.month // 12, start.month % 12 + 1, 1)
    else:
        after = date(start.year + 1, 1, 1)
    return _midnight(start, timezone), _midnight(after, timezone)


def after(instant: datetime) -> datetime:
    """The next instant that can be told from this one."""
    return instant + _TICK


def _parse(text: str, timezone: tzinfo) -> datetime:
    if short := _YEAR_OR_MONTH.fullmatch(text):
        text += "-01" if short[1] else "-01-01"
    instant = datetime.fromisoformat(text)
    return _utc(instant if instant.tzinfo else instant.replace(tzinfo=timezone))


def _aware(instant: datetime) -> datetime:
    if instant.utcoffset() is None:
        raise InvalidArgument(f"a time needs a timezone: {instant.isoformat()}")
    return instant


def _utc(instant: datetime) -> datetime:
    instant = instant.astimezone(UTC)
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


def _midnight(day: date, timezone: tzinfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=timezone).astimezone(UTC)
