"""Pure conversion between LlamaIndex values and the core's."""

import re
from collections.abc import Iterable
from datetime import tzinfo
from typing import Any

from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

from stratagate_lc.passages import Passage

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


def to_nodes(
    found: Iterable[Passage], batch_id: str | None, timezone: tzinfo
) -> list[NodeWithScore]:
    """Fresh nodes for the passages, best first; scores are shares of the best one."""
    taken: set[str] = set()
    nodes = []
    for passage in found:
        node = _node(passage, batch_id, timezone)
        if node.node_id in taken:  # a message and an event may bear the same id
            node.id_ = passage.ref
        taken.add(node.node_id)
        nodes.append(NodeWithScore(node=node, score=passage.share))
    return nodes


def _node(passage: Passage, batch_id: str | None, timezone: tzinfo) -> TextNode:
    """The node of a passage. What differs from call to call stays out of its metadata."""
    metadata = passage.metadata(timezone)
    place: dict[str, Any] = {"ref": passage.ref} | ({"batch_id": batch_id} if batch_id else {})
    return TextNode(
        id_=passage.key,
        text=passage.text,
        metadata=metadata,
        excluded_llm_metadata_keys=list(_ID_KEYS),
        excluded_embed_metadata_keys=list(metadata),
        relationships={
            NodeRelationship.SOURCE: RelatedNodeInfo(node_id=passage.key, metadata=place)
        },
    )
