"""A stateful machine over the public API: whatever is done in whatever order, this holds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from stratagate_core import Settings, StrataGate
from stratagate_core.testing import CountingIds, ManualClock
from tests.conftest import START
from tests.databases import Database

THREADS = st.sampled_from(["main", "side"])
SAID = st.sampled_from(
    [
        "I moved to Lyon last week.",
        "My sister Ana is allergic to nuts.",
        "We plan to ship version 2.1 on Friday.",
        "我喜欢绿茶。",
        "ok",
        "Could you help me?",
        "🙂",
    ]
)


@dataclass
class Expected:
    """What the memory has to hold."""

    size: int = 2
    turns: int = 0
    said: dict[str, list[str]] = field(default_factory=lambda: {"main": [], "side": []})
    receipts: dict[tuple[str, str], str] = field(default_factory=dict)
    mentions: dict[str, int] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)


class MemoryMachine(RuleBasedStateMachine):
    """Turns, repeated deliveries, searches, uses, lifts, pins and forgetting, in any order."""

    #: gives an empty database
    fresh: ClassVar[Callable[[], str]]

    @initialize(size=st.integers(1, 3))
    def open(self, size: int) -> None:
        """An empty memory."""
        self.expected = Expected(size=size)
        self.memory = StrataGate.open(
            type(self).fresh(),
            settings=Settings(block_turn_size=size),
            clock=ManualClock(START),
            new_id=CountingIds(),
        )

    @rule(thread=THREADS, text=SAID)
    def say(self, thread: str, text: str) -> None:
        """A turn without a receipt is always new."""
        added = self.memory.add_turn(text, "ok", thread=thread)
        self.expected.turns += 1
        self.expected.said[thread].append(text)

        assert self.expected.turns == added.turn

    @rule(thread=THREADS, text=SAID, key=st.sampled_from(["a", "b", "c"]))
    def deliver(self, thread: str, text: str, key: str) -> None:
        """A turn with a receipt is stored once; the first text stays unless it is replaced."""
        known = self.expected.receipts.get((thread, key))
        text = known or text
        added = self.memory.add_turn(text, "ok", thread=thread, receipt=key)
        if known is None:
            self.expected.turns += 1
            self.expected.said[thread].append(text)
            self.expected.receipts[thread, key] = text

        assert (known is not None) == added.receipt_known

    @rule(query=st.sampled_from(["Lyon", "Ana nuts", "version", "绿茶", "zebra"]))
    def search(self, query: str) -> None:
        """Searching changes no count, whatever it finds."""
        for hit in self.memory.search_events(query).hits:
            assert hit.item["id"] not in self.expected.hidden

    @rule(query=st.sampled_from(["Lyon", "Ana nuts", "version", "绿茶"]))
    def use(self, query: str) -> None:
        """Recorded use raises each used event once, and nothing else."""
        found = self.memory.search_events(query, open_batch=True)
        refs = [hit.ref for hit in found.hits][:2]
        if refs:
            self.memory.assess("sufficient", refs, batch_id=found.batch_id)
        receipt = self.memory.record_use(refs, batch_id=found.batch_id)
        for event_id in receipt.event_ids:
            self.expected.mentions[event_id] = self.expected.mentions.get(event_id, 1) + 1

        assert len(refs) == receipt.incremented

    @precondition(lambda self: bool(self.memory.blocks()))
    @rule(data=st.data(), level=st.sampled_from(["next", "L0", "L3", "raw"]))
    def lift(self, data: st.DataObject, level: str) -> None:
        """A lifted block shows the chosen level."""
        block = data.draw(st.sampled_from(self.memory.blocks()))
        shown = self.memory.expand_block(block.id, level)["results"][0]
        wanted = {"next": min(5, block.level + 1), "L0": 0, "L3": 3, "raw": 5}[level]

        assert wanted == shown["level"]

    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        """A forgotten event is hidden at once and can be restored."""
        hits = self.memory.search_events("", limit=20).hits
        if hits:
            event_id = data.draw(st.sampled_from(hits)).item["id"]
            self.memory.forget(event_id)
            self.expected.hidden.add(event_id)

    @precondition(lambda self: bool(self.expected.hidden))
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        """A restored event is visible again."""
        event_id = data.draw(st.sampled_from(sorted(self.expected.hidden)))
        self.memory.restore(event_id)
        self.expected.hidden.discard(event_id)

        assert self.memory.event(event_id).status in ("active", "superseded")

    @invariant()
    def sources_are_complete(self) -> None:
        """Every turn is there, in order, in blocks of the right size or in the tail."""
        assert self.expected.turns == self.memory.stats()["current_turn"]
        for thread, said in self.expected.said.items():
            messages = self.memory.thread_messages(thread)
            assert said == [m.content for m in messages if m.role == "user"]
            blocks = self.memory.blocks(thread)
            size = self.expected.size
            assert len(said) // size == len(blocks)
            ranges = [(n * size + 1, (n + 1) * size) for n in range(len(blocks))]
            assert ranges == [block.turn_range for block in blocks]
            assert len(said) % size * 2 == len(self.memory.open_tail(thread))

    @invariant()
    def weights_follow_use_alone(self) -> None:
        """Counts are what was recorded; display never raises them."""
        for event_id, count in self.expected.mentions.items():
            assert count == self.memory.event(event_id).weight.mention_count

    def teardown(self) -> None:
        """Close."""
        if hasattr(self, "memory"):
            self.memory.close()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_whatever_is_done_in_whatever_order(
    quick_database: str, request: pytest.FixtureRequest
) -> None:
    """The machine finds no way to break what must hold."""
    is_memory = quick_database == ":memory:"
    server: Database | None = None if is_memory else request.getfixturevalue("postgresql")

    def fresh() -> str:
        if server is not None:
            server.clean()
        return quick_database

    machine = type("Machine", (MemoryMachine,), {"fresh": staticmethod(fresh)})
    examples = 25 if is_memory else 6
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=examples, stateful_step_count=20, deadline=None),
    )
