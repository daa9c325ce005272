"""An environment on each database, for steps that are tested without the facade."""

from collections.abc import Iterator

import pytest

from stratagate_core.engine import Env
from stratagate_core.settings import Settings
from stratagate_core.store.engine import Store
from stratagate_core.testing import CountingIds, ManualClock, ScriptedModel
from stratagate_core.text.estimate import estimate_tokens


@pytest.fixture
def env(quick_database: str) -> Iterator[Env]:
    """An environment whose model is never asked."""
    store = Store(quick_database)
    yield Env(
        store=store,
        settings=Settings(),
        clock=ManualClock(),
        new_id=CountingIds(),
        count_tokens=estimate_tokens,
        model=ScriptedModel([]),
        follow=lambda work, fact: None,
    )
    store.close()
