"""Reciprocal-rank fusion: several rankings made one by their ranks alone."""

from collections.abc import Sequence


def rrf(
    lists: Sequence[Sequence[str]], weights: Sequence[float] | None = None, *, k: int = 60
) -> tuple[tuple[str, float], ...]:
    """(id, score) of the ids in `lists`, best first; ties: the better best rank, then the id.

    A list adds weight / (k + rank), its first place being rank 1. Without `weights` each list
    counts 1; a list whose weight is not positive is left out.
    """
    scores: dict[str, float] = {}
    best: dict[str, int] = {}
    for ids, weight in zip(lists, weights or [1.0] * len(lists), strict=True):
        if weight <= 0:
            continue
        for place, item in enumerate(dict.fromkeys(ids), start=1):
            scores[item] = scores.get(item, 0.0) + weight / (k + place)
            best[item] = min(place, best.get(item, place))
    return tuple(sorted(scores.items(), key=lambda hit: (-hit[1], best[hit[0]], hit[0])))
