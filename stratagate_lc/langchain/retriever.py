"""StrataGateRetriever: events and messages of a memory as documents for any retrieval chain."""

import asyncio
from typing import Any, Literal

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from langchain_core.runnables import RunnableConfig, ensure_config
from pydantic import ConfigDict, Field

from stratagate_core import InvalidArgument, StrataGate
from stratagate_lc.finding import MOST, USUAL, WIDEST, Finding, Kind
from stratagate_lc.langchain.documents import Render, document, volatile
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


class StrataGateRetriever(SharesMemory, BaseRetriever):
    """Finds memories by a query.

    Args:
        memory: a memory, or what picks one by the run's configurable values.
        session_id: the asking conversation; None means the run's, if it has one.
        thread_key: where the run's configurable values name it.
        kind: ``"auto"``: events and messages in one ranking, nothing twice (``"both"`` is
            another name for it); ``"events"``; ``"raw"`` (messages); ``"graph"`` (what is so now).
            What still stands in the asking conversation's open tail is left out.
        k: how many documents, 1 to 20; with `max_tokens` 20 unless another number is given.
        render: ``"cited"`` puts date and source into the text.
        include_volatile: also score, rank and batch id, which differ from search to search.
        open_batch: open an evidence batch; needs a conversation.
        on_error: ``"empty"`` finds nothing when the memory fails.
        filters: what else the search takes to narrow it: for ``"events"`` (and ``"auto"``, which
            then gives events only) what `search_events` takes, for ``"raw"`` ``metadata`` and
            ``scope``, for ``"graph"`` ``as_of`` and ``known_at``.
        window: so many messages before and after come with each message, 0 to 2; None means 2
            where ``"auto"`` may give four documents at most, else 0.
        min_score: leave out what scores less than this share of the best, 0 to 1.
        max_tokens: give as much as fits into so many tokens. Single messages of one conversation
            and day then come as one document below their date, with the id of the best,
            unless a batch is opened.

    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    memory: MemoryField = Field(exclude=True, repr=False)
    session_id: str | None = None
    thread_key: str = THREAD_KEY
    kind: Kind = "auto"
    k: int = Field(default=USUAL, ge=1, le=MOST)
    render: Render = "plain"
    include_volatile: bool = False
    open_batch: bool = False
    on_error: Literal["raise", "empty"] = "raise"
    filters: dict[str, Any] | None = None
    window: int | None = Field(default=None, ge=0, le=WIDEST)
    min_score: float = Field(default=0.0, ge=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._finding()

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
            return self.k if "k" in self.model_fields_set else self._finding().usual()
        if type(k) is not int or not 1 <= k <= MOST:
            raise InvalidArgument(f"k must be a whole number from 1 to {MOST}, got {k!r}")
        return k

    def _documents(
        self, memory: StrataGate, query: str, limit: int, thread: str | None
    ) -> list[Document]:
        finding, timezone = self._finding(), memory.settings().timezone
        found, batch_id = finding.find(memory, query, limit=limit, thread=thread)
        made = [document(passage, timezone, self.render) for passage in found]
        if self.include_volatile:
            for rank, (each, passage) in enumerate(zip(made, found, strict=True), start=1):
                each.metadata |= volatile(passage, rank, batch_id)
        return made

    def _finding(self) -> Finding:
        return Finding(
            kind=self.kind,
            filters=self.filters or {},
            window=self.window,
            min_score=self.min_score,
            max_tokens=self.max_tokens,
            open_batch=self.open_batch,
        )
