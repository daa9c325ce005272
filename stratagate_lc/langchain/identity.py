"""Whose memory and which conversation a call belongs to: found anew for every call.

Nothing of the answer is kept on an object, so one object may serve many users at once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias

from langchain_core.runnables import RunnableConfig, ensure_config
from pydantic import PlainValidator

from stratagate_core import InvalidArgument, StrataGate

Configurable: TypeAlias = Mapping[str, Any]
#: a memory, or what picks one by the run's configurable values without doing any I/O
MemorySource: TypeAlias = StrataGate | Callable[[Configurable], StrataGate]


def checked_source(source: Any) -> Any:
    """A memory, or what picks one; a path is refused with what to do instead."""
    if callable(source) or hasattr(source, "add_messages"):
        return source
    raise InvalidArgument(
        f"memory must be a StrataGate, for example StrataGate.open('memory.db'), "
        f"not {type(source).__name__}"
    )


#: the same as the type of a field: a memory is handed on as it is, never copied
MemoryField: TypeAlias = Annotated[MemorySource, PlainValidator(checked_source)]

THREAD_KEY = "thread_id"


@dataclass(frozen=True, slots=True)
class Place:
    """A conversation in a memory."""

    memory: StrataGate
    thread: str

    @property
    def key(self) -> tuple[str, str]:
        """Under which failed writes of this conversation wait."""
        return self.memory.namespace, self.thread


def configurable_of(config: RunnableConfig | None = None) -> Configurable:
    """The configurable values of a run: of this config, else of the run around the call."""
    return ensure_config(config).get("configurable") or {}


def memory_of(source: MemorySource, configurable: Configurable) -> StrataGate:
    """The memory of a run."""
    return source(configurable) if callable(source) else source


def thread_of(
    session_id: str | None, configurable: Configurable, thread_key: str = THREAD_KEY
) -> str | None:
    """The conversation of a run: as it was constructed, else as the run says, else None."""
    for given in (session_id, configurable.get(thread_key)):
        name = "" if given is None else str(given).strip()
        if name:
            return name
    return None


def place_of(
    who: str,
    source: MemorySource,
    session_id: str | None,
    thread_key: str = THREAD_KEY,
    config: RunnableConfig | None = None,
) -> Place:
    """Where `who` works in this call.

    Raises:
        InvalidArgument: there is no conversation id; one user must never read another's memory.

    """
    configurable = configurable_of(config)
    thread = thread_of(session_id, configurable, thread_key)
    if thread is None:
        raise InvalidArgument(
            f"{who} needs a conversation id: give session_id, or run it with "
            f"config={{'configurable': {{'{thread_key}': ...}}}}"
        )
    return Place(memory_of(source, configurable), thread)


def receipt_of(thread: str, message_id: str) -> str:
    """The key under which a turn is stored once: its conversation and its last user message."""
    return f"{thread}/{message_id}"


class SharesMemory:
    """For pydantic classes with a field `memory`: copies of any depth share the memory."""

    if TYPE_CHECKING:
        memory: MemoryField

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        known = {} if memo is None else memo
        known[id(self.memory)] = self.memory
        copied: Self = super().__deepcopy__(known)  # type: ignore[misc]
        return copied
