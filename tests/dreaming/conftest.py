"""A world for each test."""

from collections.abc import Iterator

import pytest

from tests.dreaming.world import DreamWorld


@pytest.fixture
def world(quick_database: str) -> Iterator[DreamWorld]:
    """A memory whose tidying says what a test wants."""
    opened = DreamWorld(quick_database)
    yield opened
    opened.memory.close()
