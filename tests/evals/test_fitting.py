"""Finding weights."""

from pathlib import Path

import numpy as np
import pytest

from stratagate_core.errors import InvalidArgument
from stratagate_core.evals.fitting import Choice, fit
from stratagate_core.evals.leave_one_out import leave_one_out
from stratagate_core.evals.locomo import read_locomo
from tests.conftest import Opener
from tests.evals.made import CONVERSATION, write


def _made(folder: Path) -> Path:
    """A file of two made-up conversations."""
    return write(folder / "made.json", [CONVERSATION, {**CONVERSATION, "sample_id": "made-2"}])


def test_telling_signals_get_weight() -> None:
    """The signal that marks the evidence counts, one that misleads counts against it."""
    choices = [
        Choice(np.array([[1.0, 0.0, 0.3], [0.0, 1.0, 0.3]]), np.array([True, False]))
        for _ in range(20)
    ]
    helping, misleading, idle = fit(choices)
    assert helping > 1 > 0 > misleading
    assert idle == pytest.approx(0.0, abs=1e-6)


def test_the_same_weights_every_time() -> None:
    """Nothing is drawn by lot, and choices without evidence change nothing."""
    random = np.random.default_rng(7)
    choices = [
        Choice(random.normal(size=(12, 3)), np.eye(12, dtype=bool)[number % 12])
        for number in range(30)
    ]
    blind = Choice(random.normal(size=(4, 3)), np.zeros(4, bool))
    assert fit(choices).tolist() == fit([*choices, blind]).tolist()


def test_leave_one_out_scores_what_was_left_out(open_memory: Opener, tmp_path: Path) -> None:
    """Each conversation is a fold with its own weights; text is the unit."""
    conversations = read_locomo(_made(tmp_path))
    found = leave_one_out(open_memory(), conversations)
    assert [fold.left_out for fold in found.folds] == ["made-1", "made-2"]
    assert sum(fold.questions for fold in found.folds) == 6
    assert found.weights["text"] == 1.0
    assert set(found.by_category) == {"multi-hop", "temporal", "single-hop"}
    assert 0 < found.overall["recall@10"] <= 1


def test_one_conversation_leaves_nothing_to_learn_from(open_memory: Opener, tmp_path: Path) -> None:
    """With fewer than two conversations there is an error that says so."""
    with pytest.raises(InvalidArgument, match="two"):
        leave_one_out(open_memory(), read_locomo(_made(tmp_path))[:1])
