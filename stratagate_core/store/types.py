"""Column types: text that sorts alike everywhere, instants as sortable text, JSON as text.

Text is ordered by its code points on every database. PostgreSQL holds no NUL in a text, so there
NUL is written as two characters; the order and the difference of texts stay as they are.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

from stratagate_core.errors import InvalidArgument

#: NUL becomes the first pair and U+0001 the second: nothing sorts between them, and no other
#: character is touched
_ESCAPES = (("\x01", "\x01\x02"), ("\x00", "\x01\x01"))
_PLAIN = sa.Text()
_BY_CODE_POINT = sa.Text(collation="C")


def to_utc(value: datetime) -> datetime:
    """The same instant in UTC; a naive datetime is refused."""
    if value.tzinfo is None or value.utcoffset() is None:
        raise InvalidArgument("a datetime needs a time zone, for example datetime.now(UTC)")
    return value.astimezone(UTC)


def is_unicode(value: str) -> bool:
    """Whether a text can be stored at all: half a surrogate pair is none."""
    return not any("\ud800" <= character <= "\udfff" for character in value)


def escaped(value: str) -> str:
    """A text without NUL, in the same order among other escaped texts."""
    for character, pair in _ESCAPES:
        value = value.replace(character, pair)
    return value


def unescaped(value: str) -> str:
    """The text that was escaped."""
    for character, pair in reversed(_ESCAPES):
        value = value.replace(pair, character)
    return value


def _text_of(dialect: Dialect) -> TypeEngine[str]:
    """SQLite compares texts by their bytes anyway."""
    return _BY_CODE_POINT if dialect.name == "postgresql" else _PLAIN


class Text(TypeDecorator[str]):
    """Any text that is valid Unicode."""

    impl = sa.Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Text compared by code points."""
        return _text_of(dialect)

    # asked once for each statement: SQLite holds any text as it is, so no value costs a call there

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any] | None:
        """To what the database can hold."""
        return _unless_none(escaped) if dialect.name == "postgresql" else None

    def result_processor(self, dialect: Dialect, coltype: Any) -> Callable[[Any], Any] | None:
        """To the text as it was written."""
        return _unless_none(unescaped) if dialect.name == "postgresql" else None


def _unless_none(change: Callable[[str], Any]) -> Callable[[str | None], Any]:
    return lambda value: None if value is None else change(value)


class Instant(TypeDecorator[datetime]):
    """An aware datetime as fixed-width ISO 8601 text in UTC: text order is time order."""

    impl = sa.Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Text compared by code points."""
        return _text_of(dialect)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        """To text."""
        if value is None:
            return None
        return to_utc(value).isoformat(timespec="microseconds")

    def result_processor(self, dialect: Dialect, coltype: Any) -> Callable[[Any], Any]:
        """To a datetime."""
        return _unless_none(datetime.fromisoformat)


class Json(TypeDecorator[Any]):
    """Any JSON value, stored as compact text. Damaged text reads as ``None``.

    JSON writes NUL as an escape of its own, so every database can hold it.
    """

    impl = sa.Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Text compared by code points."""
        return _text_of(dialect)

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """To text; keys keep their order."""
        if value is None:
            return None
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def result_processor(self, dialect: Dialect, coltype: Any) -> Callable[[Any], Any]:
        """To a value. A damaged optional value must not break a read (16 §5)."""
        return _unless_none(_parsed)


def _parsed(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return None
