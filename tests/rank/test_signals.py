"""The signals of the ranking, each on a small scene."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from stratagate_core.model.message import Message
from stratagate_core.rank.asked import Asked, days_named
from stratagate_core.rank.fields import message_tokens
from stratagate_core.rank.scene import Scene, build_scene
from stratagate_core.rank.signals import (
    CLOSE_SIGNALS,
    DENSE_SIGNALS,
    SIGNALS,
    TYING,
    measured,
    measured_closely,
    shares,
    tied,
)
from stratagate_core.settings import Ranking

START = datetime(2026, 5, 1, 9, tzinfo=UTC)
SAID = (
    ("Ana", "Where did you buy the harp?"),
    ("Ben", "In a small shop by the sea, for two hundred."),
    ("Ana", "It sounds lovely."),
    ("Ben", "Yesterday I played the violin for my sister."),
    ("Ana", "Good night."),
)


def scene(said: Sequence[tuple[str, str]] = SAID, gap_before: int = 3, **asked: object) -> Scene:
    """Messages of one thread; a day passes before the one at `gap_before`."""
    messages = [
        Message(
            id=str(at),
            role="user",
            name=name,
            content=words,
            thread="t",
            turn=at,
            block_id="a" if at < 2 else "b",
            created_at=START + timedelta(minutes=at, days=int(at >= gap_before)),
        )
        for at, (name, words) in enumerate(said)
    ]
    links = {str(at): str(at - 1) if at else None for at in range(len(said))}
    terms = {"w:harp": 2.0, "w:buy": 1.0}
    query = Asked(**{"terms": tuple(terms), "weights": terms, "average": 10.0, **asked})  # type: ignore[arg-type]
    return build_scene(query, messages, links, analyse=message_tokens, k1=0.9, b=0.35)


def values(name: str, **asked: object) -> list[float]:
    """One signal, rounded."""
    here = scene(**asked)  # type: ignore[arg-type]
    found = measured(here) | measured_closely(here, np.arange(len(here.messages)))
    return [round(float(value), 2) for value in found[name]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("text", [1, 0, 0, 0, 0]),
        ("answer", [0, 1, 0, 0, 0]),
        ("before", [0, 0, 0, 0, 0]),
        ("before_2", [0, 0, 1, 0, 0]),
        ("after", [0, 0, 0, 0, 0]),
        ("session", [1, 1, 1, 0, 0]),
        ("block", [1, 1, 0, 0, 0]),
        ("coverage", [1, 1, 1, 0, 0]),
        ("question", [1, 0, 0, 0, 0]),
        ("opens", [1, 0, 0, 1, 0]),
        ("date", [0, 0, 0, 0, 0]),
        ("kind", [0, 0, 0, 0, 0]),
    ],
)
def test_around_a_match(name: str, expected: list[float]) -> None:
    """A match counts for the answer to it, its neighbours, its block and its session."""
    assert expected == values(name)


def test_a_plain_message_before() -> None:
    """What does not ask counts as a neighbour, not as a question."""
    said = (("Ana", "I buy a harp."), ("Ben", "Nice."))
    here = measured(scene(said))
    assert (here["answer"][1], here["before"][1], here["after"][0]) == (0.0, 1.0, 0.0)


def test_what_the_query_names() -> None:
    """Speaker, day, time, number and kind count for the messages that hold them."""
    (day,) = days_named("on 2 May 2026", START, UTC)
    (eve,) = days_named("on 1 May 2026", START, UTC)
    assert values("speaker", speakers=frozenset({"s:ben"})) == [0, 1, 0, 1, 0]
    assert values("date", days=(day,)) == [0, 0, 0, 1, 1]
    assert values("spoken_date", days=(eve,)) == [0, 0, 0, 1, 0]
    assert values("time_expression", when=True) == [0, 0, 0, 1, 0]
    assert values("figure", how_much=True) == [0, 1, 0, 0, 0]
    assert values("kind", members={"w:violin": 1.5}, rarest=1.5)[3] == round(1 / 3, 2)
    assert values("kind_touched", touched={"w:violin": 1.5}, rarest=1.5)[3] == round(1 / 3, 2)
    own = {"members": {"w:violin": 1.5}, "rarest": 1.5, "speakers": frozenset({"s:ana"})}
    assert values("kind_of_speaker", **own) == [0, 0, 0, 0, 0]


def test_pairs_and_telling() -> None:
    """Words that stand side by side count, and so does a sentence that tells something."""
    said = (("Ana", "harp buy"), ("Ana", "buy a harp"), ("Ana", "I sold my old cello in Rome."))
    found = values("pairs", said=said)
    assert found == [1, 0, 0]
    told = values("telling", said=said)
    assert told[2] > max(told[:2])


def test_every_signal_has_a_weight() -> None:
    """The settings name exactly the signals that there are; those that tie are among them."""
    names = {*SIGNALS, *CLOSE_SIGNALS, *DENSE_SIGNALS}
    assert {*names, "dense_of_event"} == set(Ranking.model_fields)
    assert {*TYING} <= {*names, "near"}


def test_a_hit_is_tied_to_the_query() -> None:
    """A match and its answer are hits; what merely stands near is none."""
    assert tied(measured(scene())).tolist() == [True, True, False, False, False]


def test_a_signal_from_elsewhere_joins_in() -> None:
    """A given array is one more signal, with its weight."""
    given = np.array([0.0, 0.0, 0.0, 0.0, 2.0])
    here = replace(scene(), given={"dense": given})
    assert shares(measured(here), {"dense": 0.5})["dense"].tolist() == [0, 0, 0, 0, 1]
