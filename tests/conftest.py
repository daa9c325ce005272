"""Fixtures that every test may use: a memory on a real database, with a clock that stands."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from stratagate_core import Settings, StrataGate
from stratagate_core.testing import CountingIds, ManualClock

START = datetime(2026, 5, 6, 9, 0, tzinfo=UTC)
#: the answer of a projector that adds nothing to the graph
NO_GRAPH = {"reason": "nothing to add", "nodes": [], "edges": []}

hypothesis_settings.register_profile(
    "stratagate",
    deadline=None,
    # `make fast` looks at fewer examples
    max_examples=int(os.environ.get("STRATAGATE_EXAMPLES", "50")),
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
hypothesis_settings.load_profile("stratagate")

Opener = Callable[..., StrataGate]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what loads a framework as slow, and open sockets where a test needs its own."""
    for item in items:
        if {"langchain", "llama_index", "models"} & set(item.path.parts):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("allow_sockets"):
            item.add_marker(pytest.mark.enable_socket)


@pytest.fixture
def clock() -> ManualClock:
    """A clock that moves only when it is told to."""
    return ManualClock(START)


@pytest.fixture
def new_id() -> CountingIds:
    """Ids that count from 1."""
    return CountingIds()


@pytest.fixture
def open_memory(tmp_path: Path, clock: ManualClock, new_id: CountingIds) -> Iterator[Opener]:
    """Opens memories on one file; they are closed after the test."""
    opened: list[StrataGate] = []

    def opener(
        *, path: str | Path | None = None, settings: dict[str, Any] | None = None, **options: Any
    ) -> StrataGate:
        defaults = {"clock": clock, "new_id": new_id, "settings": Settings(**(settings or {}))}
        memory = StrataGate.open(path or tmp_path / "memory.db", **(defaults | options))
        opened.append(memory)
        return memory

    yield opener
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Opener) -> StrataGate:
    """An offline memory with blocks of two turns."""
    return open_memory(settings={"block_turn_size": 2})
