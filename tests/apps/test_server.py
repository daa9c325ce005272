"""The command line on a PostgreSQL database, which is named by its URL."""

import pytest
from sqlalchemy.engine import make_url

from stratagate_core import StrataGate
from tests.apps.conftest import Run
from tests.databases import Database

pytestmark = pytest.mark.postgresql


def test_search_and_doctor_take_a_url(run: Run, postgresql: Database) -> None:
    """What is stored there is found and checked; the password is not printed."""
    with StrataGate.open(postgresql.url) as memory:
        memory.add_turn("The ladder is in the shed.", "Noted.")

    code, text, error = run("search", "ladder", "--database", postgresql.url)
    assert (0, "") == (code, error)
    assert "The ladder is in the shed." in text
    code, text, error = run("doctor", postgresql.url)
    assert (0, "") == (code, error)
    assert f"Database postgresql+psycopg://stratagate:***@/{postgresql.name}" in text


def test_another_namespace_is_refused_without_the_password(run: Run, postgresql: Database) -> None:
    """The message names the database as it may be shown."""
    with StrataGate.open(postgresql.url) as memory:
        memory.add_turn("a", "b")

    code, _, error = run("search", "x", "--database", postgresql.url, "--namespace", "none")
    assert 0 != code
    assert postgresql.name in error
    assert str(make_url(postgresql.url).password) not in error
