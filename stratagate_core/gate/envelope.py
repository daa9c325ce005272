"""What a retrieval call of an agent gets: a batch, its refs, the results and some extras."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from stratagate_core.conversation.read import block_context, block_values
from stratagate_core.engine import Work
from stratagate_core.errors import InvalidArgument, NotFound
from stratagate_core.gate.cards import (
    block_entry,
    block_evidence,
    event_card,
    event_evidence,
    hit_evidence,
    node_evidence,
)
from stratagate_core.gate.rules import strict_json
from stratagate_core.gate.steps import open_batch as _open_batch
from stratagate_core.graph.expand import expand as expand_node
from stratagate_core.graph.read import Asked
from stratagate_core.model.event import VISIBLE
from stratagate_core.model.evidence import Evidence
from stratagate_core.model.search import Card, Results
from stratagate_core.rank.weight import weight_at
from stratagate_core.store import blocks, events, turns
from stratagate_core.store.blocks import BlockRow

Scope = Literal["session", "namespace"]


def with_batch(work: Work, thread: str, operation: str, found: Results[Card]) -> Results[Card]:
    """The results of a search, with the batch that was opened for them."""
    evidence = [hit_evidence(hit) for hit in found.hits]
    result = [hit.item for hit in found.hits]
    batch = _open_batch(work, thread, operation, evidence, result=result)
    return replace(found, batch_id=batch.id)


def search_envelope(found: Results[Card], **extras: Any) -> dict[str, Any]:
    """The results of a search as plain JSON; extras that are None are left out."""
    parts = {
        "batch_id": found.batch_id,
        "evidence_refs": [hit.ref for hit in found.hits],
        "results": [hit.item for hit in found.hits],
        "reason": found.reason,
        **extras,
    }
    return {key: strict_json(value) for key, value in parts.items() if value is not None}


def expand_event(work: Work, thread: str, event_id: str, *, open_batch: bool) -> dict[str, Any]:
    """The complete card of a visible event of either pool.

    Raises:
        NotFound: no such event, or it is hidden.

    """
    event = events.by_ids(work.tx, [event_id]).get(event_id)
    if event is None or event.status not in VISIBLE:
        raise NotFound(
            f"no event {event_id!r}; use an id as search_events returned it", id=event_id
        )
    weight = weight_at(event.weight, event.status, work.current_turn())
    card = event_card(event, weight=weight, timezone=work.settings.timezone)
    evidence = [event_evidence(event, "expanded")]
    return _envelope(work, thread, "expand_event", evidence, [card], open_batch=open_batch)


def expand_graph_node(
    work: Work, thread: str, node_id: str, asked: Asked, *, open_batch: bool
) -> dict[str, Any]:
    """A node with its facts, edges and timeline, within six events."""
    found = expand_node(work, node_id, asked)
    evidence = [node_evidence(found.node.id, found.node.name, found.provenance, "expanded")]
    return _envelope(
        work, thread, "expand_graph_node", evidence, [found.card], open_batch=open_batch
    )


def get_blocks(work: Work, thread: str, *, scope: Scope, open_batch: bool) -> dict[str, Any]:
    """The block context of this thread, or of all threads, and why it is empty."""
    if scope not in ("session", "namespace"):
        raise InvalidArgument(f"scope must be 'session' or 'namespace', not {scope!r}")
    inside = thread if scope == "session" else None
    timezone = work.settings.timezone
    entries = [block_entry(block, timezone=timezone) for block in block_context(work, inside)]
    evidence = [block_evidence(entry, expanded=False) for entry in entries]
    tail = turns.count_turns(work.tx, inside)
    extras = {
        "scope": scope,
        "namespace": work.namespace,
        "thread_id": thread,
        "block_count": len(entries),
        "namespace_block_count": blocks.count(work.tx),
        "namespace_thread_ids": list(blocks.threads(work.tx)),
        "open_tail_count": tail,
        "empty_reason": _empty_reason(work, inside, len(entries), tail),
    }
    return _envelope(
        work, thread, "get_blocks", evidence, entries, open_batch=open_batch, extras=extras
    )


def expand_block(work: Work, thread: str, row: BlockRow, *, open_batch: bool) -> dict[str, Any]:
    """A block as it stands at its new level."""
    (block,) = block_values(work, [row])
    entry = block_entry(block, timezone=work.settings.timezone)
    evidence = [block_evidence(entry, expanded=True)]
    return _envelope(work, thread, "expand_block", evidence, [entry], open_batch=open_batch)


def _empty_reason(work: Work, inside: str | None, shown: int, tail: int) -> str | None:
    """The first reason that fits, None if there are blocks (13 §2)."""
    if shown:
        return None
    if tail:
        return "open_tail_pending"
    if blocks.count(work.tx, status="pending", thread=inside):
        return "blocks_pending"
    if not blocks.count(work.tx):
        return "no_blocks_in_namespace"
    return "blocks_exist_in_other_threads"


def _envelope(
    work: Work,
    thread: str,
    operation: str,
    evidence: Sequence[Evidence],
    results: Sequence[Mapping[str, Any]],
    *,
    open_batch: bool,
    extras: Mapping[str, Any] = {},
) -> dict[str, Any]:
    parts = {
        "evidence_refs": [item.ref for item in evidence],
        "results": list(results),
        **extras,
    }
    if not open_batch:
        return parts
    batch = _open_batch(work, thread, operation, evidence, result=parts)
    return {"batch_id": batch.id, **parts}
