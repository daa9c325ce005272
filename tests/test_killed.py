"""A process is killed without warning: what it had acknowledged is there, and nothing is held."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stratagate_core.testing import ManualClock
from tests.conftest import Opener

pytestmark = pytest.mark.slow

OPEN = """
import sys
from stratagate_core import Settings, StrataGate
from stratagate_core.testing import ManualClock
from tests.conftest import START

def said(value):
    print(value, flush=True)

class Stuck:
    def complete(self, request):
        said("asked")
        sys.stdin.read()

settings = Settings(block_turn_size=2, processing="external")
memory = StrataGate.open(sys.argv[1], model=Stuck(), settings=settings, clock=ManualClock(START))
"""
WRITE = """
for number in range(100000):
    said(memory.add_turn(f"turn {number}", "ok", receipt=f"r{number}").turn)
"""
ASK = """
memory.add_turn("I like tea.", "Good.")
memory.add_turn("I like rain.", "Good.")
memory.run_pending()
"""
HOLD = """
memory.add_turn("one", "ok")
with memory._write() as work:
    said("holding")
    sys.stdin.read()
"""


@contextmanager
def process(database: Path | str, code: str) -> Iterator[Iterator[str]]:
    """The lines that a process prints; it is killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", OPEN + code, str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        try:
            yield iter(running.stdout)
        finally:
            running.kill()


def test_X_04_an_acknowledged_turn_outlives_its_process(
    open_memory: Opener, each_database: Path | str
) -> None:
    """Killed while writing: every turn it was told of is stored once, and numbers go on."""
    with process(each_database, WRITE) as lines:
        told = [int(next(lines)) for _ in range(20)]
    memory = open_memory()
    stored = [said.content for said in memory.thread_messages() if said.role == "user"]

    assert list(range(1, 21)) == told
    assert len(stored) >= 20
    assert [f"turn {number}" for number in range(len(stored))] == stored
    assert len(stored) == memory.stats()["current_turn"]
    again = [memory.add_turn(f"turn {n}", "ok", receipt=f"r{n}") for n in range(len(stored) + 1)]
    assert list(range(1, len(stored) + 2)) == [one.turn for one in again]
    assert [True] * len(stored) + [False] == [one.receipt_known for one in again]


def test_X_04_the_lease_of_a_dead_process_expires(
    open_memory: Opener, each_database: Path | str, clock: ManualClock
) -> None:
    """Its job is left alone as long as the lease lasts, and is then done by another."""
    with process(each_database, ASK) as lines:
        assert "asked" == next(lines).strip()
    memory = open_memory(settings={"block_turn_size": 2})

    memory.run_pending()
    assert ["running"] == [job.status for job in memory.jobs(kind="block_summary")]
    clock.advance(minutes=6)
    memory.run_pending()
    assert ["ready"] == [block.status for block in memory.blocks()]
    assert [2] == [job.attempts for job in memory.jobs(kind="block_summary")]


def test_no_lock_outlives_its_process(open_memory: Opener, each_database: Path | str) -> None:
    """Killed inside a transaction it holds nothing, and what it had not committed is gone."""
    with process(each_database, HOLD) as lines:
        assert "holding" == next(lines).strip()

    assert 2 == open_memory().add_turn("two", "ok").turn
