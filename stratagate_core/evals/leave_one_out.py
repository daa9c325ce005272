"""Weights of the ranking, found on all conversations but one and scored on the one left out.

So every number is about questions that the weights have never seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from stratagate_core.errors import InvalidArgument
from stratagate_core.evals.dataset import Conversation, Question
from stratagate_core.evals.fitting import Choice, Floats, fit
from stratagate_core.evals.harness import DEPTH, Progress, ingest
from stratagate_core.evals.items import message_items
from stratagate_core.evals.measures import Item, Score, mean, score
from stratagate_core.memory import StrataGate
from stratagate_core.rank.signals import (
    CLOSE_SIGNALS,
    DENSE_SIGNALS,
    SIGNALS,
    measured,
    measured_closely,
    tied,
)
from stratagate_core.search.raw import scene_for
from stratagate_core.text.estimate import estimate_tokens

NAMES = (*SIGNALS, *CLOSE_SIGNALS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """One conversation left out: the weights found without it and its scores under them."""

    left_out: str
    questions: int
    weights: Mapping[str, float]
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What the search for weights found."""

    folds: tuple[Fold, ...]
    #: scores of all questions, each under the weights that had not seen it
    overall: Score
    by_category: Mapping[str, Score]
    #: found on all conversations: for the settings
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Asked:
    question: Question
    choice: Choice
    ids: tuple[str, ...]

    def score(self, weights: Floats, items: Mapping[str, Item]) -> Score:
        """The measures of the ranking that these weights make."""
        order = np.argsort(-(self.choice.signals @ weights), kind="stable")[:DEPTH]
        ranking = [items[self.ids[at]] for at in order]
        return score(ranking, self.question.evidence, estimate_tokens)


def leave_one_out(
    memory: StrataGate,
    conversations: Sequence[Conversation],
    *,
    progress: Progress = lambda _line: None,
) -> Search:
    """Find weights with each conversation left out once; needs two conversations at least.

    Args:
        memory: any handle; what it has of the conversations already is not told again.
        conversations: what to ask about.
        progress: is told what is being done, a line at a time.

    Raises:
        InvalidArgument: there are fewer than two conversations.

    """
    if len(conversations) < 2:
        raise InvalidArgument("leaving one conversation out needs two or more of them")
    names = (*NAMES, *DENSE_SIGNALS) if memory._core.env.embedder else NAMES
    asked: list[list[_Asked]] = []
    items: list[dict[str, Item]] = []
    for conversation in conversations:
        progress(f"{conversation.id}: telling and asking")
        handle = memory.for_namespace(conversation.namespace)
        ingest(handle, conversation)
        asked.append([_ask(handle, question, names) for question in conversation.questions])
        items.append(message_items(conversation))
    folds: list[Fold] = []
    scores: dict[str, list[Score]] = {}
    for left_out, conversation in enumerate(conversations):
        progress(f"{conversation.id}: left out")
        others = chain.from_iterable(asked[:left_out] + asked[left_out + 1 :])
        weights = fit([one.choice for one in others])
        found = [one.score(weights, items[left_out]) for one in asked[left_out]]
        for one, value in zip(asked[left_out], found, strict=True):
            scores.setdefault(one.question.category, []).append(value)
        folds.append(
            Fold(
                left_out=conversation.id,
                questions=len(found),
                weights=_named(weights, names),
                score=mean(found),
            )
        )
    return Search(
        folds=tuple(folds),
        overall=mean(list(chain.from_iterable(scores.values()))),
        by_category={name: mean(scores[name]) for name in sorted(scores)},
        weights=_named(fit([one.choice for one in chain.from_iterable(asked)]), names),
    )


def _ask(memory: StrataGate, question: Question, names: Sequence[str]) -> _Asked:
    vector = memory._core.embedded(question.text)
    with memory._read() as work:
        scene = scene_for(work, question.text, vector)
    if scene is None:
        nothing = Choice(np.zeros((0, len(names))), np.zeros(0, np.bool_))
        return _Asked(question, nothing, ())
    everywhere = np.arange(len(scene.messages))
    signals = measured(scene) | measured_closely(scene, everywhere)
    hits = np.flatnonzero(tied(signals))
    ids = tuple(str(scene.messages[at].id) for at in hits)
    values = np.stack([signals[name] for name in names], axis=1)[hits]
    evidence = np.array([key in question.evidence for key in ids], np.bool_)
    return _Asked(question, Choice(values, evidence), ids)


def _named(weights: Floats, names: Sequence[str]) -> dict[str, float]:
    """Weights by signal, on the scale where text counts 1."""
    unit = weights[names.index("text")]
    return {name: round(float(value / unit), 3) for name, value in zip(names, weights, strict=True)}
