"""What each tool does: one call of the public handle, and its value as JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from stratagate_core.gate.envelope import search_envelope
from stratagate_core.gate.receipts import plain, receipt_to_json
from stratagate_core.tools.arguments import (
    Assess,
    ExpandBlock,
    ExpandEvent,
    ExpandGraphNode,
    ExpandTopic,
    GetBlocks,
    ListTopics,
    RecordUse,
    Remember,
    SearchEvents,
    SearchGraph,
    SearchRaw,
)

if TYPE_CHECKING:
    from stratagate_core.memory import StrataGate


def list_topics(memory: "StrataGate", thread: str, given: ListTopics, receipt: str | None) -> Any:
    """A page of the directory; opens no batch."""
    return memory.list_topics(
        given.query, category=given.category, offset=given.offset, limit=given.limit
    )


def expand_topic(memory: "StrataGate", thread: str, given: ExpandTopic, receipt: str | None) -> Any:
    """A topic within its budget; opens no batch."""
    return memory.expand_topic(given.id)


def search_events(
    memory: "StrataGate", thread: str, given: SearchEvents, receipt: str | None
) -> Any:
    """Events as cards, in a batch."""
    found = memory.search_events(
        given.query,
        limit=given.limit,
        offset=given.offset,
        topic_id=given.topic_id,
        participants=tuple(given.participants),
        event_type=given.event_type,
        happened_from=given.happened_from,
        happened_to=given.happened_to,
        temporal_intent=given.temporal_intent,
        thread=thread,
        open_batch=True,
    )
    if given.topic_id is None:
        return search_envelope(found, next_offset=found.next_offset)
    paged = {"total_source_events": found.total, "next_offset": found.next_offset}
    told = search_envelope(found, topic_id=given.topic_id, offset=given.offset)
    return {**told, **paged}


def expand_event(memory: "StrataGate", thread: str, given: ExpandEvent, receipt: str | None) -> Any:
    """The complete card of an event, in a batch."""
    return memory.expand_event(given.id, thread=thread, open_batch=True)


def search_graph(memory: "StrataGate", thread: str, given: SearchGraph, receipt: str | None) -> Any:
    """Nodes as cards, in a batch."""
    found = memory.search_graph(
        given.query, limit=given.limit, as_of=given.as_of, thread=thread, open_batch=True
    )
    return search_envelope(found, as_of=given.as_of)


def expand_graph_node(
    memory: "StrataGate", thread: str, given: ExpandGraphNode, receipt: str | None
) -> Any:
    """A node in full, in a batch."""
    return memory.expand_graph_node(given.id, as_of=given.as_of, thread=thread, open_batch=True)


def search_raw(memory: "StrataGate", thread: str, given: SearchRaw, receipt: str | None) -> Any:
    """Messages as cards, in a batch."""
    found = memory.search_raw(
        given.query, limit=given.limit, scope=given.scope, thread=thread, open_batch=True
    )
    return search_envelope(found, scope=given.scope, namespace=memory.namespace, thread_id=thread)


def get_blocks(memory: "StrataGate", thread: str, given: GetBlocks, receipt: str | None) -> Any:
    """The blocks of this thread or of all, in a batch."""
    return memory.get_blocks(scope=given.scope, thread=thread, open_batch=True)


def expand_block(memory: "StrataGate", thread: str, given: ExpandBlock, receipt: str | None) -> Any:
    """A block at another level, in a batch."""
    return memory.expand_block(given.id, given.target, by="agent", thread=thread, open_batch=True)


def remember(memory: "StrataGate", thread: str, given: Remember, receipt: str | None) -> Any:
    """Record one fact; the id of the call makes a repeated call count once."""
    done = memory.remember(given.content, category=given.category, thread=thread, receipt=receipt)
    return {name: value for name, value in asdict(done).items() if value not in (None, "", ())}


def assess(memory: "StrataGate", thread: str, given: Assess, receipt: str | None) -> Any:
    """The judgement of a batch as it stands after the checks."""
    judged = memory.assess(
        given.verdict,
        given.evidence_refs,
        fit=given.fit,
        missing=given.missing,
        # not named: to answer, which stands with accepted evidence only (06 §3)
        next_strategy=given.next_strategy or "answer",
        batch_id=given.batch_id,
        thread=thread,
    )
    return plain(asdict(judged))


def record_use(memory: "StrataGate", thread: str, given: RecordUse, receipt: str | None) -> Any:
    """The receipt of recorded use."""
    used = memory.record_use(
        tuple(given.evidence_refs), batch_id=given.batch_id, receipt=receipt, thread=thread
    )
    return receipt_to_json(used)
