"""Made-up texts with the word frequencies of talk: a few words everywhere, most of them rare."""

import itertools
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache

from stratagate_core import Message

START = datetime(2026, 1, 1, tzinfo=UTC)
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "ki", "lo", "mu", "ne", "pi", "ra", "so", "tu")
_VOCABULARY = 30_000
#: the commonest word stands in about three of ten texts
_FLATTENED = 12
_WORDS = 25


@cache
def words() -> tuple[str, ...]:
    """The vocabulary, the commonest word first."""
    made = itertools.product(_SYLLABLES, repeat=4)
    return tuple("".join(parts) for parts in itertools.islice(made, _VOCABULARY))


@cache
def _weights() -> tuple[float, ...]:
    return tuple(itertools.accumulate(1 / (rank + _FLATTENED) for rank in range(_VOCABULARY)))


def texts(count: int, seed: int = 1) -> Iterator[str]:
    """Texts of 10 to 40 words, 25 on average."""
    chance = random.Random(seed)
    for _ in range(count):
        size = chance.randint(10, 2 * _WORDS - 10)
        yield " ".join(chance.choices(words(), cum_weights=_weights(), k=size))


def documents(count: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Texts with ids that are in no order."""
    chance = random.Random(seed + 100)
    for number, text in enumerate(texts(count, seed)):
        yield f"{chance.getrandbits(40):010x}-{number}", text


def queries(count: int, terms: int, seed: int = 2) -> list[str]:
    """Queries of so many different words, common ones as often as they are said."""
    chance = random.Random(seed)
    asked = []
    for _ in range(count):
        drawn = chance.choices(words(), cum_weights=_weights(), k=10 * terms)
        asked.append(" ".join(list(dict.fromkeys(drawn))[:terms]))
    return asked


def turn(number: int, text: str) -> tuple[Message, Message]:
    """One turn that says `text`."""
    at = START + timedelta(minutes=number)
    return (
        Message(role="user", content=text, created_at=at),
        Message(role="assistant", content="ok", created_at=at),
    )
