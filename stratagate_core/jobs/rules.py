"""When a job may run again, and how long its lease lasts (12 §3–4)."""

from datetime import datetime, timedelta

MAX_ATTEMPTS = 3
#: wait before the second attempt; doubles with every failure
BACK_OFF = timedelta(seconds=1)
#: kinds that wait longer; each of their attempts has an id of its own (08 §7)
PATIENT = {"topic_projection": timedelta(seconds=30)}
#: at least this often a model that is away is asked again
LONGEST_OUTAGE = timedelta(minutes=5)
MIN_LEASE = timedelta(minutes=5)
LEASE_MARGIN = timedelta(seconds=60)
#: no provider can put a job off for longer
LONGEST_WAIT = timedelta(hours=1)


def retry_at(
    attempts: int, now: datetime, *, asked_for: float | None = None, kind: str = ""
) -> datetime | None:
    """When a job may run again after its `attempts`-th failure; None: never by itself.

    A provider may ask for a longer wait, in seconds.
    """
    if attempts >= MAX_ATTEMPTS:
        return None
    wanted = min(asked_for or 0.0, LONGEST_WAIT.total_seconds())
    back_off = PATIENT.get(kind, BACK_OFF)
    return now + max(back_off * float(2 ** (attempts - 1)), timedelta(seconds=wanted))


def outage_over_at(outages: int, now: datetime, *, asked_for: float | None = None) -> datetime:
    """When a job may run again after its model was away for the `outages`-th time.

    An outage is no failure of the job: it waits longer and longer, but never for good.
    """
    wait = min(BACK_OFF * float(2 ** min(outages - 1, 30)), LONGEST_OUTAGE)
    wanted = min(asked_for or 0.0, LONGEST_WAIT.total_seconds())
    return now + max(wait, timedelta(seconds=wanted))


def lease_until(now: datetime, task_timeout: float) -> datetime:
    """The end of a lease: two answers of `task_timeout` seconds fit in it."""
    return now + max(MIN_LEASE, 2 * timedelta(seconds=task_timeout) + LEASE_MARGIN)
