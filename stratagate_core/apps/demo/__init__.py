"""`stratagate demo`: the main job on a conversation that the project ships.

Seven weeks of chat run through a real LangChain agent whose memory is StrataGate; then the memory
is looked at and questioned. Run again, the demo goes on from the same file.
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

from stratagate_core.apps.demo import chapters, present, questions
from stratagate_core.apps.demo.lines import weights
from stratagate_core.apps.demo.replay import tell, untold
from stratagate_core.apps.demo.screen import Print, wrap
from stratagate_core.apps.demo.story import Said, Story, load_story
from stratagate_core.errors import InvalidArgument, MissingExtra, StrataGateError
from stratagate_core.memory import StrataGate
from stratagate_core.settings import Settings
from stratagate_core.store import namespaces
from stratagate_core.store.engine import Store
from stratagate_core.testing import CountingIds, ManualClock

NAMESPACE = "stratagate-demo"
DATABASE = "stratagate-demo.db"
_ABOUT = (
    "Seven weeks of chat run through a real LangChain agent whose memory is StrataGate; then the "
    "memory is looked at and questioned. Run again, it goes on from the same file."
)
#: the day of which chapter 3 asks: so long after the first turn
_LATER = timedelta(days=12)
#: The conversation is short, so its blocks are small and fade a little faster than by default.
SETTINGS = Settings(block_turn_size=6, block_decay_lambda=0.4, display_timezone="Europe/Brussels")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo; returns the exit code.

    Raises:
        MissingExtra: langchain-classic is not installed.
        InvalidArgument: the database is not one of this demo.

    """
    options = _arguments(argv)
    if find_spec("langchain_classic") is None:
        raise MissingExtra.of("stratagate demo", "classic")
    database: Path = options.database
    if database.exists():
        _check_ours(database)
        if options.fresh:
            _delete(database)
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(errors="replace")
    _run(print, database, load_story())
    return 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="stratagate demo", description=_ABOUT)
    parser.add_argument(
        "--database", type=Path, default=Path(DATABASE), help=f"the file to use ({DATABASE})"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="delete the demo's file and start anew"
    )
    return parser.parse_args(argv)


def _check_ours(database: Path) -> None:
    """Refuse a file that this demo did not make: it is neither written to nor deleted."""
    held: tuple[str, ...] = ()
    try:
        store = Store(database, read_only=True)
        try:
            with store.admin() as tx:
                held = namespaces.names(tx)
        finally:
            store.close()
    except StrataGateError:
        pass  # not a database at all: refused below
    if held != (NAMESPACE,):
        raise InvalidArgument(
            f"{database} exists and is not a file of this demo; choose another --database",
            database=str(database),
        )


def _delete(database: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        Path(f"{database}{ending}").unlink(missing_ok=True)


def _short_id(prefix: str) -> str:
    return f"{prefix}_{uuid4().hex[:10]}"


def _run(show: Print, database: Path, story: Story) -> None:
    clock = ManualClock(story.turns[0].at)
    new_id = _short_id if database.exists() else CountingIds()
    with StrataGate.open(
        database, namespace=NAMESPACE, settings=SETTINGS, clock=clock, new_id=new_id
    ) as memory:
        show("StrataGate demo")
        show("═" * 15)
        left = untold(memory, story.turns)
        clock.now = story.turns[-1].at
        if left or not memory.usage(limit=1).items:
            _first_run(show, memory, clock, story, left)
        else:
            _next_run(show, memory, clock, story)
    _farewell(show, database)


def _first_run(
    show: Print, memory: StrataGate, clock: ManualClock, story: Story, left: Sequence[Said]
) -> None:
    from stratagate_core.apps.demo.chain import Conversation

    held = len(story.turns) - len(left)
    show(
        wrap(
            f"{story.title}: {len(story.turns)} turns in two threads, from "
            f"{story.turns[0].at:%B} to {story.turns[-1].at:%B %Y}. A scripted chat model answers "
            "inside a real LangChain agent; StrataGate is its memory. No key, no network, and "
            "everything below is measured on this run.",
            indent="",
        )
    )
    if held:
        show(f"\nThis memory already holds {held} turns; continuing with the other {len(left)}.")
    measured = tell(memory, clock, left, Conversation)
    thread = story.open_day.thread
    if any(turn.thread == thread for turn in measured):
        chapters.show_fading(show, measured, memory, thread)
    chapters.show_events(show, memory)
    present.show_present(show, memory, story.turns[0].at + _LATER)
    questions.show_answer(show, memory, story.open_day)
    questions.show_chinese(show, memory, story.arrival)


def _next_run(show: Print, memory: StrataGate, clock: ManualClock, story: Story) -> None:
    from stratagate_core.apps.demo.chain import Conversation

    held = memory.stats()["current_turn"]
    show(f"This memory already holds {held} turns; continuing. Nothing is told twice.")
    chapters.show_state(show, memory)
    follow_ups = untold(memory, (*story.turns, *story.follow_ups))[:1]
    if not follow_ups:
        show("\n" + wrap("Everything is told. Start anew with: stratagate demo --fresh", indent=""))
        return
    before = weights(memory, chapters.retrieved_events(memory))
    tell(memory, clock, follow_ups, Conversation)
    chapters.show_follow_up(show, memory, follow_ups[0])
    chapters.show_audit(show, memory, before)


def _farewell(show: Print, database: Path) -> None:
    show("\nWhere it is, and what to try next")
    show("─" * 33)
    place = "" if str(database) == DATABASE else f" --database {database}"
    show(f"   The memory is the file {database.resolve()}.")
    for what, command in (
        ("one more turn, the same memory", f"stratagate demo{place}"),
        ("search it", f'stratagate search "ladders" --database {database}'),
        ("is it in good health?", f"stratagate doctor {database}"),
        ("your own chain, with pictures", "notebooks/01_quickstart.ipynb"),
    ):
        show(f"   {what:<32} {command}")
