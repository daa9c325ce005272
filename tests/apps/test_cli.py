"""The command line, called as a user calls it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from stratagate_core import __version__
from tests.apps.conftest import Run
from tests.conftest import Opener

pytestmark = pytest.mark.slow


def test_version(run: Run) -> None:
    """`--version` names program and version."""
    assert run("--version") == (0, f"stratagate {__version__}\n", "")


def test_help_names_every_command(run: Run) -> None:
    """`--help` lists the commands and shows examples."""
    code, text, _ = run("--help")
    assert code == 0
    for command in ("demo", "search", "export", "doctor", "eval"):
        assert f"    {command} " in text
        assert f"  stratagate {command}" in text


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("dance",),
        ("search",),
        ("eval", "y", "x"),
    ],
)
def test_what_is_not_understood_ends_with_2(run: Run, arguments: tuple[str, ...]) -> None:
    """A command line that is not understood says how it is used."""
    code, printed, error = run(*arguments)
    assert (code, printed) == (2, "")
    assert error.startswith("usage: stratagate")


def test_search_finds_events_and_messages(run: Run, database: Path) -> None:
    """Both kinds in one ranking, with date and ref; the open tail is searched too."""
    code, text, error = run("search", "ladder", "--database", database)
    assert (code, error) == (0, "")
    assert "The ladder is in the shed." in text
    assert "2026-05-06" in text
    assert "raw:-:" in text


def test_search_in_chinese(run: Run, database: Path) -> None:
    """Chinese is found and shown."""
    _, text, _ = run("search", "包管理器", "--database", database, "--kind", "raw")
    assert "我们用 pnpm 做包管理器。" in text


@pytest.mark.parametrize(("kind", "start"), [("events", "event:"), ("raw", "raw:")])
def test_search_json(run: Run, database: Path, kind: str, start: str) -> None:
    """`--json` prints one object with refs, scores and cards."""
    code, text, _ = run("search", "Miso", "--database", database, "--kind", kind, "--json")
    found = json.loads(text)
    assert (code, found["query"], found["namespace"], found["reason"]) == (
        0,
        "Miso",
        "default",
        None,
    )
    assert all(hit["ref"].startswith(start) and hit["score"] > 0 for hit in found["hits"])
    assert found["hits"][0]["card"]["id"] in found["hits"][0]["ref"]


def test_search_limit(run: Run, database: Path) -> None:
    """`--limit` says how many at most."""
    _, text, _ = run("search", "Miso ladder pnpm", "--database", database, "--limit", 1, "--json")
    assert len(json.loads(text)["hits"]) == 1


def test_search_says_why_it_found_nothing(run: Run, database: Path) -> None:
    """Nothing found is no error, and the reason is told."""
    assert run("search", "zeppelin", "--database", database) == (
        0,
        "Nothing found: no stored text has a word of the query\n",
        "",
    )


def test_reading_commands_change_no_byte(run: Run, database: Path, tmp_path: Path) -> None:
    """Search, export and doctor leave file and folder as they were."""
    before = database.read_bytes()
    run("search", "Miso", "--database", database)
    run("export", tmp_path / "out.jsonl", "--database", database)
    run("doctor", database)
    assert database.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["memory.db", "out.jsonl"]


def test_missing_databases(run: Run, tmp_path: Path) -> None:
    """A missing file and a missing default memory are friendly errors without traceback."""
    code, _, error = run("search", "x")
    assert (code, error) == (
        1,
        f"stratagate: no memory at {tmp_path / 'data' / 'stratagate' / 'memory.db'} yet; "
        "name another file with --database\n",
    )
    code, _, error = run("search", "x", "--database", tmp_path / "nothing.db")
    assert code == 1
    assert error.startswith("stratagate: no database at ")
    assert not (tmp_path / "nothing.db").exists()


def test_foreign_files(run: Run, tmp_path: Path) -> None:
    """A file that is no memory is refused without traceback."""
    foreign = tmp_path / "foreign.db"
    for content in (b"", b"just text, long enough to be no database at all" * 100):
        foreign.write_bytes(content)
        code, printed, error = run("search", "x", "--database", foreign)
        assert (code, printed) == (1, "")
        assert error.startswith("stratagate: ")
        assert foreign.read_bytes() == content


def test_the_default_database_is_in_the_data_directory(
    run: Run, database: Path, tmp_path: Path
) -> None:
    """Without --database the memory of the user's data directory is used."""
    place = tmp_path / "data" / "stratagate" / "memory.db"
    place.parent.mkdir(parents=True)
    place.write_bytes(database.read_bytes())
    _, text, _ = run("search", "ladder")
    assert "The ladder is in the shed." in text
    _, text, _ = run("doctor")
    assert f"Database {place}" in text


def test_namespaces_are_chosen_by_name(run: Run, open_memory: Opener, tmp_path: Path) -> None:
    """With several namespaces one must be named; unknown ones are answered with the known."""
    path = tmp_path / "several.db"
    memory = open_memory(path=path)
    memory.for_namespace("acme").add_turn("Alpha ladder", "Yes.")
    memory.for_namespace("zeta").add_turn("Zeta ladder", "Yes.")
    memory.close()
    code, _, error = run("search", "ladder", "--database", path)
    assert code == 1
    assert error == "stratagate: choose one of these with --namespace:\n  acme\n  zeta\n"
    code, _, error = run("search", "ladder", "--database", path, "--namespace", "acm")
    assert code == 1
    assert "no namespace 'acm'" in error
    _, text, _ = run("search", "ladder", "--database", path, "--namespace", "zeta")
    assert "Zeta ladder" in text
    assert "Alpha" not in text


def test_export(run: Run, database: Path, tmp_path: Path) -> None:
    """Everything is written as JSON lines, and how much is told."""
    target = tmp_path / "out.jsonl"
    code, text, _ = run("export", target, "--database", database)
    lines = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert (code, text) == (0, f"{len(lines)} lines of default written to {target}\n")
    kinds = {line["kind"] for line in lines}
    assert {"turn", "message", "block", "event"} <= kinds
    before = target.read_bytes()
    for path, told in (
        (target, "exists; overwrite it with --force"),
        (tmp_path, "is a folder; give the path of a file in it"),
        (tmp_path / "no" / "out.jsonl", "cannot be written: No such file or directory; check its"),
    ):
        code, _, error = run("export", path, "--database", database)
        assert code == 1
        assert error.startswith(f"stratagate: {path} {told}")
    assert before == target.read_bytes()
    code, _, _ = run("export", target, "--database", database, "--force")
    assert (code, before) == (0, target.read_bytes())


@pytest.mark.slow
def test_output_may_be_cut_short(database: Path) -> None:
    """A reader that stops reading causes no traceback."""
    code = "import sys; from stratagate_core.apps.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "doctor", str(database)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
