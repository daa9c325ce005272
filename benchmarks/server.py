"""The PostgreSQL that is measured: a database of its own on the server of `make services`."""

import os
from pathlib import Path

import psycopg
from psycopg import sql

VARIABLE = "STRATAGATE_TEST_POSTGRESQL"
_FILE = Path(__file__).parent.parent / ".services" / "postgresql.url"
_NAME = "stratagate_bench"


class Missing(Exception):
    """Something that is measured is not here, and why."""


def _server() -> str:
    url = os.environ.get(VARIABLE) or (_FILE.read_text().strip() if _FILE.is_file() else "")
    if not url:
        raise Missing(f"no server: run `make services`, or name one in {VARIABLE}")
    return url


def server_url() -> str:
    """The URL of the database; it is made if it is not there yet.

    Raises:
        Missing: there is no server.

    """
    url = _server()
    known = sql.SQL("SELECT 1 FROM pg_database WHERE datname = {}").format(sql.Literal(_NAME))
    with _connected(url) as connection:
        if connection.execute(known).fetchone() is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(_NAME)))
    base, _, query = url.partition("?")
    place, _, _name = base.rpartition("/")
    return f"{place}/{_NAME}" + (f"?{query}" if query else "")


def drop() -> None:
    """Delete the database, if there is a server."""
    try:
        url = _server()
    except Missing:
        return
    with _connected(url) as connection:
        connection.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(_NAME))
        )


def _connected(url: str) -> psycopg.Connection:
    try:
        return psycopg.connect(url, autocommit=True)
    except psycopg.OperationalError as error:
        raise Missing(f"the server does not answer: {error}") from error
