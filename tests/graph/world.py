"""A memory whose events and projections are what a test says they are."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import repeat
from typing import Any

from stratagate_core import Card, Event, Settings, StrataGate
from stratagate_core.graph.rules.fold import node_id
from stratagate_core.llm.port import Request
from stratagate_core.store import nodes
from stratagate_core.testing import CountingIds, ManualClock, ScriptedModel
from tests.conftest import NO_GRAPH, START

SUMMARY = {
    "l0_title": "A block",
    "l1_summary": "They talked.",
    "l0_tags": [],
    "l2_keypoints": [],
    "should_extract": False,
}
Json = dict[str, Any]


def fact(key: str, value: Any, *sources: str, **parts: Any) -> Json:
    """A fact of a projected node."""
    return {"key": key, "value": value, "source_event_ids": list(sources), **parts}


def node(name: str, *sources: str, kind: str = "person", **parts: Any) -> Json:
    """A projected node; its ref is its name, its aliases and tags are proven by its events."""
    ids = list(sources)
    proof = {
        what: [{"value": value, "source_event_ids": ids} for value in parts.get(what, ())]
        for what in ("aliases", "tags")
    }
    return {
        "ref": name,
        "name": name,
        "type": kind,
        "source_event_ids": ids,
        "metadata_provenance": {"name": ids, **proof},
        **parts,
    }


def edge(start: str, relation: str, end: str, *sources: str, **parts: Any) -> Json:
    """A projected edge."""
    ends = {"from_ref": start, "to_ref": end, "relation": relation}
    return {**ends, "source_event_ids": list(sources), **parts}


def projection(*nodes: Json, edges: Sequence[Json] = ()) -> Json:
    """The answer of a projector."""
    return {"reason": "they said so", "nodes": list(nodes), "edges": list(edges)}


class GraphWorld:
    """`tell` stores an event on a turn of its own; its projection is handed over with it."""

    def __init__(self, database: str = ":memory:", **options: Any) -> None:
        self.answers: deque[Any] = deque()
        self.clock = ManualClock(START)
        self.model = ScriptedModel(
            {"summarise_block": repeat(SUMMARY), "project_graph": repeat(self._project)}
        )
        settings = {"block_turn_size": 1, "processing": "inline", "recall_messages": False}
        self.memory = StrataGate.open(
            database,
            model=options.pop("model", self.model),
            settings=Settings(**(settings | options)),
            clock=self.clock,
            new_id=CountingIds(),
        )

    def _project(self, request: Request) -> Any:
        answer = self.answers.popleft() if self.answers else NO_GRAPH
        return answer(request) if callable(answer) else answer

    def tell(
        self,
        event_id: str,
        text: str = "something",
        answer: Mapping[str, Any] | Callable[[Request], Any] | None = None,
        *,
        at: datetime | str | None = None,
        **draft: Any,
    ) -> Event:
        """An event and what it adds to the graph."""
        self.clock.advance(minutes=1)
        if answer is not None:
            self.answers.append(answer)
        said_at = instant(at) if isinstance(at, str) else at
        thread = draft.pop("thread", "t")
        block = self.memory.add_turn(text, "ok", at=said_at, thread=thread).sealed_block_id
        source = next(
            said for said in self.memory.thread_messages(thread) if said.block_id == block
        )
        card = {"id": event_id, "title": text, "summary": text, "scope": "user"}
        cited = {"source_block_id": block, "source_message_ids": [source.id]}
        (event,) = self.memory.ingest_events([card | cited | draft])
        return event

    def found(self, query: str, **options: Any) -> dict[str, Card]:
        """The cards of a search by the names of their nodes."""
        return {
            str(hit.item["name"]): hit.item
            for hit in self.memory.search_graph(query, **options).hits
        }

    def expanded(self, name: str, kind: str = "person", **options: Any) -> Json:
        """The expansion of a node."""
        card: Json = self.memory.expand_graph_node(node_id(kind, name), **options)["results"][0]
        return card

    def rows(self) -> Json:
        """All nodes and edges as they are stored."""
        with self.memory._read() as work:
            ids = [key for page in nodes.pages(work.tx) for key in page]
            return {
                "nodes": nodes.by_ids(work.tx, ids),
                "edges": {key: nodes.edges_at(work.tx, [key])[key] for key in ids},
            }


def instant(day: str) -> datetime:
    """Midnight of a day in UTC."""
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


def values(facts: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The values of facts."""
    return [one["value"] for one in facts]
