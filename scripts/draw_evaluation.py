"""Draws the results of an evaluation: ``python scripts/draw_evaluation.py IN.json OUT.svg``.

IN is what ``stratagate eval ... --json IN.json`` wrote. Left: recall by how many results are
looked at. Right: recall of ten results by category. The same numbers give the same file.
"""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

#: way to search → its name and colour, which stay apart for the colour-blind and in grey
WAYS = {
    "search_events": ("events", "#1b5e8c"),
    "search_raw": ("messages", "#5aa9d6"),
    "baseline": ("rank-bm25", "#b9b9b9"),
}
CUTS = (1, 5, 10, 20, 50)
#: room that the bars of one category take, of 1
BARS = 0.8


def draw(found: dict[str, Any], target: Path) -> None:
    """Write the picture of one evaluation as SVG."""
    mpl.rcParams.update({"svg.hashsalt": "stratagate", "svg.fonttype": "path", "font.size": 9})
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.4))
    ways = [way for way in WAYS if found.get(way)]
    draw_cuts(left, found, ways)
    draw_categories(right, found, ways)
    for axes in (left, right):
        axes.set_ylim(0, 100)
        axes.grid(axis="y", color="#e5e5e5")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    left.set_ylabel("evidence found, %")
    right.legend(frameon=False, loc="upper left", ncols=len(ways))
    figure.savefig(target, metadata={"Date": None})


def draw_cuts(axes: Axes, found: dict[str, Any], ways: list[str]) -> None:
    """Recall by how many results are looked at."""
    for way in ways:
        name, colour = WAYS[way]
        values = [100 * found[way]["overall"][f"recall@{cut}"] for cut in CUTS]
        axes.plot(range(len(CUTS)), values, marker="o", color=colour, label=name)
    axes.set_xticks(range(len(CUTS)), [str(cut) for cut in CUTS])
    axes.set_xlabel("results looked at")
    axes.set_title(f"{found['questions']:,} questions of {found['dataset']}")


def draw_categories(axes: Axes, found: dict[str, Any], ways: list[str]) -> None:
    """Recall of ten results by category."""
    names = list(found[ways[0]]["by_category"])
    width = BARS / len(ways)
    for place, way in enumerate(ways):
        name, colour = WAYS[way]
        values = [100 * found[way]["by_category"][each]["recall@10"] for each in names]
        centres = [at + (place - (len(ways) - 1) / 2) * width for at in range(len(names))]
        bars = axes.bar(centres, values, width, color=colour, label=name)
        axes.bar_label(bars, fmt="%.0f", fontsize=7)
    axes.set_xticks(range(len(names)), names)
    axes.set_title("ten results, by category")


def main() -> None:
    """Read the results, write the picture."""
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    source, target = map(Path, sys.argv[1:])
    draw(json.loads(source.read_text(encoding="utf-8")), target)


if __name__ == "__main__":
    main()
