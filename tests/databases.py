"""The PostgreSQL that tests may use: `make services` starts it and says where it is.

A run makes a database of its own there and empties it before each test, which is far quicker
than making one for each.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import make_url

from stratagate_core.store import schema
from stratagate_core.store.postgresql import SCHEMA

VARIABLE = "STRATAGATE_TEST_POSTGRESQL"
_FILE = Path(__file__).parent.parent / ".services" / "postgresql.url"
_MISSING = f"no PostgreSQL to test on: run `make services`, or name one in {VARIABLE}"


def server_url() -> str:
    """Where a server is; without one the test is skipped, or fails where CI must have one."""
    url = os.environ.get(VARIABLE) or (_FILE.read_text().strip() if _FILE.is_file() else "")
    return url or _missing(_MISSING)


def _missing(why: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


def _connected(server: str) -> psycopg.Connection:
    try:
        return psycopg.connect(server, autocommit=True)
    except psycopg.OperationalError as error:
        _missing(f"PostgreSQL does not answer, run `make services`: {error}")


class Database:
    """One database on the server, for tests alone."""

    def __init__(self, server: str, name: str) -> None:
        self.name = name
        self.url = make_url(server).set(database=name).render_as_string(hide_password=False)
        self._tables = [f"{SCHEMA}.{table.name}" for table in schema.metadata.sorted_tables]

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        """Run statements beside all memories; the rows of the last one."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def clean(self) -> None:
        """Make it what a memory finds after its first opening, or before it."""
        version = f"('schema_version', '{schema.SCHEMA_VERSION}')"
        empty = [f"DELETE FROM {table}" for table in self._tables]
        try:
            self.execute("; ".join([*empty, f"INSERT INTO {SCHEMA}.meta VALUES {version}"]))
        except psycopg.errors.UndefinedTable:
            self.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")


@contextmanager
def new_database(suffix: str = "") -> Iterator[Database]:
    """A database without any table; it is dropped at the end."""
    server = server_url()
    name = f"stratagate_test_{os.getpid()}{suffix}"
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    make = sql.SQL("CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0")
    with _connected(server) as connection:
        connection.execute(drop)
        connection.execute(make.format(sql.Identifier(name)))
        yield Database(server, name)
        connection.execute(drop)
