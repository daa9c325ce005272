"""Reading activated memory for one user message (07 §2, §3).

A part that fails is left out and named; memory never costs the user an answer.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from stratagate_core.conversation.read import level_now
from stratagate_core.embedding.port import QueryVector
from stratagate_core.engine import Work
from stratagate_core.graph.cards import hit_card
from stratagate_core.graph.read import NOW
from stratagate_core.graph.rules.match import hit_node
from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.model.graph import Node
from stratagate_core.model.message import Message
from stratagate_core.model.recall import Recall
from stratagate_core.model.turn import Turn
from stratagate_core.recall import rules
from stratagate_core.recall.directory import directory_part
from stratagate_core.search.events import find_events, pools_of
from stratagate_core.search.graph import find_nodes
from stratagate_core.search.raw import find_messages
from stratagate_core.store import blocks, events, namespaces, turns
from stratagate_core.text.language import choose_language

_log = logging.getLogger(__name__)

#: how many hits each part looks at
EVENT_HITS = 20
MESSAGE_HITS = 20
NODE_HITS = 12
#: nodes that are activated at most
NODES_KEPT = 4
#: an event whose share of the best relevance is smaller would take the place of better messages
NEAR_THE_BEST = 0.6
#: pinned and safety events that are looked at without a lexical match
ALWAYS = 8
#: a block shown at this level or deeper still holds the words its events rest on
WORDS_FROM = 3

T = TypeVar("T")


def recall(
    work: Work,
    message: str,
    *,
    thread: str,
    present: Iterable[str] = (),
    vector: QueryVector | None = None,
) -> Recall:
    """What to put before a model call that answers `message`.

    Args:
        work: the open transaction; nothing is written.
        message: the user's current message.
        thread: the conversation it stands in.
        present: ids of messages and blocks that the request shows already.
        vector: the vector of the message, if there is an embedder.

    """
    if not work.settings.recall_enabled:
        return Recall(text="", reasons={"recall": "disabled"})
    reasons: dict[str, str] = {}
    shown = tuple(present)
    tail = _attempt(work, "open_tail", reasons, lambda: _tail(work, thread))
    standing = frozenset(shown) | {str(said.id) for turn in tail for said in turn.messages}
    standing |= set(_attempt(work, "block_views", reasons, lambda: _viewed(work, shown)))
    query = rules.query_text(message, tail)
    chosen = _attempt(
        work, "events", reasons, lambda: _events(work, query, thread, standing, vector)
    )
    named = rules.graph_query(message, tail)
    nodes = _attempt(work, "graph", reasons, lambda: _nodes(work, named, thread, standing))
    found = _attempt(
        work, "messages", reasons, lambda: _messages(work, query, thread, standing, vector)
    )
    written = rules.activated(
        chosen,
        found,
        nodes=[card for card, _ in nodes],
        budget=work.settings.recall_budget,
        count=work.env.count_tokens,
        language=choose_language(work.settings.language, message),
        timezone=work.settings.timezone,
    )
    _explain(reasons, "events", len(chosen), len(written.events))
    _explain(reasons, "graph", len(nodes), written.nodes)
    _explain(reasons, "messages", len(found), len(written.messages))
    directory = "".join(
        _attempt(work, "directory", reasons, lambda: [directory_part(work, message)])
    )
    return Recall(
        text=written.text,
        directory_text=directory,
        events=written.events,
        nodes=tuple(node for _, node in nodes[: written.nodes]),
        messages=written.messages,
        tokens=work.env.count_tokens(written.text),
        reasons=reasons,
    )


def _attempt(
    work: Work, part: str, reasons: dict[str, str], read: Callable[[], Sequence[T]]
) -> Sequence[T]:
    """What `read` gives; nothing, with a reason, if it fails. No content is logged."""
    try:
        with work.tx.part():
            return read()
    except Exception as error:
        _log.warning("recall goes on without %s: %s", part, type(error).__name__)
        reasons[part] = "failed"
        return ()


def _explain(reasons: dict[str, str], part: str, found: int, shown: int) -> None:
    if part not in reasons and shown < found:
        reasons[part] = "budget"
    elif part not in reasons and not found:
        reasons[part] = "no_match"


def _tail(work: Work, thread: str) -> Sequence[Turn]:
    counters = namespaces.thread(work.tx, thread)
    rows = turns.tail(work.tx, thread, counters.epoch)
    return [turns.turn_with_messages(work.tx, row) for row in rows]


def _viewed(work: Work, shown: Sequence[str]) -> Sequence[str]:
    """The messages of the shown blocks whose words still stand in their views."""
    rows = blocks.by_ids(work.tx, shown).values()
    wordy = [row.id for row in rows if level_now(work, row) >= WORDS_FROM]
    return [str(said.id) for row in wordy for said in turns.block_messages(work.tx, row)]


def _events(
    work: Work, query: str, thread: str, standing: frozenset[str], vector: QueryVector | None
) -> Sequence[Event]:
    if not query:
        return ()
    found = find_events(work, query, limit=EVENT_HITS, weight_factor=0.0, vector=vector)
    best = max((match.share for match in found.matches), default=0.0)
    relevant = [m.event for m in found.matches if m.share >= NEAR_THE_BEST * best]
    always = events.always_on(work.tx, limit=ALWAYS, pools=list(pools_of(work)))
    fitting = _fitting(work, {event.id: event for event in (*relevant, *always)}, thread, standing)
    return rules.choose_events(
        [event for event in relevant if event.id in fitting],
        [event for event in always if event.id in fitting],
        work.current_turn(),
    )


def _fitting(
    work: Work, candidates: dict[str, Event], thread: str, standing: frozenset[str]
) -> frozenset[str]:
    """Ids of the events that are new to the request and may be seen in this thread."""
    asked = [event for event in candidates.values() if event.scope == "session"]
    sources = [source for event in asked for source in event.source_message_ids]
    local = {
        said.id for said in turns.messages_by_id(work.tx, sources).values() if said.thread == thread
    }
    return frozenset(
        event.id
        for event in candidates.values()
        if event.status in VISIBLE
        and not standing.issuperset(event.source_message_ids)
        and (event.scope != "session" or not local.isdisjoint(event.source_message_ids))
    )


def _nodes(
    work: Work, query: str, thread: str, standing: frozenset[str]
) -> Sequence[tuple[Mapping[str, Any], Node]]:
    """Cards and values of the best nodes that do not rest on what the request shows already.

    Nobody asked for them, so one common word does not bring them.
    """
    if not query:
        return ()
    hits = [hit for hit, _ in find_nodes(work, query, limit=NODE_HITS) if hit.telling]
    cited = events.by_ids(work.tx, sorted({key for hit in hits for key in hit.provenance}))
    fitting = _fitting(work, cited, thread, standing)
    own = frozenset(cited) - _others_own(work, cited, thread)
    kept = [
        hit
        for hit in hits
        if own.issuperset(hit.provenance)
        and (not hit.provenance or not fitting.isdisjoint(hit.provenance))
    ][:NODES_KEPT]
    return [(hit_card(hit, cited, NOW, work.settings.timezone), hit_node(hit)) for hit in kept]


def _others_own(work: Work, cited: dict[str, Event], thread: str) -> frozenset[str]:
    """Ids of the events that concern another thread's conversation only."""
    return frozenset(cited) - _fitting(work, cited, thread, frozenset())


def _messages(
    work: Work, query: str, thread: str, standing: frozenset[str], vector: QueryVector | None
) -> Sequence[Message]:
    if not query or not work.settings.recall_messages:
        return ()
    found = find_messages(work, query, limit=MESSAGE_HITS, thread=thread, vector=vector)
    return rules.without([match.message for match in found.matches], thread, standing)
