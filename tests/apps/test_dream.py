"""`stratagate dream`."""

from pathlib import Path

import pytest

from stratagate_core import Settings, StrataGate
from stratagate_core.apps.cli import main


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A memory with a few events."""
    path = tmp_path / "memory.db"
    with StrataGate.open(path, settings=Settings(block_turn_size=1)) as memory:
        memory.add_turn("I moved to Lyon. I adopted a cat named Miso in Lyon.", "Well done!")
        memory.drain()
    return str(path)


def test_a_run_is_carried_out_and_shown(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It says how far it came; status and log can be asked for afterwards."""
    assert 0 == main(["dream", "--database", database, "--status"])
    assert "No run yet." in capsys.readouterr().out
    assert 0 == main(["dream", "--database", database, "--direction", "Short titles."])
    assert "Run 1: completed; 1 of 1 batches" in capsys.readouterr().out
    assert 0 == main(["dream", "--database", database, "--log"])
    told = capsys.readouterr().out
    assert "direction: text=Short titles." in told
    assert "batch-done" in told


def test_a_run_is_held_and_goes_on(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A held run ends with 1, another start is refused, and it can go on or be stopped."""
    assert 1 == main(["dream", "--database", database, "--limit", "0"])
    assert "paused (user)" in capsys.readouterr().out
    assert 1 == main(["dream", "--database", database])
    assert "continue it or stop it" in capsys.readouterr().err
    assert 0 == main(["dream", "--database", database, "--resume"])
    assert "completed" in capsys.readouterr().out
    assert 1 == main(["dream", "--database", database, "--stop"])
