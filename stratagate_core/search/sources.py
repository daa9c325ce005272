"""What an index is made of, read from the sources a page at a time: for a rebuild and a scan."""

from collections.abc import Iterator
from dataclasses import dataclass

from stratagate_core.conversation.rules.summary import result_summary
from stratagate_core.engine import Work
from stratagate_core.graph.read import scene
from stratagate_core.graph.rules.match import node_tokens
from stratagate_core.model.message import Message
from stratagate_core.rank.fields import event_tokens, message_tokens
from stratagate_core.store import events, index, nodes, turns
from stratagate_core.store.event_order import visible_ids


@dataclass(frozen=True, slots=True)
class Source:
    """One document as it is to be indexed; a message comes with its place."""

    id: str
    tokens: list[str]
    message: Message | None = None


def pages(work: Work, name: str) -> Iterator[tuple[Source, ...]]:
    """All documents of a collection, in the order of their ids."""
    if name == index.GRAPH:
        return _nodes(work)
    return _messages(work) if name == index.MESSAGES else _events(work, name)


def _messages(work: Work) -> Iterator[tuple[Source, ...]]:
    last = ""
    while page := turns.standing_messages(work.tx, after=last):
        last = str(page[-1].id)
        yield tuple(_of_message(message) for message in page)


def _of_message(message: Message) -> Source:
    return Source(str(message.id), tokens_of(message), message)


def tokens_of(message: Message) -> list[str]:
    """The tokens a message is indexed by."""
    summaries = [result_summary(trace.result) for trace in message.tool_calls]
    return message_tokens(message, summaries)


def _events(work: Work, name: str) -> Iterator[tuple[Source, ...]]:
    pool = "agent" if name == index.AGENT else "passive"
    for ids in visible_ids(work.tx, pool, "id"):
        found = events.by_ids(work.tx, ids)
        yield tuple(Source(key, event_tokens(found[key])) for key in ids if key in found)


def _nodes(work: Work) -> Iterator[tuple[Source, ...]]:
    for ids in nodes.pages(work.tx):
        views = scene(work, ids).views
        yield tuple(Source(key, node_tokens(views[key]) if key in views else []) for key in ids)
