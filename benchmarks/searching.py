"""Searching, adding and recalling at growing sizes, beside rank-bm25 over the same tokens."""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rank_bm25 import BM25Okapi

from benchmarks.corpus import queries, texts
from benchmarks.fill import add_messages, open_memory
from stratagate_core import StrataGate
from stratagate_core.text.tokens import query_tokens, tokens

QUERIES = 30


def median(call: Callable[[str], object], asked: list[str]) -> float:
    """The median time of a call, in seconds."""
    times = []
    for query in asked:
        start = time.perf_counter()
        call(query)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _row(memory: StrataGate, count: int) -> str:
    asked = queries(QUERIES, 8)
    rival = BM25Okapi([tokens(text) for text in texts(count)], k1=0.9, b=0.35)
    found = median(memory.search_raw, asked)
    other = median(lambda query: rival.get_scores(query_tokens(query)).argsort()[-10:], asked)
    recalled = median(memory.recall, asked)
    added = median(lambda query: memory.add_turn(query, "ok", thread="new"), asked)
    return (
        f"{count:>9,}  {found * 1e3:>9.1f}  {other * 1e3:>12.1f}  {other / found:>6.1f}  "
        f"{recalled * 1e3:>9.1f}  {added * 1e3:>11.1f}"
    )


def main(*, quick: bool) -> None:
    """Print the table."""
    sizes = (1_000, 10_000) if quick else (1_000, 10_000, 100_000)
    print(f"\nMessages in one namespace, 8-term queries, medians of {QUERIES}, milliseconds\n")
    print(
        f"{'messages':>9}  {'search':>9}  {'rank-bm25':>12}  {'ratio':>6}  {'recall':>9}  "
        f"{'add_turn':>11}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for count in sizes:
            with open_memory(Path(folder) / f"{count}.db") as memory:
                add_messages(memory, count)
                print(_row(memory, count), flush=True)
    print("\nratio = rank-bm25 / search; rank-bm25 holds all texts in memory and cannot add one.")
