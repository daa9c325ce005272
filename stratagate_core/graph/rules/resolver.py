"""Which of the values that were ever stated for a key holds, and by what rule (05 §8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from stratagate_core.graph.rules.records import rank
from stratagate_core.graph.rules.statements import Sources, value_key
from stratagate_core.graph.rules.view import View
from stratagate_core.model.graph import Fact
from stratagate_core.text.normalise import normalise

Rule = Literal["only", "validity", "mention_time", "trust", "id"]
_START = datetime.min.replace(tzinfo=UTC)
_RULES: tuple[Rule, ...] = ("validity", "mention_time", "trust")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The answer for one key: `value` is None when nothing tells two values apart."""

    key: str
    value: str | tuple[str, ...] | None
    status: Literal["current", "stale", "disputed", "ended"]
    rule: Rule
    #: the facts that lost, the next best first
    losing: tuple[Fact, ...] = ()


def resolve(shown: View, sources: Sources) -> tuple[Resolution, ...]:
    """One resolution for each key of single values that has candidates."""
    keys: dict[str, list[tuple[bool, Fact]]] = {}
    open_facts = (*shown.current_facts, *shown.stale_facts)
    for holds, facts in ((True, open_facts), (False, shown.historical_facts)):
        for fact in facts:
            if fact.mode == "state":
                keys.setdefault(normalise(fact.key), []).append((holds, fact))
    return tuple(_resolve(candidates, sources) for candidates in keys.values())


def _resolve(candidates: Sequence[tuple[bool, Fact]], sources: Sources) -> Resolution:
    def order(entry: tuple[bool, Fact]) -> tuple[Any, ...]:
        return entry[0], *_rank(entry[1], sources), entry[1].id

    ranked = sorted(candidates, key=order, reverse=True)
    holds, best = ranked[0]
    losing = tuple(fact for _, fact in ranked[1:])
    rivals = [
        (open_, fact)
        for open_, fact in ranked[1:]
        if value_key(fact.value) != value_key(best.value)
    ]
    rule: Rule = _deciding(best, rivals[0][1], sources) if rivals else "only"
    tied = bool(rivals) and rivals[0][0] == holds and rule == "id"
    status: Any = "current" if holds else "ended"
    if tied or (holds and best.status == "disputed"):
        status = "disputed"
    elif best.status == "stale":
        status = "stale"
    value = None if tied or not holds else best.value
    return Resolution(key=best.key, value=value, status=status, rule=rule, losing=losing)


def _deciding(best: Fact, other: Fact, sources: Sources) -> Rule:
    """The first rule by which `best` is ahead."""
    pairs = zip(_RULES, _rank(best, sources), _rank(other, sources), strict=True)
    return next((rule for rule, mine, theirs in pairs if mine > theirs), "id")


def _rank(fact: Fact, sources: Sources) -> tuple[Any, ...]:
    begun, said, trust = rank(fact.valid_from, fact.source_event_ids, sources)
    return begun or _START, said, trust
