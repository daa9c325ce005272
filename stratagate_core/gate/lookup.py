"""Finding the batch a call means; an error names the ids there are."""

from collections.abc import Sequence
from typing import Any

from stratagate_core.engine import Work
from stratagate_core.errors import BatchError
from stratagate_core.store import batches
from stratagate_core.store.batches import BatchRow
from stratagate_core.text.language import Language, choose_language


def find_batch(work: Work, thread: str, batch_id: str | None) -> BatchRow:
    """The batch of this thread with this id, or without an id its latest.

    Raises:
        BatchError: there is none in this thread.

    """
    wanted = (batch_id or "").strip()
    found = batches.get(work.tx, thread, wanted) if wanted else batches.latest(work.tx, thread)
    if found is not None:
        return found
    named = situation(work, thread)
    if not named["available_batch_ids"]:
        problem = "no evidence batch was opened in this thread yet; retrieve first"
    else:
        problem = f"no batch {wanted!r} in this thread"
    raise BatchError(
        f"{problem}. Latest: {named['latest_batch_id']}; "
        f"unresolved: {named['unresolved_batch_ids']}; available: {named['available_batch_ids']}",
        requested_batch_id=wanted or None,
        **named,
    )


def unresolved_batch(work: Work, thread: str, batch_id: str | None) -> BatchRow:
    """As `find_batch`, and it may still be assessed and settled."""
    batch = find_batch(work, thread, batch_id)
    must_be_unresolved(work, batch)
    return batch


def must_be_unresolved(work: Work, batch: BatchRow) -> None:
    """Refuse a batch that was settled already."""
    if batch.status == "unresolved":
        return
    named = situation(work, batch.thread)
    raise BatchError(
        f"batch {batch.id!r} is already {batch.status}; retrieve again if you need more evidence. "
        f"Unresolved: {named['unresolved_batch_ids']}",
        requested_batch_id=batch.id,
        batch_status=batch.status,
        **named,
    )


def situation(work: Work, thread: str) -> dict[str, Any]:
    """The ids that an error about a batch names."""
    available = list(batches.latest_ids(work.tx, thread))
    return {
        "latest_batch_id": available[0] if available else None,
        "unresolved_batch_ids": list(ids_of(batches.unresolved(work.tx, thread))),
        "available_batch_ids": available,
    }


def ids_of(rows: Sequence[BatchRow]) -> tuple[str, ...]:
    """The ids of batches."""
    return tuple(row.id for row in rows)


def language_of(work: Work, *notes: object) -> Language:
    """The language of stock texts beside what the model noted."""
    text = " ".join(note for note in notes if isinstance(note, str))
    return choose_language(work.settings.language, text)
