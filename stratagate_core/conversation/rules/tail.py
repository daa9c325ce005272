"""When the open tail of a thread is long enough to become a block (01 §2)."""

from collections.abc import Sequence
from itertools import takewhile

from stratagate_core.errors import InvalidArgument

FINISHED = frozenset({"complete", "interrupted"})


def due_slice(turn_states: Sequence[str], size: int) -> int:
    """How many turns to seal, from the start of the tail: `size`, or 0 while it is too early."""
    if size < 1:
        raise InvalidArgument(f"block_turn_size must be at least 1, not {size}")
    finished = sum(1 for _ in takewhile(FINISHED.__contains__, turn_states))
    return size if finished >= size else 0
