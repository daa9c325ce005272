"""Which records of a node answer a query, and what a hit shows of it (05 §6)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from stratagate_core.graph.rules.statements import Sources, name_key
from stratagate_core.graph.rules.view import (
    View,
    bounded,
    metadata_events,
    other_end,
    record_events,
    value_text,
)
from stratagate_core.model.graph import Edge, Fact, Node
from stratagate_core.rank.bm25 import weighted
from stratagate_core.text.normalise import normalise
from stratagate_core.text.tokens import query_tokens, tokens

MatchType = Literal["current", "historical", "both"]
Record = Fact | Edge


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query as it is matched: its normal form and its telling tokens."""

    text: str
    terms: frozenset[str]


def query_of(text: str) -> Query:
    """The query in the form it is matched in."""
    return Query(text=normalise(text), terms=frozenset(query_tokens(text)))


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphHit:
    """A node that answers, cut to the events that prove the answer."""

    view: View
    match_type: MatchType
    provenance: tuple[str, ...]
    metadata_evidence: str
    #: ids of the records that matched
    matched: frozenset[str]
    #: whether the query holds the name or an alias of the node
    named: bool = False
    #: whether it is more than one common word that leads here: a name, a key, or two words
    telling: bool = False


def node_tokens(shown: View) -> list[str]:
    """What a node is ranked by, each field as often as it weighs."""
    node = shown.node
    live, past = shown.current_edges, shown.historical_edges
    open_facts = (*shown.current_facts, *shown.stale_facts)
    fields: tuple[tuple[Iterable[str], int], ...] = (
        ((node.name,), 6),
        (node.aliases, 5),
        (node.tags, 5),
        (_fact_texts(open_facts), 4),
        (_end_names(shown, live), 4),
        ((node.type,), 2),
        (_fact_texts(shown.historical_facts), 2),
        (_end_names(shown, past), 2),
        ((edge.relation for edge in (*live, *past)), 1),
    )
    return weighted(
        ([token for text in texts for token in tokens(text)], weight) for texts, weight in fields
    )


def _fact_texts(facts: Iterable[Fact]) -> Iterator[str]:
    return (f"{fact.key} {value_text(fact.value)}" for fact in facts)


def _end_names(shown: View, edges: Iterable[Edge]) -> Iterator[str]:
    return (name for edge in edges for name in end_names(shown, edge))


def end_names(shown: View, edge: Edge) -> tuple[str, ...]:
    """Name and aliases of the node at the other end of an edge."""
    end = shown.ends[other_end(edge, shown.node.id)]
    return end.name, *end.aliases


def match(
    shown: View, query: Query, sources: Sources, *, at_instant: bool = False
) -> GraphHit | None:
    """How a node answers a query; None if it does not. `at_instant`: history is not asked for."""
    own = {token for name in (shown.node.name, *shown.node.aliases) for token in tokens(name)}
    scored = list(_matching(shown, query, own))
    if scored:
        best = max(score for _, score in scored)
        matched: Sequence[Record] = [record for record, score in scored if score == best]
        live: tuple[Record, ...] = (
            *shown.current_facts,
            *shown.stale_facts,
            *shown.current_edges,
        )
        present = {one.id for one in live}
        kinds = {one.id in present for one in matched}
        kind: MatchType = (
            "both" if len(kinds) == 2 else "current" if kinds == {True} else "historical"
        )
        hit = _hit(shown, query, kind, matched, ())
        return replace(hit, telling=hit.named or best > 1 or bool(_keys(shown, query)))
    proof = _matching_metadata(shown, query)
    if proof is None:
        return None
    active = at_instant or any(sources[key].status == "active" for key in proof if key in sources)
    hit = _hit(shown, query, "current" if active else "historical", (), proof)
    return replace(hit, telling=hit.named)


def _keys(shown: View, query: Query) -> set[str]:
    """The keys of facts that the query holds literally."""
    facts = (*shown.current_facts, *shown.stale_facts, *shown.historical_facts)
    return {fact.key for fact in facts if _contains(query.text, normalise(fact.key))}


def _matching(shown: View, query: Query, own: set[str]) -> Iterator[tuple[Record, int]]:
    """The records that share words with the query, each with how many."""
    facts = (
        *shown.current_facts,
        *shown.stale_facts,
        *shown.historical_facts,
    )
    edges = (*shown.current_edges, *shown.historical_edges)
    keys = _keys(shown, query)
    past = {fact.id for fact in shown.historical_facts}
    if not keys:
        for fact in facts:
            words = {*tokens(fact.key), *tokens(value_text(fact.value))}
            if overlap := len(words & query.terms):
                yield fact, overlap
        for edge in edges:
            names = _words(end_names(shown, edge))
            if names & query.terms:
                yield edge, len((names | set(tokens(edge.relation))) & query.terms)
        return
    further = query.terms - _words(keys) - own
    for fact in facts:
        if fact.key not in keys:
            continue
        alike = shown.historical_edges if fact.id in past else shown.current_edges
        named = [edge for edge in alike if _supports(fact, edge, shown)]
        words = {*tokens(value_text(fact.value))}
        words |= {word for edge in named for word in _words(end_names(shown, edge))}
        overlap = len(words & further)
        if overlap or not further:
            yield fact, overlap
        for edge in named:
            if overlap := len(_words(end_names(shown, edge)) & further):
                yield edge, overlap


def _words(texts: Iterable[str]) -> set[str]:
    return {token for text in texts for token in tokens(text)}


def _contains(text: str, key: str) -> bool:
    """Whether a query holds a key literally, as whole words where words are written apart."""
    at = text.find(key)
    while key and at >= 0:
        before, after = text[at - 1 : at], text[at + len(key) : at + len(key) + 1]
        if not (_joins(before, key[0]) or _joins(key[-1], after)):
            return True
        at = text.find(key, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    return left.isascii() and right.isascii() and left.isalnum() and right.isalnum()


def _supports(fact: Fact, edge: Edge, shown: View) -> bool:
    """Whether the value of a fact names the node at the other end of an edge."""
    items = (fact.value,) if isinstance(fact.value, str) else fact.value
    return not {name_key(item) for item in items}.isdisjoint(map(name_key, end_names(shown, edge)))


def _matching_metadata(shown: View, query: Query) -> tuple[str, ...] | None:
    """The events of the name, aliases and tags that share words with the query."""
    node = shown.node
    hit: list[tuple[str, ...]] = []
    proof = node.provenance
    values = [(node.name, proof.name if proof else node.source_event_ids)]
    values += [(v, proof.aliases[v] if proof else node.source_event_ids) for v in node.aliases]
    values += [(v, proof.tags[v] if proof else node.source_event_ids) for v in node.tags]
    values.append((node.type, node.source_event_ids))
    for value, ids in values:
        if not query.terms.isdisjoint(tokens(value)):
            hit.append(ids)
    if not hit:
        return None
    return tuple(dict.fromkeys(key for ids in hit for key in ids))


def _hit(
    shown: View, query: Query, kind: MatchType, matched: Sequence[Record], proof: tuple[str, ...]
) -> GraphHit:
    live: tuple[Record, ...] = (*shown.current_facts, *shown.stale_facts, *shown.current_edges)
    known = {one.id for one in matched}
    context = [one for one in live if one.id not in known]
    if kind != "current" and matched:
        context.sort(key=lambda one: not any(_same_subject(one, past) for past in matched))
    order = (
        *_first_events(matched),
        *proof,
        *record_events(matched),
        *record_events(context),
        *metadata_events(shown.node),
    )
    wanted = {one.id for one in (*matched, *context)}
    relevant = replace(
        shown,
        historical_facts=tuple(one for one in shown.historical_facts if one.id in wanted),
        historical_edges=tuple(one for one in shown.historical_edges if one.id in wanted),
    )
    records_first = order if shown.proven else (*record_events(matched), *record_events(context))
    cut, provenance, evidence = bounded(relevant, records_first)
    return GraphHit(
        view=cut,
        match_type=kind,
        provenance=provenance,
        metadata_evidence=evidence,
        matched=frozenset(one.id for one in matched),
        named=any(
            _contains(query.text, normalise(name))
            for name in (shown.node.name, *shown.node.aliases)
        ),
    )


def hit_node(hit: GraphHit) -> Node:
    """The node of a hit with the facts it shows."""
    shown = hit.view
    facts = (*shown.current_facts, *shown.stale_facts, *shown.historical_facts)
    return replace(shown.node, facts=facts, current_state=shown.state)


def _first_events(records: Iterable[Record]) -> tuple[str, ...]:
    """One event of each record, so that a record with many leaves room for the others."""
    return tuple(one.source_event_ids[0] for one in records)


def _same_subject(one: Record, other: Record) -> bool:
    if isinstance(one, Fact) and isinstance(other, Fact):
        return normalise(one.key) == normalise(other.key)
    if isinstance(one, Edge) and isinstance(other, Edge):
        return normalise(one.relation) == normalise(other.relation)
    return False
