"""Talks: generators that yield what to ask and receive the answer, or the exception, of it.

A talk holds all logic and no I/O. It is carried to whoever answers by one of two drivers, so the
waiting and the awaited form of anything that asks are the same code.
"""

from collections.abc import Awaitable, Callable, Generator
from typing import TypeAlias, TypeVar

Q = TypeVar("Q")
R = TypeVar("R")
T = TypeVar("T")

#: yields `Q`, receives `R`, returns `T`
Talk: TypeAlias = Generator[Q, R, T]


def carry(talk: Talk[Q, R, T], answer: Callable[[Q], R]) -> T:
    """Carry a talk to its end and return its result."""
    try:
        asked = next(talk)
        while True:
            try:
                given = answer(asked)
            except Exception as error:
                asked = talk.throw(error)
            else:
                asked = talk.send(given)
    except StopIteration as done:
        result: T = done.value
        return result


async def acarry(talk: Talk[Q, R, T], answer: Callable[[Q], Awaitable[R]]) -> T:
    """As `carry`, awaiting every answer."""
    try:
        asked = next(talk)
        while True:
            try:
                given = await answer(asked)
            except Exception as error:
                asked = talk.throw(error)
            else:
                asked = talk.send(given)
    except StopIteration as done:
        result: T = done.value
        return result
