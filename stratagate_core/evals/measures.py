"""Measures of a ranking against the evidence of a question. Pure; all are shares from 0 to 1.

A ranking is a list of items, best first; an item covers messages. A message search covers one
message with each item, an event covers its sources. `docs/evaluation.md` defines each measure.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from math import log2

CUTS = (1, 5, 10, 20, 50)
SESSION_CUTS = (1, 5)
TOKEN_BUDGET = 900
ITEM_BUDGET = 4
#: sessions that count for nDCG
GAIN_CUT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One result: the messages it covers and how a model would see it."""

    covers: frozenset[str]
    text: str
    #: the line that dates it; items of one session share it
    date: str = ""
    #: the sessions of what it covers, in order
    sessions: tuple[int, ...] = ()
    #: what it covers and the messages beside that, of the same session
    window: frozenset[str] = frozenset()


Score = Mapping[str, float]


def score(
    ranking: Sequence[Item],
    evidence: Set[str],
    count_tokens: Callable[[str], int],
    *,
    sessions: Set[int] = frozenset(),
    budgets: Collection[int] = (TOKEN_BUDGET,),
) -> Score:
    """Every measure of one ranking that the known evidence allows.

    Args:
        ranking: the results, best first.
        evidence: the messages to find; none means that they are not known.
        count_tokens: counts the tokens of a text.
        sessions: the sessions to find; none means that they are not known.
        budgets: token budgets to fill.

    """
    found: dict[str, float] = {}
    if evidence:
        found |= _message_scores(ranking, evidence)
        for budget in budgets:
            fitting = within_budget(ranking, budget, count_tokens)
            found[f"recall@{budget}tok"] = recall(fitting, evidence)
    if sessions:
        found |= _session_scores(ranked_sessions(ranking), sessions)
    return found


def _message_scores(ranking: Sequence[Item], evidence: Set[str]) -> dict[str, float]:
    few = ranking[:ITEM_BUDGET]
    return {
        **{f"recall@{cut}": recall(ranking[:cut], evidence) for cut in CUTS},
        "hit@10": float(recall(ranking[:10], evidence) > 0),
        "all@10": float(recall(ranking[:10], evidence) == 1),
        "mrr": reciprocal_rank(ranking, evidence),
        f"recall@{ITEM_BUDGET}items": recall(few, evidence),
        f"recall@{ITEM_BUDGET}windows": _share(evidence, (each.window for each in few)),
    }


def _session_scores(ranked: Sequence[int], sessions: Set[int]) -> dict[str, float]:
    hits = {
        f"session_hit@{cut}": float(not sessions.isdisjoint(ranked[:cut])) for cut in SESSION_CUTS
    }
    return {**hits, f"session_ndcg@{GAIN_CUT}": gain(ranked, sessions, GAIN_CUT)}


def recall(items: Iterable[Item], evidence: Set[str]) -> float:
    """The share of the evidence that the items cover; evidence must not be empty."""
    return _share(evidence, (item.covers for item in items))


def _share(evidence: Set[str], parts: Iterable[frozenset[str]]) -> float:
    return len(evidence & frozenset[str]().union(*parts)) / len(evidence)


def reciprocal_rank(ranking: Iterable[Item], evidence: Set[str]) -> float:
    """One divided by the rank of the first item with evidence; 0 without any."""
    ranks = (rank for rank, item in enumerate(ranking, 1) if item.covers & evidence)
    return 1 / next(ranks, float("inf"))


def ranked_sessions(ranking: Iterable[Item]) -> list[int]:
    """The sessions of a ranking, each at the place of its best item."""
    return list(dict.fromkeys(number for item in ranking for number in item.sessions))


def gain(ranked: Sequence[int], wanted: Set[int], cut: int) -> float:
    """Normalised discounted cumulative gain of the first `cut`, where each wanted counts 1."""
    found = sum(1 / log2(rank + 1) for rank, key in enumerate(ranked[:cut], 1) if key in wanted)
    best = sum(1 / log2(rank + 1) for rank in range(1, min(cut, len(wanted)) + 1))
    return found / best


def within_budget(
    ranking: Sequence[Item], budget: int, count_tokens: Callable[[str], int]
) -> Sequence[Item]:
    """The items before the first that no longer fits, counted on the text of them all."""
    for number in range(1, len(ranking) + 1):
        if count_tokens(shown(ranking[:number])) > budget:
            return ranking[: number - 1]
    return ranking


def shown(items: Sequence[Item]) -> str:
    """The items as a model would see them: by session in order of rank, one date line each."""
    first = {_head(item): rank for rank, item in reversed(list(enumerate(items)))}
    together = sorted(items, key=lambda item: first[_head(item)])
    lines: list[str] = []
    for (_, date), group in groupby(together, key=_head):
        lines += [date] if date else []
        lines += [item.text for item in group]
    return "\n".join(lines)


def _head(item: Item) -> tuple[tuple[int, ...], str]:
    return item.sessions[:1], item.date


def mean(scores: Sequence[Score]) -> Score:
    """The mean of each measure over those that have it; of no scores, nothing."""
    names = dict.fromkeys(name for each in scores for name in each)
    return {name: _mean([each[name] for each in scores if name in each]) for name in names}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
