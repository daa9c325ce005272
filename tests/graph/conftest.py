"""A world for each test."""

from collections.abc import Iterator

import pytest

from tests.graph.world import GraphWorld


@pytest.fixture
def world(quick_database: str) -> Iterator[GraphWorld]:
    """A memory whose projector says what a test wants."""
    opened = GraphWorld(quick_database)
    yield opened
    opened.memory.close()
