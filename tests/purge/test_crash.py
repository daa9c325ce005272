"""Killed at any commit of a purge and run again, the memory ends where an undisturbed run ends."""

import contextlib
from pathlib import Path

import pytest

from stratagate_core import StrataGate
from tests.test_crash import TURNS, Killed, Killer, _open, _state

pytestmark = pytest.mark.slow


def _told(path: Path) -> tuple[StrataGate, str]:
    """A conversation, and the message that is to go: one of two in a block."""
    memory = _open(path)
    for number, (user, assistant) in enumerate(TURNS):
        memory.add_turn(user, assistant, receipt=f"r{number}")
    memory.run_pending()
    return memory, str(memory.thread_messages("main")[2].id)


def _purge(memory: StrataGate, message: str) -> None:
    memory.purge(messages=[message])
    memory.run_pending(retry_failed=True)


def _left(memory: StrataGate, folder: Path) -> list[str]:
    """Everything stored but the receipts, of which a repeated purge makes two."""
    return [line for line in _state(memory, folder) if '"kind": "purge"' not in line]


@pytest.mark.parametrize("after", [False, True], ids=["before commit", "after commit"])
def test_X_04_a_purge_killed_anywhere_is_done_again(tmp_path: Path, after: bool) -> None:
    """Whatever write the process dies at, purging again gives the undisturbed state."""
    memory, message = _told(tmp_path / "whole.db")
    killer = Killer(None, after=False)
    killer.watch(memory)
    with memory:
        _purge(memory, message)
        expected = _left(memory, tmp_path)
    assert killer.seen > 2
    for at in range(1, killer.seen + 1):
        path = tmp_path / f"killed-{at}.db"
        memory, message = _told(path)
        Killer(at, after=after).watch(memory)
        with contextlib.suppress(Killed):
            _purge(memory, message)
        memory._core.env.store.engine.dispose()
        with _open(path) as again:
            _purge(again, message)

            assert expected == _left(again, tmp_path), f"killed at write {at}"
            assert b"Miso" not in path.read_bytes()
