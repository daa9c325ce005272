"""Writing turns so that a failing database loses none: what fails waits and is tried again.

A write is a function that may run more than once; its receipts make it count once.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Literal, TypeAlias

from stratagate_core import Conflict, InvalidArgument, StorageError, StrataGateError, tool_specs
from stratagate_lc.langchain.guard import guarded, logger
from stratagate_lc.langchain.identity import Place

#: what else to do after the turn is stored, as `StrataGate.add_messages` takes it
Work: TypeAlias = Literal["all", "seal"]
Write: TypeAlias = Callable[[Work], object]


def memory_tool_names(place: Place) -> frozenset[str]:
    """The names of our own tools: what they do is never captured."""
    return frozenset(spec.name for spec in tool_specs(place.memory.settings()))


def keep(place: Place, write: Write, *, strict: bool) -> None:
    """Write now, after what waits for the same conversation; if that fails, keep it.

    Raises:
        StrataGateError: `strict`, and it was refused or has to wait.

    """
    refused: list[StrataGateError] = []
    written = place.memory.outbox.write(place.key, partial(_attempt, write, "all", refused))
    _report(place, written, refused, strict=strict)


async def akeep(place: Place, write: Write, *, strict: bool) -> None:
    """As `keep`; the models that derive from the turn are awaited."""
    refused: list[StrataGateError] = []
    attempt = partial(_attempt, write, "seal", refused)
    written = await asyncio.to_thread(place.memory.outbox.write, place.key, attempt)
    if written and not refused:
        await _derive(place)
    _report(place, written, refused, strict=strict)


async def _derive(place: Place) -> None:
    try:
        await place.memory.awork_on()
    except Exception as error:
        logger.warning("deriving from a turn failed: %s", type(error).__name__)


def _attempt(write: Write, work: Work, refused: list[StrataGateError]) -> None:
    """Write; what can never be written must not keep later turns waiting."""
    try:
        write(work)
    except (InvalidArgument, Conflict) as error:
        logger.error("a turn was refused and is not kept: %s", type(error).__name__)
        refused.append(error)


def _report(place: Place, written: bool, refused: list[StrataGateError], *, strict: bool) -> None:
    if not written:
        logger.warning("%d writes of a conversation wait", place.memory.outbox.pending(place.key))
    if strict and refused:
        raise refused[0]
    if strict and not written:
        raise StorageError("the turn could not be written; it is kept and will be tried again")


def finish(place: Place) -> None:
    """The turn is over: batches that were left open expire."""
    guarded("finishing a turn", lambda: bool(place.memory.finish_turn(place.thread)), False)
