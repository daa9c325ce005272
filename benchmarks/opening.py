"""Opening a memory with 10 and with very many events: time and memory, in fresh processes."""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.fill import add_events, open_memory
from benchmarks.report import note

_PROBE = """
import json, resource, sys, time
from stratagate_core import StrataGate
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
times = []
for _ in range(9):
    start = time.perf_counter()
    memory = StrataGate.open(sys.argv[1])
    times.append(time.perf_counter() - start)
    found = memory.search_events("balo")
    memory.close()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"open": sorted(times)[4], "grown": (peak - base) / 1024}))
"""
_RUNS = 5


def _probe(path: Path) -> dict[str, float]:
    command = [sys.executable, "-c", _PROBE, str(path)]
    runs = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(_RUNS)
    ]
    return {key: statistics.median(run[key] for run in runs) for key in ("open", "grown")}


def main(*, large: int) -> None:
    """Print the table."""
    print(f"\nOpening (median of {_RUNS} processes, 9 openings each, one search in between)\n")
    print(f"{'events':>8}  {'file MB':>8}  {'open ms':>8}  {'RSS grown MB':>12}")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for count in (10, large):
            path = Path(folder) / f"{count}.db"
            note(f"filling a memory with {count:,} events")
            with open_memory(path) as memory:
                add_events(memory, count)
            found[count] = _probe(path)
            size = path.stat().st_size / 2**20
            row = found[count]
            print(f"{count:>8}  {size:>8.1f}  {row['open'] * 1e3:>8.2f}  {row['grown']:>12.1f}")
    ratio = found[large]["open"] / found[10]["open"]
    print(f"\nOpening the large file takes {ratio:.2f} times as long as opening the small one.")
