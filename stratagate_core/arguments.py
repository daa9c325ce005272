"""Checking the arguments of the public methods: what does not fit is refused by name."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from stratagate_core.errors import InvalidArgument

#: the largest number that every database counts to
_MOST = 2**31 - 1


def text(value: object, name: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise InvalidArgument(f"{name} must be text, got {type(value).__name__}")
    return value


def optional_text(value: object, name: str) -> str | None:
    """A text or None."""
    return None if value is None else text(value, name)


def texts(value: object, name: str) -> tuple[str, ...]:
    """A list of texts; a single text is refused, it would be read letter by letter."""
    return tuple(text(item, f"{name}[{place}]") for place, item in enumerate(items(value, name)))


def items(value: object, name: str) -> tuple[Any, ...]:
    """A list of anything."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidArgument(f"{name} must be a list, got {type(value).__name__}")
    return tuple(value)


def one_of(value: object, name: str, allowed: Collection[str]) -> str:
    """One of some fixed texts."""
    if not isinstance(value, str) or value not in allowed:
        raise InvalidArgument(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def mapping(value: object, name: str) -> dict[str, Any]:
    """A mapping with texts as keys."""
    if not isinstance(value, Mapping):
        raise InvalidArgument(f"{name} must be a mapping, got {type(value).__name__}")
    return {text(key, f"a key of {name}"): item for key, item in value.items()}


def whole(value: object, name: str, *, least: int) -> int:
    """A whole number, not less than `least`; one larger than any count of rows means all."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidArgument(f"{name} must be a whole number of at least {least}, not {value!r}")
    return min(value, _MOST)


def optional_whole(value: object, name: str, *, least: int) -> int | None:
    """As `whole`, or None."""
    return None if value is None else whole(value, name, least=least)


def path(value: object, name: str) -> Path:
    """The path of a file."""
    if not isinstance(value, str | Path) or not str(value).strip():
        raise InvalidArgument(f"{name} must be the path of a file, not {value!r}")
    return Path(value)
