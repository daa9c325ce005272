"""A block: consecutive sealed turns of one thread, readable at six levels."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

BlockStatus = Literal["pending", "ready"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockTurn:
    """How a framework recognises a block's turn in its own history."""

    number: int
    receipt: str | None
    text_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block as it is shown now: `content` is its text at the decayed `level`."""

    id: str
    thread: str
    sequence: int
    #: first and last turn, counted inside the thread
    turn_range: tuple[int, int]
    status: BlockStatus
    level: int
    #: ready blocks of the thread that came after this one
    age: int
    label: str
    content: str
    created_at: datetime
    turns: tuple[BlockTurn, ...] = ()
    lifted_by: str | None = None
    lifted_at: datetime | None = None
