"""A year of conversation, made by the test and filed without a model (07 §4, 08 §3)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from stratagate_core import Settings, StrataGate
from stratagate_core.jobs.runner import Round, run_round
from stratagate_core.testing import CountingIds, ManualClock
from stratagate_core.text.estimate import estimate_tokens
from stratagate_core.topics.queue import KIND
from stratagate_core.topics.tasks import FILE
from tests.conftest import START

TURNS, EVENTS = 3_000, 1_500
_BLOCK = 12
PER_BLOCK = EVENTS * _BLOCK // TURNS
_SUBJECTS = ("Kiln", "Heron", "Atlas", "Lyon", "Mara", "Miso", "Piano", "Garden", "Tax", "Boat")
_TYPES = ("decision", "plan", "change", "release", "meeting", "other")


class _Steps:
    """Counts what the database does, in hundreds of instructions: the same on every machine."""

    def __init__(self, memory: StrataGate) -> None:
        self.count = 0
        # a memory database has one connection, which it keeps
        with memory._core.env.store.engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            driver.set_progress_handler(self._count, 100)

    def _count(self) -> int:
        self.count += 1
        return 0


def _year(memory: StrataGate, clock: ManualClock, *, after: Callable[[], None]) -> list[int]:
    """Tell a year; what the database did to file the events of each block."""
    steps = _Steps(memory)
    took: list[int] = []
    number = 0
    for turn in range(TURNS):
        clock.advance(hours=2, minutes=55)
        added = memory.add_turn(f"Turn {turn} of the year.", "Noted.", thread="y", work="seal")
        if added.sealed_block_id is None:
            continue
        source = memory.sources(added.sealed_block_id)[0]
        cited = {"source_block_id": added.sealed_block_id, "source_message_ids": [source.id]}
        memory.ingest_events([_card(number + at) | cited for at in range(PER_BLOCK)])
        number += PER_BLOCK
        (job,) = memory.jobs(kind="topic_projection", status="pending")
        began = steps.count
        _file(memory)
        took.append(steps.count - began)
        assert "pending" != memory.jobs(kind="topic_projection")[-1].status, job
        if number % 300 == 0:
            after()
    return took


def _file(memory: StrataGate) -> None:
    """Run the jobs that file, and no others: they are what is measured."""
    run_round(Round(memory._core.env, memory.namespace, {KIND: FILE}))


def _card(number: int) -> dict[str, Any]:
    name = _SUBJECTS[number % 7 if number % 3 else number % 10]
    return {
        "title": f"{name} note {number}",
        "summary": f"Something about {name} that happened on day {number // 4}.",
        "tags": [name] if number % 5 else [],
        "scope": "user",
        "criticality": "preference" if number % 40 == 0 else "routine",
        "temporal": {"event_type": _TYPES[number % len(_TYPES)]},
    }


@pytest.mark.slow
@pytest.mark.one_database
def test_a_year_stays_within_the_budget_and_is_all_reachable() -> None:
    """400 tokens of text, every event reachable by paging, sections that keep their numbers."""
    clock = ManualClock(START)
    memory = StrataGate.open(
        ":memory:",
        settings=Settings(block_turn_size=_BLOCK, processing="external", recall_messages=False),
        clock=clock,
        new_id=CountingIds(),
    )
    numbers: dict[tuple[str, str], int] = {}

    def watch() -> None:
        assert estimate_tokens(memory.directory()) <= 400
        for one in _entries(memory):
            topic = memory.topic(one)
            for at, section in enumerate(topic.sections):
                assert at == numbers.setdefault((topic.id, section.title), at)

    took = _year(memory, clock, after=watch)
    watch()

    reached: set[str] = set()
    for topic_id in _entries(memory):
        offset: int | None = 0
        while offset is not None:
            found = memory.search_events("", topic_id=topic_id, limit=20, offset=offset)
            reached |= {str(hit.item["id"]) for hit in found.hits}
            offset = found.next_offset
        assert memory.count_tokens(str(memory.expand_topic(topic_id))) <= 2_400
    assert EVENTS == len(reached)
    early, late = sorted(took[20:70])[25], sorted(took[-50:])[25]
    assert early > 0
    # five times as many events; a cost that followed their number would be near to five times
    assert late <= 2.5 * early, (early, late)
    assert clock.now - START > timedelta(days=360)
    memory.close()


def _entries(memory: StrataGate) -> list[str]:
    ids: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = memory.list_topics(offset=offset, limit=20)
        ids += [one["id"] for one in page["topics"]]
        offset = page["next_offset"]
    return ids
