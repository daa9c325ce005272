"""The model port: a model is anything that completes a request."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from stratagate_core.errors import InvalidArgument


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


#: package of a framework -> the wrapper that makes its models fit
_WRAPPERS = {
    "langchain": "stratagate_lc.langchain.LangChainModel",
    "llama_index": "stratagate_lc.llama_index.LlamaIndexModel",
}


def checked_model(model: object) -> Model:
    """The model, if it can complete requests.

    Raises:
        InvalidArgument: it cannot; the message says what to wrap it in.

    """
    if isinstance(model, str):
        raise InvalidArgument(
            f"model: {model!r} is a name; give a model: LangChainModel('openai:{model}') from "
            "stratagate_lc.langchain, or None for the offline model"
        )
    packages = {kind.__module__.partition(".")[0] for kind in type(model).__mro__}
    for name, wrapper in _WRAPPERS.items():
        if any(package == name or package.startswith(f"{name}_") for package in packages):
            made = wrapper.rpartition(".")[2]
            raise InvalidArgument(
                f"model: {type(model).__name__} is a model of {name}; wrap it: {made}(model) from "
                f"{wrapper.rpartition('.')[0]}"
            )
    if isinstance(model, type) or not callable(getattr(model, "complete", None)):
        raise InvalidArgument(
            f"model: {_named(model)} cannot answer; give an object with complete(request), or wrap "
            "a model of a framework in LangChainModel or LlamaIndexModel"
        )
    return model  # type: ignore[return-value]  # it has what the protocol asks for


def _named(model: object) -> str:
    return f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__


def is_ready(model: Model) -> bool:
    """Whether the model can be asked now; a model that does not say is ready."""
    ready = getattr(model, "ready", None)
    return True if ready is None else bool(ready())
