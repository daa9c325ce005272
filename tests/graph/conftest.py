"""A world for each test."""

from collections.abc import Iterator

import pytest

from tests.graph.world import GraphWorld


@pytest.fixture
def world() -> Iterator[GraphWorld]:
    """A memory whose projector says what a test wants."""
    opened = GraphWorld()
    yield opened
    opened.memory.close()
