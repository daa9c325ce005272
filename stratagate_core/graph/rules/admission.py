"""Which parts of a model's answer are admitted: nothing without events of its batch (05 §2)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any

from stratagate_core.cards.instants import parse_instant
from stratagate_core.graph.rules.statements import (
    EdgeStatement,
    FactStatement,
    NodeStatement,
    Proven,
    Sources,
    name_key,
)
from stratagate_core.model.graph import NODE_TYPES, STATUSES, Support
from stratagate_core.text.clip import clip
from stratagate_core.text.normalise import collapse, normalise

REF, NAME, KEY, VALUE, RELATION = 120, 160, 160, 1200, 100
NODES, EDGES, ITEMS, ALIASES, TAGS, CITED = 24, 32, 40, 20, 12, 64
_SUPPORTS = 8
_CONFIDENCE = 0.8
_PROOF_KEYS = {"value", "source_event_ids"}


@dataclass(slots=True)
class Batch:
    """What an answer is checked against; warnings are collected."""

    sources: Sources
    #: fact keys that are known of nodes, by the normalised names of these
    known: Mapping[str, frozenset[str]]
    timezone: tzinfo
    warnings: list[str] = field(default_factory=list)

    def cited(self, raw: object) -> tuple[str, ...]:
        """The events that `raw` lists; none if it is no list or one event is not of the batch."""
        if not isinstance(raw, list | tuple) or not raw:
            return ()
        valid = all(
            isinstance(key, str) and key in self.sources and self.sources[key].visible
            for key in raw
        )
        return tuple(dict.fromkeys(raw))[:CITED] if valid else ()

    def instant(self, raw: object) -> datetime | None:
        """A validity time; one that cannot be read is absent."""
        return parse_instant(raw, self.timezone) if isinstance(raw, str) else None

    def holds(self, status: str, cited: Iterable[str]) -> bool:
        """Whether a record of this status may rest on these events."""
        if status not in ("active", "disputed"):
            return True
        return any(self.sources[key].status == "active" for key in cited)


class Inadmissible(ValueError):
    """The whole answer cannot be used."""


def name_proof_faults(nodes: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Proofs of names that are given in a shape which cannot be read, by their path."""
    faults = []
    for at, node in enumerate(nodes):
        proof = _metadata(node).get("name")
        if proof is None or not isinstance(proof, list):
            if proof is not None:
                faults.append(f"nodes.{at}.metadata_provenance.name: expected a list of event ids")
            continue
        for place, item in enumerate(proof):
            if isinstance(item, str):
                continue
            exact = isinstance(item, Mapping) and set(item) == _PROOF_KEYS
            if not exact or item["value"] != node.get("name"):
                path = f"nodes.{at}.metadata_provenance.name.{place}"
                faults.append(
                    f"{path}: expected an event id, or an object with only value (exactly the "
                    "node's name) and source_event_ids"
                )
    return tuple(faults)


def admit(
    nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]], batch: Batch
) -> tuple[tuple[NodeStatement, ...], tuple[EdgeStatement, ...]]:
    """The admitted statements of an answer; what was dropped stands in the batch's warnings.

    Raises:
        Inadmissible: a node has no valid events, or none that prove its name.

    """
    _over(batch, "nodes", len(nodes), NODES)
    _over(batch, "edges", len(edges), EDGES)
    kept = [_node(node, at, batch) for at, node in enumerate(nodes[:NODES])]
    statements: dict[str, NodeStatement] = {}
    for statement in kept:
        if statement is not None and statement.ref in statements:
            batch.warnings.append(f"node {statement.ref!r} is given twice")
        elif statement is not None:
            statements[statement.ref] = statement
    stated = _with_known_supports(statements, batch)
    shown = (_edge(edge, at, statements, batch) for at, edge in enumerate(edges[:EDGES]))
    return stated, tuple(edge for edge in shown if edge is not None)


def _over(batch: Batch, what: str, number: int, most: int) -> None:
    if number > most:
        batch.warnings.append(f"{number - most} {what} beyond the first {most} were dropped")


def _node(raw: Mapping[str, Any], at: int, batch: Batch) -> NodeStatement | None:
    name, ref = _line(raw.get("name"), NAME), _line(raw.get("ref"), REF)
    kind = raw.get("type")
    if not name or not ref or kind not in NODE_TYPES:
        batch.warnings.append(f"nodes.{at}: no name, no ref or unknown type {kind!r}")
        return None
    cited = batch.cited(raw.get("source_event_ids"))
    proof = _metadata(raw)
    name_sources = batch.cited(_flat(proof.get("name")))
    if not cited or not name_sources:
        lacking = "valid source events" if not cited else "events that prove its name"
        raise Inadmissible(f"nodes.{at} ({name}): no {lacking}")
    status = _status(raw.get("status"))
    return NodeStatement(
        ref=ref,
        name=name,
        type=kind,
        sources=cited,
        name_sources=name_sources,
        aliases=tuple(_proven(raw, proof, "aliases", at, batch))[:ALIASES],
        tags=tuple(_proven(raw, proof, "tags", at, batch))[:TAGS],
        facts=tuple(_facts(raw, cited, status, at, batch)),
        status=status,
        confidence=_confidence(raw.get("confidence")),
    )


def _metadata(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    proof = raw.get("metadata_provenance")
    return proof if isinstance(proof, Mapping) else {}


def _flat(proof: object) -> object:
    """Event ids from a list of ids or of {value, source_event_ids}."""
    if not isinstance(proof, list):
        return None
    flat: list[Any] = []
    for item in proof:
        if isinstance(item, Mapping):
            ids = item.get("source_event_ids")
            flat += ids if isinstance(ids, list) and ids else [None]
        else:
            flat.append(item)
    return flat


def _proven(
    raw: Mapping[str, Any], proof: Mapping[str, Any], what: str, at: int, batch: Batch
) -> Iterator[Proven]:
    """The aliases or tags whose events are given for the same value."""
    proofs = [one for one in _list(proof.get(what)) if isinstance(one, Mapping)]
    for value in _list(raw.get(what)):
        text = _line(value, NAME)
        same = [one for one in proofs if normalise(str(one.get("value", ""))) == normalise(text)]
        cited = next(filter(None, (batch.cited(one.get("source_event_ids")) for one in same)), ())
        if text and cited:
            yield text, cited
        else:
            batch.warnings.append(f"nodes.{at}.{what}: {text!r} is not proven")


def _facts(
    raw: Mapping[str, Any], cited: tuple[str, ...], status: str, at: int, batch: Batch
) -> Iterator[FactStatement]:
    listed: list[Any] = list(_list(raw.get("facts")))
    if state := _line(raw.get("state"), VALUE):
        listed.insert(0, {"key": "state", "value": state, "source_event_ids": list(cited)})
    for place, fact in enumerate(listed):
        problem = "not an object"
        if isinstance(fact, Mapping):
            statements, problem = _fact(fact, raw, status, batch)
            yield from statements
        if problem:
            batch.warnings.append(f"nodes.{at}.facts.{place}: {problem}")


def _fact(
    fact: Mapping[str, Any], node: Mapping[str, Any], status: str, batch: Batch
) -> tuple[list[FactStatement], str]:
    """The statements of a fact, one for each item of a set, or why it is dropped."""
    key, cited = _line(fact.get("key"), KEY), batch.cited(fact.get("source_event_ids"))
    values = _values(fact.get("value"))
    if not key or not values or not cited:
        return [], "no key, no value or no valid source events"
    status = _status(fact["status"]) if fact.get("status") else status
    if not batch.holds(status, cited):
        return [], f"{status} without an active source event"
    adds_up = fact.get("mode") == "set"
    whole: str | tuple[str, ...] = values if isinstance(fact["value"], list) else values[0]
    return [
        FactStatement(
            key=key,
            value=value,
            sources=cited,
            mode="set" if adds_up else "state",
            depends_on=tuple(_supports(fact.get("depends_on")))[:_SUPPORTS],
            status=status,
            valid_from=batch.instant(fact.get("valid_from") or node.get("valid_from")),
            valid_to=batch.instant(fact.get("valid_to") or node.get("valid_to")),
            confidence=_confidence(fact.get("confidence", node.get("confidence"))),
        )
        for value in (values if adds_up else (whole,))
    ], ""


def _values(raw: object) -> tuple[str, ...]:
    if isinstance(raw, bool) or raw is None:
        return ()
    items = raw if isinstance(raw, list) else [raw]
    texts = (_line(str(item), VALUE) for item in items if isinstance(item, str | int | float))
    return tuple(text for text in texts if text)[:ITEMS]


def _supports(raw: object) -> Iterator[Support]:
    for one in _list(raw):
        if isinstance(one, str) and one.strip():
            yield Support(key=_line(one, KEY))
        elif isinstance(one, Mapping) and (key := _line(one.get("key"), KEY)):
            yield Support(key=key, node=_line(one.get("node"), NAME) or None)


def _with_known_supports(
    statements: Mapping[str, NodeStatement], batch: Batch
) -> tuple[NodeStatement, ...]:
    """The nodes, their facts depending only on facts that the graph or this answer holds."""
    known: dict[str, set[str]] = {name: set(keys) for name, keys in batch.known.items()}
    for node in statements.values():
        for name in node.keys:
            known.setdefault(name, set()).update(normalise(fact.key) for fact in node.facts)

    def held(support: Support, node: NodeStatement) -> bool:
        names = node.keys if support.node is None else {name_key(support.node)}
        return any(normalise(support.key) in known.get(name, ()) for name in names)

    stated = []
    for node in statements.values():
        facts = []
        for fact in node.facts:
            named = (
                replace(one, node=statements[one.node].name)
                if one.node and one.node in statements
                else one
                for one in fact.depends_on
            )
            kept = tuple(one for one in named if held(one, node))
            if len(kept) < len(fact.depends_on):
                batch.warnings.append(f"{node.name}.{fact.key}: depends on a fact nobody stated")
            facts.append(replace(fact, depends_on=kept))
        stated.append(replace(node, facts=tuple(facts)))
    return tuple(stated)


def _edge(
    raw: Mapping[str, Any], at: int, statements: Mapping[str, NodeStatement], batch: Batch
) -> EdgeStatement | None:
    ends = [_line(raw.get(name), REF) for name in ("from_ref", "to_ref")]
    relation, cited = _line(raw.get("relation"), RELATION), batch.cited(raw.get("source_event_ids"))
    status = _status(raw.get("status"))
    problem = ""
    if any(end not in statements for end in ends) or ends[0] == ends[1]:
        problem = "both refs must be different nodes of this answer"
    elif not relation or not cited:
        problem = "no relation or no valid source events"
    elif not batch.holds(status, cited):
        problem = f"{status} without an active source event"
    if problem:
        batch.warnings.append(f"edges.{at}: {problem}")
        return None
    return EdgeStatement(
        from_ref=ends[0],
        to_ref=ends[1],
        relation=relation,
        sources=cited,
        cardinality="single" if raw.get("cardinality") == "single" else "many",
        status=status,
        valid_from=batch.instant(raw.get("valid_from")),
        valid_to=batch.instant(raw.get("valid_to")),
        confidence=_confidence(raw.get("confidence")),
    )


def _status(raw: object) -> str:
    return raw if isinstance(raw, str) and raw in STATUSES else "active"


def _confidence(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or raw != raw:
        return _CONFIDENCE
    return min(1.0, max(0.0, float(raw)))


def _line(raw: object, limit: int) -> str:
    return clip(collapse(raw), limit) if isinstance(raw, str) else ""


def _list(raw: object) -> Sequence[Any]:
    return raw if isinstance(raw, list) else ()
