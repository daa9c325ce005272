"""The page about models does what it says: its code runs offline, its table is measured."""

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def numbers(text: str) -> list[float]:
    """All numbers of a text."""
    return [float(found.replace(",", "")) for found in re.findall(r"\d[\d,.]*", text)]


def table() -> str:
    """The rows of the table of costs."""
    return "\n".join(re.findall(r"^\| \d+ \|.*$", PAGE, re.MULTILINE))


def test_the_code_runs_and_the_table_is_what_it_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All Python blocks run one after the other and print what the page promises."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "models"}
    printed = []
    for block in BLOCKS:
        exec(compile(block, "models.md", "exec"), names)
        printed.append(capsys.readouterr().out)
    hand_in, _, peek, cost, failing = printed

    assert "Roofer on Friday\nTags: roof\n" == hand_in
    assert peek.startswith('summarise_block 10000 {"block":')
    assert "sk-abc" not in peek
    assert numbers(cost) == pytest.approx(numbers(table()), rel=0.1)
    assert failing.startswith("failed 1 summarise_block: no acceptable answer after 2 attempts")
    assert failing.endswith("['The roofer comes on Friday.']\n")


def test_settings_and_counts_that_are_named_exist() -> None:
    """Numbers on the page are those of the code."""
    from stratagate_core import Settings
    from stratagate_core.conversation.rules import derivation
    from stratagate_core.jobs.rules import LONGEST_WAIT, MAX_ATTEMPTS
    from stratagate_core.store.jobs import SPENT

    assert f"`structured_task_timeout` ({Settings().structured_task_timeout:g} s)" in PAGE
    limits = f"{derivation.RESULT_LIMIT:,} and {derivation.ARGUMENTS_LIMIT:,} characters"
    assert limits in PAGE
    assert (3, 3600) == (MAX_ATTEMPTS, LONGEST_WAIT.total_seconds())
    assert {"model_calls", "retries"} == {name for name in SPENT if not name.endswith("_tokens")}
