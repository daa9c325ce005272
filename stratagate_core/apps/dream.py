"""`stratagate dream`: tidies the directory of a memory, with progress."""

import argparse
import sys
from collections.abc import Callable

from stratagate_core.apps.places import open_to_write
from stratagate_core.memory import StrataGate
from stratagate_core.model.dream import DreamRun

_ABOUT = """\
Tidy the directory of topics: duplicate titles, events in the wrong topic, stale paragraphs. Works
by rules here; give a model in your program for more (`StrataGate.dream`). Nothing but the directory
is changed. Ctrl-C holds the run; --resume goes on.
"""
_WIDTH = 30


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = commands.add_parser(
        "dream",
        help="tidy the directory of topics",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--database", metavar="DATABASE", help="file or database URL")
    parser.add_argument("--namespace", help="whose memory")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--resume", action="store_true", help="go on with the run that is paused")
    what.add_argument("--status", action="store_true", help="only show the last run")
    what.add_argument("--stop", action="store_true", help="end the run; what it wrote stays")
    what.add_argument("--log", action="store_true", help="show what the last run did")
    parser.add_argument(
        "--direction", action="append", default=[], help="what to look after; may be given again"
    )
    parser.add_argument("--limit", type=int, help="hold the run after so many steps")
    parser.set_defaults(command=dream)


def dream(options: argparse.Namespace) -> int:
    """`stratagate dream`; 1 if the run was held before its end."""
    with open_to_write(options.database, options.namespace) as memory:
        if options.log:
            return _log(memory)
        if options.status:
            run = memory.dream_status()
        elif options.stop:
            run = memory.stop_dream()
        else:
            run = _run(memory, options)
        if run is None:
            print("No run yet.")
            return 0
        print(_told(run))
        return 1 if run.status == "paused" and not options.status else 0


def _run(memory: StrataGate, options: argparse.Namespace) -> DreamRun:
    shown = sys.stderr.isatty()
    run = memory.dream(
        options.direction,
        resume=options.resume,
        limit=options.limit,
        progress=_draw if shown else _silent(),
    )
    if shown:
        print(file=sys.stderr)
    return run


def _silent() -> Callable[[DreamRun], None]:
    return lambda _run: None


def _draw(run: DreamRun) -> None:
    share = run.batches_done / max(1, run.batches_planned)
    full = round(share * _WIDTH)
    bar = "#" * full + "-" * (_WIDTH - full)
    line = f"\r[{bar}] {run.batches_done}/{run.batches_planned} batches, {run.steps} steps"
    print(line, end="", file=sys.stderr, flush=True)


def _told(run: DreamRun) -> str:
    reason = f" ({run.reason})" if run.reason else ""
    calls = run.spent.get("model_calls", 0)
    return (
        f"Run {run.number}: {run.status}{reason}; {run.batches_done} of {run.batches_planned} "
        f"batches, {run.steps} steps, {calls} questions"
    )


def _log(memory: StrataGate) -> int:
    offset: int | None = 0
    while offset is not None:
        page = memory.dream_transcript(offset=offset)
        for step in page.items:
            told = ", ".join(f"{name}={value}" for name, value in step.content.items())
            print(f"{step.number:>4} {step.at:%Y-%m-%d %H:%M} {step.kind}: {told}".rstrip(": "))
        offset = page.next_offset
    return 0
