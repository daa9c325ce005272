"""A world for each test."""

from collections.abc import Iterator

import pytest

from tests.topics.world import TopicWorld


@pytest.fixture
def world(quick_database: str) -> Iterator[TopicWorld]:
    """A memory whose filing says what a test wants."""
    opened = TopicWorld(quick_database)
    yield opened
    opened.memory.close()
