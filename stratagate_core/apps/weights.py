"""What `eval --leave-one-out` prints: held-out scores, and the weights found."""

from typing import Any

from stratagate_core.apps.demo.screen import table
from stratagate_core.evals.leave_one_out import Search


def weights_json(search: Search) -> dict[str, Any]:
    """A search for weights as plain JSON."""
    return {
        "weights": dict(search.weights),
        "held_out": {
            "overall": dict(search.overall),
            "by_category": {name: dict(score) for name, score in search.by_category.items()},
            "by_conversation": {
                fold.left_out: {
                    "questions": fold.questions,
                    "score": dict(fold.score),
                    "weights": dict(fold.weights),
                }
                for fold in search.folds
            },
        },
    }


def weights_text(search: Search) -> str:
    """A search for weights for a person: held-out scores, then the weights."""
    names = list(search.overall)
    head = ["left out", "n", *(name.removeprefix("recall") for name in names)]
    asked = sum(fold.questions for fold in search.folds)
    scored = [(fold.left_out, str(fold.questions), fold.score) for fold in search.folds]
    scored += [(name, "", score) for name, score in search.by_category.items()]
    scored.append(("all", str(asked), search.overall))
    rows = [[what, n, *(f"{100 * score[name]:.1f}" for name in names)] for what, n, score in scored]
    folds = [fold.left_out for fold in search.folds]
    weights = [
        [name, f"{value:.3f}", *(f"{fold.weights[name]:.3f}" for fold in search.folds)]
        for name, value in search.weights.items()
    ]
    lines = [
        "Percent of the evidence found in the conversation that was left out",
        "",
        table(head, rows, right=range(1, len(head))),
        "",
        "Weights found on all conversations, and without each",
        "",
        table(["signal", "all", *folds], weights, right=range(1, len(folds) + 2)),
    ]
    return "\n".join(lines)
