"""JSON as text: one strict way to read it and one compact way to write it."""

import json
import re
from typing import Any

from stratagate_core.model.message import UNSET

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def read_json(text: str) -> Any:
    """The JSON value `text` holds, or `UNSET` when it is not JSON."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return UNSET


def compact_json(value: Any) -> str:
    """`value` as JSON without spaces, keys in their order, other scripts unescaped.

    What JSON does not know is written as its text. Half a surrogate pair is no character and
    cannot be stored, so it stays an escape.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def visible(text: str) -> str:
    """`text` with half surrogate pairs, which JSON escapes can smuggle in, replaced."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
