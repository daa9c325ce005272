"""Dates in English and Chinese text, resolved against the moment the text was said.

A small grammar of our own: what it reads it reads exactly, and what could mean two days it leaves.
"""

from stratagate_core.text.times.expression import TimeExpression
from stratagate_core.text.times.find import find_times

__all__ = ["TimeExpression", "find_times"]
