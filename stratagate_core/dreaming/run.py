"""Carrying a run on: write what waits, ask what comes next, until it ends or is held.

Whatever is written is written alone, so a run that dies anywhere goes on from there.
"""

from collections.abc import Callable, Mapping

from stratagate_core.dreaming import steps
from stratagate_core.dreaming.tasks import TIDY
from stratagate_core.engine import Env, Outcome, Work, run_task
from stratagate_core.errors import Conflict, ModelError
from stratagate_core.store.dreams import RunRow

#: called after each step with the run as it stands
Progress = Callable[[RunRow], None]


def carry_on(
    env: Env, namespace: str, run: RunRow, *, limit: int | None, progress: Progress
) -> RunRow:
    """Work until the run is completed, paused or stopped, or `limit` steps were done.

    After so many steps it is paused by its owner, to be continued.
    """
    lease = str(run.lease)
    done = 0
    try:
        while run.status == "running":
            if limit is not None and done >= limit:
                return _held(env, namespace, lease)
            run = _step(env, namespace, lease)
            progress(run)
            done += 1
    except KeyboardInterrupt:
        _held(env, namespace, lease)
        raise
    return run


def _step(env: Env, namespace: str, lease: str) -> RunRow:
    try:
        with env.write(namespace) as work:
            before = steps.current(work)
            run = steps.advance(work, lease)
        if run.status != "running" or run.steps != before.steps:
            return run
        return _ask(env, namespace, lease)
    except Conflict:
        # paused or stopped by somebody else, who says why
        return _now(env, namespace)


def _ask(env: Env, namespace: str, lease: str) -> RunRow:
    def settle(work: Work, outcome: Outcome) -> None:
        steps.spend(work, lease, outcome.spent)

    try:
        run_task(env, namespace, TIDY, lease, settle)
    except ModelError as error:
        return _failed(env, namespace, lease, error)
    return _now(env, namespace)


def _failed(env: Env, namespace: str, lease: str, error: ModelError) -> RunRow:
    """A reply without an action is told to go on; a request that failed holds the run."""
    spent: Mapping[str, int] = error.details.get("spent", {})
    with env.write(namespace) as work:
        run = steps.spend(work, lease, spent)
        if "faults" not in error.details:
            return steps.pause(work, "request-failed", run)
        if error.details.get("called"):
            return steps.refused_call(work, run, str(error.details.get("text", "")))
        return steps.idle(work, run, "a reply without the one call that was asked for")


def _held(env: Env, namespace: str, lease: str) -> RunRow:
    try:
        with env.write(namespace) as work:
            return steps.pause(work, "user", steps.mine(work, lease))
    except Conflict:
        return _now(env, namespace)


def _now(env: Env, namespace: str) -> RunRow:
    with env.read(namespace) as work:
        return steps.found(work, steps.current(work))
