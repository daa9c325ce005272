"""What one request may cost, set on a copy of a framework's model: tokens, seconds, tries.

The object of the user stays as it is. What a class has no field or client for stays too.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

#: the fields in which models keep their output budget
_BUDGETS = ("max_tokens", "max_output_tokens", "num_predict")
_TIMEOUTS = ("timeout", "request_timeout", "default_request_timeout")
#: classes that take 0 as "no second try"; others would not even try once
_ZERO_IS_ONE_TRY = frozenset({"BaseChatOpenAI", "ChatAnthropic", "OpenAI"})

M = TypeVar("M", bound=BaseModel)


def with_budget(model: M, *, max_tokens: int, timeout: float) -> M:
    """A copy of the model for one request: `timeout` in seconds, unless its own is shorter.

    Its client does not try again by itself, because the core counts the attempts.
    """
    fields = type(model).model_fields
    changes: dict[str, Any] = {
        name: _shorter(getattr(model, name), timeout) for name in _TIMEOUTS if name in fields
    }
    budget = next((name for name in _BUDGETS if name in fields), None)
    if budget is not None:
        changes[budget] = max_tokens
    if "max_retries" in fields and _takes_zero(type(model)):
        changes["max_retries"] = 0
    if not changes:
        return model
    copy = model.model_copy(update=changes)
    _limit_clients(copy, timeout)
    return copy


def _takes_zero(kind: type) -> bool:
    return not _ZERO_IS_ONE_TRY.isdisjoint(base.__name__ for base in kind.__mro__)


def _limit_clients(copy: BaseModel, timeout: float) -> None:
    """Clients that were made before are replaced by ones of the same connections."""
    for held in (copy.__dict__, copy.__pydantic_private__ or {}):
        for name, client in tuple(held.items()):
            limited = _limited_form(client)
            if limited is not None:
                held[name] = limited(
                    max_retries=0, timeout=_shorter(getattr(client, "timeout", None), timeout)
                )
    # LangChain's OpenAI models keep the part of the client that they call beside it
    for root, part in (("root_client", "client"), ("root_async_client", "async_client")):
        if (client := copy.__dict__.get(root)) is not None:
            copy.__dict__[part] = client.chat.completions


def _limited_form(client: Any) -> Callable[..., Any] | None:
    """How the clients of OpenAI, Anthropic and their kin give a copy with other options."""
    known = hasattr(type(client), "with_options") and hasattr(client, "max_retries")
    return client.with_options if known else None


def _shorter(own: Any, timeout: float) -> Any:
    """The model's own time-out if that ends sooner, or cannot be compared."""
    seconds = getattr(own, "read", own)
    if seconds is None:
        return timeout
    if not isinstance(seconds, (int, float)):
        return own
    return own if seconds <= timeout else timeout
