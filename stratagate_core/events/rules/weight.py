"""What changes the weight of an event: being new, being used, being superseded (03 §2, §3)."""

from dataclasses import replace

from stratagate_core.model.event import Criticality, Weight
from stratagate_core.rank.weight import criticality_floor

#: the highest weight of a superseded event
SUPERSEDED_CAP = 0.1


def new_weight(criticality: Criticality, formed_turn: int) -> Weight:
    """The weight of a new event, which counts from its formed turn."""
    return Weight(last_adopted_turn=formed_turn, floor_weight=criticality_floor(criticality))


def reinforced(weight: Weight, current_turn: int) -> Weight:
    """`weight` after one more use: mentioned once more, and fresh again."""
    return replace(weight, mention_count=weight.mention_count + 1, last_adopted_turn=current_turn)


def superseded(weight: Weight) -> Weight:
    """`weight` held down, since another event took the place of this one."""
    return replace(weight, forced_cap=SUPERSEDED_CAP)


def restored(weight: Weight) -> Weight:
    """`weight` no longer held down."""
    return replace(weight, forced_cap=None)
