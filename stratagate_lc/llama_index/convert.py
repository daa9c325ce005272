"""Pure conversion between LlamaIndex values and the core's."""

import re
from collections.abc import Callable
from typing import Any

from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

from stratagate_core import Card, Hit, Results
from stratagate_core.text.redact import redact

#: how a tool hands over a single named argument
_TOOL_ARGUMENT = re.compile(r"\Ainput is (?=\S)")
#: how language models number the queries they generate
_NUMBERING = re.compile(r"\A\d{1,3}[.)]\s+(?=\S)")
_ID_KEYS = ("memory_id", "source")


def clean_query(text: str) -> str:
    """The query without what tools and query generators put around it."""
    query = text.strip()
    if "\n" not in query:
        query = _TOOL_ARGUMENT.sub("", query)
    return _NUMBERING.sub("", query)


def to_nodes(found: Results[Card]) -> list[NodeWithScore]:
    """Fresh nodes for the hits, best first; scores are shares of the best one."""
    best = max((hit.score for hit in found.hits), default=0.0)
    taken: set[str] = set()
    nodes = []
    for hit in found.hits:
        node = _node(hit, found.batch_id)
        if node.node_id in taken:  # a message and an event may bear the same id
            node.id_ = hit.ref
        taken.add(node.node_id)
        nodes.append(NodeWithScore(node=node, score=_share(hit.score, best)))
    return nodes


def _share(score: float, best: float) -> float:
    return min(1.0, max(0.0, score / best)) if best > 0 else 0.0


def _node(hit: Hit[Card], batch_id: str | None) -> TextNode:
    """The node of a hit. What differs from call to call stays out of the node's metadata."""
    metadata = _metadata(hit.item)
    place: dict[str, Any] = {"ref": hit.ref} | ({"batch_id": batch_id} if batch_id else {})
    memory_id = metadata["memory_id"]
    return TextNode(
        id_=memory_id,
        text=_window(hit) or _text(hit.item),
        metadata=metadata,
        excluded_llm_metadata_keys=list(_ID_KEYS),
        excluded_embed_metadata_keys=list(metadata),
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=memory_id, metadata=place)},
    )


def within(
    nodes: list[NodeWithScore], budget: int | None, count: Callable[[str], int]
) -> list[NodeWithScore]:
    """The nodes before the first that does not fit the budget; without one, all."""
    left = float("inf") if budget is None else budget
    fitting = []
    for node in nodes:
        left -= count(node.node.get_content())
        if left < 0:
            break
        fitting.append(node)
    return fitting


def _window(hit: Hit[Card]) -> str:
    """A message with its neighbours, by speaker; empty without any."""
    said = [message for message in hit.around if message.content.strip()]
    lines = [f"{message.name or message.role}: {redact(message.content)}" for message in said]
    return "\n".join(lines) if len(lines) > 1 else ""


def _text(card: Card) -> str:
    if "message" in card:
        return str(card["message"]["content"])
    title, summary = str(card["title"]), str(card["summary"])
    return summary if title in summary else f"{title}\n{summary}"


def _metadata(card: Card) -> dict[str, str]:
    """Flat, stable, and without what is not there."""
    if "message" in card:
        kind, happened, mentioned = "message", card.get("source_time"), None
    else:
        times = card.get("temporal", {})
        kind, happened, mentioned = "event", times.get("happened_start"), times.get("mentioned_at")
    found = {
        "memory_id": card["id"],
        "kind": kind,
        "source": f"mem://{kind}/{card['id']}",
        "happened_at": happened,
        "mentioned_at": mentioned,
    }
    return {name: str(value) for name, value in found.items() if value}
