"""What a time in a text means: a half-open interval, how exact it is and the words that said so."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Precision = Literal["instant", "day", "month", "year", "range"]
Basis = Literal["explicit", "relative"]
Direction = Literal["past", "present", "future"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeExpression:
    """One time named in a text, resolved against the moment the text was said."""

    #: inclusive
    start: datetime
    #: exclusive, after `start`
    end: datetime
    precision: Precision
    #: explicit names a date; relative needs the moment of speaking to be one
    basis: Basis
    #: the exact words, `source[span[0]:span[1]]`
    text: str
    span: tuple[int, int]
    #: where the interval lies from the moment of speaking; present holds that moment
    direction: Direction
