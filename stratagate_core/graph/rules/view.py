"""What of a node may be shown: the present, its history, or the state at an instant (05 §4, §7)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeVar

from stratagate_core.graph.rules.statements import Sources, visible_of
from stratagate_core.model.graph import Edge, Fact, Node, Provenance

Label = Literal["current", "historical"]
#: provenance events of one hit or expansion
MOST_EVIDENCE = 6

R = TypeVar("R", Fact, Edge)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When a view is of: now, or what was so at `as_of`."""

    now: datetime
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The visible name and aliases of a node at the other end of an edge."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is shown of a node. Every record is cut to the events it may rest on here."""

    node: Node
    current_facts: tuple[Fact, ...] = ()
    #: facts that a change of what they depend on has put in doubt
    stale_facts: tuple[Fact, ...] = ()
    historical_facts: tuple[Fact, ...] = ()
    current_edges: tuple[Edge, ...] = ()
    historical_edges: tuple[Edge, ...] = ()
    #: names of the nodes at the other ends, by id
    ends: Mapping[str, Names] = field(default_factory=dict)
    #: whether the metadata rests on events that are known one by one
    proven: bool = True

    @property
    def state(self) -> str:
        """One ``key: value`` line for each current fact."""
        return "\n".join(state_line(fact) for fact in self.current_facts)


def view(
    node: Node,
    edges: Sequence[Edge],
    ends: Mapping[str, Names],
    sources: Sources,
    moment: Moment,
) -> View | None:
    """The view of a node; None if nothing of it may be shown."""
    if node.status not in ("active", "disputed"):
        return None
    metadata = visible_metadata(node, sources)
    if metadata is None:
        return None
    facts = _labelled(node.facts, sources, moment)
    shown = [edge for edge in edges if other_end(edge, node.id) in ends]
    relations = _labelled(shown, sources, moment)
    records = (*facts.values(), *relations.values())
    if not any(records) and not metadata.source_event_ids:
        return None
    return View(
        node=metadata,
        current_facts=tuple(facts["current"]),
        historical_facts=tuple(facts["historical"]),
        current_edges=tuple(relations["current"]),
        historical_edges=tuple(relations["historical"]),
        ends=dict(ends),
        proven=node.provenance is not None,
    )


def _labelled(records: Iterable[R], sources: Sources, moment: Moment) -> dict[Label, list[R]]:
    found: dict[Label, list[R]] = {"current": [], "historical": []}
    for record in records:
        label = label_of(record, sources, moment)
        if label is None:
            continue
        ids = visible_of(record.source_event_ids, sources)
        if label == "current" and moment.as_of is None:
            ids = tuple(key for key in ids if sources[key].status == "active")
        found[label].append(_resting_on(record, ids))
    return found


def _resting_on(record: R, ids: tuple[str, ...]) -> R:
    """The record with these sources; a hub has thousands of records, most of them unchanged."""
    return record if ids == record.source_event_ids else replace(record, source_event_ids=ids)


def label_of(record: Fact | Edge, sources: Sources, moment: Moment) -> Label | None:
    """Whether a record is current or historical; None: it is hidden."""
    shown = visible_of(record.source_event_ids, sources)
    if not shown or record.status == "archived":
        return None
    if moment.as_of is not None:
        return "current" if _valid_at(record, moment.as_of) else None
    if record.status == "superseded" or (record.valid_to and record.valid_to <= moment.now):
        return "historical"
    # what rests only on events that others have replaced is no longer told as the present
    active = any(sources[key].status == "active" for key in shown)
    return "current" if active else "historical"


def _valid_at(record: Fact | Edge, instant: datetime) -> bool:
    begun = record.valid_from is None or record.valid_from <= instant
    return begun and (record.valid_to is None or instant < record.valid_to)


def visible_metadata(node: Node, sources: Sources) -> Node | None:
    """The node with only what visible events prove of its name, aliases and tags."""
    ids = visible_of(node.source_event_ids, sources)
    proof = node.provenance
    if proof is None:
        whole = bool(ids) and len(ids) == len(node.source_event_ids)
        return replace(node, source_event_ids=ids) if whole else None
    names = visible_of(proof.name, sources)
    if not names:
        return None
    aliases = _shown(proof.aliases, sources)
    tags = _shown(proof.tags, sources)
    return replace(
        node,
        aliases=tuple(aliases),
        tags=tuple(tags),
        provenance=Provenance(name=names, aliases=aliases, tags=tags),
        source_event_ids=ids,
    )


def _shown(values: Mapping[str, tuple[str, ...]], sources: Sources) -> dict[str, tuple[str, ...]]:
    found = {value: visible_of(ids, sources) for value, ids in values.items()}
    return {value: ids for value, ids in found.items() if ids}


def bounded(shown: View, provenance: Sequence[str]) -> tuple[View, tuple[str, ...], str]:
    """The view cut to at most 6 events, those events, and how complete the metadata is (05 §5).

    `provenance` are the events of the records in the order they matter; those of the metadata
    come last. A record that is left without events disappears.
    """
    metadata = metadata_events(shown.node)
    chosen = tuple(dict.fromkeys(provenance))[:MOST_EVIDENCE]
    if shown.proven:
        chosen = tuple(dict.fromkeys((*chosen, *metadata)))[:MOST_EVIDENCE]
    elif len(together := tuple(dict.fromkeys((*chosen, *metadata)))) <= MOST_EVIDENCE:
        chosen = together
    complete = set(metadata) <= set(chosen)
    kept = frozenset(chosen)
    node = _cut_metadata(shown.node, kept)
    cut = replace(
        shown,
        node=node,
        current_facts=_cut(shown.current_facts, kept),
        stale_facts=_cut(shown.stale_facts, kept),
        historical_facts=_cut(shown.historical_facts, kept),
        current_edges=_cut(shown.current_edges, kept),
        historical_edges=_cut(shown.historical_edges, kept),
    )
    return cut, chosen, "complete" if complete else "partial" if shown.proven else "not_expanded"


def metadata_events(node: Node) -> tuple[str, ...]:
    """The events of name, aliases and tags; without stored provenance those of the node."""
    proof = node.provenance
    if proof is None:
        return node.source_event_ids
    listed = (proof.name, *proof.aliases.values(), *proof.tags.values())
    return tuple(dict.fromkeys(key for ids in listed for key in ids))


def record_events(records: Iterable[Fact | Edge]) -> tuple[str, ...]:
    """The events of records, each once, in their order."""
    return tuple(dict.fromkeys(key for one in records for key in one.source_event_ids))


def _cut(records: Sequence[R], kept: frozenset[str]) -> tuple[R, ...]:
    return tuple(
        _resting_on(one, tuple(key for key in one.source_event_ids if key in kept))
        for one in records
        if not kept.isdisjoint(one.source_event_ids)
    )


def _cut_metadata(node: Node, kept: Collection[str]) -> Node:
    """Aliases and tags that the kept events prove; the name always stays."""
    ids = tuple(key for key in node.source_event_ids if key in kept)
    proof = node.provenance
    if proof is None:
        return replace(
            node,
            source_event_ids=ids,
            aliases=node.aliases if ids else (),
            tags=node.tags if ids else (),
        )
    aliases = _within(proof.aliases, kept)
    tags = _within(proof.tags, kept)
    names = tuple(key for key in proof.name if key in kept)
    return replace(
        node,
        aliases=tuple(aliases),
        tags=tuple(tags),
        provenance=Provenance(name=names, aliases=aliases, tags=tags),
        source_event_ids=ids,
    )


def _within(
    values: Mapping[str, tuple[str, ...]], kept: Collection[str]
) -> dict[str, tuple[str, ...]]:
    found = {value: tuple(key for key in ids if key in kept) for value, ids in values.items()}
    return {value: ids for value, ids in found.items() if ids}


def other_end(edge: Edge, node: str) -> str:
    """The node at the other end of an edge of `node`."""
    return edge.to_node_id if edge.from_node_id == node else edge.from_node_id


def value_text(value: str | tuple[str, ...]) -> str:
    """A value on one line; the items of a list joined as its language writes lists."""
    if isinstance(value, str):
        return value
    joint = "、" if any("\u4e00" <= char <= "\u9fff" for item in value for char in item) else ", "
    return joint.join(value)


def state_line(fact: Fact) -> str:
    """One line of a node's state."""
    mark = " [disputed]" if fact.status == "disputed" else ""
    return f"{fact.key}: {value_text(fact.value)}{mark}"
