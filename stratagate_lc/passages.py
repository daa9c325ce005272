"""Search hits as passages: text for a model with where it comes from, the same in any framework.

The same memory gives the same passage whatever was asked, unless passages are packed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from stratagate_core import Card, Event, Hit, Message, Results, StrataGate
from stratagate_core.text.redact import redact


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One memory as text, secrets redacted."""

    #: the id of the event, message or node; of packed messages that of the best
    key: str
    #: `event`, `message` or `node`
    kind: str
    ref: str
    text: str
    score: float
    #: the score as a share of the best one's, 0 to 1
    share: float
    #: the single messages it consists of, which others of their day may join
    said: tuple[Message, ...] = ()
    #: the messages it shows, if they are several
    message_ids: tuple[str, ...] = ()
    created_at: datetime | None = None
    happened_at: datetime | None = None
    thread: str | None = None

    def metadata(self, timezone: tzinfo) -> dict[str, str]:
        """Where it comes from: flat, stable, and without what is not there."""
        found = {
            "memory_id": self.key,
            "kind": self.kind,
            "source": f"mem://{self.kind}/{self.key}",
            "created_at": _written(self.created_at, timezone),
            "happened_at": _written(self.happened_at, timezone),
            "session_id": self.thread,
        }
        return {name: value for name, value in found.items() if value}


def passages(memory: StrataGate, found: Results[Card]) -> list[Passage]:
    """The hits in their order, each in full: a card of a search holds an excerpt only."""
    best = max((hit.score for hit in found.hits), default=0.0)
    return [
        replace(_passage(memory, hit), score=hit.score, share=_share(hit.score, best))
        for hit in found.hits
    ]


def _share(score: float, best: float) -> float:
    return min(1.0, max(0.0, score / best)) if best > 0 else 0.0


def _passage(memory: StrataGate, hit: Hit[Card]) -> Passage:
    if hit.ref.startswith("event:"):
        return _of_event(memory.event(hit.item["id"]), hit.ref)
    if hit.ref.startswith("raw:"):
        (message,) = memory.sources(hit.ref)
        return _of_message(message, hit)
    return _of_node(hit)


def _of_event(event: Event, ref: str) -> Passage:
    title, summary = redact(event.title), redact(event.summary)
    return Passage(
        key=event.id,
        kind="event",
        ref=ref,
        text=summary if summary.startswith(title) else f"{title}\n{summary}",
        score=0.0,
        share=0.0,
        created_at=event.created_at,
        happened_at=event.temporal.happened_start,
        thread=event.temporal.thread_id,
    )


def _of_message(message: Message, hit: Hit[Card]) -> Passage:
    shown = tuple(said for said in hit.around if said.content.strip())
    several = len(shown) > 1
    return Passage(
        key=str(message.id),
        kind="message",
        ref=hit.ref,
        text=_lines(shown if several else (message,)),
        score=0.0,
        share=0.0,
        said=() if several else (message,),
        message_ids=tuple(str(said.id) for said in shown) if several else (),
        created_at=message.created_at,
        thread=message.thread,
    )


def _of_node(hit: Hit[Card]) -> Passage:
    """What is so now first; what was so before is marked as such. Cards are redacted already."""
    card = hit.item
    state = card.get("current_state") or _facts(card.get("facts", ()))
    past = [*card.get("historical_matches", ()), *card.get("historical_relations", ())]
    lines = [
        f"{card['name']} ({card['type']})",
        *([state] if state else []),
        *map(_relation, card.get("relations", ())),
        *(f"(before) {_facts([one]) or _relation(one)}" for one in past),
    ]
    return Passage(
        key=str(card["id"]), kind="node", ref=hit.ref, text="\n".join(lines), score=0.0, share=0.0
    )


def _facts(facts: Iterable[Card]) -> str:
    written = []
    for fact in facts:
        if "key" in fact:
            value = fact.get("value", "")
            values = value if isinstance(value, str) else ", ".join(map(str, value))
            written.append(f"{fact['key']}: {values}")
    return "\n".join(written)


def _relation(edge: Card) -> str:
    return f"{edge.get('from')} {edge.get('relation')} {edge.get('to')}"


def _lines(said: Iterable[Message]) -> str:
    return "\n".join(f"{each.name or each.role}: {redact(each.content)}" for each in said)


def fitting(found: Iterable[Passage], budget: int, count: Callable[[str], int]) -> list[Passage]:
    """The passages before the first that does not fit the budget."""
    kept: list[Passage] = []
    for passage in found:
        budget -= count(passage.text)
        if budget < 0:
            break
        kept.append(passage)
    return kept


def packed(
    found: Iterable[Passage], budget: int, count: Callable[[str], int], timezone: tzinfo
) -> list[Passage]:
    """The passages before the first that does not fit the budget, with one date for many messages.

    Messages of one conversation and day become one passage, in the order they were said, below
    their date; it stands where the best of them stood.
    """
    kept: list[Passage] = []
    for passage in found:
        wider = _joined(kept, passage, timezone)
        if sum(count(one.text) for one in wider) > budget:
            break
        kept = wider
    return kept


def _joined(kept: Sequence[Passage], passage: Passage, timezone: tzinfo) -> list[Passage]:
    """`kept` with one more: in the passage of its day, if there is one."""
    if not passage.said:
        return [*kept, passage]
    day = _day(passage, timezone)
    for place, other in enumerate(kept):
        if other.said and _day(other, timezone) == day:
            return [*kept[:place], _of_day(other, passage, timezone), *kept[place + 1 :]]
    return [*kept, replace(passage, text=_dated(passage, passage.said, timezone))]


def _of_day(first: Passage, other: Passage, timezone: tzinfo) -> Passage:
    said = tuple(sorted((*first.said, *other.said), key=_moment))
    return replace(
        first,
        said=said,
        text=_dated(first, said, timezone),
        message_ids=tuple(str(each.id) for each in said),
    )


def _day(passage: Passage, timezone: tzinfo) -> tuple[str | None, str]:
    at = passage.created_at
    return passage.thread, at.astimezone(timezone).date().isoformat() if at else "?"


def _dated(passage: Passage, said: Iterable[Message], timezone: tzinfo) -> str:
    return f"{_day(passage, timezone)[1]}\n{_lines(said)}"


def _moment(message: Message) -> tuple[int, float, bool, str]:
    """Within a turn times are often equal, and the user spoke first."""
    at = message.created_at.timestamp() if message.created_at else 0.0
    return message.turn or 0, at, message.role != "user", message.id or ""


def _written(instant: datetime | None, timezone: tzinfo) -> str | None:
    return None if instant is None else instant.astimezone(timezone).isoformat()
