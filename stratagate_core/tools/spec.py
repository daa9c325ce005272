"""One tool as a value, and how it is run: errors come back as values and never end a run."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from stratagate_core.errors import InvalidArgument, StrataGateError
from stratagate_core.gate.receipts import plain
from stratagate_core.gate.rules import strict_json
from stratagate_core.text.redact import redact

if TYPE_CHECKING:
    from stratagate_core.memory import StrataGate

_log = logging.getLogger(__name__)

#: values under these keys name something and stay as they are
_NAMING_KEYS = ("id", "ref", "retrieved_memories")

#: does what (memory, thread, arguments, receipt) ask for
Effect = Callable[["StrataGate", str, Any, str | None], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """One tool: what a model sees of it, and what it does."""

    #: with the prefix of the settings
    name: str
    operation: str
    description: str
    #: the arguments; `model_json_schema` is what the model sees
    parameters: type[BaseModel]
    effect: Effect

    def run(
        self,
        memory: "StrataGate",
        thread: str | None,
        arguments: Mapping[str, Any],
        *,
        receipt: str | None = None,
    ) -> Any:
        """The result as plain JSON, secrets redacted.

        Args:
            memory: the memory to work on.
            thread: the conversation the call belongs to.
            arguments: as the model gave them.
            receipt: the id of the tool call, unique in its thread.

        Raises:
            StrataGateError: the call was refused; `call` turns this into a value.

        """
        if not (thread or "").strip():
            raise InvalidArgument(f"{self.name} needs a thread: the run has no conversation id")
        try:
            given = self.parameters.model_validate(arguments)
        except ValidationError as error:
            raise unfit_arguments(self.name, error) from error
        return _redacted(strict_json(self.effect(memory, str(thread), given, receipt)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool call gave: a JSON value, or an error as one."""

    value: Any
    is_error: bool = False

    @property
    def text(self) -> str:
        """The value as the JSON text a model reads."""
        return json.dumps(self.value, ensure_ascii=False, indent=2)


def call(
    spec: ToolSpec,
    memory: "StrataGate",
    thread: str | None,
    arguments: Mapping[str, Any],
    *,
    receipt: str | None = None,
) -> ToolResult:
    """Run a tool; whatever goes wrong is a value that says what to do next."""
    try:
        return ToolResult(value=spec.run(memory, thread, arguments, receipt=receipt))
    except StrataGateError as error:
        return error_result(error)
    except Exception as error:
        # messages of foreign errors may hold content: only their type is told
        _log.warning("%s failed: %s", spec.name, type(error).__name__)
        return error_result(StrataGateError("the memory is not available now; go on without it"))


def error_result(error: StrataGateError) -> ToolResult:
    """An error as the value a model sees (13 §1)."""
    told = {"code": error.code, "message": redact(error.message), **_redacted(plain(error.details))}
    return ToolResult(value={"error": told}, is_error=True)


def unfit_arguments(name: str, error: ValidationError) -> InvalidArgument:
    """The refusal of a call whose arguments do not fit the tool `name`: each with its fault."""
    faults = {
        str(fault["loc"][0] if fault["loc"] else "arguments"): fault["msg"]
        for fault in reversed(error.errors(include_url=False, include_input=False))
    }
    told = "; ".join(f"{argument}: {faults[argument]}" for argument in reversed(faults))
    return InvalidArgument(f"{name}: {told}")


def _redacted(value: Any) -> Any:
    """`value` without secrets; ids and refs stay intact, or nothing could be looked up by them."""
    if isinstance(value, Mapping):
        return {key: item if _names(key) else _redacted(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_redacted(item) for item in value]
    return redact(value)


def _names(key: str) -> bool:
    return key in _NAMING_KEYS or key.endswith(("_id", "_ids", "_ref", "_refs"))
