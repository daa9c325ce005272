"""A namespace of one size in databases of growing size: what a user of one of many feels."""

import tempfile
from pathlib import Path

from benchmarks.corpus import queries
from benchmarks.fill import add_messages, open_memory
from benchmarks.searching import QUERIES, median

_OWN = 1_000


def main(*, quick: bool) -> None:
    """Print the table."""
    sizes = (0, 10) if quick else (0, 10, 100)
    asked = queries(QUERIES, 8)
    print(f"\nOne namespace of {_OWN:,} messages beside others of {_OWN:,}, milliseconds\n")
    print(f"{'others':>7}  {'messages':>9}  {'search':>7}  {'recall':>7}  {'add_turn':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for others in sizes:
            with open_memory(Path(folder) / f"{others}.db") as memory:
                for number in range(others):
                    add_messages(memory.for_namespace(f"other {number}"), _OWN, seed=number + 10)
                add_messages(memory, _OWN)
                found = median(memory.search_raw, asked)
                recalled = median(memory.recall, asked)
                added = median(lambda query: memory.add_turn(query, "ok", thread="new"), asked)
            print(
                f"{others:>7}  {(others + 1) * _OWN:>9,}  {found * 1e3:>7.1f}  "
                f"{recalled * 1e3:>7.1f}  {added * 1e3:>9.1f}",
                flush=True,
            )
