"""The README does what it says: its code runs, its commands and files exist."""

import re
import tomllib
from pathlib import Path

import pytest

from stratagate_core.apps.cli import main

#: imported before the test, because importing it changes which warnings are shown
pytest.importorskip("langchain_classic")

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def commands(program: str) -> list[list[str]]:
    """The words of every shell line that calls `program`, comments left out."""
    lines = "\n".join(blocks("sh")).splitlines()
    words = [re.sub(r"\s+#.*", "", line).split() for line in lines]
    return [line[1:] for line in words if line and line[0] == program]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*ConversationChain.*")
def test_code_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each Python block runs on its own names, offline, and prints what it promises."""
    monkeypatch.chdir(tmp_path)
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    printed = capsys.readouterr().out

    assert "On Friday.\n" in printed
    assert "The roofer comes on Friday, because the roof leaks.\n" in printed
    assert "2026-06-13" in printed
    assert "[Memory directory]" in printed
    assert "1 ['The open day moves to June 13" in printed
    assert "commute 25 minutes stale home changed from Ghent to Bruges" in printed
    assert "home: Ghent\ncommute: 25 minutes\n" in printed
    assert "ADDED 1\nREINFORCED 2\n" in printed
    assert "memory_search_events" in printed


@pytest.mark.slow
def test_code_of_the_page_on_vectors_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its Python blocks run, offline, and find what they say."""
    pytest.importorskip("onnxruntime", reason="the extra minilm is not installed")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "embeddings.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        exec(compile(block, "embeddings.md", "exec"), {"__name__": "page"})

    assert capsys.readouterr().out.startswith("My favourite tea is oolong. ")


def test_make_targets_exist() -> None:
    """Every `make` command names a target of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    named = {words[0] for words in commands("make")}

    assert {"demo", "test"} <= named
    assert set() == named - targets


@pytest.mark.parametrize("words", commands("stratagate"), ids=lambda words: str(words[0]))
def test_subcommands_exist(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Every `stratagate` command is one, with the options it is shown with."""
    with pytest.raises(SystemExit) as ended:
        main([words[0], "--help"])
    helped = capsys.readouterr().out

    assert ended.value.code in (0, None)
    assert [] == [word for word in words if word.startswith("--") and word not in helped]


def test_extras_exist() -> None:
    """Every extra that is installed is defined."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = set(re.findall(r"stratagate\[([\w,]+)\]", README))

    assert {"classic", "llamaindex", "minilm", "postgres"} == named
    assert named <= project["optional-dependencies"].keys()


def test_links_lead_somewhere() -> None:
    """Every relative link is a file of the project."""
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)

    assert links
    assert [] == [link for link in links if not (ROOT / link).is_file()]
