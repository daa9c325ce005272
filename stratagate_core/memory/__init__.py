"""StrataGate: the handle on one namespace of one database. Methods here only connect the parts.

Each group of methods has a file of its own.
"""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from stratagate_core.core import Core
from stratagate_core.embedding.port import Embedder
from stratagate_core.llm.port import Model
from stratagate_core.memory.audit import Audit
from stratagate_core.memory.dreaming import Dreaming
from stratagate_core.memory.events import Events
from stratagate_core.memory.evidence import Evidence
from stratagate_core.memory.graph import Graph
from stratagate_core.memory.handle import DEFAULT_THREAD, named
from stratagate_core.memory.notes import Notes
from stratagate_core.memory.purging import Purging
from stratagate_core.memory.searches import Searches
from stratagate_core.memory.topics import Topics
from stratagate_core.memory.turns import Turns, WorkMode
from stratagate_core.memory.work import Jobs
from stratagate_core.settings import Settings
from stratagate_core.text.estimate import estimate_tokens

if TYPE_CHECKING:
    from stratagate_core.aio import AsyncStrataGate


__all__ = ["DEFAULT_THREAD", "StrataGate", "WorkMode", "random_id", "utc_now"]


def utc_now() -> datetime:
    """The clock that is used unless another is handed in."""
    return datetime.now(UTC)


def random_id(prefix: str) -> str:
    """The id factory that is used unless another is handed in."""
    return f"{prefix}_{uuid.uuid4().hex}"


class StrataGate(
    Turns, Events, Graph, Topics, Dreaming, Searches, Evidence, Notes, Purging, Jobs, Audit
):
    """A memory: one namespace of one database.

    Handles are cheap, safe to share between threads and event loops, and bound to none.
    Open one with `StrataGate.open`, close it with `close` or use it as a context manager.
    """

    @classmethod
    def open(
        cls,
        database: str | Path,
        *,
        namespace: str = "default",
        owner: str = "default",
        model: Model | None = None,
        embedder: Embedder | None = None,
        settings: Settings | None = None,
        read_only: bool = False,
        recover_running: bool = False,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[str], str] = random_id,
        count_tokens: Callable[[str], int] = estimate_tokens,
    ) -> "StrataGate":
        """Open or create a memory. Takes the same time however much is stored.

        Args:
            database: a file path, ``":memory:"`` or a URL, such as
                ``postgresql://user:password@host/db`` (extra ``postgres``).
            namespace: the memory space; namespaces never see each other's content.
            owner: whose profile belongs to it.
            model: answers memory tasks; None means the offline model, which needs no key.
            embedder: makes vectors, so that a search also finds what is said in other words; None
                means words alone.
            settings: what differs from the defaults. The three stored settings
                (`block_turn_size`, `block_decay_lambda`, `agent_memory_retrieval_weight`) are
                written to the database when given here, and read from it when not.
            read_only: change no byte; writing methods then fail.
            recover_running: treat running jobs as interrupted. Only for the single writer.
            clock: gives the time as an aware datetime.
            new_id: gives a fresh id for a prefix such as ``evt``.
            count_tokens: counts the tokens of a text.

        Raises:
            InvalidArgument: an argument is not acceptable; for a model it says what to wrap it in.
            NewerSchema: the database was written by a newer version.
            StorageError: there is no such server, user or database.
            MissingExtra: the driver of the database is not installed.

        """
        core = Core.open(
            database,
            model=model,
            embedder=embedder,
            settings=Settings() if settings is None else settings,
            read_only=read_only,
            clock=clock,
            new_id=new_id,
            count_tokens=count_tokens,
        )
        handle = cls(core, namespace=named(namespace, "namespace"), owner=named(owner, "owner"))
        if recover_running:
            core.recover_running()
        return handle

    def for_namespace(self, namespace: str, *, owner: str | None = None) -> "StrataGate":
        """A handle on another namespace; shares engine, pool and worker and does no I/O."""
        return StrataGate(
            self._core,
            namespace=named(namespace, "namespace"),
            owner=named(owner or self.owner, "owner"),
        )

    @property
    def aio(self) -> "AsyncStrataGate":
        """The async twin: the same names, awaited."""
        from stratagate_core.aio import AsyncStrataGate

        return AsyncStrataGate(self)

    def close(self) -> None:
        """Write what waits, stop the worker and give the connections back."""
        self._core.close()

    def __enter__(self) -> "StrataGate":
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"StrataGate(namespace={self.namespace!r})"
