"""Errors of model clients as errors of the core, as far as no framework's types are needed."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from stratagate_core.errors import ModelError, ModelUnavailable
from stratagate_core.text.redact import redact

#: cannot help to ask again, momentarily not there, or worth another try later
Kind = Literal["permanent", "unavailable", "passing"]

_MESSAGE_LIMIT = 500
_REFUSED_STATUS = frozenset({400, 422})
#: statuses of the 4xx range that pass by themselves
_PASSING_STATUS = frozenset({408, 409, 425, 429})
_RATE_LIMITED = 429
#: classes of HTTP clients, which have no base in common
_LATE = frozenset({"TimeoutError", "APITimeoutError", "TimeoutException", "ModelTimeoutError"})
_CUT_LINE = frozenset(
    {"ConnectionError", "APIConnectionError", "TransportError", "ModelConnectionError"}
)
_FILTERED = frozenset({"ContentFilterFinishReasonError", "ModelRefusalError"})
_DECLINED = frozenset({"refusal", "content_filter", "safety"})

_ADVICE_TOO_LARGE = (
    "The request is too large for the model: use smaller blocks (block_turn_size) or a model with "
    "a larger context window"
)
#: what to do about a status
_ADVICE: Mapping[int, str] = {
    400: "The provider refuses the request: see what it says, and the model's limits",
    401: "Check the API key of the model",
    403: "Check what the API key of the model may do",
    404: "Check the name of the model and the address of its server",
    413: _ADVICE_TOO_LARGE,
    422: "The provider refuses the request: see what it says, and the model's limits",
    429: "The provider limits the rate or the budget is used up: wait, or raise the limit there",
}
_ADVICE_LATE = "It did not answer in time: use a faster model or raise structured_task_timeout"
_ADVICE_AWAY = "Its server failed or cannot be reached; nothing to do if that passes"
_ADVICE_UNREADABLE = "Its server did not send a chat completion: check the address of the server"


def kind_of(error: Exception) -> Kind:
    """How to treat an error, by its type and the HTTP status it carries."""
    names = _class_names(error)
    if isinstance(error, NotImplementedError) or names & _FILTERED:
        return "permanent"
    if names & _LATE:
        return "passing"
    status = http_status(error)
    if status is None:
        return "unavailable" if names & _CUT_LINE else "passing"
    if 400 <= status < 500 and status not in _PASSING_STATUS:
        return "permanent"
    return "unavailable" if status >= 500 else "passing"


def refuses_request(error: Exception) -> bool:
    """Whether a provider called the form of the request invalid."""
    return http_status(error) in _REFUSED_STATUS and not _overflows(error)


def is_unreadable(error: Exception) -> bool:
    """Whether a client failed over what the server sent, which says nothing about the request."""
    if isinstance(error, (json.JSONDecodeError, IndexError)):
        return True
    text = str(error)
    return isinstance(error, (TypeError, KeyError, ValueError)) and (
        "choices" in text or "'NoneType' object" in text
    )


def http_status(error: Exception) -> int | None:
    """The HTTP status of a provider's error, or the one in an error sent with status 200."""
    for holder in (error, getattr(error, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int):
            return status
    body: Any = error.args[0] if error.args else None
    code = body.get("code") if isinstance(body, Mapping) else None
    return code if isinstance(code, int) and 400 <= code < 600 else None


def retry_after(error: Exception) -> float | None:
    """The seconds a provider asks to wait, if it says so in seconds."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 < seconds < float("inf") else None


def model_error(error: Exception, task: str, kind: Kind) -> ModelError:
    """The core's error for an error of a model client; secrets in its message are taken out.

    It says what to do, and keeps how long the provider asks to wait as ``retry_after``.
    """
    if isinstance(error, ModelError):
        return error
    if _class_names(error) & _FILTERED:
        return declined(task)
    text = redact(str(error))[:_MESSAGE_LIMIT]
    message = f"{task}: the model failed. {_advice(error, kind)}{type(error).__name__}: {text}"
    details: dict[str, Any] = {"task": task}
    if (status := http_status(error)) is not None:
        details["status"] = status
    if (wait := retry_after(error)) is not None:
        details["retry_after"] = wait
    if kind == "unavailable":
        return ModelUnavailable(message, **details)
    away = status == _RATE_LIMITED
    return ModelError(message, retryable=kind != "permanent", away=away, **details)


def declined(task: str) -> ModelError:
    """The error for a model, or a filter before it, that declines to answer."""
    return ModelError(
        f"{task}: the model refused to answer. Its filter rejects this conversation; another "
        "model may accept it",
        retryable=False,
        task=task,
    )


def declines(finish_reason: str | None) -> bool:
    """Whether an answer ended because the model, or a filter, declined."""
    return finish_reason in _DECLINED


def _advice(error: Exception, kind: Kind) -> str:
    found = _found_advice(error, kind)
    return f"{found}. " if found else ""


def _found_advice(error: Exception, kind: Kind) -> str | None:
    if _class_names(error) & _LATE:
        return _ADVICE_LATE
    if _overflows(error):
        return _ADVICE_TOO_LARGE
    if (known := _ADVICE.get(http_status(error) or 0)) is not None:
        return known
    if kind == "unavailable":
        return _ADVICE_AWAY
    return _ADVICE_UNREADABLE if is_unreadable(error) else None


def _overflows(error: Exception) -> bool:
    """Whether the input did not fit, which no other form of the request changes."""
    code = getattr(error, "code", None)
    return code == "context_length_exceeded" or "ContextOverflowError" in _class_names(error)


def _class_names(error: Exception) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}
