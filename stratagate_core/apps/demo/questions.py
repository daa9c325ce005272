"""Chapters 4 to 7: questions that the memory answers, refuses to answer, and what use changes."""

from collections.abc import Mapping, Sequence

from stratagate_core.apps.demo.lines import spoken, status, weights
from stratagate_core.apps.demo.screen import Print, bar, clip, heading, table, wrap
from stratagate_core.apps.demo.story import Question
from stratagate_core.errors import EvidenceError
from stratagate_core.memory import StrataGate
from stratagate_core.model.evidence import Assessment
from stratagate_core.model.search import Card, Hit, Results


def show_answer(show: Print, memory: StrataGate, asked: Question) -> None:
    """Chapters 3 to 5: retrieve, assess, read the source, record use; and what it changed."""
    show(heading(4, "A question is answered: retrieve, assess, read the source, record use"))
    show(wrap(f"Lin Yue asks: “{asked.asked}”"))
    found = memory.search_events(asked.search, limit=4, thread=asked.thread, open_batch=True)
    before = weights(memory, [hit.item["id"] for hit in found.hits])
    _show_found(show, memory, asked, found)
    verdict = _show_assessment(show, memory, asked, found)
    show("")
    show(wrap("3. read the source, word for word:"))
    for ref in verdict.evidence_refs:
        for message in memory.sources(ref):
            show(spoken(memory, message))
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


def _show_found(show: Print, memory: StrataGate, asked: Question, found: Results[Card]) -> None:
    show("")
    show(wrap(f"1. retrieve: search_events({asked.search!r}) opens the evidence {found.batch_id}:"))
    show("")
    rows = [
        [hit.ref, clip(hit.item["title"], 52), status(memory.event(hit.item["id"]))]
        for hit in found.hits
    ]
    show(table(["ref", "event", "status"], rows))


def _show_assessment(
    show: Print, memory: StrataGate, asked: Question, found: Results[Card]
) -> Assessment:
    fitting = [hit.ref for hit in found.hits if not _lacking(memory, hit, asked)]
    verdict = memory.assess(
        "sufficient" if fitting else "partial",
        fitting[:1],
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
    return verdict


def show_refusal(show: Print, memory: StrataGate, asked: Question) -> None:
    """Chapter 4: evidence that answers only in part cannot be recorded as used."""
    show(heading(5, "The same question, with evidence that is only partial"))
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
    lacking = {word for hit in found.hits for word in _lacking(memory, hit, asked)}
    refs = [hit.ref for hit in found.hits][:1]
    verdict = memory.assess(
        "partial",
        refs,
        missing=f"nothing is said about: {', '.join(sorted(lacking))}",
        batch_id=found.batch_id,
        thread=asked.thread,
    )
    show("")
    show(wrap(f"assess → {verdict.verdict}; {verdict.missing}."))
    _show_refused_use(show, memory, asked, found.batch_id, refs)


def _show_refused_use(
    show: Print, memory: StrataGate, asked: Question, batch_id: str | None, refs: Sequence[str]
) -> None:
    show(wrap(f"record_use({refs}) →"))
    try:
        memory.record_use(refs, batch_id=batch_id, thread=asked.thread)
    except EvidenceError as error:
        show(wrap(f"refused: {error.message}", indent="     "))
    receipt = memory.record_use([], batch_id=batch_id, thread=asked.thread)
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
    show(heading(6, "Being found changes nothing, being used does"))
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
    show(heading(7, "A question in Chinese, answered from another thread"))
    show(wrap(f"Asked in the thread {asked.thread!r}: “{asked.asked}”"))
    found = memory.search_raw(asked.search, limit=3, thread=asked.thread, open_batch=True)
    refs = [hit.ref for hit in found.hits if not _lacking(memory, hit, asked)][:1]
    memory.assess(
        "sufficient" if refs else "partial", refs, batch_id=found.batch_id, thread=asked.thread
    )
    receipt = memory.record_use(refs, batch_id=found.batch_id, thread=asked.thread)
    for citation in receipt.citations:
        show("")
        for message in memory.sources(citation.evidence_ref):
            show(spoken(memory, message))
            show(
                wrap(
                    f"Verdict: {receipt.verdict}; cited: {citation.evidence_ref}, said in the "
                    f"thread {message.thread!r}. A message is cited, an event also grows stronger."
                )
            )


def _lacking(memory: StrataGate, hit: Hit[Card], asked: Question) -> tuple[str, ...]:
    """The words that the sources of a hit do not hold."""
    text = " ".join(message.content for message in memory.sources(hit.ref)).casefold()
    return tuple(word for word in asked.needs if word.casefold() not in text)
