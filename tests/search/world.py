"""A memory for the tests of the search: turns through the steps, events through their table."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from stratagate_core.conversation.steps import append_turn, seal_due
from stratagate_core.engine import Env, Work
from stratagate_core.llm.offline import OfflineModel
from stratagate_core.model.event import Event, Temporal, Weight
from stratagate_core.model.facts import Fact
from stratagate_core.model.message import Message
from stratagate_core.settings import Settings
from stratagate_core.store import events, index, schema
from stratagate_core.store.engine import Store
from stratagate_core.testing import CountingIds, ManualClock

START = datetime(2026, 5, 1, tzinfo=UTC)


class World:
    """One namespace and what was said to have happened in it."""

    def __init__(self, database: str = ":memory:", **settings: Any) -> None:
        self.facts: list[Fact] = []
        self.clock = ManualClock(START)
        self.env = Env(
            store=Store(database),
            settings=Settings(**settings),
            clock=self.clock,
            new_id=CountingIds(),
            count_tokens=len,
            model=OfflineModel({}),
            follow=lambda _, fact: self.facts.append(fact),
        )

    @contextmanager
    def read(self) -> Iterator[Work]:
        """A read transaction."""
        with self.env.read("n") as work:
            yield work

    @contextmanager
    def write(self) -> Iterator[Work]:
        """A write transaction."""
        with self.env.write("n") as work:
            yield work

    def say(self, *texts: str, thread: str = "main", seal: bool = True, **parts: Any) -> None:
        """One turn for each text, sealed as soon as a block is full."""
        with self.write() as work:
            for text in texts:
                message = Message(role="user", content=text, **parts)
                append_turn(work, [message], thread=thread, at=None, receipt=None, state="complete")
                while seal and seal_due(work, thread):
                    pass

    def happen(self, *happened: Event) -> None:
        """Store events and index them."""
        with self.write() as work:
            for event in happened:
                events.insert(work.tx, event, block_sequence=0)
                index.index_event(work.tx, event)

    def set_status(self, event_id: str, status: str) -> None:
        """Forget, archive or restore an event."""
        with self.write() as work:
            table = schema.events
            change = sa.update(table).where(work.tx.of(table), table.c.id == event_id)
            work.tx.change(change.values(status=status))
            index.index_event(work.tx, events.by_ids(work.tx, [event_id])[event_id])

    def change_index(self, name: str, *, analyser: str | None = None) -> None:
        """Drop an index, or make it one of another analyser."""
        with self.write() as work:
            table = schema.index_stats
            if analyser is not None:
                change = sa.update(table).where(work.tx.of(table), table.c.name == name)
                work.tx.change(change.values(analyser=analyser))
                return
            for dropped in (
                schema.segments,
                schema.terms,
                schema.documents,
                table,
            ):
                here = (work.tx.of(dropped), dropped.c.name == name)
                work.tx.change(sa.delete(dropped).where(*here))


def event(
    key: str,
    title: str,
    summary: str = "-",
    *,
    adopted: int = 0,
    pinned: bool = False,
    temporal: Temporal | None = None,
    sources: tuple[str, ...] = ("msg_1",),
    **parts: Any,
) -> Event:
    """An event with what a test cares about."""
    created = START + timedelta(minutes=adopted)
    return Event(
        id=key,
        title=title,
        summary=summary,
        source_message_ids=sources,
        scope="user",
        created_at=created,
        updated_at=created,
        temporal=temporal or Temporal(),
        weight=Weight(last_adopted_turn=adopted, pinned=pinned),
        **parts,
    )
