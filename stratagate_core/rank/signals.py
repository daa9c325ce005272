"""The signals of the conversation-aware ranking (04 §4), each a name and an array.

A message is rarely understood alone: an answer shares no word with its question, and what `it`
is was said before. Each signal lies between 0 and 1; scores are weighted sums.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, timedelta
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stratagate_core.model.message import Message
from stratagate_core.rank.asked import overlaps, speaker_tokens
from stratagate_core.rank.scene import Floats, Places, Scene, blocks, opens, sessions
from stratagate_core.rank.shape import says_when, telling_of
from stratagate_core.text.salience import names_a_figure
from stratagate_core.text.times import find_times

Signal = Callable[[Scene], Floats]
CloseSignal = Callable[[Scene, Places], Floats]

#: how much a stretch of conversation is held against its length
_STRETCH_B = 0.6
#: the length (in e-folds of tokens) that counts as 1
_LONG = 5.0
#: the form of a sentence that counts as 1
_TELLING = 5.0
#: members of a kind that count in one message
_MEMBERS = 3
#: a spoken time that spans more says nothing about a day
_VAGUE = timedelta(days=62)


def text(scene: Scene) -> Floats:
    """The BM25 of the message itself, as a share of the best."""
    return _share(_bm25(scene, scene.counts, scene.length, scene.asked.average, scene.b))


def answer(scene: Scene) -> Floats:
    """The text of the message before, if it asks: an answer follows its question."""
    return scene.shifted(text(scene) * scene.asking, back=1)


def before(scene: Scene) -> Floats:
    """The text of the message before, if it does not ask."""
    return scene.shifted(text(scene) * (1 - scene.asking), back=1)


def before_2(scene: Scene) -> Floats:
    """The text of the message two before."""
    return scene.shifted(text(scene), back=2)


def after(scene: Scene) -> Floats:
    """The text of the message after."""
    return scene.shifted(text(scene), back=-1)


def after_2(scene: Scene) -> Floats:
    """The text of the message two after."""
    return scene.shifted(text(scene), back=-2)


def session(scene: Scene) -> Floats:
    """The BM25 of the whole session."""
    return _stretch(scene, sessions(scene))


def block(scene: Scene) -> Floats:
    """The BM25 of the whole block."""
    return _stretch(scene, blocks(scene))


def coverage(scene: Scene) -> Floats:
    """How much of the query the message and the two before it hold together."""
    here = np.minimum(1.0, scene.counts)
    held = np.maximum(here, np.maximum(scene.shifted(here, back=1), scene.shifted(here, back=2)))
    whole = float(scene.idf.sum())
    return np.asarray((held * scene.idf).sum(axis=0) / whole) if whole else _nothing(scene)


def pairs(scene: Scene) -> Floats:
    """How many neighbouring words of the query stand side by side in the message."""
    wanted = set(pairwise(scene.asked.terms))
    if not wanted:
        return _nothing(scene)
    held = [len(wanted & set(pairwise(tokens))) for tokens in scene.tokens]
    return np.array(held, np.float64) / len(wanted)


def date(scene: Scene) -> Floats:
    """The message was said on a day that the query names."""
    days = scene.asked.days
    said = (message.created_at for message in scene.messages)
    tick = timedelta(microseconds=1)
    return _flags(at and any(overlaps(day, at, at + tick) for day in days) for at in said)


def time_expression(scene: Scene) -> Floats:
    """A time is asked for, and the message names one."""
    if not scene.asked.when:
        return _nothing(scene)
    return _flags(says_when(message.content) for message in scene.messages)


def speaker(scene: Scene) -> Floats:
    """The query names who said it."""
    asked, names = scene.asked.speakers, [message.name or "" for message in scene.messages]
    named = {name for name in set(names) if not asked.isdisjoint(speaker_tokens(name))}
    return _flags(name in named for name in names)


def question(scene: Scene) -> Floats:
    """How much of the message only asks."""
    return scene.asked_share


def length(scene: Scene) -> Floats:
    """Longer messages say more."""
    return np.asarray(np.log(np.maximum(scene.length, 1.0)) / _LONG)


def kind(scene: Scene) -> Floats:
    """Members of the kind that is asked for, of those in the message the three most telling."""
    return _members(scene, scene.asked.members)


def kind_of_speaker(scene: Scene) -> Floats:
    """The same, said by whom the query names."""
    return kind(scene) * speaker(scene)


def kind_touched(scene: Scene) -> Floats:
    """Members of a kind that the query only touches on."""
    return _members(scene, scene.asked.touched)


def figure(scene: Scene) -> Floats:
    """A number is asked for, and the message names one."""
    if not scene.asked.how_much:
        return _nothing(scene)
    return _flags(names_a_figure(message.content) for message in scene.messages)


def telling(scene: Scene, places: Places) -> Floats:
    """How much the message tells by its form."""
    found = (telling_of(scene.messages[at].content) for at in places)
    return np.array(list(found), np.float64) / _TELLING


def telling_of_speaker(scene: Scene, places: Places) -> Floats:
    """The same, said by whom the query names."""
    return telling(scene, places) * speaker(scene)[places]


def spoken_date(scene: Scene, places: Places) -> Floats:
    """The message speaks of a day that the query names."""
    return _flags(_speaks_of(scene.messages[at], scene) for at in places)


SIGNALS: Mapping[str, Signal] = {
    "text": text,
    "answer": answer,
    "before": before,
    "before_2": before_2,
    "after": after,
    "after_2": after_2,
    "session": session,
    "block": block,
    "coverage": coverage,
    "pairs": pairs,
    "date": date,
    "time_expression": time_expression,
    "figure": figure,
    "kind": kind,
    "kind_of_speaker": kind_of_speaker,
    "kind_touched": kind_touched,
    "speaker": speaker,
    "question": question,
    "length": length,
    "opens": opens,
}
#: signals that are dear, for the best by the others only
CLOSE_SIGNALS: Mapping[str, CloseSignal] = {
    "telling": telling,
    "telling_of_speaker": telling_of_speaker,
    "spoken_date": spoken_date,
}


def _around(back: int) -> Signal:
    """How near the message `back` places before (negative: after) is to the query."""
    return lambda scene: scene.shifted(scene.given["dense"], back=back)


def dense_answer(scene: Scene) -> Floats:
    """The message before asks, and is near the query."""
    return scene.shifted(scene.given["dense"] * scene.asking, back=1)


def _nearest_of(scene: Scene, numbers: Places) -> Floats:
    """The nearest message of each stretch that `numbers` cut."""
    best = np.zeros(int(numbers.max(initial=0)) + 1)
    np.maximum.at(best, numbers, scene.given["dense"])
    return np.asarray(best[numbers])


#: signals that an embedder adds: `dense` is the cosine of query and message, 0 to 1
DENSE_SIGNALS: Mapping[str, Signal] = {
    "dense": lambda scene: scene.given["dense"],
    "dense_answer": dense_answer,
    "dense_before": _around(1),
    "dense_before_2": _around(2),
    "dense_after": _around(-1),
    "dense_session": lambda scene: _nearest_of(scene, sessions(scene)),
    "dense_block": lambda scene: _nearest_of(scene, blocks(scene)),
}

#: one of these makes a message a hit; what merely stands near a hit is none
TYING = ("text", "answer", "date", "spoken_date", "kind", "kind_touched", "near")


def tied(signals: Mapping[str, Floats]) -> NDArray[np.bool_]:
    """Which messages have something to do with the query themselves."""
    found = [signals[name] > 0 for name in TYING if name in signals]
    return np.asarray(np.logical_or.reduce(found))


def measured(scene: Scene) -> dict[str, Floats]:
    """The signals of a scene, those given from elsewhere included."""
    found = {name: signal(scene) for name, signal in SIGNALS.items()} | dict(scene.given)
    if "dense" in scene.given:
        found |= {name: signal(scene) for name, signal in DENSE_SIGNALS.items()}
    return found


def measured_closely(scene: Scene, places: Places) -> dict[str, Floats]:
    """The dear signals, for these places; 0 elsewhere."""
    found: dict[str, Floats] = {}
    for name, signal in CLOSE_SIGNALS.items():
        found[name] = _nothing(scene)
        found[name][places] = signal(scene, places)
    return found


def shares(signals: Mapping[str, Floats], weights: Mapping[str, float]) -> dict[str, Floats]:
    """What each signal adds to the score."""
    return {name: weights[name] * values for name, values in signals.items() if name in weights}


def _bm25(scene: Scene, counts: Floats, size: Floats, average: float, b: float) -> Floats:
    norm = 1 - b + b * size / average if average else np.ones_like(size)
    return np.asarray((scene.idf * counts * (scene.k1 + 1) / (counts + scene.k1 * norm)).sum(0))


def _stretch(scene: Scene, numbers: Places) -> Floats:
    """The BM25 of the stretches that `numbers` cut, each seen as far as it is here."""
    size = np.bincount(numbers, weights=scene.length).astype(np.float64)
    summed = [np.bincount(numbers, weights=row, minlength=len(size)) for row in scene.counts]
    counts = np.array(summed, np.float64).reshape(len(scene.counts), len(size))
    scores = _bm25(scene, counts, size, float(size.mean()) if len(size) else 0.0, _STRETCH_B)
    return np.asarray(_share(scores)[numbers])


def _share(scores: Floats) -> Floats:
    best = float(scores.max(initial=0.0))
    return scores / best if best > 0 else scores


def _members(scene: Scene, weights: Mapping[str, float]) -> Floats:
    if not weights:
        return _nothing(scene)
    most = _MEMBERS * scene.asked.rarest
    held = ([weights[token] for token in {*tokens} & weights.keys()] for tokens in scene.tokens)
    return np.array([sum(sorted(found)[-_MEMBERS:]) / most for found in held], np.float64)


def _speaks_of(message: Message, scene: Scene) -> bool:
    at = message.created_at
    if at is None or not scene.asked.days or not says_when(message.content):
        return False
    times = find_times(message.content, reference=at, timezone=at.tzinfo or UTC)
    spoken = [time for time in times if time.end - time.start <= _VAGUE]
    return any(overlaps(day, one.start, one.end) for day in scene.asked.days for one in spoken)


def _flags(values: Iterable[object]) -> Floats:
    return np.array([float(bool(value)) for value in values], np.float64)


def _nothing(scene: Scene) -> Floats:
    return np.zeros(len(scene.messages))
