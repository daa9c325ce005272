"""What the demo shows, chapter by chapter. Everything printed is read from the memory."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import count

from stratagate_core.apps.demo.replay import Measured, by_week
from stratagate_core.apps.demo.screen import Print, bar, clip, heading, table, wrap
from stratagate_core.apps.demo.story import Question, Said
from stratagate_core.errors import EvidenceError
from stratagate_core.memory import StrataGate
from stratagate_core.model.event import Event
from stratagate_core.model.message import Message

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
            clip(block.content, 48),
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
            clip(event.title, 46),
            _day(memory, event.temporal.mentioned_at),
            _span(memory, event),
            _status(event),
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
        show(_spoken(memory, message))


def weights(memory: StrataGate, ids: Sequence[str]) -> dict[str, float]:
    """The weight of events now; reading it changes nothing."""
    cards = {key: memory.expand_event(key)["results"][0] for key in ids}
    return {key: float(card["weight"]["effective"]) for key, card in cards.items()}


def show_answer(show: Print, memory: StrataGate, asked: Question) -> None:
    """Chapters 3 and 5: retrieve, assess, read the source, record use; and what it changed."""
    show(heading(3, "A question is answered: retrieve, assess, read the source, record use"))
    show(wrap(f"Lin Yue asks: “{asked.asked}”"))
    found = memory.search_events(asked.search, limit=4, thread=asked.thread, open_batch=True)
    ids = [hit.item["id"] for hit in found.hits]
    before = weights(memory, ids)
    show("")
    show(wrap(f"1. retrieve: search_events({asked.search!r}) opens the evidence {found.batch_id}:"))
    show("")
    rows = [
        [hit.ref, clip(hit.item["title"], 52), _status(memory.event(hit.item["id"]))]
        for hit in found.hits
    ]
    show(table(["ref", "event", "status"], rows))
    fitting = [hit.ref for hit in found.hits if not _lacking(memory, hit.item["id"], asked)]
    used = fitting[:1]
    verdict = memory.assess(
        "sufficient" if used else "partial",
        used,
        fit=f"holds the words {', '.join(asked.needs)}",
        batch_id=found.batch_id,
        thread=asked.thread,
    )
    show("")
    show(
        wrap(
            "2. assess: a hit is not an answer yet. In your application the chat model judges; "
            f"here a list of words does ({', '.join(asked.needs)}). Verdict: {verdict.verdict}, "
            f"evidence: {', '.join(verdict.evidence_refs) or 'none'}."
        )
    )
    show("")
    show(wrap("3. read the source, word for word:"))
    for ref in verdict.evidence_refs:
        for message in memory.sources(ref):
            show(_spoken(memory, message))
    receipt = memory.record_use(verdict.evidence_refs, batch_id=found.batch_id, thread=asked.thread)
    show("")
    show(
        wrap(
            f"4. record use: {receipt.incremented} of the {receipt.retrieved_count} memories "
            f"found carried the answer; the evidence is now {receipt.batch_status!r}."
        )
    )
    show_refusal(show, memory, asked)
    show_weights(show, memory, before, set(receipt.event_ids))


def show_refusal(show: Print, memory: StrataGate, asked: Question) -> None:
    """Chapter 4: evidence that answers only in part cannot be recorded as used."""
    show(heading(4, "The same question, with evidence that is only partial"))
    found = memory.search_events(
        asked.search,
        happened_from=asked.earlier,
        happened_to=asked.earlier,
        thread=asked.thread,
        open_batch=True,
    )
    show(
        wrap(
            f"Suppose that the search is narrowed to {asked.earlier}, the day of the first plan. "
            f"It finds {len(found.hits)}:"
        )
    )
    for hit in found.hits:
        show(wrap(f"{hit.ref}  {clip(hit.item['title'], 70)}"))
    lacking = sorted(
        {word for hit in found.hits for word in _lacking(memory, hit.item["id"], asked)}
    )
    refs = [hit.ref for hit in found.hits][:1]
    verdict = memory.assess(
        "partial",
        refs,
        missing=f"nothing is said about: {', '.join(lacking)}",
        batch_id=found.batch_id,
        thread=asked.thread,
    )
    show("")
    show(wrap(f"assess → {verdict.verdict}; {verdict.missing}."))
    show(wrap(f"record_use({refs}) →"))
    try:
        memory.record_use(refs, batch_id=found.batch_id, thread=asked.thread)
    except EvidenceError as error:
        show(wrap(f"refused: {error.message}", indent="     "))
    receipt = memory.record_use([], batch_id=found.batch_id, thread=asked.thread)
    show(
        wrap(
            f"record_use([]) → closed; {receipt.incremented} memories became stronger. A plan "
            "that was overtaken cannot slip into an answer as if it had been checked."
        )
    )


def show_weights(
    show: Print, memory: StrataGate, before: Mapping[str, float], used: set[str]
) -> None:
    """Chapter 5: the weight of what was used and of what was only found."""
    now = weights(memory, list(before))
    show(heading(5, "Being found changes nothing, being used does"))
    rows = [
        [
            clip(memory.event(key).title, 40),
            "used" if key in used else "only found",
            f"{before[key]:.3f}",
            bar(before[key]),
            f"{now[key]:.3f}",
            bar(now[key]),
        ]
        for key in before
    ]
    show(table(["event", "", "before", "", "after", ""], rows, right=(2, 4)))
    show("")
    show(
        wrap(
            "A weight falls with every turn of the conversation and orders what is alike; "
            "what has faded can still be found. Each use starts it anew and makes it fall slower."
        )
    )


def show_chinese(show: Print, memory: StrataGate, asked: Question) -> None:
    """Chapter 6: a question in Chinese, asked in another thread than the one that knows."""
    show(heading(6, "A question in Chinese, answered from another thread"))
    show(wrap(f"Asked in the thread {asked.thread!r}: “{asked.asked}”"))
    found = memory.search_raw(asked.search, limit=3, thread=asked.thread, open_batch=True)
    fitting = [
        hit
        for hit in found.hits
        if all(word in hit.item["message"]["content"] for word in asked.needs)
        and hit.item["message"]["role"] == "user"
    ]
    refs = [hit.ref for hit in fitting[:1]]
    memory.assess(
        "sufficient" if refs else "partial", refs, batch_id=found.batch_id, thread=asked.thread
    )
    receipt = memory.record_use(refs, batch_id=found.batch_id, thread=asked.thread)
    for hit in fitting[:1]:
        message = hit.item["message"]
        show("")
        for source in memory.sources(hit.ref):
            show(_spoken(memory, source))
        show(wrap(f"({receipt.verdict}; thread {message['thread_id']!r}, {hit.ref})"))


def show_state(show: Print, memory: StrataGate, threads: Sequence[str]) -> None:
    """What a later run finds: blocks, and the events that were used."""
    stats = memory.stats()
    show("")
    show(wrap(f"It holds {stats['current_turn']} turns and {len(all_events(memory))} events."))
    show("")
    rows = [
        [
            thread,
            str(sum(message.role == "user" for message in memory.thread_messages(thread))),
            " ".join(
                f"L{block.level}" for block in memory.blocks(thread) if block.status == "ready"
            ),
        ]
        for thread in threads
    ]
    show(table(["thread", "turns", "blocks, oldest first"], rows, right=(1,)))
    used = [event for event in all_events(memory) if event.weight.mention_count > 1]
    now = weights(memory, [event.id for event in used])
    show("")
    show(wrap("What was used before is still stronger than what was only found:"))
    show("")
    rows = [
        [clip(event.title, 52), str(event.weight.mention_count), f"{now[event.id]:.3f}"]
        for event in used
    ]
    show(table(["event", "mentions", "weight now"], rows, right=(1, 2)))


def show_follow_up(show: Print, memory: StrataGate, said: Said) -> None:
    """One more turn, and the level of the blocks after it."""
    show("")
    show(wrap("One more turn is said now, and the memory goes on as if nothing had happened:"))
    for message in memory.thread_messages(said.thread)[-2:]:
        show(_spoken(memory, message))


def _lacking(memory: StrataGate, event_id: str, asked: Question) -> tuple[str, ...]:
    """The words that the sources of an event do not hold."""
    text = " ".join(message.content for message in memory.sources(event_id)).casefold()
    return tuple(word for word in asked.needs if word.casefold() not in text)


def _spoken(memory: StrataGate, message: Message) -> str:
    said = _day(memory, message.created_at)
    return wrap(f"{said}, {message.role} ({message.id}): “{message.content}”", indent="   │ ")


def _status(event: Event) -> str:
    happening = event.temporal.status
    return f"{happening}, superseded" if event.status == "superseded" else happening


def _is_apart(memory: StrataGate, event: Event) -> bool:
    """The event happens on another day than it was said."""
    start = event.temporal.happened_start
    return start is not None and _day(memory, start) != _day(memory, event.temporal.mentioned_at)


def _span(memory: StrataGate, event: Event) -> str:
    days = [
        _day(memory, moment)
        for moment in (event.temporal.happened_start, event.temporal.happened_end)
        if moment is not None
    ]
    return " – ".join(dict.fromkeys(days))


def _day(memory: StrataGate, moment: datetime | None) -> str:
    """The day in the display time zone."""
    local = moment and moment.astimezone(memory.settings().timezone)
    return f"{local.day} {local:%b}" if local else ""
