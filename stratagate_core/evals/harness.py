"""Runs an evaluation: tells conversations to a memory and asks it every question.

Only public operations are used, so what is measured is what a user gets.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

from stratagate_core.evals.locomo import CATEGORIES, Conversation, Question
from stratagate_core.evals.measures import Item, Score, mean, score
from stratagate_core.evals.rivals import RankBm25
from stratagate_core.memory import StrataGate
from stratagate_core.model.message import Message
from stratagate_core.text.estimate import estimate_tokens

#: results looked at per question
DEPTH = 50
_EVENT_PAGE = 20

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to search: `find` gives ids, best first, and is timed; `show` what an id stands for."""

    find: Callable[[str], list[str]]
    show: Callable[[str], Item]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSet:
    """Mean scores over all questions and by category."""

    overall: Score
    by_category: Mapping[str, Score]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Tokens of the layered context of all conversations against their full history."""

    layered_tokens: int
    full_tokens: int

    @property
    def share(self) -> float:
        """The layered context as a share of the full history."""
        return self.layered_tokens / self.full_tokens if self.full_tokens else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What an evaluation found; `sets` has a score set for each way to search."""

    conversations: int
    messages: int
    events: int
    questions: Mapping[str, int]
    skipped: int
    repaired_ids: int
    skipped_ids: int
    sets: Mapping[str, ScoreSet]
    context: Context
    #: of ingesting and of each way to search
    seconds: Mapping[str, float]


@dataclass(slots=True)
class _Tally:
    """What is gathered while conversations are worked through."""

    scores: dict[str, dict[str, list[Score]]] = field(default_factory=dict)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    layered: int = 0
    full: int = 0
    events: int = 0

    def add(self, way: str, category: str, value: Score) -> None:
        """One question's scores."""
        self.scores.setdefault(way, {}).setdefault(category, []).append(value)

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Adds the seconds of the block."""
        start = time.perf_counter()
        yield
        self.seconds[what] += time.perf_counter() - start

    def sets(self) -> dict[str, ScoreSet]:
        """The means, categories in the order of their ids."""
        return {way: _score_set(found) for way, found in self.scores.items()}


def _score_set(found: Mapping[str, list[Score]]) -> ScoreSet:
    named = {name: mean(found[name]) for name in CATEGORIES.values() if name in found}
    everything = [value for values in found.values() for value in values]
    return ScoreSet(overall=mean(everything), by_category=named)


def evaluate(
    memory: StrataGate,
    conversations: Sequence[Conversation],
    *,
    baseline: bool = False,
    progress: Progress = lambda _line: None,
) -> Report:
    """Ingest the conversations, one namespace each, ask all questions and score the answers.

    Args:
        memory: any handle; what it has of the conversations already is not told again.
        conversations: what to ask about.
        baseline: also score rank_bm25 over the same messages.
        progress: is told what is being done, a line at a time.

    """
    tally = _Tally()
    for number, conversation in enumerate(conversations, 1):
        place = f"{number}/{len(conversations)} {conversation.id}"
        progress(f"{place}: telling {len(conversation.messages)} messages")
        handle = memory.for_namespace(f"locomo:{conversation.id}")
        with tally.timed("ingest"):
            ingest(handle, conversation)
        progress(f"{place}: asking {len(conversation.questions)} questions")
        ways = _ways(handle, conversation, baseline=baseline)
        _ask(tally, ways, conversation.questions)
        _measure_context(tally, handle)
    return _report(tally, conversations)


def ingest(memory: StrataGate, conversation: Conversation) -> None:
    """Tell a conversation turn by turn; turns that were told before change nothing."""
    for number, turn in enumerate(conversation.turns, 1):
        memory.add_messages(turn, receipt=f"{conversation.id}:{number}")
    memory.drain()


def _ways(memory: StrataGate, conversation: Conversation, *, baseline: bool) -> dict[str, Way]:
    """The ways to search that are compared."""
    said = {str(message.id): message_item(message) for message in conversation.messages}

    @cache
    def event(event_id: str) -> Item:
        return _event_item(memory, event_id)

    ways = {
        "search_raw": Way(lambda query: _message_ids(memory, query), said.__getitem__),
        "search_events": Way(lambda query: list(_event_ids(memory, query)), event),
    }
    if baseline:
        ranker = RankBm25(conversation.messages)
        ways["baseline"] = Way(lambda query: ranker.search(query, DEPTH), said.__getitem__)
    return ways


def _message_ids(memory: StrataGate, query: str) -> list[str]:
    found = memory.search_raw(query, limit=DEPTH, include_tail=True)
    return [str(hit.item["id"]) for hit in found.hits]


def _event_ids(memory: StrataGate, query: str) -> Iterator[str]:
    offset: int | None = 0
    while offset is not None and offset < DEPTH:
        size = min(_EVENT_PAGE, DEPTH - offset)
        page = memory.search_events(query, limit=size, offset=offset)
        yield from (str(hit.item["id"]) for hit in page.hits)
        offset = page.next_offset


def message_item(message: Message) -> Item:
    """A message as a model would see it."""
    return Item(
        covers=frozenset((str(message.id),)),
        text=f"{message.name}: {message.content}",
        date=_date_line(message),
    )


def _event_item(memory: StrataGate, event_id: str) -> Item:
    event = memory.event(event_id)
    first = memory.sources(f"event:{event_id}")[0]
    return Item(
        covers=frozenset(event.source_message_ids),
        text=f"{event.title}: {event.summary}",
        date=_date_line(first),
    )


def _date_line(message: Message) -> str:
    return f"[{message.created_at:%Y-%m-%d %H:%M}]" if message.created_at else ""


def _ask(tally: _Tally, ways: Mapping[str, Way], questions: Iterable[Question]) -> None:
    for question in questions:
        for name, way in ways.items():
            with tally.timed(name):
                found = way.find(question.text)
            ranking = [way.show(key) for key in found]
            tally.add(name, question.category, score(ranking, question.evidence, estimate_tokens))


def _measure_context(tally: _Tally, memory: StrataGate) -> None:
    """Blocks at their present level and the open tail, against the whole transcript."""
    tail = [_line(message) for message in memory.open_tail()]
    layers = [block.content for block in memory.blocks() if block.status == "ready"]
    tally.layered += estimate_tokens("\n\n".join([*layers, *tail]))
    tally.full += estimate_tokens("\n\n".join(map(_line, memory.thread_messages())))
    tally.events += sum(memory.stats()["events"].values())


def _line(message: Message) -> str:
    return f"{message.name}: {message.content}"


def _report(tally: _Tally, conversations: Sequence[Conversation]) -> Report:
    asked = [question.category for each in conversations for question in each.questions]
    return Report(
        conversations=len(conversations),
        messages=sum(len(each.messages) for each in conversations),
        events=tally.events,
        questions={name: asked.count(name) for name in CATEGORIES.values() if name in asked},
        skipped=sum(each.skipped for each in conversations),
        repaired_ids=sum(each.repaired_ids for each in conversations),
        skipped_ids=sum(each.skipped_ids for each in conversations),
        sets=tally.sets(),
        context=Context(layered_tokens=tally.layered, full_tokens=tally.full),
        seconds=dict(tally.seconds),
    )
