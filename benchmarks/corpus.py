"""Made-up texts with the word frequencies of talk: a few words everywhere, most of them rare."""

import itertools
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from stratagate_core import Message

START = datetime(2026, 1, 1, tzinfo=UTC)
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "ki", "lo", "mu", "ne", "pi", "ra", "so", "tu")
_VOCABULARY = 20_000
_WORDS = 25


def words() -> list[str]:
    """The vocabulary, the commonest word first."""
    made = itertools.product(_SYLLABLES, repeat=4)
    return ["".join(parts) for parts in itertools.islice(made, _VOCABULARY)]


def texts(count: int, seed: int = 1) -> Iterator[str]:
    """Texts of about 25 words."""
    chance = random.Random(seed)
    vocabulary = words()
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(vocabulary))))
    for _ in range(count):
        yield " ".join(chance.choices(vocabulary, cum_weights=weights, k=_WORDS))


def queries(count: int, terms: int, seed: int = 2) -> list[str]:
    """Queries of words of middling frequency."""
    chance = random.Random(seed)
    vocabulary = words()[20:4000]
    return [" ".join(chance.sample(vocabulary, terms)) for _ in range(count)]


def turn(number: int, text: str) -> tuple[Message, Message]:
    """One turn that says `text`."""
    at = START + timedelta(minutes=number)
    return (
        Message(role="user", content=text, created_at=at),
        Message(role="assistant", content="ok", created_at=at),
    )
