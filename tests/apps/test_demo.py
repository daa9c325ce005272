"""The demo: its conversation, its screen, and the whole run."""

import io
import re
import subprocess
import sys
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core import InvalidArgument, Settings, StrataGate
from stratagate_core.apps.demo import NAMESPACE, SETTINGS, main
from stratagate_core.apps.demo.replay import untold
from stratagate_core.apps.demo.screen import bar, clip, table, width, wrap
from stratagate_core.apps.demo.story import load_story

pytestmark = pytest.mark.slow

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def run_demo(*arguments: str) -> str:
    """What the demo prints."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert main(arguments) == 0
    return printed.getvalue()


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that the demo has made."""
    return tmp_path_factory.mktemp("demo") / "demo.db"


@pytest.fixture(scope="module")
def first_run(database: Path) -> str:
    """What the first run on `database` printed."""
    return run_demo("--database", str(database))


def test_story_is_in_order() -> None:
    """The conversation goes forward in time, in two languages, and runs tools."""
    story = load_story()
    told = [*story.turns, *story.follow_ups]

    assert all(before.at < after.at for before, after in pairwise(told))
    assert {"shedbook", "family"} == {said.thread for said in told}
    assert 10 == sum(bool(said.tools) for said in told)


def test_held_turns_are_not_told_again() -> None:
    """What a thread holds already is left out, from its beginning."""
    turns = load_story().turns
    with StrataGate.open(":memory:", settings=Settings(block_turn_size=6)) as memory:
        for said in turns[:9]:
            memory.add_turn(said.user, said.assistant, thread=said.thread, at=said.at)

        assert turns[9:] == untold(memory, turns)


def test_chinese_takes_two_columns() -> None:
    """Widths are counted in columns, so that tables stay aligned in any script."""
    drawn = table(["a", "b"], [["妈妈", "1"], ["mother", "10"]], right=[1])

    assert [
        "   a        b",
        "   ──────  ──",
        "   妈妈     1",
        "   mother  10",
    ] == drawn.splitlines()


@given(st.floats(0, 1))
def test_bar_has_one_width(share: float) -> None:
    """A bar takes the same room whatever it shows; only nothing shows nothing."""
    drawn = bar(share, 8)

    assert 8 == len(drawn)
    assert (share > 0) == drawn.startswith("█")


@given(st.text(alphabet="ab 中文，。", max_size=300))
def test_wrapped_text_is_whole(text: str) -> None:
    """Wrapping loses nothing but blanks and keeps to the width where words allow it."""
    wrapped = wrap(text, columns=40)

    assert "".join(text.split()) == "".join(wrapped.split())
    assert all(width(line) <= 40 for line in wrapped.splitlines() if " " in line.strip())


@given(st.text(alphabet="ab 中文", max_size=60), st.integers(1, 30))
def test_clipped_text_fits(text: str, columns: int) -> None:
    """A clipped text fits its columns and says by an ellipsis that something is missing."""
    line = " ".join(text.split())
    clipped = clip(text, columns)

    assert width(clipped) <= columns
    assert clipped == line or clipped.endswith("…")


def test_foreign_file_is_left_alone(tmp_path: Path) -> None:
    """A file that the demo did not make is neither written to nor deleted."""
    text, memory = tmp_path / "notes.txt", tmp_path / "memory.db"
    text.write_text("mine", encoding="utf-8")
    with StrataGate.open(memory, namespace="mine") as opened:
        opened.add_turn("Hello.", "Hello.")
    before = text.read_bytes(), memory.read_bytes()

    for path in (text, memory):
        for more in ([], ["--fresh"]):
            with pytest.raises(InvalidArgument, match="not a file of this demo"):
                main(["--database", str(path), *more])

    assert before == (text.read_bytes(), memory.read_bytes())


def test_missing_extra_is_named() -> None:
    """Without langchain-classic the demo says what to install."""
    code = (
        "import sys; sys.modules['langchain_classic'] = None\n"
        "from stratagate_core import MissingExtra\n"
        "from stratagate_core.apps.demo import main\n"
        "try: main([])\n"
        "except MissingExtra as error: print(error.message)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "stratagate demo needs the extra 'classic': pip install 'stratagate[classic]'\n" == (
        ran.stdout
    )


@pytest.mark.slow
def test_first_run_shows_everything(first_run: str) -> None:
    """All seven chapters are shown, and what they promise is what happened."""
    chapters = [
        line[0] for line in first_run.splitlines() if line[1:3] == "  " and line[0] in "1234567"
    ]

    assert list("1234567") == chapters
    assert "Verdict: sufficient" in first_run
    assert "refused: nothing was recorded" in first_run
    assert "record_use([]) → closed; 0 memories became stronger" in first_run
    assert "commute is stale, because home changed from Gentbrugge to Ledeberg" in first_run
    assert "└╌╌ uses ╌╌▶ (SQLite)" in first_run
    assert "4月16日" in first_run


@pytest.mark.slow
def test_context_shrinks(first_run: str) -> None:
    """At the end the chat model is sent less than half of the history."""
    rows = [line.split() for line in first_run.splitlines() if line.strip().startswith("7 ")]
    whole, sent = (int(cell) for cell in rows[0][2:4])

    assert 0 < sent < whole / 2


def fading(text: str) -> list[tuple[list[int], str]]:
    """The table of fading in a text: week, turns, whole and sent of each row, and the levels."""
    rows = re.findall(r"^ +([1-7]) +(\d+) +(\d+) +(\d+)  [█·]+ .*?((?: L\d)+)$", text, re.MULTILINE)
    return [([int(cell) for cell in row[:4]], row[4]) for row in rows]


@pytest.mark.slow
def test_readme_shows_this_run(first_run: str) -> None:
    """The table of fading in the README is the demo's; where it is not, copy it from a new run."""
    shown, now = fading(README), fading(first_run)

    assert 7 == len(now)
    assert [(row[:3], levels) for row, levels in now] == [
        (row[:3], levels) for row, levels in shown
    ]
    assert [row[3] for row, _ in now] == pytest.approx([row[3] for row, _ in shown], rel=0.05)


@pytest.mark.slow
def test_only_used_event_grows(first_run: str, database: Path) -> None:
    """After the first run exactly one event was used, and it was used once."""
    with StrataGate.open(database, namespace=NAMESPACE, read_only=True) as memory:
        uses = [row for row in memory.usage().items if row["event_ids"]]

        assert 1 == len(uses)
        assert 2 == memory.event(uses[0]["event_ids"][0]).weight.mention_count
    assert 1 == first_run.count("  used  ")


@pytest.mark.slow
def test_moved_plans_are_shown_as_superseded(first_run: str, database: Path) -> None:
    """The plan before the move is superseded by the move, in the memory and on the screen."""
    with StrataGate.open(
        database, namespace=NAMESPACE, settings=SETTINGS, read_only=True
    ) as memory:
        earlier, later = (
            memory.event(memory.search_events(words, limit=1).hits[0].item["id"])
            for words in ("plan open day Saturday April 11", "open day moves Saturday April 18")
        )

    assert ("superseded", later.id) == (earlier.status, earlier.superseded_by)
    assert ("active", (earlier.id,)) == (later.status, later.temporal.supersedes_event_ids)
    rows = [row for row in first_run.splitlines() if "We plan the open day" in row]
    with_status = [row for row in rows if "planned" in row]
    assert 2 == len(with_status)
    assert all("planned, superseded" in row for row in with_status)


@pytest.mark.slow
def test_lines_fit_a_terminal(first_run: str, database: Path) -> None:
    """No line is wider than 100 columns, but where the path of the file makes it so."""
    wide = [line for line in first_run.splitlines() if width(line) > 100]

    assert [] == [line for line in wide if str(database) not in line]


@pytest.mark.slow
def test_runs_are_alike(first_run: str, database: Path, tmp_path: Path) -> None:
    """A run on a new file prints the same."""
    again = run_demo("--database", str(tmp_path / "demo.db"))

    assert first_run.replace(str(database.parent), "") == again.replace(str(tmp_path), "")


@pytest.mark.slow
def test_later_runs_go_on(tmp_path: Path) -> None:
    """Each later run tells one more turn to the same memory; --fresh starts anew."""
    database = tmp_path / "demo.db"
    story = load_story()
    run_demo("--database", str(database))
    for number, said in enumerate(story.follow_ups):
        printed = run_demo("--database", str(database))

        assert f"already holds {len(story.turns) + number} turns" in printed
        assert said.user[:20] in printed
    assert "Everything is told" in run_demo("--database", str(database))
    assert "1  The conversation fades" in run_demo("--database", str(database), "--fresh")
