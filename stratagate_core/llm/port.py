"""The model port: a model is anything that completes a request."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One structured question: answer by one call of the tool `task`."""

    task: str
    #: {"role": "system" | "user" | "assistant", "content": text}
    messages: tuple[Mapping[str, str], ...]
    #: JSON schema of the arguments of the one expected tool call
    schema: Mapping[str, Any]
    max_tokens: int
    #: seconds
    timeout: float
    reasoning: Literal["auto", "force-off"] = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool; `arguments` as the model gave them, parsed or raw text."""

    name: str
    arguments: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Whatever the model gave."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    #: the provider's word, lower case; "length" and "max_tokens" report a cut answer
    finish_reason: str | None = None
    #: reported tokens: input_tokens, output_tokens
    usage: Mapping[str, int] = field(default_factory=dict)


@runtime_checkable
class Model(Protocol):
    """A language model. It may also have ``acomplete`` and ``ready() -> bool``."""

    def complete(self, request: Request) -> Reply:
        """Answer one request; a failure is a `ModelError`, never an empty reply."""
        ...


def is_ready(model: Model) -> bool:
    """Whether the model can be asked now; a model that does not say is ready."""
    ready = getattr(model, "ready", None)
    return True if ready is None else bool(ready())
