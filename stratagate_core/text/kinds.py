"""Kinds and their members: `which cities` is answered by `Lyon`, 什么运动 by 篮球.

A list question names a kind, the messages that answer it name members and share no word with it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from stratagate_core.text.tokens import telling_tokens


@dataclass(frozen=True, slots=True)
class Kind:
    """Tokens that ask for a kind, and tokens that name or tell of its members."""

    asked_by: frozenset[str]
    members: frozenset[str]


def members(asked: Collection[str]) -> frozenset[str]:
    """The members of every kind that one of these tokens asks for, without the tokens."""
    wanted = frozenset(asked)
    found = [kind.members for kind in _kinds() if not kind.asked_by.isdisjoint(wanted)]
    return frozenset[str]().union(*found) - wanted


@cache
def _kinds() -> tuple[Kind, ...]:
    path = files("stratagate_core.text") / "lists" / "kinds.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = (line.split("|") for line in lines if line and not line.startswith("#"))
    return tuple(Kind(_tokens(asked_by), _tokens(named)) for asked_by, named in rows)


def _tokens(words: str) -> frozenset[str]:
    return frozenset(token for word in words.split() for token in telling_tokens(word))
