"""The candidates of a search and the messages around them, as arrays that signals read.

A scene holds only what the candidates need, so its size does not depend on the database.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stratagate_core.model.message import Message
from stratagate_core.rank.asked import Asked
from stratagate_core.rank.shape import shape_of

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

#: a longer silence ends a session
SILENCE = timedelta(hours=4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Messages by place, with what the text query finds in each."""

    asked: Asked
    messages: tuple[Message, ...]
    tokens: tuple[Sequence[str], ...]
    #: how often each term (row) stands in each message (column)
    counts: Floats
    #: what each term is worth, a column
    idf: Floats
    #: tokens of each message
    length: Floats
    k1: float
    b: float
    #: whether each ends with a question, and how much of it asks
    asking: Floats
    asked_share: Floats
    #: the place of the message before each, -1 if it is not here
    before: Places
    after: Places
    #: a message that is known to be the first of its thread
    first: NDArray[np.bool_]
    #: arrays of signals that are worked out elsewhere, for example by vectors
    given: Mapping[str, Floats] = field(default_factory=dict)

    def shifted(self, values: Floats, *, back: int) -> Floats:
        """The values of the message `back` places before each (negative: after); 0 if unknown."""
        step = self.before if back > 0 else self.after
        places = np.arange(len(self.messages))
        for _ in range(abs(back)):
            places = np.where(places < 0, -1, step[places])
        padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
        return np.asarray(padded[..., places])


def build_scene(
    asked: Asked,
    messages: Sequence[Message],
    links: Mapping[str, str | None],
    *,
    analyse: Callable[[Message], Sequence[str]],
    k1: float,
    b: float,
    given: Mapping[str, Floats] | None = None,
) -> Scene:
    """The scene of these messages.

    Args:
        asked: the query.
        messages: candidates and what stands around them, each once.
        links: a message's id with that of the one before it; None: it is the first of its thread.
        analyse: gives the tokens of a message as they are indexed.
        k1: BM25's saturation.
        b: BM25's share of length.
        given: signals of the messages that are worked out elsewhere.

    """
    places = {str(message.id): at for at, message in enumerate(messages)}
    tokens = tuple(analyse(message) for message in messages)
    terms = [term for term in dict.fromkeys(asked.terms) if term in asked.weights]
    counts = np.zeros((len(terms), len(messages)))
    for at, found in enumerate(map(Counter, tokens)):
        counts[:, at] = [found[term] for term in terms]
    shapes = [shape_of(message.content) for message in messages]
    before = np.array([places.get(links.get(str(m.id)) or "", -1) for m in messages], np.intp)
    after = np.full(len(messages), -1, np.intp)
    for at, earlier in enumerate(before):
        if earlier >= 0:
            after[earlier] = at
    first = np.array([links.get(str(m.id), "") is None for m in messages], bool)
    return Scene(
        asked=asked,
        messages=tuple(messages),
        tokens=tokens,
        counts=counts,
        idf=np.array([asked.weights[term] for term in terms]).reshape(len(terms), 1),
        length=np.array([len(found) for found in tokens], np.float64),
        k1=k1,
        b=b,
        asking=np.array([float(shape.ends_asking) for shape in shapes], np.float64),
        asked_share=np.array([shape.asked_share for shape in shapes], np.float64),
        before=before,
        after=after,
        first=first,
        given=given or {},
    )


def sessions(scene: Scene) -> Places:
    """The number of the session of each message: a thread cut where it was silent for long."""
    order = sorted(range(len(scene.messages)), key=lambda at: _moment(scene.messages[at]))
    numbers = np.zeros(len(order), np.intp)
    number = 0
    for earlier, later in pairwise(order):
        one, other = scene.messages[earlier], scene.messages[later]
        number += one.thread != other.thread or silence(one, other) > SILENCE
        numbers[later] = number
    return numbers


def blocks(scene: Scene) -> Places:
    """The number of the block of each message; the open tail of a thread counts as one."""
    keys = [(message.thread, message.block_id) for message in scene.messages]
    number = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    return np.array([number[key] for key in keys], np.intp)


def opens(scene: Scene) -> Floats:
    """1 for a message that begins a session."""
    found = scene.first.astype(np.float64)
    for at in np.flatnonzero(scene.before >= 0):
        earlier = scene.messages[scene.before[at]]
        found[at] = float(silence(earlier, scene.messages[at]) > SILENCE)
    return found


def _moment(message: Message) -> tuple[str, float, int]:
    at = message.created_at
    return message.thread or "", at.timestamp() if at else 0.0, message.turn or 0


def silence(one: Message, other: Message) -> timedelta:
    """How long nothing was said between two messages that follow each other."""
    if one.created_at is None or other.created_at is None:
        return timedelta(0)
    return other.created_at - one.created_at
