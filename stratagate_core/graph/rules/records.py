"""What folding facts and folding edges have in common: places, sources, ids and rank."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from stratagate_core.graph.rules.statements import (
    EdgeStatement,
    FactStatement,
    Place,
    Sources,
    visible_of,
)
from stratagate_core.model.graph import Fact

#: most source events of a record (05 §1)
SOURCES = 64


def shared_parts(statement: FactStatement | EdgeStatement, sources: Sources) -> dict[str, Any]:
    """What facts and edges have in common; an end that had passed when it was said closes it."""
    cited = [sources[key] for key in statement.sources]
    said = max(source.mentioned_at for source in cited)
    over = statement.valid_to is not None and statement.valid_to <= said
    return {
        "status": "superseded" if over and statement.status == "active" else statement.status,
        # of something that is over when it is told, the telling is not the beginning
        "valid_from": statement.valid_from
        or (None if over else max(source.chronology for source in cited)),
        "valid_to": statement.valid_to,
        "confidence": statement.confidence,
        "source_event_ids": statement.sources[:SOURCES],
        "created_at": min(source.created_at for source in cited),
        "updated_at": max(source.created_at for source in cited),
    }


def rank(
    valid_from: datetime | None, source_ids: Iterable[str], sources: Sources
) -> tuple[datetime | None, tuple[datetime, int, int], int]:
    """Beginning, latest mention and highest trust of a record."""
    cited = [sources[key] for key in source_ids if key in sources]
    said = max((one.mentioned_at, one.turn, one.position) for one in cited)
    return valid_from, said, max(one.trust for one in cited)


def proven(
    values: Iterable[tuple[str, tuple[str, ...]]], sources: Sources
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The values that a visible event proves, with these events."""
    for value, proof in values:
        if shown := visible_of(proof, sources):
            yield value, shown


def place_of(ids: Iterable[str], sources: Sources) -> Place:
    """Where a statement stands: at its latest event."""
    return max(sources[key].place for key in ids)


def union(*lists: Iterable[str]) -> tuple[str, ...]:
    """The ids of all lists, each once, in their order."""
    return tuple(dict.fromkeys(key for ids in lists for key in ids))


def numbered(records: Iterable[Any], identity: Any) -> Iterator[Any]:
    """Records with ids: of equal ones the first, the second … in the order of the fold."""
    counts: dict[tuple[str, ...], int] = {}
    for record in records:
        parts = identity(record)
        counts[parts] = counts.get(parts, 0) + 1
        kind = "fact" if isinstance(record, Fact) else "edge"
        yield replace(record, id=digest(kind, *parts, str(counts[parts])))


def digest(kind: str, *parts: str) -> str:
    """An id that is the same in every fold."""
    text = "\x1f".join(parts)
    return f"{kind}_{hashlib.sha256(text.encode()).hexdigest()[:24]}"
