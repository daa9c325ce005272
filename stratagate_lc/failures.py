"""Errors of model clients as errors of the core, as far as no framework's types are needed."""

from typing import Literal

from stratagate_core.errors import ModelError, ModelUnavailable
from stratagate_core.text.redact import redact

#: cannot help to ask again, momentarily not there, or worth another try later
Kind = Literal["permanent", "unavailable", "passing"]

_MESSAGE_LIMIT = 500
_REFUSED_STATUS = frozenset({400, 422})
#: statuses of the 4xx range that pass by themselves
_PASSING_STATUS = frozenset({408, 409, 425, 429})


def kind_of(error: Exception) -> Kind:
    """How to treat an error, by its type and the HTTP status it carries."""
    if isinstance(error, (NotImplementedError, TypeError)):
        return "permanent"
    if isinstance(error, ConnectionError):
        return "unavailable"
    status = http_status(error) or 0
    if 400 <= status < 500 and status not in _PASSING_STATUS:
        return "permanent"
    return "unavailable" if status >= 500 else "passing"


def refuses_request(error: Exception) -> bool:
    """Whether a provider called the request itself invalid."""
    return http_status(error) in _REFUSED_STATUS


def http_status(error: Exception) -> int | None:
    """The HTTP status of a provider's error, if it has one."""
    for holder in (error, getattr(error, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int):
            return status
    return None


def model_error(error: Exception, task: str, kind: Kind) -> ModelError:
    """The core's error for an error of a model client; secrets in its message are taken out."""
    if isinstance(error, ModelError):
        return error
    text = redact(str(error))[:_MESSAGE_LIMIT]
    message = f"{task}: the model failed: {type(error).__name__}: {text}"
    if kind == "unavailable":
        return ModelUnavailable(message, task=task)
    return ModelError(message, retryable=kind != "permanent", task=task)
