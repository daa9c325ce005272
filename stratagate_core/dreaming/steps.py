"""What a run does to the directory and to itself; each edit is committed alone."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from stratagate_core.dreaming import writes
from stratagate_core.dreaming.rules.edits import faults
from stratagate_core.dreaming.rules.planning import PATIENCE, planned
from stratagate_core.engine import Work
from stratagate_core.errors import Conflict, NotFound
from stratagate_core.store import dreams, events, topic_members, topics
from stratagate_core.store.dreams import RunRow, StepRow
from stratagate_core.text.redact import redact
from stratagate_core.topics.rules.compact import compact, size

#: how long a run may be silent before it counts as interrupted
LEASE = timedelta(minutes=10)


# --- the run ----------------------------------------------------------------------------------


def start(work: Work, directions: Sequence[str]) -> RunRow:
    """Begin a run over the directory as it is.

    Raises:
        Conflict: another run is there that is neither completed nor stopped.

    """
    last = dreams.last(work.tx)
    if last is not None and found(work, last).status in ("running", "paused"):
        raise Conflict(
            f"run {last.number} is {last.status}: continue it or stop it before starting another"
        )
    run = RunRow(
        number=last.number + 1 if last else 1,
        status="running",
        fingerprint=fingerprint(work),
        plan=_plan(work),
        created_at=work.now,
        updated_at=work.now,
    )
    run = _owned(work, run)
    dreams.put(work.tx, run)
    for text in directions:
        run = direct(work, text)
    return run


def resume(work: Work) -> RunRow:
    """Go on with a paused run.

    Raises:
        NotFound: there is no run.
        Conflict: it is not paused, or something else changed what it works on.

    """
    run = found(work, current(work))
    if run.status != "paused" or run.reason == "source-changed":
        told = "paused because the directory changed" if run.status == "paused" else run.status
        raise Conflict(f"run {run.number} is {told}: it cannot be continued; stop it, start anew")
    run = replace(_owned(work, run), status="running", reason="", idle=0)
    dreams.put(work.tx, run)
    return run


def current(work: Work) -> RunRow:
    """The last run.

    Raises:
        NotFound: there is none.

    """
    run = dreams.last(work.tx)
    if run is None:
        raise NotFound("there is no run yet; dream() starts one")
    return run


def found(work: Work, run: RunRow) -> RunRow:
    """The run as it stands: one that runs without an owner was interrupted."""
    silent = run.lease_until is None or run.lease_until <= work.now
    if run.status == "running" and silent:
        return replace(run, status="paused", reason="interrupted")
    return run


def pause(work: Work, reason: str, run: RunRow | None = None) -> RunRow:
    """Hold a run; what it wrote stays."""
    run = run or found(work, current(work))
    if run.status != "running":
        raise Conflict(f"run {run.number} is {run.status}; only a running one can be paused")
    run = replace(run, status="paused", reason=reason, lease=None, lease_until=None)
    return note(work, run, "paused", {"reason": reason})


def stop(work: Work) -> RunRow:
    """End a run; what it wrote stays."""
    run = found(work, current(work))
    if run.status not in ("running", "paused"):
        raise Conflict(f"run {run.number} is {run.status} already")
    run = replace(run, status="stopped", reason="", lease=None, lease_until=None, waiting=())
    dreams.put(work.tx, replace(run, updated_at=work.now))
    return run


def direct(work: Work, text: str) -> RunRow:
    """Add a direction; it is passed on with the next step."""
    run = found(work, current(work))
    if run.status not in ("running", "paused"):
        raise Conflict(f"run {run.number} is {run.status}; directions go to a run that goes on")
    run = replace(run, directions=(*run.directions, text))
    return note(work, run, "direction", {"text": text})


def _owned(work: Work, run: RunRow) -> RunRow:
    return replace(run, lease=work.new_id("lease"), lease_until=work.now + LEASE)


def note(
    work: Work,
    run: RunRow,
    kind: str,
    content: Mapping[str, Any],
    *,
    read: Sequence[str] = (),
) -> RunRow:
    """Add an entry to the transcript and store the run."""
    step = StepRow(
        number=run.steps + 1,
        kind=kind,
        content=redact(dict(content)),
        event_ids=list(read),
        created_at=work.now,
    )
    dreams.add_step(work.tx, run.number, step)
    run = replace(run, steps=run.steps + 1, updated_at=work.now)
    dreams.put(work.tx, run)
    return run


def fingerprint(work: Work) -> str:
    """Tells whether anything else changed the topics."""
    known = ";".join(f"{row.id}:{row.revision}" for row in topics.everything(work.tx))
    return hashlib.sha256(known.encode()).hexdigest()[:32]


def _plan(work: Work) -> list[list[Mapping[str, Any]]]:
    sized = []
    for row in topics.everything(work.tx):
        if not row.valid:
            continue
        ids = [member.event_id for member in topic_members.members(work.tx, row.id)]
        known = events.by_ids(work.tx, ids)
        lengths = {
            key: size(compact(event, work.settings.timezone)[0]) for key, event in known.items()
        }
        sized.append((row.id, [(key, lengths[key]) for key in ids if key in lengths]))
    return planned(sized)


# --- one step ---------------------------------------------------------------------------------


def advance(work: Work, lease: str) -> RunRow:
    """Write the next edit that waits, end a batch or the run, or find that a model must be asked.

    A run that must be asked for comes back running, with nothing that waits.

    Raises:
        Conflict: another owner has the run, or it was paused or stopped.

    """
    run = mine(work, lease)
    if fingerprint(work) != run.fingerprint:
        return pause(work, "source-changed", run)
    if run.waiting:
        return _edit(work, run)
    if run.batches_done >= len(run.plan):
        run = replace(run, status="completed", lease=None, lease_until=None, updated_at=work.now)
        dreams.put(work.tx, run)
    return run


def mine(work: Work, lease: str) -> RunRow:
    """The run, if it still belongs to this owner; its lease begins anew."""
    run = current(work)
    if run.status != "running" or run.lease != lease:
        raise Conflict(f"run {run.number} is {run.status} or has another owner")
    return replace(run, lease_until=work.now + LEASE)


def _edit(work: Work, run: RunRow) -> RunRow:
    edit, waiting = run.waiting[0], run.waiting[1:]
    run = replace(run, waiting=waiting)
    if edit["op"] == "batch_done":
        run = replace(run, batches_done=run.batches_done + 1, shown={}, idle=0)
        return note(work, run, "batch-done", {"batch": run.batches_done})
    read = list(edit.get("read", ()))
    given = {key: value for key, value in edit.items() if key not in ("read", "by_rules")}
    wrong = faults(given, writes.known(work, given))
    if not wrong:
        writes.apply(work, given, read=read, by_rules=bool(edit.get("by_rules")))
        run = replace(run, fingerprint=fingerprint(work), idle=0)
        return note(work, run, "edit", given, read=read)
    return _refuse(work, run, {"edit": given, "why": list(wrong)}, read)


def _refuse(work: Work, run: RunRow, content: Mapping[str, Any], read: Sequence[str]) -> RunRow:
    """A refused call; the same one again, or too many in a row, pause the run."""
    before = dreams.steps(work.tx, run.number, kind="refused")
    again = any(one.content.get("edit") == redact(content["edit"]) for one in before)
    run = note(work, replace(run, idle=run.idle + 1), "refused", content, read=read)
    if again or run.idle >= PATIENCE:
        return pause(work, "repeated-invalid", run)
    return run


def answered(work: Work, lease: str, answer: Mapping[str, Any], read: Sequence[str]) -> RunRow:
    """Take an answer: edits wait to be written one by one, requests to see are noted."""
    run = mine(work, lease)
    edits = [{**edit, "read": list(read)} for edit in answer["edits"]]
    if answer["batch_done"]:
        edits.append({"op": "batch_done"})
    wanted = {
        "topic_ids": list(answer["show_topic_ids"]),
        "event_ids": list(answer["show_event_ids"]),
    }
    if edits:
        run = replace(run, waiting=edits)
    elif any(wanted.values()):
        return note(work, replace(run, shown=wanted, idle=0), "show", wanted, read=read)
    else:
        return idle(work, run, "an empty answer")
    dreams.put(work.tx, replace(run, updated_at=work.now))
    return run


def refused_call(work: Work, run: RunRow, text: str) -> RunRow:
    """A call in a form that nobody can read."""
    return _refuse(work, run, {"edit": text, "why": ["the call has another form"]}, ())


def idle(work: Work, run: RunRow, why: str) -> RunRow:
    """A reply without an action: told to go on, and paused if it comes again and again."""
    run = note(work, replace(run, idle=run.idle + 1), "no-action", {"why": why})
    return pause(work, "no-action", run) if run.idle >= PATIENCE else run


def spend(work: Work, lease: str, spent: Mapping[str, int]) -> RunRow:
    """Add what a request took; kept for troubleshooting, no bill."""
    run = mine(work, lease)
    total = {name: run.spent.get(name, 0) + spent.get(name, 0) for name in {*run.spent, *spent}}
    run = replace(run, spent=dict(sorted(total.items())))
    dreams.put(work.tx, run)
    return run


def events_purged(work: Work, event_ids: Sequence[str]) -> None:
    """Nothing of a transcript keeps words of events that were deleted for good."""
    dreams.scrub(work.tx, event_ids)
