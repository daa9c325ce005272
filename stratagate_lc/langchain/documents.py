"""Passages as documents: the same memory is always the same document."""

from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any, Literal

from langchain_core.documents import Document

from stratagate_lc.passages import Passage

Render = Literal["plain", "cited"]


def document(passage: Passage, timezone: tzinfo, render: Render) -> Document:
    """One passage.

    Args:
        passage: text and where it comes from.
        timezone: in which times are written.
        render: ``"cited"`` puts date and source before the text.

    """
    metadata: dict[str, Any] = {**passage.metadata(timezone), "doc_id": passage.key}
    if passage.message_ids:
        metadata["message_ids"] = list(passage.message_ids)
    text = passage.text
    if render == "cited":
        text = f"{' '.join(f'[{part}]' for part in _cited(metadata))}\n{text}"
    return Document(id=passage.key, page_content=text, metadata=metadata)


def volatile(passage: Passage, rank: int, batch_id: str | None) -> dict[str, Any]:
    """What differs from search to search."""
    batch = {"batch_id": batch_id} if batch_id else {}
    return {"score": passage.score, "rank": rank, **batch}


def _cited(metadata: dict[str, Any]) -> Iterator[str]:
    if when := metadata.get("happened_at") or metadata.get("created_at"):
        yield datetime.fromisoformat(when).date().isoformat()
    yield metadata["source"]
