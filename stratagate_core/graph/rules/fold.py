"""The fold: statements in their order make nodes, facts and edges (05 §3).

A statement stands at the place of its latest visible event. What rests on hidden events only is
as if it had never been stated, so forgetting and restoring are repetitions of the fold. Which
statements speak of one node does not depend on any order: names that share a statement, or a
statement that shares a name, belong together.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from stratagate_core.graph.rules.statements import (
    Answer,
    EdgeStatement,
    FactStatement,
    NodeStatement,
    Place,
    Source,
    Sources,
    name_key,
    value_key,
    visible_of,
)
from stratagate_core.model.graph import Cardinality, Edge, Fact, Mode, Node, Provenance
from stratagate_core.text.normalise import normalise

_ALIASES, _TAGS, _SOURCES = 20, 12, 64

#: a node statement by the answer it stands in and its ref there
Ref = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A node statement of an answer, cut to its visible events."""

    ref: Ref
    place: Place
    answer_place: Place
    names: tuple[tuple[str, tuple[str, ...]], ...]
    statement: NodeStatement
    sources: Sources

    @property
    def order(self) -> tuple[Any, ...]:
        """Earlier statements come first; ties as the answers stand."""
        return self.place, self.answer_place, self.ref


def stated_nodes(answers: Iterable[Answer], wanted: frozenset[Ref] | None = None) -> list[Stated]:
    """The node statements that have a visible name, in the order of the fold."""
    found = []
    for answer in answers:
        for node in answer.nodes if answer.sources else ():
            ref = (answer.id, node.ref)
            if wanted is not None and ref not in wanted:
                continue
            names = tuple(_proven(((node.name, node.name_sources), *node.aliases), answer.sources))
            sources = visible_of(node.sources, answer.sources)
            if names and sources:
                found.append(
                    Stated(
                        ref=ref,
                        place=_place(sources, answer.sources),
                        answer_place=answer.place,
                        names=names,
                        statement=node,
                        sources=answer.sources,
                    )
                )
    return sorted(found, key=lambda one: one.order)


def entities(stated: Sequence[Stated]) -> list[list[Stated]]:
    """The statements of each node together: those of a type that share a name, and so on."""
    groups: dict[int, list[Stated]] = {}
    group_of: dict[tuple[str, str], int] = {}
    for number, one in enumerate(stated):
        keys = [(one.statement.type, name_key(name)) for name, _ in one.names]
        touched = sorted({group_of[key] for key in keys if key in group_of})
        home = touched[0] if touched else number
        merged = groups.setdefault(home, [])
        for other in touched[1:]:
            merged += groups.pop(other)
            group_of = {key: home if at == other else at for key, at in group_of.items()}
        merged.append(one)
        group_of |= dict.fromkeys(keys, home)
    return [sorted(group, key=lambda one: one.order) for group in groups.values()]


def node_id(kind: str, name: str) -> str:
    """The id of the node of this type whose first name is `name`: the same in every fold."""
    return _digest("node", kind, name_key(name))


def fold_node(group: Sequence[Stated], identity: str | None = None) -> Node:
    """The node of statements that speak of one, with its facts.

    `identity` is given when only a part of the statements is folded: the id stays the same.
    """
    first = group[0]
    name = first.names[0][0]
    identity = identity or node_id(first.statement.type, name)
    sources: dict[str, Source] = {}
    for one in group:
        sources |= one.sources
    own = _union(*(visible_of(one.statement.sources, one.sources) for one in group))
    names, aliases, tags = _metadata(name, group)
    last = group[-1].statement
    moments = [sources[key].created_at for key in own]
    return Node(
        id=identity,
        name=name,
        type=first.statement.type,  # type: ignore[arg-type]  # admitted
        aliases=tuple(aliases),
        tags=tuple(tags),
        provenance=Provenance(name=names, aliases=aliases, tags=tags),
        facts=_facts(identity, group, sources),
        status=last.status,  # type: ignore[arg-type]  # admitted
        confidence=last.confidence,
        source_event_ids=own[:_SOURCES],
        created_at=min(moments),
        updated_at=max(moments),
    )


def _metadata(
    name: str, group: Sequence[Stated]
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The events of the name, of each alias and of each tag."""
    names: tuple[str, ...] = ()
    aliases: dict[str, tuple[str, ...]] = {}
    tags: dict[str, tuple[str, ...]] = {}
    spelling = {name_key(name): name}
    for one in group:
        proposed = name_key(one.statement.name)
        for at, (value, proof) in enumerate(one.names):
            key = name_key(value)
            if at and key == proposed:
                continue  # an alias that is the proposed name proves nothing more
            if key == name_key(name):
                names = _union(names, proof)
            else:
                shown = spelling.setdefault(key, value)
                aliases[shown] = _union(aliases.get(shown, ()), proof)
        for value, proof in _proven(one.statement.tags, one.sources):
            shown = spelling.setdefault("#" + normalise(value), value)
            tags[shown] = _union(tags.get(shown, ()), proof)
    return names, dict(list(aliases.items())[:_ALIASES]), dict(list(tags.items())[:_TAGS])


# --- facts ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Held:
    """A fact while it is folded; `tied`: disputed only because nothing tells two values apart."""

    fact: Fact
    said: Place
    rank: tuple[Any, ...]
    tied: bool = False


def _facts(node: str, group: Sequence[Stated], sources: Sources) -> tuple[Fact, ...]:
    placed = []
    for one in group:
        for position, statement in enumerate(one.statement.facts):
            shown = visible_of(statement.sources, one.sources)
            if shown:
                cut = replace(statement, sources=shown)
                place = _place(shown, one.sources)
                placed.append((place, one.answer_place, one.ref, position, cut))
    placed.sort(key=lambda entry: entry[:4])
    by_key: dict[str, list[FactStatement]] = {}
    for *_, statement in placed:
        by_key.setdefault(normalise(statement.key), []).append(statement)
    folded = (fact for key in by_key for fact in _fold_key(node, by_key[key], sources))
    return tuple(_numbered(folded, lambda fact: (fact.node_id, *_fact_identity(fact))))


def _fact_identity(fact: Fact) -> tuple[str, ...]:
    return (normalise(fact.key), *value_key(fact.value))


def _fold_key(node: str, statements: Sequence[FactStatement], sources: Sources) -> Iterator[Fact]:
    held: list[_Held] = []
    for statement in statements:
        _state_fact(node, statement, sources, held)
    return (one.fact for one in held)


def _state_fact(node: str, statement: FactStatement, sources: Sources, held: list[_Held]) -> None:
    new = _new_fact(node, statement, sources)
    over = new.status == "superseded" and statement.status == "active"
    for one in held:
        same = value_key(one.fact.value) == value_key(new.value)
        if same and _restates(one.fact, new, over):
            _unite(one, new, sources)
            if new.status == "active" and new.mode == "state":
                _close(held, but=one, by=new)
            return
    fresh = _Held(new, _place(new.source_event_ids, sources), _rank(new, sources))
    if new.status == "active" and new.mode == "state":
        rivals = [one for one in held if one.fact.status == "active" or one.tied]
        if any(one.rank == fresh.rank for one in rivals):
            for one in (*rivals, fresh):
                one.fact, one.tied = replace(one.fact, status="disputed"), True
        else:
            _close(held, but=fresh, by=new)
    held.append(fresh)


def _restates(known: Fact, new: Fact, over: bool) -> bool:
    """Whether a statement of the same value speaks of the same fact; `over`: it names the end."""
    if known.valid_to and new.valid_from and new.valid_from >= known.valid_to:
        return False  # it had ended: this is another period
    if known.status == "active":
        return new.status != "archived" and (new.status != "superseded" or over)
    return known.status == new.status and known.valid_from == new.valid_from


def _unite(one: _Held, new: Fact, sources: Sources) -> None:
    """Sources add up, confidence is the newest, the older beginning stays."""
    ids = _union(one.fact.source_event_ids, new.source_event_ids)
    one.fact = replace(
        one.fact,
        source_event_ids=ids[:_SOURCES],
        confidence=new.confidence,
        depends_on=new.depends_on or one.fact.depends_on,
        valid_to=new.valid_to or one.fact.valid_to,
        updated_at=max(filter(None, (one.fact.updated_at, new.updated_at))),
    )
    one.said = _place(ids, sources)
    one.rank = _rank(one.fact, sources)


def _close(held: Sequence[_Held], *, but: _Held, by: Fact) -> None:
    """An active fact takes the place of the others of its key."""
    for one in held:
        if one is not but and (one.fact.status == "active" or one.tied):
            end = one.fact.valid_to or by.valid_from
            one.fact, one.tied = replace(one.fact, status="superseded", valid_to=end), False


def _new_fact(node: str, statement: FactStatement, sources: Sources) -> Fact:
    shared = _shared(statement, sources)
    return Fact(
        id="",
        node_id=node,
        key=statement.key,
        value=statement.value,
        mode=cast(Mode, statement.mode),
        depends_on=statement.depends_on,
        **shared,
    )


def _shared(statement: FactStatement | EdgeStatement, sources: Sources) -> dict[str, Any]:
    """What facts and edges have in common; an end that had passed when it was said closes it."""
    cited = [sources[key] for key in statement.sources]
    said = max(source.mentioned_at for source in cited)
    over = statement.valid_to is not None and statement.valid_to <= said
    return {
        "status": "superseded" if over and statement.status == "active" else statement.status,
        # of something that is over when it is told, the telling is not the beginning
        "valid_from": statement.valid_from
        or (None if over else max(source.chronology for source in cited)),
        "valid_to": statement.valid_to,
        "confidence": statement.confidence,
        "source_event_ids": statement.sources[:_SOURCES],
        "created_at": min(source.created_at for source in cited),
        "updated_at": max(source.created_at for source in cited),
    }


def _rank(fact: Fact, sources: Sources) -> tuple[Any, ...]:
    """By what one value wins over another, but for the id (05 §8)."""
    return rank(fact.valid_from, fact.source_event_ids, sources)


def rank(
    valid_from: datetime | None, source_ids: Iterable[str], sources: Sources
) -> tuple[datetime | None, tuple[datetime, int, int], int]:
    """Beginning, latest mention and highest trust of a record."""
    cited = [sources[key] for key in source_ids if key in sources]
    said = max((one.mentioned_at, one.turn, one.position) for one in cited)
    return valid_from, said, max(one.trust for one in cited)


# --- edges ------------------------------------------------------------------------------------


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
                        place=_place(shown, answer.sources),
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
        _numbered(
            edges, lambda edge: (edge.from_node_id, edge.to_node_id, normalise(edge.relation))
        )
    )


def _state_edge(one: StatedEdge, held: list[Edge], sources: Sources) -> None:
    statement = one.statement
    shared = _shared(statement, sources)
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
        source_event_ids=_union(known.source_event_ids, shared["source_event_ids"])[:_SOURCES],
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


# --- small things -----------------------------------------------------------------------------


def _proven(
    values: Iterable[tuple[str, tuple[str, ...]]], sources: Sources
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for value, proof in values:
        if shown := visible_of(proof, sources):
            yield value, shown


def _place(ids: Iterable[str], sources: Sources) -> Place:
    return max(sources[key].place for key in ids)


def _union(*lists: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for ids in lists for key in ids))


def _numbered(records: Iterable[Any], identity: Any) -> Iterator[Any]:
    """Records with ids: of equal ones the first, the second … in the order of the fold."""
    counts: dict[tuple[str, ...], int] = {}
    for record in records:
        parts = identity(record)
        counts[parts] = counts.get(parts, 0) + 1
        kind = "fact" if isinstance(record, Fact) else "edge"
        yield replace(record, id=_digest(kind, *parts, str(counts[parts])))


def _digest(kind: str, *parts: str) -> str:
    text = "\x1f".join(parts)
    return f"{kind}_{hashlib.sha256(text.encode()).hexdigest()[:24]}"
