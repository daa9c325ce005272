"""The engine room: what is handed to every step, and the two runners of model tasks.

A task is prepared in one transaction, asked outside of any, decided without I/O and applied in a
second transaction together with the state of its job. The shape makes it impossible to ask a
model while a transaction is open.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from stratagate_core.embedding.port import Embedder
from stratagate_core.errors import ModelError, StorageError
from stratagate_core.llm.ask import Question, aask, ask
from stratagate_core.llm.port import Model
from stratagate_core.model.facts import Fact
from stratagate_core.settings import Settings
from stratagate_core.store import namespaces
from stratagate_core.store.engine import Store
from stratagate_core.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Env:
    """Everything from outside, handed in."""

    store: Store
    settings: Settings
    clock: Callable[[], datetime]
    #: a fresh id with the given prefix, for example ``evt``
    new_id: Callable[[str], str]
    count_tokens: Callable[[str], int]
    model: Model
    #: enqueues what follows a fact, in the transaction of the fact
    follow: Callable[["Work", Fact], None]
    #: makes vectors; None: search goes by words alone
    embedder: Embedder | None = None

    @contextmanager
    def read(self, namespace: str) -> Iterator["Work"]:
        """A read transaction of one namespace."""
        with self.store.read(namespace) as tx:
            yield Work(env=self, tx=tx, now=self.clock())

    @contextmanager
    def write(self, namespace: str, *, owner: str = "default") -> Iterator["Work"]:
        """A write transaction; the namespace is created if new and locked until the end."""
        with self.store.write(namespace) as tx:
            now = self.clock()
            tx.lock(owner=owner, now=now)
            yield Work(env=self, tx=tx, now=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One transaction at work: the environment, the open transaction and its time."""

    env: Env
    tx: Tx
    now: datetime

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.env.settings

    @property
    def namespace(self) -> str:
        """The namespace this work is bound to."""
        return self.tx.namespace

    def new_id(self, prefix: str) -> str:
        """A fresh id such as ``evt_…``."""
        return self.env.new_id(prefix)

    def current_turn(self) -> int:
        """How many turns the namespace has accepted."""
        return namespaces.current(self.tx, "current_turn")

    def emit(self, fact: Fact) -> None:
        """Say what happened; what follows is enqueued in this transaction."""
        self.env.follow(self, fact)


#: how often an answer is written before the attempt has failed
_COMMITS = 3

P = TypeVar("P")
A = TypeVar("A", bound=BaseModel)
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Generic[P, A, R]):
    """One structured question to a model and what is done with its answer.

    `P` is what was prepared, `A` the schema of the answer, `R` the plan that is applied.
    """

    name: str
    #: file name in ``prompts/``
    prompt: str
    answer: type[A]
    #: reads what the question needs; None when there is nothing to do any more
    prepare: Callable[[Work, str], P | None]
    #: the JSON the model sees
    payload: Callable[[P], Mapping[str, Any]]
    #: faults of an answer, sent back once for repair
    check: Callable[[P, A], tuple[str, ...]]
    #: the answer by rules, from the same JSON a model would see
    offline: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    #: pure: what to write
    decide: Callable[[P, A], R]
    apply: Callable[[Work, R], "Applied"]
    #: whether an answer that reached the output limit is asked for again (12 §2)
    repair_cut: bool = True
    #: how many answers are asked for before the attempt has failed
    answers: int = 2
    #: tokens that an answer may have; None: as the settings say
    max_tokens: Callable[[P], int] | None = None
    #: whether the last good answers are kept for diagnostics (12 §6)
    keep_answer: bool = True
    #: what is known of a question that failed, in numbers and ids
    describe: Callable[[P], Mapping[str, Any]] | None = None
    #: until when a subject must wait before it may be asked about; None: it need not
    put_off: Callable[["Work", str], datetime | None] | None = None
    #: what becomes of a failed attempt, in its transaction; None: its message is kept
    on_failure: Callable[["Work", str, Exception], "Failed"] | None = None

    def question(self, prepared: P, settings: Settings) -> Question[A]:
        """The question to ask about what was prepared."""
        return Question(
            task=self.name,
            prompt=self.prompt,
            payload=self.payload(prepared),
            answer=self.answer,
            check=lambda answer: self.check(prepared, answer),
            max_tokens=(
                self.max_tokens(prepared) if self.max_tokens else settings.max_output_tokens
            ),
            timeout=settings.structured_task_timeout,
            reasoning=settings.structured_reasoning_effort,
            repair_cut=self.repair_cut,
            answers=self.answers,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand(Generic[P, R]):
    """Work that needs something outside other than a model: also done in no transaction.

    `P` is what was prepared, `R` what was brought back.
    """

    #: reads what is needed; None when there is nothing to do any more
    prepare: Callable[[Work, str], P | None]
    fetch: Callable[[Env, P], R]
    apply: Callable[[Work, P, R], "Applied"]
    #: whether it can be done with what was handed in
    possible: Callable[[Env], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """How an applied answer leaves its job."""

    #: True: the model validly said that there is nothing to do
    skipped: bool = False
    #: True: there is more of it to do
    more: bool = False
    diagnostics: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """How a failed attempt leaves its job."""

    #: what is stored as its error
    error: str
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    #: other jobs do its work from here on
    superseded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a task ended: `applied` is None when there was nothing to do any more."""

    applied: Applied | None
    text: str = ""
    #: counts that are added to those of the job
    spent: Mapping[str, int] = field(default_factory=dict)


#: called inside the applying transaction: settles the job or refuses a late result
Settle = Callable[[Work, "Outcome"], None]


def run_task(
    env: Env, namespace: str, task: Task[P, A, R], subject: str, settle: Settle
) -> Outcome:
    """Prepare, ask, decide, apply; `settle` runs in the applying transaction.

    Raises `ModelError` when the model gave no acceptable answer; nothing is written then.
    """
    with env.read(namespace) as work:
        prepared = task.prepare(work, subject)
    if prepared is None:
        return _nothing_to_do(env, namespace, settle)
    with _described(task, prepared):
        asked = ask(env.model, task.question(prepared, env.settings))
    return _apply(env, namespace, task, task.decide(prepared, asked.answer), asked, settle)


async def arun_task(
    env: Env, namespace: str, task: Task[P, A, R], subject: str, settle: Settle
) -> Outcome:
    """As `run_task`: the model is awaited, database work runs in a thread."""

    def prepare() -> P | None:
        with env.read(namespace) as work:
            return task.prepare(work, subject)

    prepared = await asyncio.to_thread(prepare)
    if prepared is None:
        return await asyncio.to_thread(_nothing_to_do, env, namespace, settle)
    with _described(task, prepared):
        asked = await aask(env.model, task.question(prepared, env.settings))
    plan = task.decide(prepared, asked.answer)
    return await asyncio.to_thread(_apply, env, namespace, task, plan, asked, settle)


@contextmanager
def _described(task: Task[P, A, R], prepared: P) -> Iterator[None]:
    """An error of the model knows what was asked, if the task tells."""
    try:
        yield
    except ModelError as error:
        if task.describe is not None:
            error.details = {**error.details, "asked": task.describe(prepared)}
        raise


def run_errand(
    env: Env, namespace: str, errand: Errand[P, R], subject: str, settle: Settle
) -> Outcome:
    """Prepare, fetch, apply; `settle` runs in the applying transaction."""
    with env.read(namespace) as work:
        prepared = errand.prepare(work, subject)
    if prepared is None:
        return _nothing_to_do(env, namespace, settle)
    brought = errand.fetch(env, prepared)
    with env.write(namespace) as work:
        outcome = Outcome(applied=errand.apply(work, prepared, brought))
        settle(work, outcome)
    return outcome


def _nothing_to_do(env: Env, namespace: str, settle: Settle) -> Outcome:
    outcome = Outcome(applied=None)
    with env.write(namespace) as work:
        settle(work, outcome)
    return outcome


def _apply(
    env: Env, namespace: str, task: Task[P, A, R], plan: R, asked: Any, settle: Settle
) -> Outcome:
    def attempt() -> Outcome:
        with env.write(namespace) as work:
            applied = task.apply(work, plan)
            text = asked.text if task.keep_answer else ""
            outcome = Outcome(applied=applied, text=text, spent=asked.spent)
            settle(work, outcome)
        return outcome

    for _ in range(_COMMITS - 1):
        try:
            return attempt()
        except StorageError:
            # the answer is at hand: only its writing is tried again
            continue
    return attempt()
