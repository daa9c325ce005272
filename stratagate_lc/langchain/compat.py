"""Every difference between the supported LangChain versions, in one place.

What a version does not have is an empty tuple of errors or an empty mapping.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import langchain_core.exceptions as _errors
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables.config import var_child_runnable_config


def _named(*names: str) -> tuple[type[Exception], ...]:
    """The exceptions of this version that have one of these names."""
    return tuple(found for name in names if (found := getattr(_errors, name, None)) is not None)


CONTEXT_OVERFLOW = _named("ContextOverflowError")
INVALID_REQUEST = _named("ModelInvalidRequestError")
#: asking again cannot help
PERMANENT = (
    *CONTEXT_OVERFLOW,
    *INVALID_REQUEST,
    *_named(
        "ModelAuthenticationError",
        "ModelPermissionDeniedError",
        "ModelNotFoundError",
        "ModelRefusalError",
    ),
)
#: may be asked again, but not at once
PASSING = _named("ModelRateLimitError", "ModelTimeoutError")
#: momentarily not there: overloaded, failing or out of reach
UNAVAILABLE = _named("ModelAPIError", "ModelConnectionError")


def add_notification(message: HumanMessage, source: str) -> HumanMessage:
    """A copy of the message, marked as not written by the user."""
    kept = {k: v for k, v in message.additional_kwargs.items() if k != "lc_data"}
    return message.model_copy(update={"additional_kwargs": {**kept, "lc_source": source}})


def notification_source(message: BaseMessage) -> str | None:
    """Who added the message; None for what a user or a model wrote."""
    source = message.additional_kwargs.get("lc_source")
    return source if isinstance(source, str) else None


def internal_call_metadata() -> dict[str, Any]:
    """Metadata that keeps a model call out of an agent's stream of messages.

    Only a process that runs agents has such a stream, so LangChain is not imported for it.
    """
    module = sys.modules.get("langchain.agents.middleware.internal_call_transformer")
    metadata = getattr(module, "internal_call_metadata", dict)
    return dict(metadata())


@contextmanager
def detached() -> Iterator[None]:
    """Runs called in this block know nothing of the chain or agent around them.

    An empty list of callbacks is not enough: a bound model takes them from the context again.
    """
    token = var_child_runnable_config.set(None)
    try:
        yield
    finally:
        var_child_runnable_config.reset(token)
