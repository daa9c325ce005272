"""One node in full, as far as its evidence goes: for a reader and for an agent (05 §5, §7)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from stratagate_core.engine import Work
from stratagate_core.errors import InvalidArgument, NotFound
from stratagate_core.graph.cards import expanded_card
from stratagate_core.graph.read import Asked, scene
from stratagate_core.graph.rules.resolver import resolve
from stratagate_core.graph.rules.statements import Sources
from stratagate_core.graph.rules.view import View, bounded, record_events
from stratagate_core.model.graph import Node
from stratagate_core.model.search import Page
from stratagate_core.store import events, nodes


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """An expanded node: its card and the events that use of it reinforces."""

    node: Node
    card: Mapping[str, Any]
    provenance: tuple[str, ...]


def asked_for(as_of: object, known_at: object) -> Asked:
    """The checked instants of a call.

    Raises:
        InvalidArgument: an instant is naive or cannot be read.

    """
    return Asked(as_of=_instant(as_of, "as_of"), known_at=_instant(known_at, "known_at"))


def _instant(value: object, name: str) -> datetime | None:
    if value is None:
        return None
    read = value
    if isinstance(value, str):
        try:
            read = datetime.fromisoformat(value.strip())
        except ValueError:
            read = None
    if not isinstance(read, datetime) or read.utcoffset() is None:
        raise InvalidArgument(
            f"{name} must be an instant with a time zone such as 2026-05-06T12:00:00+00:00, "
            f"got {value!r}"
        )
    return read


def node(work: Work, node_id: str, asked: Asked) -> Node:
    """A node as it may be shown, its facts current, stale and historical in this order."""
    return _whole(_shown(work, node_id, asked)[0])


def listing(work: Work, *, limit: int, offset: int) -> Page[Node]:
    """The nodes as they stand now, the last changed first."""
    ids, total = nodes.shown_page(work.tx, limit=limit, offset=offset)
    views = scene(work, ids).views
    more = offset + len(ids) < total
    return Page(
        items=tuple(_whole(views[key]) for key in ids if key in views),
        total=total,
        next_offset=offset + len(ids) if more else None,
    )


def _whole(shown: View) -> Node:
    facts = (*shown.current_facts, *shown.stale_facts, *shown.historical_facts)
    return replace(shown.node, facts=facts, current_state=shown.state)


def expand(work: Work, node_id: str, asked: Asked) -> Expansion:
    """A node with its records within six events, and the rule that decided each key.

    Raises:
        NotFound: no such node, or none of its events may be shown.

    """
    shown, sources = _shown(work, node_id, asked)
    order = record_events(
        (
            *shown.current_facts,
            *shown.stale_facts,
            *shown.current_edges,
            *shown.historical_facts,
            *shown.historical_edges,
        )
    )
    cut, provenance, evidence = bounded(shown, order)
    if not provenance and asked == Asked():
        raise _unknown(node_id)
    known = events.by_ids(work.tx, provenance)
    card = expanded_card(
        cut, provenance, evidence, resolve(cut, sources), known, asked, work.settings.timezone
    )
    return Expansion(node=cut.node, card=card, provenance=provenance)


def _shown(work: Work, node_id: str, asked: Asked) -> tuple[View, Sources]:
    found = scene(work, [node_id], asked)
    shown = found.views.get(node_id)
    if shown is not None:
        return shown, found.sources
    present = scene(work, [node_id]).views.get(node_id) if asked != Asked() else None
    if present is None:
        raise _unknown(node_id)
    # known today but not then: nothing may be told of it but that it is empty
    bare = replace(present.node, aliases=(), tags=(), provenance=None, source_event_ids=())
    return View(node=bare), found.sources


def _unknown(node_id: str) -> NotFound:
    return NotFound(f"no node {node_id!r}; use an id as search_graph returned it", id=node_id)
