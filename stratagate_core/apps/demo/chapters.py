"""Chapters 1 and 2, and what a later run shows. Everything printed is read from the memory."""

from collections.abc import Mapping, Sequence
from itertools import count

from stratagate_core.apps.demo.lines import day, span, spoken, status, weights
from stratagate_core.apps.demo.replay import Measured, by_week, ready_levels
from stratagate_core.apps.demo.screen import Print, bar, clip, heading, table, wrap
from stratagate_core.apps.demo.story import Said
from stratagate_core.memory import StrataGate
from stratagate_core.model.event import Event

#: events in the table of chapter 2
_SHOWN = 10
_FULL_LEVEL = 5


def show_fading(show: Print, measured: Sequence[Measured], memory: StrataGate, thread: str) -> None:
    """Chapter 1: the context stays small while the blocks fade."""
    weeks = by_week(measured, thread)
    size = memory.settings().block_turn_size
    show(heading(1, "The conversation fades, its sources stay"))
    show(
        wrap(
            f"Every {size} turns of a thread are sealed into a block that can be read at six "
            "levels, from L5 (every word) to L0 (a title and tags). A block fades as later "
            "blocks are sealed, not as days pass. This is what the chat model was sent as "
            f"history for the last turn of each week of the thread {thread!r}, in tokens:"
        )
    )
    show("")
    show(_weeks_table(weeks))
    last = weeks[max(weeks)]
    show("")
    show(
        wrap(
            "whole = all that was said in the thread, results of tools included. sent = views of "
            "blocks + the latest turns word for word + memories that fit what was asked. The last "
            f"request held {last.sent / last.whole:.0%} of the whole. Nothing was deleted: every "
            "block can be read at L5 again at any time."
        )
    )
    _show_views(show, memory, thread)


def _weeks_table(weeks: Mapping[int, Measured]) -> str:
    rows = [
        [
            *map(str, (number, turn.turns, turn.whole, turn.sent)),
            bar(turn.sent / turn.whole if turn.whole else 1.0),
            *map(str, (turn.views, turn.latest, turn.memories)),
            " ".join(f"L{level}" for level in turn.levels) or "none yet",
        ]
        for number, turn in sorted(weeks.items())
    ]
    head = ["week", "turns", "whole", "sent", "sent/whole"]
    head += ["= views", "+ turns", "+ memories", "blocks, oldest first"]
    return table(head, rows, right=(0, 1, 2, 3, 5, 6, 7))


def _show_views(show: Print, memory: StrataGate, thread: str) -> None:
    show("")
    show(wrap("The blocks of this thread now:"))
    show("")
    rows = [
        [
            "{}-{}".format(*block.turn_range),
            bar(block.level / _FULL_LEVEL, _FULL_LEVEL),
            block.label,
            clip(block.content, 44),
        ]
        for block in memory.blocks(thread)
        if block.status == "ready"
    ]
    show(table(["turns", "level", "read as", "begins with"], rows))


def all_events(memory: StrataGate) -> tuple[Event, ...]:
    """Every visible event."""
    found: list[Event] = []
    for offset in count(0, 20):
        page = memory.search_events("", limit=20, offset=offset)
        found += [memory.event(hit.item["id"]) for hit in page.hits]
        if len(page.hits) < 20:
            break
    return tuple(found)


def show_events(show: Print, memory: StrataGate) -> None:
    """Chapter 2: the events that were kept, with their sources."""
    events = all_events(memory)
    dated = [event for event in events if _is_apart(memory, event)]
    dated.sort(key=lambda event: (event.chronology, event.id))
    show(heading(2, f"{len(events)} events were kept, each with its source"))
    show(
        wrap(
            "A sealed block is read for what may matter later. An event knows when it was said "
            "and when it happens, which is not the same: a plan is not an outcome. "
            f"{len(dated)} events happen on another day than they were said; the last {_SHOWN} "
            "of them:"
        )
    )
    show("")
    rows = [
        [
            clip(event.title, 42),
            day(memory, event.temporal.mentioned_at),
            span(memory, event),
            status(event),
            event.source_message_ids[0],
        ]
        for event in dated[-_SHOWN:]
    ]
    show(table(["event", "said", "happens", "status", "source"], rows))
    if dated:
        show("")
        _show_source(show, memory, _most_telling(dated))


def _most_telling(dated: Sequence[Event]) -> Event:
    """The last event that took the place of another, else the last one."""
    moved = [event for event in dated if event.temporal.supersedes_event_ids]
    return (moved or dated)[-1]


def _show_source(show: Print, memory: StrataGate, event: Event) -> None:
    earlier = event.temporal.supersedes_event_ids
    instead = f" It takes the place of {', '.join(earlier)}, which is kept." if earlier else ""
    show(wrap(f"The source of {event.id} is kept word for word.{instead}"))
    for message in memory.sources(event.id):
        show(spoken(memory, message))


def show_state(show: Print, memory: StrataGate) -> None:
    """What a later run finds."""
    show("")
    show(wrap(f"It holds {len(all_events(memory))} events, and its blocks stand where they stood:"))
    show("")
    rows = [
        [
            thread,
            str(sum(message.role == "user" for message in memory.thread_messages(thread))),
            " ".join(f"L{level}" for level in ready_levels(memory, thread)),
        ]
        for thread in memory.threads()
    ]
    show(table(["thread", "turns", "blocks, oldest first"], rows, right=(1,)))


def show_follow_up(show: Print, memory: StrataGate, said: Said) -> None:
    """One more turn."""
    show("")
    show(wrap("One more turn is said now, and the memory goes on as if nothing had happened:"))
    for message in memory.thread_messages(said.thread)[-2:]:
        show(spoken(memory, message))


def retrieved_events(memory: StrataGate) -> tuple[str, ...]:
    """The events that any answer found, as the audit of use holds them."""
    found = (ref for row in memory.usage().items for ref in row["retrieved_memories"])
    events = (ref.removeprefix("event:") for ref in found if ref.startswith("event:"))
    return tuple(dict.fromkeys(events))


def show_audit(show: Print, memory: StrataGate, before: Mapping[str, float]) -> None:
    """How often events were found and used, and their weight before and after the last turn."""
    audit = memory.usage().items
    now = weights(memory, list(before))
    show("")
    show(wrap("The audit of use: how often these events were found and used, and their weight:"))
    show("")
    rows = [
        [
            clip(memory.event(key).title, 40),
            str(sum(f"event:{key}" in row["retrieved_memories"] for row in audit)),
            str(sum(key in row["event_ids"] for row in audit)),
            f"{before[key]:.3f}",
            f"{now[key]:.3f}",
            bar(now[key]),
        ]
        for key in before
    ]
    head = ["event", "found", "used", "before the turn", "after it", ""]
    show(table(head, rows, right=(1, 2, 3, 4)))


def _is_apart(memory: StrataGate, event: Event) -> bool:
    """The event happens on another day than it was said."""
    start = event.temporal.happened_start
    return start is not None and day(memory, start) != day(memory, event.temporal.mentioned_at)
