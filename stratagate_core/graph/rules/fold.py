"""The fold: statements in their order make nodes and facts (05 §3).

A statement stands at the place of its latest visible event. What rests on hidden events only is
as if it had never been stated, so forgetting and restoring are repetitions of the fold. Which
statements speak of one node does not depend on any order: names that share a statement, or a
statement that shares a name, belong together.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from stratagate_core.graph.rules.records import (
    SOURCES,
    digest,
    numbered,
    place_of,
    proven,
    rank,
    shared_parts,
    union,
)
from stratagate_core.graph.rules.statements import (
    Answer,
    FactStatement,
    NodeStatement,
    Place,
    Source,
    Sources,
    name_key,
    value_key,
    visible_of,
)
from stratagate_core.model.graph import Fact, Mode, Node, Provenance
from stratagate_core.text.normalise import normalise

_ALIASES, _TAGS = 20, 12

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
            names = tuple(proven(((node.name, node.name_sources), *node.aliases), answer.sources))
            sources = visible_of(node.sources, answer.sources)
            if names and sources:
                found.append(
                    Stated(
                        ref=ref,
                        place=place_of(sources, answer.sources),
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
    return digest("node", kind, name_key(name))


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
    own = union(*(visible_of(one.statement.sources, one.sources) for one in group))
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
        source_event_ids=own[:SOURCES],
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
                names = union(names, proof)
            else:
                shown = spelling.setdefault(key, value)
                aliases[shown] = union(aliases.get(shown, ()), proof)
        for value, proof in proven(one.statement.tags, one.sources):
            shown = spelling.setdefault("#" + normalise(value), value)
            tags[shown] = union(tags.get(shown, ()), proof)
    return names, dict(list(aliases.items())[:_ALIASES]), dict(list(tags.items())[:_TAGS])


# --- facts ------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Held:
    """A fact while it is folded; `tied`: disputed only because nothing tells two values apart."""

    fact: Fact
    rank: tuple[Any, ...]
    tied: bool = False

    @property
    def rival(self) -> bool:
        """Whether another value of its key would have to win over it."""
        return self.fact.status == "active" or self.tied


class _Key:
    """The facts of one key while they are folded, findable by value: a key may have thousands."""

    def __init__(self) -> None:
        self.held: list[_Held] = []
        self._of_value: dict[tuple[str, ...], list[_Held]] = {}
        #: those that may be rivals, as a mapping, so that the order stays
        self._rivals: dict[_Held, None] = {}

    def of_value(self, value: tuple[str, ...]) -> Sequence[_Held]:
        """The facts of a value, first stated first."""
        return self._of_value.get(value, ())

    def rivals(self) -> list[_Held]:
        """Those that are active or tied, first stated first."""
        self._rivals = {one: None for one in self._rivals if one.rival}
        return list(self._rivals)

    def add(self, value: tuple[str, ...], one: _Held) -> None:
        """Hold one more."""
        self.held.append(one)
        self._of_value.setdefault(value, []).append(one)
        self._rivals[one] = None


def _facts(node: str, group: Sequence[Stated], sources: Sources) -> tuple[Fact, ...]:
    placed = []
    for one in group:
        for position, statement in enumerate(one.statement.facts):
            shown = visible_of(statement.sources, one.sources)
            if shown:
                cut = replace(statement, sources=shown)
                place = place_of(shown, one.sources)
                placed.append((place, one.answer_place, one.ref, position, cut))
    placed.sort(key=lambda entry: entry[:4])
    by_key: dict[str, list[FactStatement]] = {}
    for *_, statement in placed:
        by_key.setdefault(normalise(statement.key), []).append(statement)
    folded = (fact for key in by_key for fact in _fold_key(node, by_key[key], sources))
    return tuple(numbered(folded, lambda fact: (fact.node_id, *_fact_identity(fact))))


def _fact_identity(fact: Fact) -> tuple[str, ...]:
    return (normalise(fact.key), *value_key(fact.value))


def _fold_key(node: str, statements: Sequence[FactStatement], sources: Sources) -> Iterator[Fact]:
    key = _Key()
    for statement in statements:
        _state_fact(node, statement, sources, key)
    return (one.fact for one in key.held)


def _state_fact(node: str, statement: FactStatement, sources: Sources, key: _Key) -> None:
    new = _new_fact(node, statement, sources)
    over = new.status == "superseded" and statement.status == "active"
    value = value_key(new.value)
    for one in key.of_value(value):
        if _restates(one.fact, new, over):
            _unite(one, new, sources)
            if new.status == "active" and new.mode == "state":
                _close(key.rivals(), but=one, by=new)
            return
    fresh = _Held(new, _rank(new, sources))
    if new.status == "active" and new.mode == "state":
        rivals = key.rivals()
        if any(one.rank == fresh.rank for one in rivals):
            for one in (*rivals, fresh):
                one.fact, one.tied = replace(one.fact, status="disputed"), True
        else:
            _close(rivals, but=fresh, by=new)
    key.add(value, fresh)


def _restates(known: Fact, new: Fact, over: bool) -> bool:
    """Whether a statement of the same value speaks of the same fact; `over`: it names the end."""
    if known.valid_to and new.valid_from and new.valid_from >= known.valid_to:
        return False  # it had ended: this is another period
    if known.status == "active":
        return new.status != "archived" and (new.status != "superseded" or over)
    return known.status == new.status and known.valid_from == new.valid_from


def _unite(one: _Held, new: Fact, sources: Sources) -> None:
    """Sources add up, confidence is the newest, the older beginning stays."""
    ids = union(one.fact.source_event_ids, new.source_event_ids)
    one.fact = replace(
        one.fact,
        source_event_ids=ids[:SOURCES],
        confidence=new.confidence,
        depends_on=new.depends_on or one.fact.depends_on,
        valid_to=new.valid_to or one.fact.valid_to,
        updated_at=max(filter(None, (one.fact.updated_at, new.updated_at))),
    )
    one.rank = _rank(one.fact, sources)


def _close(rivals: Sequence[_Held], *, but: _Held, by: Fact) -> None:
    """An active fact takes the place of the others of its key."""
    for one in rivals:
        if one is not but:
            end = one.fact.valid_to or by.valid_from
            one.fact, one.tied = replace(one.fact, status="superseded", valid_to=end), False


def _new_fact(node: str, statement: FactStatement, sources: Sources) -> Fact:
    shared = shared_parts(statement, sources)
    return Fact(
        id="",
        node_id=node,
        key=statement.key,
        value=statement.value,
        mode=cast(Mode, statement.mode),
        depends_on=statement.depends_on,
        **shared,
    )


def _rank(fact: Fact, sources: Sources) -> tuple[Any, ...]:
    """By what one value wins over another, but for the id (05 §8)."""
    return rank(fact.valid_from, fact.source_event_ids, sources)
