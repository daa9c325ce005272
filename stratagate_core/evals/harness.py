"""Runs an evaluation: tells conversations to a memory and asks it every question.

Only public operations are used, so what is measured is what a user gets.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from stratagate_core.errors import InvalidArgument
from stratagate_core.evals.dataset import Conversation
from stratagate_core.evals.items import event_items, message_items, speaker
from stratagate_core.evals.measures import TOKEN_BUDGET, Item, Score, mean, score, shown
from stratagate_core.evals.misses import FOUND, Asked, Failure, failure
from stratagate_core.evals.rivals import RankBm25
from stratagate_core.memory import StrataGate
from stratagate_core.model.message import Message
from stratagate_core.text.estimate import estimate_tokens

#: results looked at per question
DEPTH = 50
BASELINE = "baseline"
_EVENT_PAGE = 20
#: questions between two lines of progress
_STEP = 100

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to search: `find` gives ids, best first, and is timed; `show` what an id stands for."""

    find: Callable[[str], list[str]]
    show: Callable[[str], Item]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSet:
    """Mean scores over all questions, by category and by conversation."""

    overall: Score
    by_category: Mapping[str, Score]
    by_conversation: Mapping[str, Score]
    #: estimated tokens of the first ten results, mean over questions
    tokens: float
    #: of all searches
    seconds: float


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

    conversations: Sequence[Conversation]
    events: int
    sets: Mapping[str, ScoreSet]
    failures: Sequence[Failure]
    context: Context
    #: of ingesting
    seconds: float


@dataclass(slots=True)
class _Tally:
    """What is gathered while conversations are worked through."""

    budgets: Sequence[int]
    #: way → (conversation, category, score) of each question
    scores: dict[str, list[tuple[str, str, Score]]] = field(default_factory=dict)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    tokens: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    failures: list[Failure] = field(default_factory=list)
    layered: int = 0
    full: int = 0
    events: int = 0

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Adds the seconds of the block."""
        start = time.perf_counter()
        yield
        self.seconds[what] += time.perf_counter() - start

    def set_of(self, way: str) -> ScoreSet:
        """The means of one way, in the order of the data."""
        rows = self.scores[way]
        by_category: defaultdict[str, list[Score]] = defaultdict(list)
        by_conversation: defaultdict[str, list[Score]] = defaultdict(list)
        for conversation, category, value in rows:
            by_category[category].append(value)
            by_conversation[conversation].append(value)
        return ScoreSet(
            overall=mean([value for _, _, value in rows]),
            by_category={name: mean(by_category[name]) for name in sorted(by_category)},
            by_conversation={name: mean(values) for name, values in by_conversation.items()},
            tokens=self.tokens[way] / len(rows),
            seconds=self.seconds[way],
        )


def evaluate(
    memory: StrataGate,
    conversations: Sequence[Conversation],
    *,
    baseline: bool = False,
    budgets: Sequence[int] = (TOKEN_BUDGET,),
    progress: Progress = lambda _line: None,
) -> Report:
    """Ingest the conversations, one namespace each, ask all questions and score the answers.

    Args:
        memory: any handle; what it has of the conversations already is not told again.
        conversations: what to ask about.
        baseline: also score rank_bm25 over the same messages.
        budgets: token budgets to fill.
        progress: is told what is being done, a line at a time.

    Raises:
        InvalidArgument: the memory holds other messages under the name of a conversation.

    """
    tally = _Tally(budgets)
    for number, conversation in enumerate(conversations, 1):
        place = f"{number}/{len(conversations)} {conversation.id}"
        progress(f"{place}: telling {len(conversation.messages)} messages")
        handle = memory.for_namespace(conversation.namespace)
        with tally.timed("ingest"):
            ingest(handle, conversation)
        _check_told(handle, conversation)
        progress(f"{place}: asking {len(conversation.questions)} questions")
        for asked_so_far in _ask(tally, handle, conversation, baseline):
            progress(f"{place}: {asked_so_far} asked")
        _measure_context(tally, handle)
    return Report(
        conversations=conversations,
        events=tally.events,
        sets={way: tally.set_of(way) for way in tally.scores},
        failures=tally.failures,
        context=Context(layered_tokens=tally.layered, full_tokens=tally.full),
        seconds=tally.seconds["ingest"],
    )


def ingest(memory: StrataGate, conversation: Conversation) -> None:
    """Tell a conversation turn by turn; turns that were told before change nothing."""
    for number, turn in enumerate(conversation.turns, 1):
        memory.add_messages(turn, receipt=f"{conversation.id}:{number}")
    memory.drain()


def _check_told(memory: StrataGate, conversation: Conversation) -> None:
    """A kept memory may be one of another version of the data."""
    told = {message.id for message in memory.thread_messages()}
    if told != {message.id for message in conversation.messages}:
        raise InvalidArgument(f"the memory holds other messages of {conversation.id} already")


def _ask(
    tally: _Tally, memory: StrataGate, conversation: Conversation, baseline: bool
) -> Iterator[int]:
    """Asks all questions; says every `_STEP` questions how many were asked."""
    said = message_items(conversation)
    names = {message.name for message in conversation.messages if message.name}
    ways = _ways(memory, conversation, said, baseline=baseline)
    for number, question in enumerate(conversation.questions, 1):
        for name, way in ways.items():
            with tally.timed(name):
                found = way.find(question.text)
            asked = Asked(
                conversation=conversation.id,
                search=name,
                question=question,
                ranking=[way.show(key) for key in found],
                depth=DEPTH,
                said=said,
                names=names,
            )
            _add(tally, asked)
        if number % _STEP == 0:
            yield number


def _add(tally: _Tally, asked: Asked) -> None:
    question = asked.question
    value = score(
        asked.ranking,
        question.evidence,
        estimate_tokens,
        sessions=question.sessions,
        budgets=tally.budgets,
    )
    row = (asked.conversation, question.category, value)
    tally.scores.setdefault(asked.search, []).append(row)
    tally.tokens[asked.search] += estimate_tokens(shown(asked.ranking[:FOUND]))
    if asked.search != BASELINE and (failed := failure(asked)):
        tally.failures.append(failed)


def _ways(
    memory: StrataGate, conversation: Conversation, said: Mapping[str, Item], *, baseline: bool
) -> dict[str, Way]:
    """The ways to search that are compared."""
    ways = {
        "search_raw": Way(lambda query: _message_ids(memory, query), said.__getitem__),
        "search_events": Way(
            lambda query: list(_event_ids(memory, query)), event_items(memory, conversation)
        ),
    }
    if baseline:
        ranker = RankBm25(conversation.messages)
        ways[BASELINE] = Way(lambda query: ranker.search(query, DEPTH), said.__getitem__)
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


def _measure_context(tally: _Tally, memory: StrataGate) -> None:
    """Blocks at their present level and the open tail, against the whole transcript."""
    layers = [block.content for block in memory.blocks() if block.status == "ready"]
    tally.layered += estimate_tokens("\n\n".join([*layers, *_lines(memory.open_tail())]))
    tally.full += estimate_tokens("\n\n".join(_lines(memory.thread_messages())))
    tally.events += sum(memory.stats()["events"].values())


def _lines(messages: Iterable[Message]) -> Iterator[str]:
    return (f"{speaker(message)}: {message.content}" for message in messages)
