"""Finds the weights of signals: the ones under which evidence is likeliest to be picked.

Each question is a choice among its candidates with probabilities exp(weighted sum) / total; the
weights make the mean log-probability of the evidence greatest. That is one smooth hill with one
top, so the search needs no seed and no starting point, and gives the same weights every time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: holds weights near zero, so that a rare signal is not trusted too far
_RIDGE = 1e-3
_STEPS, _HALVINGS = 30, 20
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidates of one question: signals (rows: candidates), and which are evidence."""

    signals: Floats
    evidence: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Stack:
    """All choices below each other; `starts` are the first rows, `owner` the choice of a row."""

    signals: Floats
    target: Floats
    starts: NDArray[np.intp]
    owner: NDArray[np.intp]

    def probabilities(self, weights: Floats) -> tuple[float, Floats]:
        """The loss to lessen and the probability of each row."""
        scores = self.signals @ weights
        scores -= np.maximum.reduceat(scores, self.starts)[self.owner]
        raised = np.exp(scores)
        total = np.add.reduceat(raised, self.starts)[self.owner]
        fit = float((self.target * (scores - np.log(total))).sum()) / len(self.starts)
        return _RIDGE * float(weights @ weights) - fit, raised / total


def fit(choices: Sequence[Choice]) -> Floats:
    """The best weights, by Newton's method with halved steps; choices need some evidence."""
    stack = _stack([choice for choice in choices if choice.evidence.any()])
    weights = np.zeros(stack.signals.shape[1])
    loss, probability = stack.probabilities(weights)
    for _ in range(_STEPS):
        step = _step(stack, weights, probability)
        for halving in range(_HALVINGS):
            nearer = weights - step / 2**halving
            new_loss, new_probability = stack.probabilities(nearer)
            if new_loss <= loss:
                break
        else:
            return weights
        gained = loss - new_loss
        weights, loss, probability = nearer, new_loss, new_probability
        if gained < _CLOSE:
            break
    return weights


def _step(stack: _Stack, weights: Floats, probability: Floats) -> Floats:
    number, size = len(stack.starts), len(weights)
    slope = stack.signals.T @ (probability - stack.target) / number + 2 * _RIDGE * weights
    weighted = stack.signals * probability[:, None]
    means = np.add.reduceat(weighted, stack.starts, axis=0)
    curve = (weighted.T @ stack.signals - means.T @ means) / number + 2 * _RIDGE * np.eye(size)
    return np.asarray(np.linalg.solve(curve, slope))


def _stack(choices: Sequence[Choice]) -> _Stack:
    sizes = [len(choice.evidence) for choice in choices]
    shares = [choice.evidence / choice.evidence.sum() for choice in choices]
    return _Stack(
        signals=np.concatenate([choice.signals for choice in choices]),
        target=np.concatenate(shares),
        starts=np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp),
        owner=np.repeat(np.arange(len(sizes)), sizes),
    )
