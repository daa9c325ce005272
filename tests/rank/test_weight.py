"""The long-term weight of an event (03 §1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.events.rules.weight import new_weight, reinforced, restored, superseded
from stratagate_core.model.event import Criticality, Weight
from stratagate_core.rank.weight import criticality_floor, weight_at

WEIGHTS = st.builds(
    Weight,
    mention_count=st.integers(-1, 50),
    last_adopted_turn=st.integers(0, 100),
    floor_weight=st.sampled_from([0.0, 0.3, 0.9, 1.0]),
    forced_cap=st.sampled_from([None, 0.1]),
)


@pytest.mark.parametrize(
    ("mentions", "age", "floor", "cap", "expected"),
    [
        (1, 0, 0, None, 1),
        (1, 1, 0, None, 0.8607),
        (1, 5, 0, None, 0.4724),
        (1, 20, 0, None, 0.0498),
        (2, 5, 0, None, 0.6923),
        (5, 5, 0, None, 0.8028),
        (1, 50, 0.3, None, 0.3),
        (1, 3, 0.9, 0.1, 0.1),
    ],
)
def test_W_01_weights(
    mentions: int, age: int, floor: float, cap: float | None, expected: float
) -> None:
    """The table of the formula, to four digits."""
    weight = Weight(mention_count=mentions, floor_weight=floor, forced_cap=cap)
    assert expected == pytest.approx(weight_at(weight, "active", age), abs=5e-5)


def test_W_03_hidden_pinned_and_superseded() -> None:
    """A pinned forgotten event weighs nothing, a superseded identity event at most its cap."""
    assert weight_at(Weight(pinned=True), "forgotten", 0) == 0
    assert weight_at(superseded(new_weight("identity", 3)), "superseded", 3) == 0.1
    assert weight_at(Weight(pinned=True, forced_cap=0.1), "superseded", 99) == 1


@pytest.mark.parametrize(
    ("criticality", "floor"),
    [("routine", 0), ("preference", 0.3), ("identity", 0.9), ("safety", 1)],
)
def test_a_new_event_counts_from_its_turn(criticality: Criticality, floor: float) -> None:
    """A new event has one mention, its formed turn as anchor and the floor of its criticality."""
    assert Weight(last_adopted_turn=7, floor_weight=floor) == new_weight(criticality, 7)
    assert criticality_floor(criticality) == floor


@given(WEIGHTS, st.integers(0, 200))
def test_weight_fades_and_use_refreshes(weight: Weight, turn: int) -> None:
    """A weight stays within 0..1, never grows by waiting, and is highest right after a use."""
    now = weight_at(weight, "active", turn)
    assert 0 <= weight_at(weight, "active", turn + 1) <= now <= 1
    assert now <= weight_at(reinforced(weight, turn), "active", turn)
    assert weight_at(restored(reinforced(weight, turn)), "active", turn) == 1
