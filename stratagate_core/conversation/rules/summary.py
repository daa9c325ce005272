"""What a tool returned, said in at most 160 characters (01 §5)."""

from collections.abc import Mapping
from typing import Any

from stratagate_core.conversation.rules.jsontext import read_json
from stratagate_core.model.message import UNSET
from stratagate_core.text.normalise import collapse

LIMIT = 160
_ERROR_LIMIT = 140
_FLOAT_INT_LIMIT = 1e21
#: lists under these keys are input, not result
_INPUT_KEYS = frozenset({"arguments", "params", "input", "request"})


def result_summary(result: Any) -> str:
    """One line about `result`, empty when there is nothing to say."""
    return _summary(result)[:LIMIT]


def _summary(result: Any) -> str:
    if result is None or result is UNSET:
        return ""
    if isinstance(result, str):
        return _text_summary(collapse(result))
    if isinstance(result, bool | int | float):
        return _number_text(result)
    if isinstance(result, Mapping):
        return _object_summary(result)
    return "structured result returned"


def _text_summary(text: str) -> str:
    parsed = read_json(text)
    return text if parsed is UNSET else _summary(parsed)


def _number_text(number: float) -> str:
    if isinstance(number, bool):
        return "true" if number else "false"
    if isinstance(number, float) and number.is_integer() and abs(number) < _FLOAT_INT_LIMIT:
        return str(int(number))
    return str(number)


def _object_summary(result: Mapping[str, Any]) -> str:
    if error := _text_of(result, "error"):
        return f"failed: {error[:_ERROR_LIMIT]}"
    if said := _text_of(result, "summary") or _text_of(result, "message"):
        return said
    if counts := _counts(result):
        return counts
    if isinstance(ok := result.get("ok"), bool):
        return "completed" if ok else "not completed"
    return "structured result returned"


def _text_of(result: Mapping[str, Any], key: str) -> str:
    value = result.get(key)
    return collapse(value) if isinstance(value, str) else ""


def _counts(result: Mapping[str, Any]) -> str:
    return collapse(
        ", ".join(
            f"{key}: {len(value)}"
            for key, value in result.items()
            if isinstance(value, list | tuple) and key not in _INPUT_KEYS
        )
    )
