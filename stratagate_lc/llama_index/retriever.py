"""A memory as a LlamaIndex retriever, for query engines, chat engines, routers and tools."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, Literal, get_args

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.schema import NodeWithScore, QueryBundle

from stratagate_core import InvalidArgument, StrataGate, StrataGateError
from stratagate_lc.finding import MOST, Finding, Kind
from stratagate_lc.llama_index.convert import clean_query, to_nodes

logger = logging.getLogger("stratagate_lc.llama_index")

OnError = Literal["raise", "empty"]


class StrataGateRetriever(BaseRetriever):
    """Finds memories: one node each, whose id is the memory's.

    Args:
        core: the memory to search.
        session_id: the asking thread; the messages of its open tail stand in the request
            already and are left out. None: nobody's tail is left out.
        k: how many nodes, 1 to 20 (clamped); None means 6, with `max_tokens` 20.
        kind: ``"auto"``: events and messages in one ranking, nothing twice (``"both"`` is
            another name for it); ``"events"``; ``"raw"`` (messages); ``"graph"`` (what is so now).
        open_batch: also open an evidence batch, for whoever settles it.
        on_error: ``"raise"`` errors of the memory, or log them and give no nodes (``"empty"``).
        filters: what else the search takes to narrow it: for ``"events"`` (and ``"auto"``, which
            then gives events only) what `search_events` takes, for ``"raw"`` ``metadata`` and
            ``scope``, for ``"graph"`` ``as_of`` and ``known_at``.
        window: so many messages before and after come with each message, 0 to 2; None means 2
            where ``"auto"`` may give four nodes at most, else 0.
        min_score: leave out what scores less than this share of the best, 0 to 1.
        max_tokens: give as much as fits into so many tokens. Single messages of one conversation
            and day then come as one node below their date, with the id of the best,
            unless a batch is opened.
        callback_manager: as in any retriever.
        verbose: as in any retriever.

    """

    def __init__(
        self,
        core: StrataGate,
        *,
        session_id: str | None = None,
        k: int | None = None,
        kind: Kind = "auto",
        open_batch: bool = False,
        on_error: OnError = "raise",
        filters: Mapping[str, Any] | None = None,
        window: int | None = None,
        min_score: float = 0.0,
        max_tokens: int | None = None,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(callback_manager=callback_manager, verbose=verbose)
        if on_error not in get_args(OnError):
            raise InvalidArgument(f"on_error must be 'raise' or 'empty', not {on_error!r}")
        self._core = core
        self._session_id = session_id
        self._on_error = on_error
        self._finding = Finding(
            kind=kind,
            filters=dict(filters or {}),
            window=window,
            min_score=min_score,
            max_tokens=max_tokens,
            open_batch=open_batch,
        )
        self._limit = self._finding.usual() if k is None else _clamped(k)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        query = clean_query(query_bundle.query_str)
        if not query:
            return []
        try:
            return self._found(query)
        except StrataGateError as error:
            if self._on_error == "raise":
                raise
            logger.warning("retrieval failed, going on without memory: %s", type(error).__name__)
            return []

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)

    def _found(self, query: str) -> list[NodeWithScore]:
        found, batch_id = self._finding.find(
            self._core, query, limit=self._limit, thread=self._session_id
        )
        return to_nodes(found, batch_id, self._core.settings().timezone)


def _clamped(k: int) -> int:
    if type(k) is not int:
        raise InvalidArgument(f"k must be a whole number from 1 to {MOST}, got {k!r}")
    return min(max(k, 1), MOST)
