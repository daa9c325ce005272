"""Search hits as documents: the same memory is always the same document."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any, Literal

from langchain_core.documents import Document

from stratagate_core import Card, Event, Hit, Message, Results, StrataGate
from stratagate_core.text.redact import redact

Render = Literal["plain", "cited"]


def documents(
    memory: StrataGate, found: Results[Card], *, render: Render, include_volatile: bool
) -> list[Document]:
    """The hits in their order.

    Args:
        memory: where they were found.
        found: the hits.
        render: ``"cited"`` puts date and source before the text.
        include_volatile: also what differs from search to search: score, rank, batch.

    """
    timezone = memory.settings().timezone
    made = []
    for rank, hit in enumerate(found.hits, start=1):
        document = _document(memory, hit)
        if render == "cited":
            document.page_content = f"{_citation(document, timezone)}\n{document.page_content}"
        if include_volatile:
            document.metadata |= _volatile(hit, rank, found.batch_id)
        made.append(document)
    return made


def above(found: Results[Card], share: float) -> Results[Card]:
    """The hits that score at least this share of the best."""
    best = max((hit.score for hit in found.hits), default=0.0)
    return replace(found, hits=tuple(hit for hit in found.hits if hit.score >= share * best))


def within(
    found: list[Document], budget: int | None, count: Callable[[str], int]
) -> list[Document]:
    """The documents before the first that does not fit the budget; without one, all."""
    left = float("inf") if budget is None else budget
    fitting = []
    for document in found:
        left -= count(document.page_content)
        if left < 0:
            break
        fitting.append(document)
    return fitting


def _document(memory: StrataGate, hit: Hit[Card]) -> Document:
    if hit.ref.startswith("event:"):
        return _event_document(memory.event(hit.item["id"]))
    (message,) = memory.sources(hit.ref)
    return _message_document(message, hit.around)


def _event_document(event: Event) -> Document:
    title, summary = redact(event.title), redact(event.summary)
    metadata = {
        "created_at": _written(event.created_at),
        "happened_at": _written(event.temporal.happened_start),
        "session_id": event.temporal.thread_id,
    }
    text = summary if summary.startswith(title) else f"{title}\n{summary}"
    return _with_id("event", event.id, text, metadata)


def _message_document(message: Message, around: Sequence[Message]) -> Document:
    metadata: dict[str, Any] = {
        "created_at": _written(message.created_at),
        "session_id": message.thread,
    }
    shown = tuple(said for said in around if said.content.strip()) or (message,)
    if len(shown) > 1:
        metadata["message_ids"] = [str(said.id) for said in shown]
    text = "\n".join(f"{said.name or said.role}: {redact(said.content)}" for said in shown)
    return _with_id("message", str(message.id), text, metadata)


def _with_id(kind: str, key: str, text: str, metadata: dict[str, Any]) -> Document:
    identity = {"memory_id": key, "source": f"mem://{kind}/{key}", "doc_id": key, "kind": kind}
    known = {name: value for name, value in metadata.items() if value}
    return Document(id=key, page_content=text, metadata=identity | known)


def _volatile(hit: Hit[Card], rank: int, batch_id: str | None) -> dict[str, Any]:
    batch = {"batch_id": batch_id} if batch_id else {}
    return {"score": hit.score, "rank": rank, **batch}


def _citation(document: Document, timezone: tzinfo) -> str:
    return " ".join(f"[{part}]" for part in _cited(document.metadata, timezone))


def _cited(metadata: dict[str, Any], timezone: tzinfo) -> Iterator[str]:
    if when := metadata.get("happened_at") or metadata.get("created_at"):
        yield datetime.fromisoformat(when).astimezone(timezone).date().isoformat()
    yield metadata["source"]


def _written(instant: datetime | None) -> str | None:
    return None if instant is None else instant.isoformat()
