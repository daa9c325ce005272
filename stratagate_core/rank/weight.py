"""The long-term weight of an event (03 §1).

It fades with the turns of the conversation, and slower the more often the event was used.
"""

import math

from stratagate_core.model.event import Weight

_RATE, _SLOWING = 0.15, 1.5
_FLOORS = {"preference": 0.3, "identity": 0.9, "safety": 1.0}


def criticality_floor(criticality: str) -> float:
    """The weight below which an event of this criticality does not fade."""
    return _FLOORS.get(criticality, 0.0)


def weight_at(weight: Weight, status: str, current_turn: int) -> float:
    """The effective weight, 0..1, of an event with this status at `current_turn`."""
    if status in ("forgotten", "archived"):
        return 0.0
    if weight.pinned:
        return 1.0
    rate = _RATE / (1 + _SLOWING * math.log(max(1, weight.mention_count)))
    age = max(0, current_turn - weight.last_adopted_turn)
    faded = max(weight.floor_weight, math.exp(-rate * age))
    return faded if weight.forced_cap is None else min(faded, weight.forced_cap)
