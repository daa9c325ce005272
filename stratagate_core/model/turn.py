"""A turn: one user message and the complete answer to it."""

from dataclasses import dataclass
from typing import Literal

from stratagate_core.model.message import Message

TurnState = Literal["open", "complete", "interrupted", "superseded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of a thread; `number` counts in the whole namespace."""

    number: int
    thread: str
    messages: tuple[Message, ...]
    state: TurnState
    receipt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What appending a turn did."""

    turn: int
    thread: str
    sealed_block_id: str | None = None
    #: True when this receipt was delivered before and nothing changed
    receipt_known: bool = False
