"""Tables as they go to the terminal, and what is being done meanwhile."""

import sys
import time
from collections.abc import Mapping

_STARTED = time.monotonic()


def note(doing: str) -> None:
    """Say on standard error what takes so long."""
    print(f"  [{time.monotonic() - _STARTED:5.0f} s] {doing}", file=sys.stderr, flush=True)


class Table:
    """Rows below a title; the first column is text, the others are numbers."""

    def __init__(self, title: str, columns: Mapping[str, int]) -> None:
        self._widths = list(columns.values())
        print(f"\n{title}\n", flush=True)
        self.add(*columns)

    def add(self, first: str, *values: str) -> None:
        """One row."""
        numbers = (
            f"{value:>{width}}" for value, width in zip(values, self._widths[1:], strict=True)
        )
        print("  ".join((f"{first:<{self._widths[0]}}", *numbers)), flush=True)

    def skip(self, first: str, why: str) -> None:
        """A row of something that is not here."""
        print(f"{first:<{self._widths[0]}}  left out: {why}", flush=True)

    def end(self, words: str) -> None:
        """What the columns mean."""
        print(f"\n{words}", flush=True)
