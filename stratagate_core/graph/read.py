"""Reading the graph: nodes as they may be shown, now or at an instant (05 §4, §7, §8)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from stratagate_core.engine import Work
from stratagate_core.graph.rules.fold import Ref, fold_node, stated_nodes
from stratagate_core.graph.rules.fold_edges import StatedEdge, fold_edges, stated_edges
from stratagate_core.graph.rules.stale import grounds_of, with_stale
from stratagate_core.graph.rules.statements import (
    Answer,
    Source,
    Sources,
    answer_from_json,
    name_key,
)
from stratagate_core.graph.rules.view import (
    Moment,
    Names,
    View,
    other_end,
    view,
    visible_metadata,
)
from stratagate_core.model.event import VISIBLE
from stratagate_core.model.graph import Edge, Fact, Node, Support
from stratagate_core.store import graph, nodes

#: a source that was mentioned only after the instant a view is known at
_UNHEARD = "unheard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """When a view is of, and what of it was known."""

    as_of: datetime | None = None
    known_at: datetime | None = None

    def moment(self, now: datetime) -> Moment:
        """The moment of the view; what was known then is seen from then."""
        return Moment(now=self.known_at or now, as_of=self.as_of)


NOW = Asked()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Views of nodes with the events they rest on; a node that is hidden has none."""

    views: Mapping[str, View] = field(default_factory=dict)
    sources: Sources = field(default_factory=dict)


def scene(work: Work, ids: Iterable[str], asked: Asked = NOW) -> Scene:
    """The views of nodes; stale facts are told from the supports they name, wherever they are."""
    wanted = tuple(dict.fromkeys(ids))
    views, sources = _views(work, wanted, asked)
    everything, known, named = dict(views), dict(sources), dict[str, tuple[str, ...]]()
    missing = _missing(work, everything, views, named)
    while missing:
        more, further = _views(work, sorted(missing), asked)
        known |= further
        everything |= more
        missing = _missing(work, everything, more, named) - missing
    grounds = grounds_of(everything)

    def find(fact: Fact, support: Support) -> str | None:
        if support.node is None:
            return fact.node_id
        return next(
            (key for key in named.get(name_key(support.node), ()) if key in everything), None
        )

    marked = {key: with_stale(shown, grounds, known, find) for key, shown in views.items()}
    return Scene(views=marked, sources=known)


def _missing(
    work: Work,
    everything: Mapping[str, View],
    new: Mapping[str, View],
    named: dict[str, tuple[str, ...]],
) -> set[str]:
    """The nodes that facts of `new` views depend on and that are not there yet."""
    facts = (fact for shown in new.values() for fact in shown.current_facts)
    keys = {name_key(s.node) for fact in facts for s in fact.depends_on if s.node is not None}
    if unknown := keys - named.keys():
        named |= dict.fromkeys(unknown, ()) | graph.named_nodes(work.tx, unknown)
    return {node for key in keys for node in named[key]} - everything.keys()


def _views(work: Work, ids: Sequence[str], asked: Asked) -> tuple[dict[str, View], Sources]:
    if not ids:
        return {}, {}
    held, edges = _records(work, ids, asked)
    far = {other_end(edge, key) for key in held for edge in edges.get(key, ())}
    around = nodes.metadata(work.tx, far)
    cited = _cited([*held.values(), *around.values()], edges)
    sources = load_sources(work, cited, asked.known_at)
    shown_ends = ((key, visible_metadata(node, sources)) for key, node in around.items())
    ends = {
        key: Names(id=key, name=node.name, aliases=node.aliases)
        for key, node in shown_ends
        if node is not None
    }
    moment = asked.moment(work.now)
    found = (
        (key, view(node, edges.get(key, ()), ends, sources, moment)) for key, node in held.items()
    )
    return {key: shown for key, shown in found if shown is not None}, sources


def _records(
    work: Work, ids: Sequence[str], asked: Asked
) -> tuple[dict[str, Node], dict[str, tuple[Edge, ...]]]:
    """Nodes and their edges as they are stored, or as they were known at an instant."""
    if asked.known_at is None:
        return nodes.by_ids(work.tx, ids), nodes.edges_at(work.tx, ids)
    members = graph.members_of_nodes(work.tx, ids)
    answers = load_answers(work, {answer for answer, _ in members}, asked.known_at)
    groups: dict[str, list[Ref]] = {}
    for ref, node in members.items():
        groups.setdefault(str(node), []).append(ref)
    held = {}
    for node, refs in groups.items():
        if stated := stated_nodes(answers.values(), frozenset(refs)):
            held[node] = fold_node(stated, node)
    starts = {
        *ids,
        *(edge.from_node_id for at in nodes.edges_at(work.tx, ids).values() for edge in at),
    }
    leaving = edges_from(work, starts, asked.known_at)
    return held, {
        key: tuple(edge for edge in leaving if key in (edge.from_node_id, edge.to_node_id))
        for key in ids
    }


def edges_from(
    work: Work, starts: Iterable[str], known_at: datetime | None = None
) -> tuple[Edge, ...]:
    """The edges that leave nodes, folded from what was answered."""
    begun = frozenset(starts)
    involved = {answer for answer, _ in graph.members_of_nodes(work.tx, begun)}
    answers = load_answers(work, involved, known_at)
    members = {
        ref: node for ref, node in graph.members_of_answers(work.tx, involved).items() if node
    }
    sources = {key: one for answer in answers.values() for key, one in answer.sources.items()}
    leaving: dict[str, list[StatedEdge]] = {}
    for stated in stated_edges(answers.values(), members):
        if stated.from_id in begun:
            leaving.setdefault(stated.from_id, []).append(stated)
    return tuple(edge for key in sorted(leaving) for edge in fold_edges(leaving[key], sources))


def load_answers(
    work: Work, ids: Iterable[str], known_at: datetime | None = None
) -> dict[str, Answer]:
    """Stored answers with their events as they are now, or as they were known."""
    stored = graph.answers(work.tx, ids)
    cited = {key for raw in stored.values() for key in raw["events"]}
    sources = load_sources(work, cited, known_at)
    return {key: answer_from_json(key, raw, sources) for key, raw in stored.items()}


def load_sources(
    work: Work, event_ids: Iterable[str], known_at: datetime | None = None
) -> dict[str, Source]:
    """The events behind the graph; those mentioned after `known_at` count as hidden."""
    rows = graph.sources(work.tx, event_ids)
    found = {
        row.event_id: Source(
            id=row.event_id,
            chronology=row.chronology,
            mentioned_at=row.mentioned_at,
            created_at=row.created_at,
            turn=row.turn,
            position=row.position,
            speaker=row.speaker,
            status=row.status,
        )
        for row in rows
    }
    if known_at is None:
        return found
    by = {row.event_id: row.superseded_by for row in rows if row.superseded_by}
    later = {
        row.event_id for row in graph.sources(work.tx, by.values()) if row.mentioned_at > known_at
    }
    return {
        key: replace(one, status=_status_then(one, by.get(key) in later, known_at))
        for key, one in found.items()
    }


def _status_then(source: Source, superseded_later: bool, known_at: datetime) -> str:
    if source.status in VISIBLE and source.mentioned_at > known_at:
        return _UNHEARD
    if source.status == "superseded" and superseded_later:
        return "active"
    return source.status


def _cited(held: Iterable[Node], edges: Mapping[str, Sequence[Edge]]) -> set[str]:
    cited: set[str] = {key for at in edges.values() for e in at for key in e.source_event_ids}
    for node in held:
        cited.update(node.source_event_ids)
        cited.update(key for fact in node.facts for key in fact.source_event_ids)
        if node.provenance is not None:
            cited.update(node.provenance.name)
            for values in (node.provenance.aliases, node.provenance.tags):
                cited.update(key for ids in values.values() for key in ids)
    return cited
