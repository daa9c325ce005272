"""What all handles of one opened database share: environment, worker, outbox, running retries."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from stratagate_core.embedding.port import (
    Embedder,
    QueryVector,
    checked_embedder,
    embedded_query,
)
from stratagate_core.engine import Env
from stratagate_core.errors import InvalidArgument, ModelError, NotFound
from stratagate_core.jobs import steps as job_steps
from stratagate_core.jobs.outbox import Outbox
from stratagate_core.jobs.runner import Round, arun_round, run_job, run_round
from stratagate_core.jobs.worker import Worker
from stratagate_core.llm.offline import is_offline
from stratagate_core.llm.port import Model, checked_model
from stratagate_core.model.job import Job
from stratagate_core.pipeline import (
    HANDLERS,
    ONE_PER_ROUND,
    QUEUED_BY_HAND,
    follow,
    is_settled,
    offline_model,
    settle_older,
)
from stratagate_core.settings import STORED, Settings
from stratagate_core.store import jobs
from stratagate_core.store import settings as stored_settings
from stratagate_core.store.engine import Store
from stratagate_core.text.tokens import tokens

#: seconds between two looks at work that another process is doing
_POLL = 0.05
#: queries whose vectors are remembered, and characters of one that are embedded
_QUERIES, _LONGEST_QUERY = 64, 8000

log = logging.getLogger(__name__)


class Core:
    """One opened database."""

    def __init__(self, env: Env) -> None:
        self.env = env
        self.outbox = Outbox()
        self.worker = Worker(self._background_round)
        self._lock = threading.Lock()
        self._retries: dict[tuple[str, str], Future[Job]] = {}
        #: vectors of the last queries
        self._queries: dict[str, QueryVector] = {}

    @classmethod
    def open(
        cls,
        database: str | Path,
        *,
        model: Model | None,
        embedder: Embedder | None,
        settings: Settings,
        read_only: bool,
        clock: Callable[[], datetime],
        new_id: Callable[[str], str],
        count_tokens: Callable[[str], int],
    ) -> "Core":
        """Open the database and settle which settings are in force."""
        if not isinstance(settings, Settings):
            raise InvalidArgument(
                "settings must be a Settings, for example Settings(language='zh')"
            )
        answering = offline_model() if model is None else checked_model(model)
        embedding = None if embedder is None else checked_embedder(embedder)
        _check_functions(clock, new_id, count_tokens)
        store = Store(database, read_only=read_only)
        try:
            in_force = _settle_settings(store, settings)
        except BaseException:
            store.close()
            raise
        return cls(
            Env(
                store=store,
                settings=in_force,
                clock=clock,
                new_id=new_id,
                count_tokens=count_tokens,
                model=answering,
                embedder=embedding,
                follow=follow,
            )
        )

    @property
    def processing(self) -> str:
        """How derivation work runs: inline, background or external."""
        quick = is_offline(self.env.model) and self.env.embedder is None
        default = "inline" if quick else "background"
        return self.env.settings.processing or default

    def embedded(self, query: str) -> QueryVector | None:
        """The vector of a query; None without an embedder, and where it fails.

        The last queries are remembered: an agent repeats itself, and recall asks as search does.
        """
        embedder = self.env.embedder
        if embedder is None or not isinstance(query, str) or not tokens(query):
            return None  # a query of signs alone means nothing
        known = self._queries.get(query)
        if known is not None:
            return known
        try:
            made = embedded_query(embedder, query[:_LONGEST_QUERY])
        except ModelError as error:
            log.warning(
                "search goes on without vectors: %s", type(error.__cause__ or error).__name__
            )
            return None
        with self._lock:
            while len(self._queries) >= _QUERIES:
                self._queries.pop(next(iter(self._queries)))
            self._queries[query] = made
        return made

    def work_on(self, namespace: str) -> None:
        """Do what a write left to do, in the way that was chosen."""
        if self.processing == "inline":
            self.run(namespace)
        elif self.processing == "background":
            self.worker.start()
            self.worker.wake()

    def _round(self, namespace: str, retry_failed: bool) -> Round:
        return Round(self.env, namespace, HANDLERS, retry_failed=retry_failed, single=ONE_PER_ROUND)

    def settle_older(self, namespace: str) -> None:
        """Queue what was stored before a part that works on it; nothing if all is queued."""
        if self.env.store.read_only:
            return
        with self.env.read(namespace) as work:
            if is_settled(work):
                return
        with self.env.write(namespace) as work:
            settle_older(work)

    def run(self, namespace: str, *, limit: int | None = None, retry_failed: bool = False) -> int:
        """Run due jobs of a namespace in this thread."""
        return run_round(self._round(namespace, retry_failed), limit)

    async def arun(
        self, namespace: str, *, limit: int | None = None, retry_failed: bool = False
    ) -> int:
        """Run due jobs of a namespace; models are awaited."""
        return await arun_round(self._round(namespace, retry_failed), limit)

    def _background_round(self) -> int:
        self.outbox.flush()
        with self.env.store.admin() as tx:
            waiting = jobs.namespaces_with_work(tx)
        return sum(self.run(namespace) for namespace in waiting)

    def drain(self, namespace: str, timeout: float | None) -> bool:
        """Run and wait until nothing is due or running any more."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            ran = self.run(namespace)
            left = None if end is None else end - time.monotonic()
            if not ran and not self._running(namespace):
                return True
            if left is not None and left <= 0:
                return False
            if not ran:
                time.sleep(_POLL if left is None else min(_POLL, left))

    def _running(self, namespace: str) -> bool:
        with self.env.read(namespace) as work:
            return bool(jobs.running(work.tx))

    def retry(self, namespace: str, job_id: str) -> Job:
        """Run a failed job by hand; two callers at once share one run."""
        key = (namespace, job_id)
        with self._lock:
            shared = self._retries.get(key)
            mine: Future[Job] = Future() if shared is None else shared
            self._retries[key] = mine
        if shared is not None:
            return shared.result()
        try:
            mine.set_result(self._retry(namespace, job_id))
        except BaseException as error:
            mine.set_exception(error)
        finally:
            with self._lock:
                del self._retries[key]
        return mine.result()

    def _retry(self, namespace: str, job_id: str) -> Job:
        with self.env.write(namespace) as work:
            job = jobs.get(work.tx, job_id)
            if job is not None and job.kind in QUEUED_BY_HAND:
                subject = QUEUED_BY_HAND[job.kind](work, job)
                job_steps.supersede(work, job, job.error or "")
                queued = jobs.by_subject(work.tx, job.kind, subject)
                assert queued is not None
                return queued.value()
            started = job_steps.restart(work, job_id)
        error = run_job(self.env, namespace, HANDLERS, started)
        if error is not None:
            raise error
        self.run(namespace)
        with self.env.read(namespace) as work:
            done = jobs.get(work.tx, job_id)
        if done is None:
            raise NotFound(f"job {job_id!r} is gone")
        return done.value()

    def recover_running(self) -> None:
        """Treat all running jobs of the database as interrupted."""
        with self.env.store.admin() as tx:
            waiting = jobs.namespaces_with_work(tx)
        for namespace in waiting:
            with self.env.write(namespace) as work:
                job_steps.give_back(work, only_expired=False)

    def save_settings(self, values: Mapping[str, Any]) -> Settings:
        """Store settings and put them in force."""
        unknown = sorted(set(values) - set(STORED))
        if unknown:
            raise InvalidArgument(
                f"only {', '.join(STORED)} are stored in the database, not {', '.join(unknown)}"
            )
        changed = Settings(**{**self.env.settings.model_dump(), **values})
        with self.env.store.admin(write=True) as tx:
            stored_settings.store(tx, values)
        self.env = replace(self.env, settings=changed)
        return changed

    def close(self) -> None:
        """Stop the worker, write what waits, give the connections back."""
        self.worker.stop()
        self.outbox.flush()
        self.env.store.close()


def _check_functions(clock: object, new_id: object, count_tokens: object) -> None:
    """Refuse what cannot give times, ids or counts; ids are not drawn, they may be counted."""
    now = clock() if callable(clock) else None
    if not isinstance(now, datetime) or now.utcoffset() is None:
        raise InvalidArgument(
            "clock must give the time as a datetime with a timezone, for example "
            "lambda: datetime.now(UTC)"
        )
    if not callable(new_id):
        raise InvalidArgument("new_id must be a function of a prefix such as 'evt' that gives ids")
    if not callable(count_tokens) or not isinstance(count_tokens("tea"), int):
        raise InvalidArgument("count_tokens must be a function of a text that gives a number")


def _settle_settings(store: Store, settings: Settings) -> Settings:
    """Explicit values of stored settings are written, missing ones are read."""
    with store.admin() as tx:
        known = stored_settings.stored(tx)
    given = {name: getattr(settings, name) for name in STORED if name in settings.model_fields_set}
    new = {name: value for name, value in given.items() if known.get(name) != value}
    if new and not store.read_only:
        with store.admin(write=True) as tx:
            stored_settings.store(tx, new)
    stored = {name: known[name] for name in STORED if name in known and name not in given}
    return Settings(**{**settings.model_dump(exclude_unset=True), **stored})
