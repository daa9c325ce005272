"""Many writers, one memory: nothing fails, nothing is lost, nothing is done twice (X-01)."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stratagate_core import Settings, StrataGate
from tests.conftest import Opener


def _texts(memory: StrataGate, thread: str) -> list[str]:
    return [m.content for m in memory.thread_messages(thread) if m.role == "user"]


def test_X_01_threads_keep_their_own_order(open_memory: Opener) -> None:
    """Eight writers at once: every turn is there, in the order of its thread."""
    memory = open_memory(settings={"block_turn_size": 3})

    def write(name: str) -> None:
        for number in range(6):
            memory.add_turn(f"{name} says {number}", "ok", thread=name, receipt=f"r{number}")

    names = [f"t{number}" for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, names))

    assert 48 == memory.stats()["current_turn"]
    for name in names:
        assert [f"{name} says {number}" for number in range(6)] == _texts(memory, name)
        assert [(1, 3), (4, 6)] == [block.turn_range for block in memory.blocks(name)]
        assert ["ready", "ready"] == [block.status for block in memory.blocks(name)]


def test_X_01_numbers_have_no_gap(open_memory: Opener) -> None:
    """Sixteen writers of one namespace and of their own: each number is given once."""
    memory = open_memory()

    def write(writer: int) -> tuple[list[int], list[int]]:
        own = memory.for_namespace(f"own-{writer}")
        shared = [memory.add_turn("a", "b", work="append").turn for _ in range(4)]
        return shared, [own.add_turn("a", "b", work="append").turn for _ in range(2)]

    with ThreadPoolExecutor(16) as pool:
        given = list(pool.map(write, range(16)))

    assert list(range(1, 65)) == sorted(turn for shared, _ in given for turn in shared)
    assert [[1, 2]] * 16 == [own for _, own in given]
    assert 64 == memory.stats()["current_turn"]


def test_X_01_one_turn_delivered_by_many_is_one(open_memory: Opener) -> None:
    """The same receipt from many threads at once is stored once."""
    memory = open_memory()
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda _: memory.add_turn("a", "b", receipt="r"), range(16)))

    assert {1} == {one.turn for one in added}
    assert 15 == sum(one.receipt_known for one in added)


@pytest.mark.one_database
def test_a_memory_database_serves_many_threads(open_memory: Opener) -> None:
    """An in-memory database has one connection and still loses nothing."""
    memory = open_memory(path=":memory:", settings={"block_turn_size": 2})
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: memory.add_turn(f"say {n}", "ok"), range(24)))

    assert 24 == memory.stats()["current_turn"]
    assert 12 == len(memory.blocks())


def _write_many(path: str, name: str, count: int) -> None:
    with StrataGate.open(path, settings=Settings(block_turn_size=2)) as memory:
        for number in range(count):
            memory.add_turn(f"{name} says {number}", "ok", thread=name)
            memory.add_turn(f"{name} shares {number}", "ok", thread="shared")


@pytest.mark.slow
def test_X_01_processes_write_one_database(each_database: Path | str) -> None:
    """Processes writing the same namespace and thread lose nothing: two on a file, four else."""
    names, count = ("ab", 12) if isinstance(each_database, Path) else ("abcd", 6)
    context = multiprocessing.get_context("spawn")
    workers = [
        context.Process(target=_write_many, args=(str(each_database), name, count))
        for name in names
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert {0} == {worker.exitcode for worker in workers}
    with StrataGate.open(each_database) as memory:
        memory.run_pending(retry_failed=True)

        assert 2 * count * len(names) == memory.stats()["current_turn"]
        for name in names:
            assert [f"{name} says {number}" for number in range(count)] == _texts(memory, name)
            shared = [text for text in _texts(memory, "shared") if text.startswith(name)]
            assert [f"{name} shares {number}" for number in range(count)] == shared
        ranges = [block.turn_range for block in memory.blocks("shared")]
        assert [(2 * n + 1, 2 * n + 2) for n in range(count * len(names) // 2)] == ranges
        assert {"ready"} == {block.status for block in memory.blocks()}
