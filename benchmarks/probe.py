"""One engine in a fresh process: ``python -m benchmarks.probe build|serve ENGINE COUNT FOLDER``.

Prints what was measured as one line of JSON. `build` fills the engine; `serve` opens what is
stored, as a program does that was just started, searches and adds.
"""

import gc
import json
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import engines, in_memory
from benchmarks.corpus import documents, queries, texts
from benchmarks.engines import Engine
from benchmarks.server import Missing

ENGINES = engines.ENGINES | in_memory.ENGINES
QUERIES, TERMS = 100, 8
#: no engine is asked for longer than this
_SECONDS = 20.0
_ADDED = 100


def resident() -> float:
    """Megabytes this process holds in memory now."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if "VmRSS" in line) / 1024


def timed(
    call: Callable[[Any], object],
    arguments: list[Any],
    *,
    seconds: float = _SECONDS,
    rounds: int = 1,
) -> dict[str, float]:
    """Median and 95th percentile of wall time, median of CPU time, in milliseconds.

    Of several rounds the quickest of each argument counts: what else the machine does meanwhile
    disturbs short calls more than long ones.
    """
    wall, cpu = [], []
    end = time.perf_counter() + seconds
    for argument in arguments:
        times = [_once(call, argument) for _ in range(rounds)]
        wall.append(min(took for took, _ in times))
        cpu.append(min(took for _, took in times))
        if time.perf_counter() > end and len(wall) > 2:
            break
    return {
        "p50": statistics.median(wall) * 1e3,
        "p95": sorted(wall)[int(0.95 * (len(wall) - 1))] * 1e3,
        "cpu": statistics.median(cpu) * 1e3,
    }


def _once(call: Callable[[Any], object], argument: Any) -> tuple[float, float]:
    start, start_cpu = time.perf_counter(), time.process_time()
    call(argument)
    return time.perf_counter() - start, time.process_time() - start_cpu


def _build(engine: Engine, count: int) -> dict[str, Any]:
    start = time.perf_counter()
    engine.build(documents(count))
    return {"load": time.perf_counter() - start}


def _serve(engine: Engine, _count: int) -> dict[str, Any]:
    asked = queries(QUERIES, TERMS)
    start = time.perf_counter()
    engine.open()
    engine.search(asked[0])
    opening = time.perf_counter() - start
    for query in asked[:3]:
        engine.search(query)
    found = timed(engine.search, asked, rounds=3)
    gc.collect()
    memory = resident()
    best = [engine.search(query) for query in asked[:20]]
    size = engine.size()
    added = [(f"new-{at}", f"{text} new{at}") for at, text in enumerate(texts(_ADDED, seed=9))]

    def add_and_find(one: tuple[str, str]) -> None:
        engine.add(*one)
        word = one[1].rsplit(" ", 1)[1]
        if engine.search(word)[0] != one[0]:
            raise AssertionError(f"{one[0]} was added and not found")

    adding = timed(add_and_find, added, seconds=5.0)
    return {
        "open": opening,
        "search": found,
        "add": adding,
        "rss": memory,
        "disk": size / 2**20,
        "best": best,
    }


def main(step: str, name: str, count: str, folder: str) -> None:
    """Measure one step."""
    warnings.simplefilter("ignore")
    try:
        engine = ENGINES[name](Path(folder))
        result = (_build if step == "build" else _serve)(engine, int(count))
    except Missing as error:
        result = {"missing": str(error)}
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
