"""``python -m benchmarks [--quick]``: prints what ``docs/performance.md`` shows."""

import argparse
import platform
import sqlite3
import tempfile
from pathlib import Path

from benchmarks import growing, opening


def main() -> None:
    """Run all benchmarks and print their tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, about a minute")
    quick = parser.parse_args().quick
    many, rounds, sizes = (
        (5_000, 3, [500, 2_000]) if quick else (100_000, 7, [1_000, 10_000, 100_000])
    )
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="stratagate-bench-") as name:
        print(opening.run(Path(name), many=many, rounds=rounds), end="\n\n", flush=True)
        print(growing.run(Path(name), sizes=sizes), flush=True)


if __name__ == "__main__":
    main()
