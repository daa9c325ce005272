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
from stratagate_lc.langchain.documents import Render, above, documents, within
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

Kind = Literal["auto", "events", "raw", "both"]
Search = Callable[..., Results[Card]]

#: what narrows a search of each kind
_OF_KIND: Mapping[str, frozenset[str]] = {
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
#: what only events can satisfy leaves events only
_FILTERS = {**_OF_KIND, "auto": _OF_KIND["events"]}
_MOST = 20
#: up to so many documents a message comes with its neighbours; more carry more on their own
_FEW, _WIDE = 4, 2


class StrataGateRetriever(SharesMemory, BaseRetriever):
    """Finds memories by a query.

    Args:
        memory: a memory, or what picks one by the run's configurable values.
        session_id: the asking conversation; None means the run's, if it has one.
        thread_key: where the run's configurable values name it.
        kind: ``"auto"``: events and messages in one ranking, nothing twice (``"both"`` is
            another name for it); ``"events"``; ``"raw"`` (messages). What still stands in the
            asking conversation's open tail is left out.
        k: how many documents, 1 to 20.
        render: ``"cited"`` puts date and source into the text.
        include_volatile: also score, rank and batch id, which differ from search to search.
        open_batch: open an evidence batch; needs a conversation.
        on_error: ``"empty"`` finds nothing when the memory fails.
        filters: what else `search_events` or `search_raw` take to narrow the search.
        window: so many messages before and after come with each message, 0 to 2; None means 2
            where ``"auto"`` may give four documents at most, else 0.
        min_score: leave out what scores less than this share of the best, 0 to 1.
        max_tokens: stop before the first document that would not fit so many tokens together.

    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    memory: MemoryField = Field(exclude=True, repr=False)
    session_id: str | None = None
    thread_key: str = THREAD_KEY
    kind: Kind = "auto"
    k: int = Field(default=6, ge=1, le=_MOST)
    render: Render = "plain"
    include_volatile: bool = False
    open_batch: bool = False
    on_error: Literal["raise", "empty"] = "raise"
    filters: dict[str, Any] | None = None
    window: int | None = Field(default=None, ge=0, le=_WIDE)
    min_score: float = Field(default=0.0, ge=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)

    def __init__(self, **given: Any) -> None:
        if given.get("kind") == "graph":
            raise InvalidArgument("kind='graph' is not available yet; use auto, events or raw")
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
        kind = self._kind()
        options: dict[str, Any] = {"limit": limit, "open_batch": self.open_batch}
        options |= self.filters or {}
        if thread is not None:
            options["thread"] = thread
        elif kind != "events":
            # without an asking conversation no tail stands in its request
            options["include_tail"] = True
        if kind != "events":
            options["window"] = self._window(limit)
        searches: dict[str, Search] = {
            "auto": memory.search,
            "events": memory.search_events,
            "raw": memory.search_raw,
            "both": memory.search,
        }
        found = searches[kind](query, **options)
        found = above(found, self.min_score)
        made = documents(memory, found, render=self.render, include_volatile=self.include_volatile)
        return within(made, self.max_tokens, memory.count_tokens)

    def _kind(self) -> Kind:
        narrow = set(self.filters or {}) - _OF_KIND["both"]
        return "events" if self.kind == "auto" and narrow else self.kind

    def _window(self, limit: int) -> int:
        if self.window is not None:
            return self.window
        return _WIDE if self.kind == "auto" and limit <= _FEW else 0
