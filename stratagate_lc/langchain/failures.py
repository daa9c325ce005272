"""The errors of LangChain's chat models: what may be asked again, and how."""

from stratagate_core.errors import ModelError
from stratagate_lc.failures import (
    Kind,
    http_status,
    is_unreadable,
    kind_of,
    model_error,
    refuses_request,
)
from stratagate_lc.langchain.compat import (
    CONTEXT_OVERFLOW,
    INVALID_REQUEST,
    PASSING,
    PERMANENT,
    UNAVAILABLE,
)

_REFUSALS: tuple[type[Exception], ...] = (
    NotImplementedError,
    ValueError,
    TypeError,
    *INVALID_REQUEST,
)


def is_refusal(error: Exception) -> bool:
    """Whether the model may accept the same question in a plainer form."""
    if isinstance(error, CONTEXT_OVERFLOW) or is_unreadable(error):
        return False
    if http_status(error) is not None:
        return refuses_request(error)
    return isinstance(error, _REFUSALS)


def as_model_error(error: Exception, task: str) -> ModelError:
    """The core's error for the error of a chat model."""
    return model_error(error, task, _kind(error))


def _kind(error: Exception) -> Kind:
    if isinstance(error, PERMANENT):
        return "permanent"
    if isinstance(error, PASSING):
        return "passing"
    if isinstance(error, UNAVAILABLE):
        return "unavailable"
    return kind_of(error)
