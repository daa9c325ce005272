"""How far the directory is."""

from typing import Any, Literal

from stratagate_core.engine import Work
from stratagate_core.jobs.rules import MAX_ATTEMPTS
from stratagate_core.store import jobs
from stratagate_core.topics.queue import KIND
from stratagate_core.topics.read import counted

#: failures for good are looked through up to here
_MOST = 1000
Status = Literal["pending", "running", "completed", "failed"]


def status(work: Work) -> dict[str, Any]:
    """Entries of the directory and whether all that is due was filed.

    Only failures for good left: ``failed``.
    """
    counts = jobs.counts(work.tx)
    failed = jobs.listing(work.tx, kind=KIND, status="failed", limit=_MOST)
    again = [job for job in failed if job.attempts < MAX_ATTEMPTS]
    state: Status = "completed"
    if counts.get((KIND, "running")):
        state = "running"
    elif counts.get((KIND, "pending")) or again:
        state = "pending"
    elif failed:
        state = "failed"
    return {"entries": sum(counted(work).values()), "filing": state}
