"""A memory as a LlamaIndex retriever, for query engines, chat engines, routers and tools."""

import logging
from collections.abc import Mapping
from typing import Any, Literal, get_args

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.schema import NodeWithScore, QueryBundle

from stratagate_core import Card, InvalidArgument, Results, StrataGate, StrataGateError
from stratagate_lc.llama_index.convert import clean_query, to_nodes, within

logger = logging.getLogger("stratagate_lc.llama_index")

Kind = Literal["auto", "events", "raw", "both"]
OnError = Literal["raise", "empty"]

_MOST = 20
#: kind -> the core's operation
_OPERATIONS: Mapping[str, str] = {
    "auto": "search",
    "both": "search",
    "events": "search_events",
    "raw": "search_raw",
}
#: filters that each operation takes
_OF_KIND: Mapping[str, frozenset[str]] = {
    "events": frozenset(
        {
            "topic_id",
            "event_ids",
            "participants",
            "event_type",
            "happened_from",
            "happened_to",
            "temporal_intent",
            "metadata",
        }
    ),
    "raw": frozenset({"scope", "metadata"}),
    "both": frozenset({"metadata"}),
}
#: what only events can satisfy leaves events only
_FILTERS = {**_OF_KIND, "auto": _OF_KIND["events"]}
#: up to so many nodes a message comes with its neighbours; more nodes carry more on their own
_FEW, _WIDE = 4, 2


class StrataGateRetriever(BaseRetriever):
    """Finds memories: one node each, whose id is the memory's.

    Args:
        core: the memory to search.
        session_id: the asking thread; the messages of its open tail stand in the request
            already and are left out. None: nobody's tail is left out.
        k: how many nodes, 1 to 20 (clamped).
        kind: ``"auto"``: events and messages in one ranking, nothing twice (``"both"`` is
            another name for it); ``"events"``; ``"raw"`` (messages).
        open_batch: also open an evidence batch, for whoever settles it.
        on_error: ``"raise"`` errors of the memory, or log them and give no nodes (``"empty"``).
        filters: further arguments of the search: for events those of `search_events`, for
            messages ``scope`` and ``metadata``, for both ``metadata``.
        window: so many messages before and after come with each message, 0 to 2; None means 2
            where ``"auto"`` may give four nodes at most, else 0.
        min_score: leave out what scores less than this share of the best, 0 to 1.
        max_tokens: stop before the first node that would not fit so many tokens together.
        callback_manager: as in any retriever.
        verbose: as in any retriever.

    """

    def __init__(
        self,
        core: StrataGate,
        *,
        session_id: str | None = None,
        k: int = 6,
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
        _operation(kind)
        narrowing = _checked_filters(kind, filters or {})
        searched = "events" if kind == "auto" and set(narrowing) - _OF_KIND["both"] else kind
        self._operation = _operation(searched)
        self._on_error = on_error
        self._arguments: dict[str, Any] = {
            **narrowing,
            **_asking(searched, session_id),
            **_windowed(searched, window, _clamped(k)),
            "limit": _clamped(k),
            "open_batch": open_batch,
        }
        if not 0 <= min_score <= 1:
            raise InvalidArgument(f"min_score must lie between 0 and 1, got {min_score!r}")
        if max_tokens is not None and max_tokens < 1:
            raise InvalidArgument(f"max_tokens must be 1 or more, got {max_tokens!r}")
        self._min_score = min_score
        self._max_tokens = max_tokens

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        query = clean_query(query_bundle.query_str)
        if not query:
            return []
        try:
            return self._fitting(getattr(self._core, self._operation)(query, **self._arguments))
        except StrataGateError as error:
            return self._without(error)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        query = clean_query(query_bundle.query_str)
        if not query:
            return []
        search = getattr(self._core.aio, self._operation)
        try:
            return self._fitting(await search(query, **self._arguments))
        except StrataGateError as error:
            return self._without(error)

    def _fitting(self, found: Results[Card]) -> list[NodeWithScore]:
        nodes = [node for node in to_nodes(found) if (node.score or 0.0) >= self._min_score]
        return within(nodes, self._max_tokens, self._core.count_tokens)

    def _without(self, error: StrataGateError) -> list[NodeWithScore]:
        """Called while `error` is handled."""
        if self._on_error == "raise":
            raise error
        logger.warning("retrieval failed, going on without memory: %s", type(error).__name__)
        return []


def _operation(kind: str) -> str:
    if kind not in _OPERATIONS:
        raise InvalidArgument(f"kind must be one of {', '.join(_OPERATIONS)}, not {kind!r}")
    return _OPERATIONS[kind]


def _checked_filters(kind: str, filters: Mapping[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(filters) - _FILTERS[kind])
    if unknown:
        raise InvalidArgument(
            f"kind {kind!r} has no filter {', '.join(unknown)}; it has "
            f"{', '.join(sorted(_FILTERS[kind]))}"
        )
    return dict(filters)


def _asking(kind: str, session_id: str | None) -> dict[str, Any]:
    """Who asks. An event search has no tail to leave out."""
    if session_id is not None:
        return {"thread": session_id}
    return {} if kind == "events" else {"include_tail": True}


def _windowed(kind: str, window: int | None, k: int) -> dict[str, Any]:
    """How many neighbours a message comes with."""
    if kind == "events":
        return {}
    few = _WIDE if kind == "auto" and k <= _FEW else 0
    return {"window": few if window is None else window}


def _clamped(k: int) -> int:
    if type(k) is not int:
        raise InvalidArgument(f"k must be a whole number from 1 to {_MOST}, got {k!r}")
    return min(max(k, 1), _MOST)
