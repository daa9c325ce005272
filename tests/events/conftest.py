"""A talk for each test, closed after it."""

from collections.abc import Iterator

import pytest

from tests.events.talk import Talk


@pytest.fixture
def talk(quick_database: str) -> Iterator[Talk]:
    """A conversation with a scripted extractor."""
    opened = Talk(quick_database)
    yield opened
    opened.memory.close()
