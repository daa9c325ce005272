"""The fold of edges: one active edge for what is said again, one target where only one holds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from stratagate_core.graph.rules.fold import Ref
from stratagate_core.graph.rules.records import SOURCES, numbered, place_of, shared_parts, union
from stratagate_core.graph.rules.statements import (
    Answer,
    EdgeStatement,
    Place,
    Sources,
    visible_of,
)
from stratagate_core.model.graph import Cardinality, Edge
from stratagate_core.text.normalise import normalise


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedEdge:
    """An edge statement between two nodes that are known by their ids."""

    from_id: str
    to_id: str
    statement: EdgeStatement
    place: Place
    answer_place: Place
    ref: tuple[str, int]


def stated_edges(answers: Iterable[Answer], members: Mapping[Ref, str]) -> list[StatedEdge]:
    """The edges of answers whose two ends are nodes and differ, in the order of the fold."""
    found = []
    for answer in answers:
        for position, edge in enumerate(answer.edges):
            ends = [members.get((answer.id, ref)) for ref in (edge.from_ref, edge.to_ref)]
            shown = visible_of(edge.sources, answer.sources)
            if ends[0] and ends[1] and ends[0] != ends[1] and shown:
                found.append(
                    StatedEdge(
                        from_id=ends[0],
                        to_id=ends[1],
                        statement=replace(edge, sources=shown),
                        place=place_of(shown, answer.sources),
                        answer_place=answer.place,
                        ref=(answer.id, position),
                    )
                )
    return sorted(found, key=lambda one: (one.place, one.answer_place, one.ref))


class _Relation:
    """The edges of one relation that leave one node, while they are folded.

    They are findable by their other end: a hub has thousands.
    """

    def __init__(self) -> None:
        self.held: list[Edge] = []
        self._to: dict[str, list[int]] = {}

    def places_to(self, node_id: str) -> Sequence[int]:
        """Where the edges to a node are held, first stated first."""
        return self._to.get(node_id, ())

    def add(self, edge: Edge) -> None:
        """Hold one more."""
        self._to.setdefault(edge.to_node_id, []).append(len(self.held))
        self.held.append(edge)


def fold_edges(stated: Sequence[StatedEdge], sources: Sources) -> tuple[Edge, ...]:
    """The edges that leave one node."""
    relations: dict[str, _Relation] = {}
    for one in stated:
        name = normalise(one.statement.relation)
        _state_edge(one, relations.setdefault(name, _Relation()), sources)
    edges = (edge for relation in relations.values() for edge in relation.held)
    return tuple(
        numbered(edges, lambda edge: (edge.from_node_id, edge.to_node_id, normalise(edge.relation)))
    )


def _state_edge(one: StatedEdge, relation: _Relation, sources: Sources) -> None:
    statement, held = one.statement, relation.held
    shared = shared_parts(statement, sources)
    over = shared["status"] == "superseded" and statement.status == "active"
    for at in relation.places_to(one.to_id):
        known = held[at]
        alike = not _ended(known, shared["valid_from"])
        if alike and (known.status == shared["status"] or (over and known.status == "active")):
            if known.status == "superseded" and known.valid_from != shared["valid_from"]:
                continue
            held[at] = _united_edge(known, shared)
            break
    else:
        relation.add(
            Edge(
                id="",
                from_node_id=one.from_id,
                to_node_id=one.to_id,
                relation=statement.relation,
                cardinality=cast(Cardinality, statement.cardinality),
                **shared,
            )
        )
    if statement.cardinality == "single" and shared["status"] == "active":
        _close_edges(held, one.to_id, cast(datetime, shared["valid_from"]))


def _united_edge(known: Edge, shared: Mapping[str, Any]) -> Edge:
    return replace(
        known,
        source_event_ids=union(known.source_event_ids, shared["source_event_ids"])[:SOURCES],
        confidence=shared["confidence"],
        valid_to=shared["valid_to"] or known.valid_to,
        updated_at=max(filter(None, (known.updated_at, shared["updated_at"]))),
    )


def _ended(known: Edge, moment: datetime | None) -> bool:
    return known.valid_to is not None and moment is not None and moment >= known.valid_to


def _close_edges(held: list[Edge], but: str, end: datetime) -> None:
    for at, known in enumerate(held):
        if known.to_node_id != but and known.status == "active":
            held[at] = replace(known, status="superseded", valid_to=known.valid_to or end)
