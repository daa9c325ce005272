"""What an admitted answer states, and the event facts that its place in the fold rests on.

A statement is kept as it was admitted; nodes, facts and edges are always folded anew from it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stratagate_core.cards.instants import write_instant
from stratagate_core.model.event import VISIBLE
from stratagate_core.model.graph import Support, Trust
from stratagate_core.text.normalise import label_identity, normalise

#: (chronology, turn, position, event id): the place of an event among others
Place = tuple[datetime, int, int, str]

_TRUST: Mapping[str, int] = {"user": 3, "assistant": 2, "tool": 1, "import": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What the fold needs to know of an event; all but its status never changes."""

    id: str
    chronology: datetime
    mentioned_at: datetime
    created_at: datetime
    #: turn and place in the turn of the first message it rests on
    turn: int = 0
    position: int = 0
    speaker: Trust = "user"
    status: str = "active"

    @property
    def place(self) -> Place:
        """Where the event stands in the fold."""
        return self.chronology, self.turn, self.position, self.id

    @property
    def visible(self) -> bool:
        """Whether anything may rest on it."""
        return self.status in VISIBLE

    @property
    def trust(self) -> int:
        """The more the higher: user, assistant, tool, import."""
        return _TRUST[self.speaker]


Sources = Mapping[str, Source]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactStatement:
    """A fact as an answer states it."""

    key: str
    value: str | tuple[str, ...]
    sources: tuple[str, ...]
    mode: str = "state"
    depends_on: tuple[Support, ...] = ()
    status: str = "active"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confidence: float = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeStatement:
    """An edge between two nodes of the same answer."""

    from_ref: str
    to_ref: str
    relation: str
    sources: tuple[str, ...]
    cardinality: str = "many"
    status: str = "active"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confidence: float = 0.8


#: a name, alias or tag with the events that prove it
Proven = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStatement:
    """A node as an answer states it; `ref` is its name inside the answer."""

    ref: str
    name: str
    type: str
    sources: tuple[str, ...]
    name_sources: tuple[str, ...]
    aliases: tuple[Proven, ...] = ()
    tags: tuple[Proven, ...] = ()
    facts: tuple[FactStatement, ...] = ()
    status: str = "active"
    confidence: float = 0.8

    @property
    def keys(self) -> frozenset[str]:
        """What the node may be known by, visible or not."""
        return frozenset(name_key(name) for name in (self.name, *(a for a, _ in self.aliases)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One stored answer: its statements and the events they may rest on."""

    id: str
    sources: Sources
    nodes: tuple[NodeStatement, ...] = ()
    edges: tuple[EdgeStatement, ...] = ()

    @property
    def place(self) -> Place:
        """The place of its latest event."""
        return max(source.place for source in self.sources.values())  # admitted: never empty


def name_key(name: str) -> str:
    """What makes two names one: equal but for width, case, spacing, ``_`` and ``-``."""
    bare = label_identity(name).replace("_", "").replace("-", "")
    return bare or normalise(name)


def value_key(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """What makes two values one; the order of a list does not count."""
    items = (value,) if isinstance(value, str) else value
    return tuple(sorted({normalise(item) for item in items}))


def visible_of(ids: Iterable[str], sources: Sources) -> tuple[str, ...]:
    """Those of the events that may be shown, each once."""
    return tuple(key for key in dict.fromkeys(ids) if key in sources and sources[key].visible)


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """An answer as it is stored; its id stands beside it, its events in rows of their own."""
    return {
        "events": sorted(answer.sources),
        "nodes": [_node_json(node) for node in answer.nodes],
        "edges": [_plain(edge, EdgeStatement) for edge in answer.edges],
    }


def answer_from_json(answer_id: str, raw: Mapping[str, Any], sources: Sources) -> Answer:
    """A stored answer with its events as they are now."""
    return Answer(
        id=answer_id,
        sources={key: sources[key] for key in raw["events"] if key in sources},
        nodes=tuple(_node(node) for node in raw["nodes"]),
        edges=tuple(EdgeStatement(**_record(edge)) for edge in raw["edges"]),
    )


def without_events(raw: Mapping[str, Any], gone: frozenset[str]) -> dict[str, Any]:
    """A stored answer without these events and without all that rested on them alone."""
    nodes = [node for one in raw["nodes"] if (node := _node_without(one, gone)) is not None]
    refs = {node["ref"] for node in nodes}
    edges = [
        edge
        for one in raw["edges"]
        if {one["from_ref"], one["to_ref"]} <= refs and (edge := _resting(one, gone)) is not None
    ]
    kept = [key for key in raw["events"] if key not in gone]
    return {"events": kept, "nodes": nodes, "edges": edges}


def _resting(raw: Mapping[str, Any], gone: frozenset[str]) -> dict[str, Any] | None:
    """A statement with the sources that are left; None without any."""
    left = [key for key in raw["sources"] if key not in gone]
    return {**raw, "sources": left} if left else None


def _node_without(raw: Mapping[str, Any], gone: frozenset[str]) -> dict[str, Any] | None:
    node = _resting(raw, gone)
    if node is None:
        return None
    for name in ("aliases", "tags"):
        proven = ((value, [k for k in ids if k not in gone]) for value, ids in raw[name])
        node[name] = [[value, ids] for value, ids in proven if ids]
    names = [key for key in raw["name_sources"] if key not in gone]
    if not names:
        if not node["aliases"]:
            return None
        (node["name"], names), *node["aliases"] = node["aliases"]
    node["name_sources"] = names
    facts = (_resting(fact, gone) for fact in raw["facts"])
    node["facts"] = [fact for fact in facts if fact is not None]
    return node


def _node_json(node: NodeStatement) -> dict[str, Any]:
    plain = _plain(node, NodeStatement)
    plain["facts"] = [_fact_json(fact) for fact in node.facts]
    return plain


def _fact_json(fact: FactStatement) -> dict[str, Any]:
    plain = _plain(fact, FactStatement)
    plain["depends_on"] = supports_to_json(fact.depends_on)
    return plain


def _plain(statement: Any, kind: type) -> dict[str, Any]:
    """The fields of a statement as JSON, without absent instants."""
    written: dict[str, Any] = {}
    for name in kind.__dataclass_fields__:  # type: ignore[attr-defined]  # a dataclass
        value = getattr(statement, name)
        if isinstance(value, datetime):
            written[name] = write_instant(value)
        elif value is not None:
            written[name] = list(value) if isinstance(value, tuple) else value
    return written


def supports_to_json(supports: Sequence[Support]) -> list[dict[str, str]]:
    """Supports as JSON."""
    return [
        {"key": one.key, **({"node": one.node} if one.node is not None else {})} for one in supports
    ]


def supports_from_json(raw: Any) -> tuple[Support, ...]:
    """Supports from JSON."""
    return tuple(Support(key=one["key"], node=one.get("node")) for one in raw or ())


def _node(raw: Mapping[str, Any]) -> NodeStatement:
    lists = {name: _proven(raw[name]) for name in ("aliases", "tags")}
    sources = {name: tuple(raw[name]) for name in ("sources", "name_sources")}
    facts = tuple(
        FactStatement(**{**_record(fact), "depends_on": supports_from_json(fact["depends_on"])})
        for fact in raw["facts"]
    )
    return NodeStatement(**{**raw, **lists, **sources, "facts": facts})


def _proven(raw: Sequence[Sequence[Any]]) -> tuple[Proven, ...]:
    return tuple((value, tuple(sources)) for value, sources in raw)


def _record(raw: Mapping[str, Any]) -> dict[str, Any]:
    """A stored fact or edge; lists as tuples, texts of instants as instants."""
    read: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in raw.items()}
    for name in ("valid_from", "valid_to"):
        if name in read:
            read[name] = _instant(read[name])
    return read


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)
