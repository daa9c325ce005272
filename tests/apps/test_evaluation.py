"""`stratagate eval`: options, what is printed and written, and bad input."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.apps.conftest import Run
from tests.evals.made import CONVERSATION, INSTANCES, write, write_chat

pytestmark = pytest.mark.slow


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A LoCoMo file of two made-up conversations."""
    return write(tmp_path / "made.json", [CONVERSATION, {**CONVERSATION, "sample_id": "made-2"}])


def test_json(run: Run, made: Path) -> None:
    """`--json` alone prints one object with a score set for each way to search."""
    code, text, error = run("eval", "locomo", made, "--baseline", "rank-bm25", "--json")
    found = json.loads(text)
    assert code == 0
    assert (found["dataset"], found["questions"], found["skipped"]) == ("locomo", 6, 4)
    assert found["questions_by_conversation"] == {"made-1": 3, "made-2": 3}
    assert found["evidence_ids"] == {"repaired": 4, "skipped": 6}
    for way in ("search_raw", "search_events", "baseline"):
        assert set(found[way]["by_category"]) == {"multi-hop", "temporal", "single-hop"}
        assert set(found[way]["by_conversation"]) == {"made-1", "made-2"}
        assert list(found[way]["overall"]) == [
            *(f"recall@{cut}" for cut in (1, 5, 10, 20, 50)),
            *("hit@10", "all@10", "mrr", "recall@4items", "recall@4windows", "recall@900tok"),
            *("session_hit@1", "session_hit@5", "session_ndcg@5"),
        ]
    assert set(found["missed"]) == {"search_raw", "search_events"}
    assert set(found["context"]) == {"layered_tokens", "full_tokens", "share"}
    assert set(found["seconds"]) == {"ingest", "search_raw", "search_events", "baseline"}
    assert "2/2 made-2: asking 3 questions" in error


def test_is_repeatable(run: Run, made: Path) -> None:
    """Two runs give the same numbers, seconds apart."""
    found = [json.loads(run("eval", "locomo", made, "--json")[1]) for _ in range(2)]
    for each in found:
        del each["seconds"]
    assert found[0] == found[1]
    assert found[0]["baseline"] is None


def test_results_go_to_files(run: Run, made: Path, tmp_path: Path) -> None:
    """With a file for the JSON the table is printed too; failures are written beside it."""
    results, failures = tmp_path / "results.json", tmp_path / "failures.json"
    options = ("--json", results, "--failures", failures, "--budget", 5, "--budget", 50)
    code, text, _ = run("eval", "locomo", made, *options)
    assert code == 0
    overall = json.loads(results.read_text(encoding="utf-8"))["search_raw"]["overall"]
    assert {"recall@5tok", "recall@50tok"} < set(overall)
    assert "recall@900tok" not in overall
    assert "@5tok" in text
    written = json.loads(failures.read_text(encoding="utf-8"))
    assert written["counts"]["search_raw"]["no shared word"] >= 2
    assert written["failures"][0]["missed"][0]["id"].startswith("D")


def test_failures_for_people(run: Run, made: Path, tmp_path: Path) -> None:
    """A Markdown file has counts, then each question with what it missed and what came first."""
    target = tmp_path / "failures.md"
    assert run("eval", "locomo", made, "--failures", target)[0] == 0
    text = target.read_text(encoding="utf-8")
    assert "| no shared word |" in text
    assert "## Messages" in text
    assert "**When?**\n(made-1, temporal, wrong session; 0 of 1 found)" in text
    assert "- missed D10:1, no shared word: Ben: On the river near Ghent." in text


@pytest.mark.parametrize(
    ("by", "lines"),
    [("category", ["multi-hop", "single-hop"]), ("conversation", ["made-1", "made-2"])],
)
def test_table_by(run: Run, made: Path, by: str, lines: list[str]) -> None:
    """The table has a line for each category or each conversation, and one for all."""
    code, text, _ = run("eval", "locomo", made, "--by", by)
    assert code == 0
    for line in (*lines, "all"):
        assert f"   messages  {line}" in text


def test_corrected(run: Run, made: Path, tmp_path: Path) -> None:
    """Known wrong citations are replaced, and how many is told."""
    entry = {"question": "When?", "conversation": "made-2", "correct_evidence": ["D1:4"]}
    errors = write(tmp_path / "errors.json", [entry])
    code, text, _ = run("eval", "locomo", made, "--corrected", errors)
    assert code == 0
    assert "1 questions with corrected evidence" in text


def test_keeps_a_database(run: Run, made: Path, tmp_path: Path) -> None:
    """With --database the memory stays, can be searched, and is told nothing twice."""
    kept = tmp_path / "kept.db"
    arguments = ("eval", "locomo", made, "--conversations", 1, "--database", kept)
    code, text, _ = run(*arguments)
    assert code == 0
    assert "locomo: 1 conversations, 6 messages" in text
    assert "3 questions; 2 without evidence left out" in text
    first = run("search", "kayak", "--database", kept, "--json")
    run(*arguments)
    assert run("search", "kayak", "--database", kept, "--json") == first
    assert run("doctor", kept)[0] == 0


def test_longmemeval(run: Run, tmp_path: Path) -> None:
    """A question that cites a session only has no scores of messages."""
    code, text, _ = run("eval", "longmemeval", write(tmp_path / "made.json", INSTANCES))
    assert code == 0
    assert "1 questions cite sessions only and count for those alone" in text
    line = next(line for line in text.splitlines() if "messages  multi-session" in line)
    assert line.split()[2:] == ["1", *["–"] * 7, "100.0", "100.0", "–"]


def test_beam(run: Run, tmp_path: Path) -> None:
    """A chat with its questions beside it is read as it stands in its folder."""
    code, text, _ = run("eval", "beam", write_chat(tmp_path / "7"))
    assert code == 0
    assert "beam: 1 conversations, 7 messages" in text


@pytest.mark.parametrize("dataset", ["locomo", "longmemeval", "beam"])
@pytest.mark.parametrize("content", ["", "not json", "[]", "{}", "[1]", "[{}]", "null", '"x"'])
def test_bad_files_end_in_one_line(run: Run, tmp_path: Path, dataset: str, content: str) -> None:
    """Whatever a file holds instead of data: one line names it, and the exit code is 2."""
    path = tmp_path / "file.json"
    path.write_text(content)
    assert_refused(run("eval", dataset, path), str(tmp_path))


@pytest.mark.parametrize("dataset", ["locomo", "longmemeval", "beam"])
def test_bad_paths_end_in_one_line(run: Run, tmp_path: Path, dataset: str) -> None:
    """A missing file and a folder are refused in the same way."""
    assert_refused(run("eval", dataset, tmp_path / "nothing.json"), "no file")
    assert_refused(run("eval", dataset, tmp_path), "is a folder")


def test_bad_options_end_with_2(run: Run, made: Path, tmp_path: Path) -> None:
    """Options that cannot be kept are refused before anything runs."""
    empty = write(tmp_path / "errors.json", [])
    refused: list[tuple[Any, ...]] = [
        ("--corrected", empty),
        ("--corrected", tmp_path / "nothing.json"),
        ("--failures", tmp_path / "failures.txt"),
    ]
    for options in refused:
        assert_refused(run("eval", "locomo", made, *options), "stratagate: ")
    assert_refused(run("eval", "beam", made, "--corrected", empty), "--corrected is for locomo")
    misused: list[tuple[Any, ...]] = [
        ("--json", tmp_path),
        ("--json", tmp_path / "no" / "out.json"),
        ("--budget", 0),
        ("--conversations", 0),
        ("--by", "moon"),
    ]
    for options in misused:
        code, printed, error = run("eval", "locomo", made, *options)
        assert (code, printed) == (2, "")
        assert error.startswith("usage: stratagate eval")


def test_every_option_is_in_the_docs(run: Run) -> None:
    """The page about the evaluation names each option of the command."""
    page = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    options = set(re.findall(r"--[a-z]+", run("eval", "--help")[1])) - {"--help"}
    assert {"--json", "--failures"} < options
    assert {option for option in options if f"`{option}" not in page} == set()


def assert_refused(ran: tuple[int, str, str], complaint: str) -> None:
    """Nothing was printed but one line of error, and the code is 2."""
    code, printed, error = ran
    assert (code, printed) == (2, "")
    assert error.startswith("stratagate: ")
    assert error.count("\n") == 1
    assert complaint in error


def test_leave_one_out(run: Run, made: Path) -> None:
    """`--leave-one-out` prints held-out scores by conversation and the weights; twice the same."""
    arguments = ("eval", "locomo", made, "--leave-one-out")
    first, second = (json.loads(run(*arguments, "--json")[1]) for _ in range(2))
    assert first == second
    assert set(first["held_out"]["by_conversation"]) == {"made-1", "made-2"}
    assert first["weights"]["text"] == 1.0
    code, text, _ = run(*arguments)
    assert code == 0
    assert "time_expression" in text
    code, _, error = run(*arguments, "--conversations", 1)
    assert (code, "two or more" in error) == (1, True)
