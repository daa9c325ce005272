"""The token estimate behind every budget when no real counter is handed in."""

import re

_ASCII_RUN = re.compile(r"[\x00-\x7f]+")


def estimate_tokens(text: str) -> int:
    """Estimated tokens: a quarter per ASCII character of a run, rounded up; 1 for any other."""
    if text.isascii():
        return _quarter(len(text))
    runs = [len(run) for run in _ASCII_RUN.findall(text)]
    return len(text) - sum(runs) + sum(map(_quarter, runs))


def _quarter(length: int) -> int:
    return (length + 3) // 4
