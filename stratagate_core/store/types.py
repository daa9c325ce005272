"""Column types: instants as sortable UTC text, JSON as compact text."""

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator

from stratagate_core.errors import InvalidArgument


def to_utc(value: datetime) -> datetime:
    """The same instant in UTC; a naive datetime is refused."""
    if value.tzinfo is None or value.utcoffset() is None:
        raise InvalidArgument("a datetime needs a time zone, for example datetime.now(UTC)")
    return value.astimezone(UTC)


class Instant(TypeDecorator[datetime]):
    """An aware datetime as fixed-width ISO 8601 text in UTC: text order is time order."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        """To text."""
        if value is None:
            return None
        return to_utc(value).isoformat(timespec="microseconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        """To a datetime."""
        return None if value is None else datetime.fromisoformat(value)


class Json(TypeDecorator[Any]):
    """Any JSON value, stored as compact text. Damaged text reads as ``None``."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """To text; keys keep their order."""
        if value is None:
            return None
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """To a value. A damaged optional value must not break a read (16 §5)."""
        if value is None:
            return None
        try:
            return json.loads(value)
        except ValueError:
            return None
