"""Measures of a ranking against the evidence of a question. Pure; all are shares from 0 to 1.

A ranking is a list of items, best first; an item covers messages. A message search covers one
message with each item, an event covers its sources.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

CUTS = (1, 5, 10, 20, 50)
TOKEN_BUDGET = 900
ITEM_BUDGET = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One result: the messages it covers and how a model would see it."""

    covers: frozenset[str]
    text: str
    #: the line that dates it; items of one session share it
    date: str = ""


Score = Mapping[str, float]


def score(ranking: Sequence[Item], evidence: Set[str], count_tokens: Callable[[str], int]) -> Score:
    """Every measure of one ranking."""
    fitting = within_budget(ranking, TOKEN_BUDGET, count_tokens)
    return {
        **{f"recall@{cut}": recall(ranking[:cut], evidence) for cut in CUTS},
        "hit@10": float(recall(ranking[:10], evidence) > 0),
        "all@10": float(recall(ranking[:10], evidence) == 1),
        "mrr": reciprocal_rank(ranking, evidence),
        f"recall@{TOKEN_BUDGET}tok": recall(fitting, evidence),
        f"recall@{ITEM_BUDGET}items": recall(ranking[:ITEM_BUDGET], evidence),
    }


def recall(items: Iterable[Item], evidence: Set[str]) -> float:
    """The share of the evidence that the items cover; evidence must not be empty."""
    covered = frozenset[str]().union(*(item.covers for item in items))
    return len(evidence & covered) / len(evidence)


def reciprocal_rank(ranking: Iterable[Item], evidence: Set[str]) -> float:
    """One divided by the rank of the first item with evidence; 0 without any."""
    ranks = (rank for rank, item in enumerate(ranking, 1) if item.covers & evidence)
    return 1 / next(ranks, float("inf"))


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
    first = {date: rank for rank, date in reversed(list(enumerate(item.date for item in items)))}
    together = sorted(items, key=lambda item: first[item.date])
    lines: list[str] = []
    for date, group in groupby(together, key=lambda item: item.date):
        lines += [date, *(item.text for item in group)]
    return "\n".join(lines)


def mean(scores: Sequence[Score]) -> Score:
    """The mean of each measure; of no scores, nothing."""
    if not scores:
        return {}
    return {name: sum(each[name] for each in scores) / len(scores) for name in scores[0]}
