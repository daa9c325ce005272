"""What every group of methods stands on: the namespace, its owner and how to open a transaction."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from stratagate_core import arguments
from stratagate_core.conversation.rules.incoming import (
    checked_name,
)
from stratagate_core.core import Core
from stratagate_core.embedding.port import QueryVector
from stratagate_core.engine import Work
from stratagate_core.errors import InvalidArgument
from stratagate_core.gate import envelope
from stratagate_core.jobs.outbox import Outbox
from stratagate_core.model.event import Event
from stratagate_core.model.search import Card, Results
from stratagate_core.search.steps import note_stale, note_waiting
from stratagate_core.search.vectors import is_behind
from stratagate_core.settings import Settings

DEFAULT_THREAD = "main"


def thread_name(value: str | None) -> str:
    """The thread that is meant; None means the default one."""
    return checked_name(value, "thread", DEFAULT_THREAD) or DEFAULT_THREAD


def named(value: str, what: str) -> str:
    """A name that must not be blank."""
    name = checked_name(value, what)
    if name is None:
        raise InvalidArgument(f"{what} must not be blank")
    return name


class Handle:
    """One namespace of one opened database."""

    def __init__(self, core: Core, *, namespace: str, owner: str) -> None:
        self._core = core
        self.namespace = namespace
        self.owner = owner

    @property
    def outbox(self) -> Outbox:
        """Writes of wrappers that failed and wait to be tried again."""
        return self._core.outbox

    def now(self) -> datetime:
        """The time by the clock of this memory."""
        return self._core.env.clock()

    def count_tokens(self, text: str) -> int:
        """The tokens of a text, by the counter that was handed in."""
        return self._core.env.count_tokens(text)

    def settings(self) -> Settings:
        """The settings in force."""
        return self._core.env.settings

    def _read(self) -> Any:
        return self._core.env.read(self.namespace)

    def _write(self) -> Any:
        return self._core.env.write(self.namespace, owner=self.owner)

    def _opening(self, open_batch: bool) -> Any:
        return self._write() if open_batch else self._read()

    def _searched(
        self,
        operation: str,
        thread: str,
        open_batch: bool,
        search: Callable[[Work, QueryVector | None], Results[Card]],
        query: str = "",
    ) -> Results[Card]:
        """Run a search; a stale index is noted afterwards, so that a job rebuilds it.

        With a `query` its vector is made first, outside of any transaction.
        """
        vector = self._core.embedded(query)
        with self._opening(open_batch) as work:
            found = search(work, vector)
            waiting = is_behind(work)
            if open_batch:
                found = envelope.with_batch(work, thread_name(thread), operation, found)
        if found.reason == "index_rebuilding":
            note_stale(self._core.env, self.namespace)
            self._core.work_on(self.namespace)
        if waiting:
            note_waiting(self._core.env, self.namespace)
            self._core.work_on(self.namespace)
        return found

    def _change(self, step: Callable[[Work, str], Event], event_id: str) -> Event:
        with self._write() as work:
            return step(work, arguments.text(event_id, "event_id"))
