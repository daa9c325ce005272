"""What a retriever of either framework does: the search it runs, and what becomes of the hits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from stratagate_core import Card, InvalidArgument, Results, StrataGate
from stratagate_lc.passages import Passage, fitting, packed, passages

Kind = Literal["auto", "events", "raw", "both", "graph"]
Search = Callable[..., Results[Card]]

#: a search gives so many at most
MOST = 20
#: so many are given unless another number is asked for
USUAL = 6
#: the widest window: so many messages on either side
WIDEST = 2
#: up to so many passages a message comes with its neighbours; more carry more on their own
_FEW = 4

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
    "graph": frozenset({"as_of", "known_at"}),
}
#: what only events can satisfy leaves events only
_FILTERS: Mapping[str, frozenset[str]] = {**_OF_KIND, "auto": _OF_KIND["events"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """How to search. Checked when it is made.

    Args:
        kind: ``"auto"``: events and messages in one ranking, nothing twice (``"both"`` is another
            name for it); ``"events"``; ``"raw"`` (messages); ``"graph"`` (what is so now).
        filters: further arguments of the search.
        window: so many messages before and after come with each message; None means 2 where
            ``"auto"`` may give four passages at most, else 0.
        min_score: leave out what scores less than this share of the best.
        max_tokens: as much as fits into so many tokens, single messages of one conversation and
            day together below their date, unless a batch is opened.
        open_batch: open an evidence batch.

    Raises:
        InvalidArgument: a value that is not acceptable, by name.

    """

    kind: Kind = "auto"
    filters: Mapping[str, Any] = field(default_factory=dict)
    window: int | None = None
    min_score: float = 0.0
    max_tokens: int | None = None
    open_batch: bool = False

    def __post_init__(self) -> None:
        if self.kind not in _FILTERS:
            known = ", ".join(sorted(_FILTERS))
            raise InvalidArgument(f"kind must be one of {known}, not {self.kind!r}")
        unknown = sorted(set(self.filters) - _FILTERS[self.kind])
        if unknown:
            raise InvalidArgument(
                f"kind={self.kind!r} has no filter {', '.join(unknown)}; it has "
                f"{', '.join(sorted(_FILTERS[self.kind]))}"
            )
        if self.window is not None and self.window not in range(WIDEST + 1):
            raise InvalidArgument(f"window must be 0, 1 or 2, got {self.window!r}")
        if not 0 <= self.min_score <= 1:
            raise InvalidArgument(f"min_score must lie between 0 and 1, got {self.min_score!r}")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise InvalidArgument(f"max_tokens must be 1 or more, got {self.max_tokens!r}")

    def usual(self) -> int:
        """How many passages are looked for if nobody says: a budget is to be filled."""
        return USUAL if self.max_tokens is None else MOST

    def find(
        self, memory: StrataGate, query: str, *, limit: int, thread: str | None
    ) -> tuple[list[Passage], str | None]:
        """The passages for a query, best first, and the id of the batch that was opened.

        Args:
            memory: where to look.
            query: words to look for.
            limit: how many passages at most.
            thread: the asking conversation; what stands in its open tail is left out. None: no
                tail stands in the request, so nothing is left out.

        """
        kind = self._searched()
        options: dict[str, Any] = {**self.filters, "limit": limit, "open_batch": self.open_batch}
        if thread is not None:
            options["thread"] = thread
        if kind in ("auto", "both", "raw"):
            options["window"] = self._window(limit)
            if thread is None:
                options["include_tail"] = True
        searches: Mapping[str, Search] = {
            "auto": memory.search,
            "both": memory.search,
            "events": memory.search_events,
            "raw": memory.search_raw,
            "graph": memory.search_graph,
        }
        found = searches[kind](query, **options)
        kept = [one for one in passages(memory, found) if one.share >= self.min_score]
        if self.max_tokens is None:
            return kept, found.batch_id
        count = memory.count_tokens
        # a ref of the gate names one memory, so what may be assessed stays single
        if options.get("window") or self.open_batch:
            return fitting(kept, self.max_tokens, count), found.batch_id
        return packed(kept, self.max_tokens, count, memory.settings().timezone), found.batch_id

    def _searched(self) -> str:
        narrow = set(self.filters) - _OF_KIND["both"]
        return "events" if self.kind == "auto" and narrow else self.kind

    def _window(self, limit: int) -> int:
        if self.window is not None:
            return self.window
        return WIDEST if self.kind == "auto" and limit <= _FEW else 0
