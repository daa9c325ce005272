"""Reading runs and their transcripts."""

from typing import cast

from stratagate_core.dreaming.steps import current, found
from stratagate_core.engine import Work
from stratagate_core.errors import NotFound
from stratagate_core.model.dream import DreamKind, DreamReason, DreamRun, DreamStatus, DreamStep
from stratagate_core.model.event import VISIBLE
from stratagate_core.model.search import Page
from stratagate_core.store import dreams, events
from stratagate_core.store.dreams import RunRow


def as_value(run: RunRow) -> DreamRun:
    """The public value of a run."""
    return DreamRun(
        number=run.number,
        status=cast(DreamStatus, run.status),
        reason=cast(DreamReason, run.reason),
        directions=tuple(run.directions),
        batches_done=run.batches_done,
        batches_planned=len(run.plan),
        steps=run.steps,
        spent=dict(run.spent),
        started_at=run.created_at,
        updated_at=run.updated_at,
    )


def status(work: Work) -> DreamRun | None:
    """The last run, or None."""
    run = dreams.last(work.tx)
    return None if run is None else as_value(found(work, run))


def transcript(work: Work, number: int | None, *, limit: int, offset: int) -> Page[DreamStep]:
    """What a run was told, asked for and did; without a number the last one.

    Raises:
        NotFound: no such run.

    """
    run = current(work) if number is None else dreams.run(work.tx, number)
    if run is None:
        raise NotFound(f"there is no run {number}")
    rows = dreams.steps(work.tx, run.number, limit=limit, offset=offset)
    read = sorted({key for row in rows for key in row.event_ids})
    known = events.by_ids(work.tx, read)
    shown = {key for key, event in known.items() if event.status in VISIBLE}
    return Page(
        items=tuple(
            DreamStep(
                number=row.number,
                kind=cast(DreamKind, row.kind),
                at=row.created_at,
                content=row.content if shown.issuperset(row.event_ids) else {},
            )
            for row in rows
        ),
        total=run.steps,
        next_offset=offset + limit if offset + limit < run.steps else None,
    )
