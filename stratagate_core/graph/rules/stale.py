"""Facts that rest on other facts, and what becomes of them when those change (05 §8)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from stratagate_core.graph.rules.statements import Place, Sources
from stratagate_core.graph.rules.view import View, value_text
from stratagate_core.model.graph import Fact, Support
from stratagate_core.text.normalise import normalise

#: (node id, normalised key)
Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What is shown of one key: facts that hold, and those that held."""

    current: tuple[Fact, ...] = ()
    historical: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Why a fact is stale, and since when."""

    reason: str
    since: datetime | None


#: the node id that a support of a fact names; None if there is no such node any more
FindNode = Callable[[Fact, Support], str | None]


def grounds_of(views: Mapping[str, View]) -> dict[Key, Ground]:
    """The facts of views by node and key."""
    found: dict[Key, Ground] = {}
    for node, shown in views.items():
        for fact in shown.current_facts:
            at = (node, normalise(fact.key))
            ground = found.get(at, Ground())
            found[at] = replace(ground, current=(*ground.current, fact))
        for fact in shown.historical_facts:
            at = (node, normalise(fact.key))
            ground = found.get(at, Ground())
            found[at] = replace(ground, historical=(*ground.historical, fact))
    return found


def with_stale(
    shown: View, grounds: Mapping[Key, Ground], sources: Sources, find: FindNode
) -> View:
    """The view with its doubtful facts taken out of the current ones, each with its reason."""
    doubts = [doubt(fact, grounds, sources, find) for fact in shown.current_facts]
    paired = list(zip(shown.current_facts, doubts, strict=True))
    stale = tuple(
        replace(fact, status="stale", stale_reason=why.reason, stale_since=why.since)
        for fact, why in paired
        if why is not None
    )
    current = tuple(fact for fact, why in paired if why is None)
    return replace(shown, current_facts=current, stale_facts=stale)


def doubt(
    fact: Fact,
    grounds: Mapping[Key, Ground],
    sources: Sources,
    find: FindNode,
    path: Sequence[Key] = (),
) -> Doubt | None:
    """Why a fact is stale; None if all it depends on is as it was when it was last stated.

    A cycle ends where it returns to a key it came from.
    """
    here = (*path, (fact.node_id, normalise(fact.key)))
    for support in fact.depends_on:
        node = find(fact, support)
        if node is None:
            return Doubt(reason=f"{_named(support)} is no longer known", since=None)
        at = (node, normalise(support.key))
        if at in here:
            continue
        ground = grounds.get(at, Ground())
        found = _changed(fact, support, ground, sources)
        if found is not None:
            return found
        for below in ground.current:
            deeper = doubt(below, grounds, sources, find, here)
            if deeper is not None:
                reason = f"{_named(support)} is itself stale: {deeper.reason}"
                return Doubt(reason=reason, since=deeper.since)
    return None


def _changed(fact: Fact, support: Support, ground: Ground, sources: Sources) -> Doubt | None:
    last = _latest(fact, sources)
    name = _named(support)
    if not ground.current:
        ends = [one.valid_to for one in ground.historical if one.valid_to is not None]
        return Doubt(reason=f"{name} is no longer known", since=max(ends, default=None))
    newer = [one for one in ground.current if _earliest(one, sources) > last]
    if not newer:
        return None
    before = [one for one in (*ground.historical, *ground.current) if one not in newer]
    newest = max(newer, key=lambda one: _earliest(one, sources))
    if newest.status == "disputed":
        return Doubt(reason=f"{name} is disputed", since=newest.valid_from)
    if not any(_earliest(one, sources) <= last for one in before):
        return None  # nothing was known of it when the fact was stated: nothing has changed
    was = max(before, key=lambda one: _earliest(one, sources))
    told = f"{name} changed from {value_text(was.value)} to {value_text(newest.value)}"
    return Doubt(reason=told, since=newest.valid_from)


def _named(support: Support) -> str:
    return support.key if support.node is None else f"{support.key} of {support.node}"


def _latest(fact: Fact, sources: Sources) -> Place:
    return max(sources[key].place for key in fact.source_event_ids)


def _earliest(fact: Fact, sources: Sources) -> Place:
    return min(sources[key].place for key in fact.source_event_ids)
