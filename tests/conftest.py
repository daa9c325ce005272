"""Fixtures that every test may use: a memory on a real database, with a clock that stands."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from stratagate_core import Settings, StrataGate
from stratagate_core.store.postgresql import SCHEMA
from stratagate_core.testing import CountingIds, ManualClock
from tests.databases import Database, new_database

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
RunSql = Callable[[str], None]

#: the folders of tests that run on every database; connectors and applications see no difference
ON_ALL_DATABASES = {
    "conversation",
    "dreaming",
    "events",
    "gate",
    "graph",
    "jobs",
    "purge",
    "recall",
    "search",
    "store",
    "tests",
    "topics",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what uses a database on each of them, unless it says that one is enough."""
    if "each_database" not in metafunc.fixturenames:
        return
    one = metafunc.definition.get_closest_marker("one_database")
    if metafunc.definition.path.parent.name in ON_ALL_DATABASES and not one:
        server = pytest.param("postgresql", marks=pytest.mark.postgresql)
        metafunc.parametrize("each_database", ["sqlite", server], indirect=True)


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


@pytest.fixture(scope="session")
def postgresql_database() -> Iterator[Database]:
    """A database on the server for the tests of this process."""
    with new_database() as made:
        yield made


@pytest.fixture
def postgresql(postgresql_database: Database) -> Database:
    """A PostgreSQL database that holds nothing."""
    postgresql_database.clean()
    return postgresql_database


@pytest.fixture
def each_database(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """An empty database: a file that does not exist yet, or the URL of one on a server."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return tmp_path / "memory.db"
    server: Database = request.getfixturevalue("postgresql")
    return server.url


@pytest.fixture
def run_sql(each_database: Path | str, request: pytest.FixtureRequest) -> RunSql:
    """Changes the tables behind the back of every memory."""

    def run(statement: str) -> None:
        if isinstance(each_database, str):
            server: Database = request.getfixturevalue("postgresql")
            server.execute(f"SET search_path = {SCHEMA}; {statement}")
        else:
            with closing(sqlite3.connect(each_database)) as connection, connection:
                connection.execute(statement)

    return run


@pytest.fixture
def quick_database(each_database: Path | str) -> str:
    """As `each_database`, in memory instead of a file."""
    return each_database if isinstance(each_database, str) else ":memory:"


@pytest.fixture
def open_memory(
    each_database: Path | str,
    clock: ManualClock,
    new_id: CountingIds,
    request: pytest.FixtureRequest,
) -> Iterator[Opener]:
    """Opens memories on one database; they are closed after the test.

    What would be a database in memory is an emptied one on a server.
    """
    opened: list[StrataGate] = []

    def opener(
        *, path: str | Path | None = None, settings: dict[str, Any] | None = None, **options: Any
    ) -> StrataGate:
        defaults = {"clock": clock, "new_id": new_id, "settings": Settings(**(settings or {}))}
        if path == ":memory:" and isinstance(each_database, str):
            request.getfixturevalue("postgresql").clean()
            path = None
        memory = StrataGate.open(path or each_database, **(defaults | options))
        opened.append(memory)
        return memory

    yield opener
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Opener) -> StrataGate:
    """An offline memory with blocks of two turns."""
    return open_memory(settings={"block_turn_size": 2})
