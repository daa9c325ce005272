"""Whole operations of a memory while its namespace grows, or the database around it."""

import tempfile
import time
from pathlib import Path

from benchmarks.corpus import queries
from benchmarks.fill import add_messages, copy_namespaces, open_memory
from benchmarks.probe import timed
from benchmarks.report import Table, note
from stratagate_core import StrataGate

_OWN = 1_000
#: namespaces with texts of their own; further ones are copies of these
_FILLED = 99
_QUERIES, _OPENINGS = 40, 15
_COLUMNS = {"messages": 12, "opening": 8, "search_raw": 10, "search": 8, "recall": 8, "add_turn": 9}


def one_namespace(sizes: tuple[int, ...]) -> None:
    """Print how long operations take in a namespace that grows."""
    table = Table("Messages in one namespace, median milliseconds", _COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        for count in sizes:
            place = Path(folder) / f"{count}.db"
            note(f"filling a namespace with {count:,} messages")
            with open_memory(place) as memory:
                add_messages(memory, count)
            table.add(f"{count:,}", *(f"{each:.1f}" for each in _measured(place)))
    table.end(
        "Recall and search_raw rank the best 200 of all messages with what stands around them."
    )


def many_namespaces(sizes: tuple[int, ...]) -> None:
    """Print how long the same namespace takes beside ever more others."""
    title = f"A namespace of {_OWN:,} messages in a database of so many, median milliseconds"
    table = Table(title, _COLUMNS)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "memory.db"
        with open_memory(place) as memory:
            add_messages(memory, _OWN)
        others = 0
        for count in sizes:
            others = _with_others(place, others, count // _OWN - 1)
            rows.append(_measured(place))
            table.add(f"{count:,}", *(f"{each:.1f}" for each in rows[-1]))
        times = zip(*rows, strict=True)
        table.add("slowest", *(f"{max(each) / min(each):.2f}x" for each in times))
    table.end("slowest: the slowest row by the quickest")


def _with_others(place: Path, others: int, wanted: int) -> int:
    """Fill namespaces beside the measured one; what is there already is copied on."""
    with open_memory(place) as memory:
        while others < min(wanted, _FILLED):
            others += 1
            add_messages(memory.for_namespace(f"other {others}"), _OWN, seed=others + 9)
            if others % 20 == 0:
                note(f"{others:,} namespaces beside it are filled")
    while others < wanted:
        more = min(_FILLED, wanted - others)
        copy_namespaces(
            place, ((f"other {at}", f"other {others + at}") for at in range(1, more + 1))
        )
        others += more
        note(f"{others:,} namespaces beside it are there")
    return others


def _measured(place: Path) -> list[float]:
    asked = queries(_QUERIES, 8)
    opening = timed(lambda _: open_memory(place).close(), [None] * _OPENINGS)
    with open_memory(place) as memory:
        memory.search(asked[0])
        operations = (memory.search_raw, memory.search, memory.recall, _Adding(memory))
        times = [timed(each, asked)["p50"] for each in operations]
    return [opening["p50"], *times]


class _Adding:
    def __init__(self, memory: StrataGate) -> None:
        self._memory, self._thread = memory, f"new {time.time_ns()}"

    def __call__(self, text: str) -> None:
        self._memory.add_turn(text, "ok", thread=self._thread)
