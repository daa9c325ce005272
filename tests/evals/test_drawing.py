"""The picture of the documentation."""

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_same_results_give_the_same_picture(tmp_path: Path) -> None:
    """The published results are drawn, byte for byte the same each time."""
    draw = runpy.run_path(str(ROOT / "scripts" / "draw_evaluation.py"))["draw"]
    found = json.loads((ROOT / "docs" / "evaluation.json").read_text(encoding="utf-8"))
    targets = [tmp_path / "first.svg", tmp_path / "second.svg"]
    for target in targets:
        draw(found, target)
    first, second = (target.read_bytes() for target in targets)
    assert first == second
    assert first.startswith(b"<?xml")
