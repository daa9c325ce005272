"""What became of something an agent recorded on purpose."""

from dataclasses import dataclass
from typing import Literal, get_args

Category = Literal["preference", "decision", "correction", "fact"]
CATEGORIES: tuple[str, ...] = get_args(Category)
#: what was done
Action = Literal["ADDED", "REINFORCED", "MERGED", "SUPERSEDED", "CONFLICT_MARKED", "IGNORED"]
#: what decided it
Gate = Literal[
    "clear-new",
    "exact-duplicate",
    "near-duplicate",
    "heuristic-conflict",
    "decider",
    "decider-error",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The outcome of one `remember`."""

    #: whether memory holds it now: it was written, or what said so already counts once more
    recorded: bool
    action: Action
    gate: Gate
    namespace: str
    #: the event that holds it; None if nothing was written
    event_id: str | None = None
    #: the event that said so already
    reinforced_event_id: str | None = None
    #: events it was compared with and found to be about the same
    existing_event_ids: tuple[str, ...] = ()
    #: how sure the model was, 0..1; None if none was asked
    confidence: float | None = None
    #: what the model wanted to do but was not sure enough of
    downgraded_from: Literal["MERGE", "SUPERSEDE"] | None = None
    reason: str = ""
    #: the block its sources stand in; None while they stand in the open tail
    source_block_id: str | None = None
    #: effective long-term weight of the event now, 3 decimals
    weight: float | None = None
    #: how to read the event in full
    detail_hint: str = ""
