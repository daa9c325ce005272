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


def fold_edges(stated: Sequence[StatedEdge], sources: Sources) -> tuple[Edge, ...]:
    """The edges that leave one node."""
    groups: dict[str, list[Edge]] = {}
    for one in stated:
        _state_edge(one, groups.setdefault(normalise(one.statement.relation), []), sources)
    edges = (edge for group in groups.values() for edge in group)
    return tuple(
        numbered(edges, lambda edge: (edge.from_node_id, edge.to_node_id, normalise(edge.relation)))
    )


def _state_edge(one: StatedEdge, held: list[Edge], sources: Sources) -> None:
    statement = one.statement
    shared = shared_parts(statement, sources)
    over = shared["status"] == "superseded" and statement.status == "active"
    for at, known in enumerate(held):
        alike = known.to_node_id == one.to_id and not _ended(known, shared["valid_from"])
        if alike and (known.status == shared["status"] or (over and known.status == "active")):
            if known.status == "superseded" and known.valid_from != shared["valid_from"]:
                continue
            held[at] = _united_edge(known, shared)
            break
    else:
        held.append(
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
