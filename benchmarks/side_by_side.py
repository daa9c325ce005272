"""The index of this library beside what one would use instead, each in processes of its own."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import server
from benchmarks.corpus import documents, queries
from benchmarks.engines import K1, TOP, B
from benchmarks.probe import ENGINES, QUERIES, TERMS
from benchmarks.report import Table, note
from stratagate_core.rank.bm25 import rank

_TITLE = (
    f"{{count:,}} texts in one namespace, {TERMS} words a query, top {TOP}; "
    "milliseconds, megabytes, seconds"
)
_COLUMNS = {
    "engine": 26,
    "search p50": 10,
    "p95": 7,
    "ratio": 7,
    "right": 6,
    "add + find": 10,
    "CPU": 7,
    "load s": 7,
    "open s": 7,
    "RSS MB": 7,
    "disk MB": 8,
}


def main(sizes: tuple[int, ...]) -> None:
    """Print a table for each number of texts."""
    try:
        for count in sizes:
            _table(count)
    finally:
        server.drop()


def _table(count: int) -> None:
    table = Table(_TITLE.format(count=count), _COLUMNS)
    note("ranking by the reference")
    right = _reference(count)
    found = {name: _measured(name, count) for name in ENGINES}
    ours = found["StrataGate, SQLite"]["search"]["p50"]
    for name, row in found.items():
        if name.startswith("StrataGate") and row.get("best", right) != right:
            raise AssertionError(f"{name} ranks otherwise than the reference")
    for name, row in found.items():
        if "missing" in row:
            table.skip(name, row["missing"])
            continue
        search, add = row["search"], row["add"]
        table.add(
            name,
            f"{search['p50']:.2f}",
            f"{search['p95']:.2f}",
            f"{search['p50'] / ours:.1f}x",
            f"{_agreement(row['best'], right):.0%}",
            f"{add['p50']:.2f}",
            f"{add['cpu']:.2f}",
            f"{row['load']:.1f}",
            f"{row['open']:.2f}",
            f"{row['rss']:.0f}",
            f"{row['disk']:.0f}",
        )
    table.end(
        "ratio: time of a search by that of StrataGate on SQLite, in this run\n"
        "right: share of the reference's top 10 (rank-bm25, idf never negative, ties by id); "
        "StrataGate gives the same order and is checked"
    )


def _reference(count: int) -> list[list[str]]:
    """The right order: rank-bm25 with an idf that is never negative, equal scores by id."""
    split = [(key, text.split()) for key, text in documents(count)]
    asked = queries(QUERIES, TERMS)[:20]
    return [[key for key, _ in rank(split, q.split(), k1=K1, b=B)[:TOP]] for q in asked]


def _measured(name: str, count: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        found: dict[str, Any] = {}
        for step in ("build", "serve"):
            note(f"{name}: {step}, {count:,} texts")
            found |= _probe(step, name, count, Path(folder))
            if "missing" in found:
                break
    return found


def _probe(step: str, name: str, count: int, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.probe", step, name, str(count), str(folder)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return result


def _agreement(found: list[list[str]], right: list[list[str]]) -> float:
    """Which share of the right texts was found."""
    both = (
        len({*one} & {*other}) / max(1, len(other)) for one, other in zip(found, right, strict=True)
    )
    return sum(both) / len(right)
