"""Fixtures of the command line: a memory in a file, and a home of its own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from stratagate_core import StrataGate
from stratagate_core.apps.cli import main
from tests.conftest import Opener

#: exit code, what was printed, and what was printed as an error
Ran = tuple[int, str, str]
Run = Callable[..., Ran]


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the memory of the person who runs it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in this process."""

    def runner(*arguments: object) -> Ran:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:  # argparse ends the process itself
            code = int(end.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return runner


@pytest.fixture
def database(tmp_path: Path, open_memory: Opener) -> Path:
    """A file with one namespace: a sealed block of two turns, its events, and an open turn."""
    path = tmp_path / "memory.db"
    memory: StrataGate = open_memory(path=path, settings={"block_turn_size": 2})
    memory.add_turn("I adopted a cat called Miso last week.", "Lovely, congratulations!")
    memory.add_turn("我们用 pnpm 做包管理器。", "好的，我记住了。")
    memory.add_turn("The ladder is in the shed.", "Noted.")
    memory.close()
    return path
