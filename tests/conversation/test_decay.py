"""How blocks fade and are lifted, and when the tail is due."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.conversation.rules.decay import (
    block_weight,
    decayed_level,
    level_label,
    parse_level,
)
from stratagate_core.conversation.rules.tail import due_slice
from stratagate_core.errors import InvalidArgument

_LEVELS = st.integers(0, 5)
_POSITIONS = st.integers(0, 60)
_DECAYS = st.floats(0, 2)


@pytest.mark.parametrize(("latest", "level"), [(0, 5), (2, 4), (3, 3), (5, 2), (7, 1), (9, 0)])
def test_B_06_levels_by_age(latest: int, level: int) -> None:
    """A block falls one level after the other as ready blocks follow it."""
    assert level == decayed_level(5, 0, latest)


def test_B_06_weight_and_slower_decay() -> None:
    """The weight is an exponential of the age, and a smaller decay fades later."""
    assert math.exp(-0.6) == pytest.approx(block_weight(0, 2))
    assert decayed_level(5, 0, 4, 0.1) == 4


@pytest.mark.parametrize(
    ("target", "level"),
    [("next", 3), ("raw", 5), (" L1 ", 1), (2.5, 3), (9, 5), ("L9", 3)],
)
def test_B_07_expand_targets(target: object, level: int) -> None:
    """An expansion understands words, labels and numbers, and else goes one level deeper."""
    assert level == parse_level(target, 2)


@pytest.mark.parametrize("target", [None, True, False, "", "2.5", "+1", math.nan, math.inf, [4]])
def test_what_names_no_level_means_next(target: object) -> None:
    """Booleans, unknown words and numbers that are not finite mean one level deeper."""
    assert parse_level(target, 2) == 3


@given(_LEVELS, _POSITIONS, _POSITIONS, _DECAYS)
def test_level_never_rises_with_age(level: int, anchor: int, latest: int, decay: float) -> None:
    """Another ready block never makes an older one deeper, and no level leaves 0..5."""
    now = decayed_level(level, anchor, latest, decay)
    later = decayed_level(level, anchor, latest + 1, decay)
    assert 0 <= later <= now <= level


@given(_LEVELS, _POSITIONS)
def test_no_decay_keeps_the_level(level: int, latest: int) -> None:
    """With a decay of 0 nothing fades."""
    assert level == decayed_level(level, 0, latest, 0)


@given(st.one_of(st.integers(), st.floats(), st.text(max_size=4), st.none()), _LEVELS)
def test_any_target_is_a_level(target: object, current: int) -> None:
    """Whatever is asked for, the answer is a level."""
    assert parse_level(target, current) in range(6)


@pytest.mark.parametrize("decay", [-0.1, math.nan, math.inf])
def test_impossible_decay_is_refused(decay: float) -> None:
    """A decay below 0 or without a finite value is an error."""
    with pytest.raises(InvalidArgument):
        block_weight(0, 1, decay)


def test_labels_follow_the_language() -> None:
    """A level has an English and a Chinese label."""
    assert level_label(3) == "L3 rule-condensed transcript"
    assert level_label(3, "zh") == "L3 规则精简对话"


@pytest.mark.parametrize(
    ("states", "due"),
    [
        (["complete", "complete"], 2),
        (["complete", "interrupted", "open"], 2),
        (["complete", "open", "complete"], 0),
        (["complete"], 0),
        ([], 0),
    ],
)
def test_a_tail_is_due_when_it_begins_with_enough_finished_turns(
    states: list[str], due: int
) -> None:
    """An open turn holds back everything behind it."""
    assert due == due_slice(states, 2)


def test_a_block_holds_at_least_one_turn() -> None:
    """A block size below 1 is an error."""
    with pytest.raises(InvalidArgument):
        due_slice(["complete"], 0)
