"""StrataGateRetriever: events and messages of a memory as documents for any retrieval chain."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Literal

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from langchain_core.runnables import RunnableConfig, ensure_config
from pydantic import ConfigDict, Field

from stratagate_core import Card, InvalidArgument, Results, StrataGate
from stratagate_lc.langchain.documents import Render, documents
from stratagate_lc.langchain.guard import guarded
from stratagate_lc.langchain.identity import (
    THREAD_KEY,
    Configurable,
    MemoryField,
    SharesMemory,
    configurable_of,
    memory_of,
    thread_of,
)

Kind = Literal["events", "raw", "both"]
Search = Callable[..., Results[Card]]

#: what narrows a search of each kind
_FILTERS: Mapping[str, frozenset[str]] = {
    "events": frozenset(
        {
            "event_ids",
            "event_type",
            "happened_from",
            "happened_to",
            "metadata",
            "participants",
            "temporal_intent",
            "topic_id",
        }
    ),
    "raw": frozenset({"metadata", "scope"}),
    "both": frozenset({"metadata"}),
}
_MOST = 20


class StrataGateRetriever(SharesMemory, BaseRetriever):
    """Finds memories by a query.

    Args:
        memory: a memory, or what picks one by the run's configurable values.
        session_id: the asking conversation; None means the run's, if it has one.
        thread_key: where the run's configurable values name it.
        kind: ``"events"``, ``"raw"`` (messages) or ``"both"`` in one ranking. What still
            stands in the asking conversation's open tail is left out.
        k: how many documents, 1 to 20.
        render: ``"cited"`` puts date and source into the text.
        include_volatile: also score, rank and batch id, which differ from search to search.
        open_batch: open an evidence batch; needs a conversation.
        on_error: ``"empty"`` finds nothing when the memory fails.
        filters: what else `search_events` or `search_raw` take to narrow the search.

    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    memory: MemoryField = Field(exclude=True, repr=False)
    session_id: str | None = None
    thread_key: str = THREAD_KEY
    kind: Kind = "events"
    k: int = Field(default=6, ge=1, le=_MOST)
    render: Render = "plain"
    include_volatile: bool = False
    open_batch: bool = False
    on_error: Literal["raise", "empty"] = "raise"
    filters: dict[str, Any] | None = None

    def __init__(self, **given: Any) -> None:
        if given.get("kind") == "graph":
            raise InvalidArgument("kind='graph' is not available yet; use events, raw or both")
        super().__init__(**given)
        unknown = sorted(set(self.filters or {}) - _FILTERS[self.kind])
        if unknown:
            raise InvalidArgument(
                f"kind={self.kind!r} has no filter {', '.join(unknown)}; "
                f"it has {', '.join(sorted(_FILTERS[self.kind]))}"
            )

    # --- LangChain's side ---------------------------------------------------------------------

    def invoke(
        self,
        input: str,  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """The documents for a query; `k` may be given here as well."""
        config = ensure_config(config)
        return super().invoke(input, config, configurable=configurable_of(config), **kwargs)

    async def ainvoke(
        self,
        input: str,  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """As `invoke`, without blocking the loop."""
        config = ensure_config(config)
        return await super().ainvoke(input, config, configurable=configurable_of(config), **kwargs)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return self._found(query, **kwargs)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return await asyncio.to_thread(lambda: self._found(query, **kwargs))

    def _get_ls_params(self, **_kwargs: Any) -> LangSmithRetrieverParams:
        return LangSmithRetrieverParams(ls_retriever_name="stratagate")

    # --- searching ----------------------------------------------------------------------------

    def _found(
        self,
        query: str,
        *,
        k: int | None = None,
        configurable: Configurable | None = None,
        **_ignored: Any,
    ) -> list[Document]:
        run = configurable_of() if configurable is None else configurable
        thread = thread_of(self.session_id, run, self.thread_key)
        limit = self._limit(k)
        if self.open_batch and thread is None:
            raise InvalidArgument("open_batch needs a conversation id: give session_id")
        fallback: list[Document] = []
        mode: Literal["log", "raise"] = "raise" if self.on_error == "raise" else "log"
        return guarded(
            "retrieval",
            lambda: self._documents(memory_of(self.memory, run), query, limit, thread),
            fallback,
            mode,
        )

    def _limit(self, k: int | None) -> int:
        if k is None:
            return self.k
        if type(k) is not int or not 1 <= k <= _MOST:
            raise InvalidArgument(f"k must be a whole number from 1 to {_MOST}, got {k!r}")
        return k

    def _documents(
        self, memory: StrataGate, query: str, limit: int, thread: str | None
    ) -> list[Document]:
        options: dict[str, Any] = {"limit": limit, "open_batch": self.open_batch}
        options |= self.filters or {}
        if thread is not None:
            options["thread"] = thread
        elif self.kind != "events":
            # without an asking conversation no tail stands in its request
            options["include_tail"] = True
        searches: dict[str, Search] = {
            "events": memory.search_events,
            "raw": memory.search_raw,
            "both": memory.search,
        }
        found = searches[self.kind](query, **options)
        return documents(memory, found, render=self.render, include_volatile=self.include_volatile)
