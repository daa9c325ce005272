"""A talk for each test, closed after it."""

from collections.abc import Iterator

import pytest

from tests.events.talk import Talk


@pytest.fixture
def talk() -> Iterator[Talk]:
    """A conversation with a scripted extractor."""
    opened = Talk()
    yield opened
    opened.memory.close()
