"""The graph without a model: a few facts that sentences state beyond doubt (12 §2).

Only plain statements of the present count: no questions, plans, suppositions or denials. What
nobody can tell without understanding is left to a model: a wrong fact is worse than none.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from stratagate_core.graph.rules.patterns import Told, read_names, read_sentence
from stratagate_core.graph.rules.statements import name_key
from stratagate_core.text.modality import (
    is_hypothetical,
    is_plan,
    is_question,
)
from stratagate_core.text.normalise import normalise
from stratagate_core.text.sentences import split_sentences

#: who speaks to the assistant
USER = "User"
_ASSISTANT = "Assistant"
#: `Speaker: "words"`, of which a summary may hold several; the last one is the statement itself
_SAID = re.compile(r'(?:^|(?<=" ))([^":\n]{1,60}?)(?: said)?: "')
#: keys that mean the same in both languages: a node keeps the one it has
_PAIRS = (
    ("home", "住处"),
    ("employer", "工作单位"),
    ("uses", "使用"),
    ("likes", "喜欢"),
    ("occupation", "职业"),
    ("allergic to", "过敏"),
    ("dog", "狗"),
    ("cat", "猫"),
    ("commute", "通勤"),
    ("state", "状态"),
)
_TWINS = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}


@dataclass(slots=True)
class _Draft:
    """A node that grows while the events of a batch are read."""

    ref: str
    name: str
    type: str
    events: list[str] = field(default_factory=list)
    aliases: dict[str, list[str]] = field(default_factory=dict)
    facts: list[dict[str, Any]] = field(default_factory=list)

    def cite(self, event: str) -> None:
        """One more event that speaks of it."""
        if event not in self.events:
            self.events.append(event)


@dataclass(slots=True)
class _Graph:
    """The nodes and edges of an answer; `known` are the shown nodes by their names."""

    known: Mapping[str, Mapping[str, Any]]
    nodes: dict[tuple[str, str], _Draft] = field(default_factory=dict)
    edges: list[dict[str, Any]] = field(default_factory=list)

    def node(self, name: str, kind: str, event: str) -> _Draft:
        """The node of this name."""
        key = (kind, name_key(name))
        draft = self.nodes.setdefault(key, _Draft(f"n{len(self.nodes) + 1}", name, kind))
        draft.cite(event)
        return draft


def project(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a batch of events adds, from the JSON a model would see."""
    known = _known(payload["nodes"])
    graph = _Graph(known)
    for event in payload["events"]:
        for speaker, sentence in _around(event):
            for told in read_names(sentence, speaker):
                _add(graph, told, event)
        for speaker, sentence in _sentences(event):
            for told in read_sentence(sentence, speaker, _types(graph)):
                _add(graph, told, event)
    nodes = [_node(draft) for draft in graph.nodes.values()]
    reason = "facts that sentences state plainly" if nodes else "no sentence states a plain fact"
    return {"reason": reason, "nodes": nodes, "edges": graph.edges}


def _known(shown: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {name_key(name): one for one in shown for name in (one["name"], *one["aliases"])}


def _types(graph: _Graph) -> dict[str, str]:
    """The type of every node that is known, by its normalised names."""
    shown = {key: str(one["type"]) for key, one in graph.known.items()}
    return shown | {key: kind for kind, key in graph.nodes}


def _sentences(event: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What an active event says, sentence by sentence, with who says it."""
    status = event["temporal"].get("status", "unknown")
    if event["status"] != "active" or status in ("planned", "cancelled"):
        return
    speaker, words = _spoken(str(event["title"]), str(event["summary"]))
    if speaker == _ASSISTANT:
        return
    seen = set()
    for text in words:
        for sentence in split_sentences(text):
            plain = sentence.strip()
            if normalise(plain) in seen or not _states_the_present(plain):
                continue
            seen.add(normalise(plain))
            yield speaker, plain


def _around(event: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a card quotes before its statement: names hold there, facts are told by other cards."""
    summary = str(event["summary"])
    marks = list(_SAID.finditer(summary))
    for mark, following in pairwise(marks):
        if mark[1].strip() != _ASSISTANT and event["status"] == "active":
            yield mark[1].strip(), summary[mark.end() : following.start()].strip(' "')


def _spoken(title: str, summary: str) -> tuple[str, tuple[str, ...]]:
    """Speaker and words of a card: of a quoted statement, or of a card in the third person."""
    marks = list(_SAID.finditer(summary))
    if not marks or not summary.rstrip().endswith(('"', ")")):
        return USER, (summary, title)
    words = summary[marks[-1].end() :]
    return marks[-1][1].strip(), (words.rpartition('"')[0],)


def _states_the_present(sentence: str) -> bool:
    return not (is_question(sentence) or is_hypothetical(sentence) or is_plan(sentence))


def _add(graph: _Graph, told: Told, happened: Mapping[str, Any]) -> None:
    event, times = str(happened["id"]), happened["temporal"]
    subject = graph.node(told.subject, told.subject_type, event)
    if told.alias:
        subject.aliases.setdefault(told.alias, [])
        subject.aliases[told.alias] += [event] * (event not in subject.aliases[told.alias])
    if not told.key:
        return
    shown = graph.known.get(name_key(subject.name), {"facts": []})
    held = {normalise(fact["key"]) for fact in shown["facts"]}
    key = _TWINS[told.key] if _TWINS.get(told.key) in held and told.key not in held else told.key
    fact = {
        "key": key,
        "value": told.value,
        "mode": told.mode,
        "source_event_ids": [event],
        "depends_on": list(told.depends_on),
    }
    end = times.get("happened_start") or times.get("mentioned_at")
    if told.ended and end:
        fact["valid_to"] = end
    apart = ("key", "value", "valid_to")
    same = [one for one in subject.facts if all(one.get(k) == fact.get(k) for k in apart)]
    if same:
        same[-1]["source_event_ids"] += [event] * (event not in same[-1]["source_event_ids"])
    else:
        subject.facts.append(fact)
    if told.relation and told.target_type:
        target = graph.node(told.value, told.target_type, event)
        edge = {
            "from_ref": subject.ref,
            "to_ref": target.ref,
            "relation": told.relation,
            "cardinality": "single" if told.mode == "state" else "many",
            "source_event_ids": [event],
            "valid_to": fact.get("valid_to"),
        }
        if target is not subject:
            _relate(graph.edges, edge, event)


def _relate(edges: list[dict[str, Any]], edge: dict[str, Any], event: str) -> None:
    apart = ("from_ref", "to_ref", "relation", "valid_to")
    same = [one for one in edges if all(one[name] == edge[name] for name in apart)]
    if same:
        same[0]["source_event_ids"] += [event] * (event not in same[0]["source_event_ids"])
    else:
        edges.append(edge)


def _node(draft: _Draft) -> dict[str, Any]:
    proven = [{"value": name, "source_event_ids": ids} for name, ids in draft.aliases.items()]
    return {
        "ref": draft.ref,
        "name": draft.name,
        "type": draft.type,
        "aliases": list(draft.aliases),
        "metadata_provenance": {"name": draft.events, "aliases": proven, "tags": []},
        "facts": draft.facts,
        "source_event_ids": draft.events,
    }
