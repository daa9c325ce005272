"""Opening a file with very many events against one with ten, each in a fresh process."""

import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.texts import Speaker
from benchmarks.timing import table
from stratagate_core import Event, StrataGate
from stratagate_core.rank.fields import event_tokens
from stratagate_core.store import events, index
from stratagate_core.store.engine import Store

FEW = 10
_PAGE = 1_000
_OPEN = """
import resource, sys, time
from stratagate_core import StrataGate
def resident():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
memory = StrataGate.open(sys.argv[1], namespace="bench")
opened, after_open = time.perf_counter() - start, resident()
memory.search_events(sys.argv[2])
searched, after_search = time.perf_counter() - start - opened, resident()
print(opened, searched, after_open, after_search)
"""


def run(folder: Path, *, many: int, rounds: int) -> str:
    """Build both files, open them in turn, and compare medians."""
    files = {number: folder / f"{number}-events.db" for number in (FEW, many)}
    for number, path in files.items():
        build(path, number)
    query = Speaker(seed=11).ask(3)
    measured: dict[int, list[Sequence[float]]] = {FEW: [], many: []}
    for _ in range(rounds):
        for number, path in files.items():
            measured[number].append(_fresh(path, query))
    small, large = (_medians(measured[number]) for number in (FEW, many))
    names = ("opening: time", "first search: time", "opening: peak memory", "with a search: memory")
    rows = [
        (name, f"{big / little:.2f}") for name, little, big in zip(names, small, large, strict=True)
    ]
    return table((f"{many:,} events against {FEW}", "ratio"), rows)


def build(path: Path, number: int) -> None:
    """A file with so many events of one block, written page by page."""
    with StrataGate.open(path, namespace="bench") as memory:
        for turn in range(12):
            memory.add_turn(f"Message {turn}", "Noted.", work="append")
        memory.seal_tails()
        (block,) = memory.blocks()
        said = memory.sources(block.id)[0]
    assert said.id is not None
    assert said.created_at is not None
    pattern = Event(
        id="",
        title="",
        summary="",
        source_message_ids=(said.id,),
        source_block_id=block.id,
        scope="project",
        created_at=said.created_at,
        updated_at=said.created_at,
    )
    store = Store(path)
    for page in _pages(pattern, number):
        with store.write("bench") as tx:
            if index.state(tx, index.PASSIVE) != "ready":
                index.begin(tx, index.PASSIVE)
            for event in page:
                events.insert(tx, event, block_sequence=1)
            index.add(tx, index.PASSIVE, [(event.id, event_tokens(event)) for event in page])
    store.close()


def _pages(pattern: Event, number: int) -> Iterator[list[Event]]:
    speaker = Speaker()
    for start in range(0, number, _PAGE):
        yield [
            replace(pattern, id=f"evt_{place:07}", title=speaker.say(5), summary=speaker.say(15))
            for place in range(start, min(start + _PAGE, number))
        ]


def _fresh(path: Path, query: str) -> Sequence[float]:
    command = [sys.executable, "-c", _OPEN, str(path), query]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(value) for value in done.stdout.split()]


def _medians(rows: Sequence[Sequence[float]]) -> list[float]:
    return [statistics.median(column) for column in zip(*rows, strict=True)]
