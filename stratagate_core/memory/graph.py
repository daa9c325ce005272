"""The graph: what is so now."""

from datetime import datetime
from typing import Any

from stratagate_core import arguments
from stratagate_core.gate import envelope
from stratagate_core.graph.expand import asked_for
from stratagate_core.graph.expand import listing as list_nodes
from stratagate_core.graph.expand import node as read_node
from stratagate_core.memory.handle import DEFAULT_THREAD, Handle, thread_name
from stratagate_core.model.graph import Node
from stratagate_core.model.search import Card, Page, Results
from stratagate_core.search.graph import search_graph


class Graph(Handle):
    """Reads and searches nodes, now or at an instant."""

    def node(
        self,
        node_id: str,
        *,
        as_of: str | datetime | None = None,
        known_at: str | datetime | None = None,
    ) -> Node:
        """One node of the graph with all facts that may be shown, now or at an instant.

        Raises:
            NotFound: no such node, or none of its events may be shown.

        """
        with self._read() as work:
            return read_node(work, arguments.text(node_id, "node_id"), asked_for(as_of, known_at))

    def nodes(self, *, limit: int = 50, offset: int = 0) -> Page[Node]:
        """The nodes of the graph with all facts that may be shown, the last changed first.

        Args:
            limit: at most so many.
            offset: so many are passed over.

        """
        with self._read() as work:
            return list_nodes(
                work,
                limit=arguments.whole(limit, "limit", least=1),
                offset=arguments.whole(offset, "offset", least=0),
            )

    def search_graph(
        self,
        query: str,
        *,
        limit: int = 8,
        as_of: str | datetime | None = None,
        known_at: str | datetime | None = None,
        thread: str = DEFAULT_THREAD,
        open_batch: bool = False,
    ) -> Results[Card]:
        """Find what is so now: nodes with their facts and relations. Blank finds nothing.

        Args:
            query: words to look for.
            limit: 1 to 20 (clamped).
            as_of: show what was so at this instant (aware, or ISO 8601 with an offset).
            known_at: only what had been mentioned by this instant.
            thread: the asking thread.
            open_batch: also open an evidence batch.

        """
        asked = asked_for(as_of, known_at)
        return self._searched(
            "search_graph",
            thread,
            open_batch,
            lambda work, _vector: search_graph(work, query, limit=limit, asked=asked),
        )

    def expand_graph_node(
        self,
        node_id: str,
        *,
        as_of: str | datetime | None = None,
        known_at: str | datetime | None = None,
        thread: str = DEFAULT_THREAD,
        open_batch: bool = False,
    ) -> dict[str, Any]:
        """A node as JSON: current, stale and historical facts, edges, who won, timeline."""
        asked = asked_for(as_of, known_at)
        with self._opening(open_batch) as work:
            return envelope.expand_graph_node(
                work,
                thread_name(thread),
                arguments.text(node_id, "node_id"),
                asked,
                open_batch=open_batch,
            )
