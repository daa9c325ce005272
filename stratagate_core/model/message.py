"""What is said: messages and the traces of tool calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any


class Unset(Enum):
    """The value of a part that was never given, unlike a given ``None``."""

    UNSET = "unset"

    def __bool__(self) -> bool:
        return False


UNSET = Unset.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTrace:
    """The record of one tool call; arguments and result are JSON values or `UNSET`."""

    name: str
    arguments: Any = UNSET
    result: Any = UNSET
    call_id: str | None = None
    is_error: bool = False


def trace_to_json(trace: ToolTrace) -> dict[str, Any]:
    """The trace as a plain JSON object that holds only the keys the trace has."""
    row: dict[str, Any] = {"name": trace.name}
    if trace.arguments is not UNSET:
        row["arguments"] = trace.arguments
    if trace.result is not UNSET:
        row["result"] = trace.result
    if trace.call_id is not None:
        row["call_id"] = trace.call_id
    if trace.is_error:
        row["is_error"] = True
    return row


def trace_from_json(row: Mapping[str, Any]) -> ToolTrace:
    """The trace that `trace_to_json` wrote; a missing key stays missing."""
    return ToolTrace(
        name=row["name"],
        arguments=row.get("arguments", UNSET),
        result=row.get("result", UNSET),
        call_id=row.get("call_id"),
        is_error=bool(row.get("is_error")),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a turn. On input the store fills what is ``None``."""

    role: str
    content: str
    name: str | None = None
    id: str | None = None
    created_at: datetime | None = None
    tool_calls: tuple[ToolTrace, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    #: opaque JSON of a connector, returned as it was given
    extra: Any = None
    thread: str | None = None
    #: namespace-wide number of the turn it belongs to
    turn: int | None = None
    #: None while it stands in the open tail
    block_id: str | None = None
