"""What is special about a server: URLs and refusals, texts, opening at once, lost connections."""

import contextlib
import subprocess
import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from threading import Thread
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.engine import make_url

from stratagate_core import InvalidArgument, NewerSchema, Settings, StorageError, StrataGate
from stratagate_core.store import places, schema
from stratagate_core.store.engine import Store
from stratagate_core.store.postgresql import SCHEMA
from stratagate_core.store.types import escaped, unescaped
from tests.databases import Database, new_database

#: every character that may stand in a text, the two that are escaped among them
TEXTS = st.text(
    st.one_of(st.sampled_from("\x00\x01\x02a"), st.characters(exclude_categories=["Cs"]))
)
SECRET = "hush-h4sh"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://me:{SECRET}@h:port/db",
        f"postgresql://me:{SECRET}@x@h/db",
        f"mysql://me:{SECRET}@h/db",
        f"postgresql+asyncpg://me:{SECRET}@h/db",
        f"postgresql+psycopg2://me:{SECRET}@h/db",
        f"://me:{SECRET}@h",
    ],
)
def test_another_url_is_refused_without_its_password(url: str) -> None:
    """What cannot be used is named, and neither message nor traceback repeats the password."""
    with pytest.raises(InvalidArgument, match="database: ") as caught:
        StrataGate.open(url)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_a_shown_name_has_no_password() -> None:
    """What is printed of a database is its URL without the password, or the path as it is."""
    assert "postgresql+psycopg://me:***@h/db" == places.shown(f"postgres://me:{SECRET}@h/db")
    shown = places.shown(f"postgresql:///db?password={SECRET}&sslpassword={SECRET}&host=h")
    assert "postgresql+psycopg:///db?host=h" == shown
    assert "memory.db" == places.shown("memory.db")


@pytest.mark.slow
def test_a_missing_driver_names_the_extra() -> None:
    """Without psycopg the error says what to install."""
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from stratagate_core import MissingExtra, StrataGate\n"
        "try: StrataGate.open('postgresql://h/db')\n"
        "except MissingExtra as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    wanted = "a PostgreSQL database needs the extra 'postgres': pip install 'stratagate[postgres]'"
    assert wanted == done.stdout.strip()


@given(st.lists(TEXTS, max_size=6))
def test_escaping_keeps_texts_apart_and_in_order(texts: list[str]) -> None:
    """An escaped text has no NUL, comes back whole, and sorts where the text sorts."""
    coded = [escaped(text) for text in texts]

    assert texts == [unescaped(text) for text in coded]
    assert "\x00" not in "".join(coded)
    assert sorted(texts, key=str.encode) == [
        unescaped(text) for text in sorted(coded, key=str.encode)
    ]


@pytest.mark.postgresql
class TestConnecting:
    """Connections that fail say where and why."""

    def fails(self, url: sa.URL) -> str:
        """The message of a refused opening; it never holds the password."""
        with pytest.raises(StorageError, match="no connection to the database") as caught:
            StrataGate.open(url.render_as_string(hide_password=False))
        assert SECRET not in "".join(traceback.format_exception(caught.value))
        return str(caught.value)

    def test_a_wrong_password(self, postgresql: Database) -> None:
        """A refused password is not repeated."""
        message = self.fails(make_url(postgresql.url).set(password=SECRET))
        assert "password authentication failed" in message

    def test_a_missing_database(self, postgresql: Database) -> None:
        """A database that is not there is named."""
        assert '"nowhere" does not exist' in self.fails(
            make_url(postgresql.url).set(database="nowhere")
        )

    def test_no_server(self) -> None:
        """A refused connection says where nobody listened."""
        message = self.fails(make_url(f"postgresql://me:{SECRET}@/db?host=/nowhere"))
        assert "/nowhere" in message

    def test_all_schemes(self, postgresql: Database) -> None:
        """The scheme with the driver, the plain one and its short form open the same database."""
        rest = postgresql.url.partition("://")[2]
        for scheme in ("postgresql", "postgresql+psycopg", "postgres"):
            with StrataGate.open(f"{scheme}://{rest}") as memory:
                memory.add_turn("a", "b")
        with StrataGate.open(postgresql.url) as memory:
            assert 3 == memory.stats()["current_turn"]

    def test_a_full_server_is_waited_for(self, postgresql: Database) -> None:
        """Without a free connection an opening waits until there is one."""
        StrataGate.open(postgresql.url).close()
        postgresql.execute(
            f"CREATE ROLE single LOGIN PASSWORD '{SECRET}' CONNECTION LIMIT 1;"
            f"GRANT ALL ON SCHEMA {SCHEMA} TO single;"
            f"GRANT ALL ON ALL TABLES IN SCHEMA {SCHEMA} TO single"
        )
        mine = make_url(postgresql.url).set(username="single", password=SECRET)
        url = mine.render_as_string(hide_password=False)
        opened: list[StrataGate] = []
        try:
            with psycopg.connect(url):
                waiting = Thread(target=lambda: opened.append(StrataGate.open(url)))
                waiting.start()
                waiting.join(0.3)
                assert waiting.is_alive()
            waiting.join()
            assert 1 == opened[0].add_turn("a", "b").turn
        finally:
            for memory in opened:
                memory.close()
            postgresql.execute("DROP OWNED BY single; DROP ROLE single")

    def test_lost_connections_are_replaced(self, postgresql: Database) -> None:
        """What waits in the pool may be cut at any time; a transaction under way says so."""
        with StrataGate.open(postgresql.url) as memory:
            memory.add_turn("a", "b")
            self.cut(postgresql)
            assert 2 == memory.add_turn("c", "d").turn
            with pytest.raises(StorageError):
                self.cut_within(memory, postgresql)
            assert 3 == memory.add_turn("e", "f").turn

    def test_no_lock_outlives_its_machine(self, postgresql: Database) -> None:
        """A writer that falls silent is ended by the server, other sessions are not touched."""
        limit = sa.text("SELECT current_setting('idle_in_transaction_session_timeout')")
        with StrataGate.open(postgresql.url) as memory:
            with memory._write() as work:
                assert "2min" == work.tx.scalar(limit)
            with memory._read() as work:
                assert "0" == work.tx.scalar(limit)

    def cut(self, database: Database) -> None:
        """End the connections of all memories."""
        database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE application_name = '{SCHEMA}' AND datname = current_database()"
        )

    def cut_within(self, memory: StrataGate, database: Database) -> None:
        """End the connection of a transaction under way."""
        with memory._write() as work:
            self.cut(database)
            work.current_turn()


@pytest.fixture
def bare() -> Iterator[Database]:
    """A database without any table."""
    with new_database("_bare") as made:
        yield made


@pytest.mark.postgresql
class TestOpening:
    """The first opening makes a schema of its own; later ones change nothing."""

    def test_many_open_an_empty_database_at_once(self, bare: Database) -> None:
        """The schema is made once, and everybody can write."""

        def write(number: int) -> int:
            with StrataGate.open(bare.url, namespace=f"n{number % 2}") as memory:
                return memory.add_turn("a", "b").turn

        with ThreadPoolExecutor(8) as pool:
            assert [1, 1, 2, 2, 3, 3, 4, 4] == sorted(pool.map(write, range(8)))
        assert [("1",)] == bare.execute(f"SELECT value FROM {SCHEMA}.meta")

    def test_tables_of_another_program_are_left_alone(self, bare: Database) -> None:
        """A table of the same name elsewhere in the database is not touched."""
        bare.execute(
            "CREATE TABLE public.events (mine text); INSERT INTO public.events VALUES ('kept')"
        )
        with StrataGate.open(bare.url) as memory:
            memory.add_turn("a", "b")
        assert [("kept",)] == bare.execute("SELECT * FROM public.events")

    def test_X_03_a_newer_schema_is_refused(self, bare: Database) -> None:
        """Also by an opening that only reads."""
        StrataGate.open(bare.url).close()
        bare.execute(f"UPDATE {SCHEMA}.meta SET value = '99'")
        for read_only in (True, False):
            with pytest.raises(NewerSchema, match="99"):
                StrataGate.open(bare.url, read_only=read_only)

    def test_X_03_reading_changes_nothing(self, bare: Database) -> None:
        """A read-only opening makes no table, and the server itself refuses its writes."""
        with pytest.raises(InvalidArgument, match="open it once for writing"):
            StrataGate.open(bare.url, read_only=True)
        with StrataGate.open(bare.url) as memory:
            memory.add_turn("the harbour is blue", "yes")
        store = Store(bare.url, read_only=True)
        with pytest.raises(StorageError, match="read-only"), store.admin() as tx:
            tx.change(sa.delete(schema.turns))
        store.close()
        with StrataGate.open(bare.url, read_only=True) as memory:
            assert 1 == len(memory.search_raw("harbour", include_tail=True).hits)
            with pytest.raises(InvalidArgument, match="read-only"):
                memory.add_turn("a", "b")

    def test_a_database_that_cannot_hold_every_text_is_refused(self, bare: Database) -> None:
        """Another encoding than UTF-8 is an error of the first opening."""
        name = f"{bare.name}_latin"
        bare.execute(f"CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        url = make_url(bare.url).set(database=name).render_as_string(hide_password=False)
        with contextlib.ExitStack() as after:
            after.callback(bare.execute, f"DROP DATABASE {name} WITH (FORCE)")
            with pytest.raises(InvalidArgument, match="encoding is LATIN1"):
                StrataGate.open(url)

    def test_settings_of_many_are_stored_one_after_the_other(self, bare: Database) -> None:
        """Whoever comes last wins, and nobody fails."""

        def save(size: int) -> None:
            with StrataGate.open(bare.url) as memory:
                memory.save_settings(block_turn_size=size, block_decay_lambda=size / 10)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(save, [1, 2, 3, 1, 2, 3]))
        with StrataGate.open(bare.url) as memory:
            found = memory.settings()
        assert found.block_turn_size / 10 == found.block_decay_lambda


@pytest.mark.postgresql
class TestValues:
    """What is stored comes back as it was, in the same order as from a file."""

    @settings(max_examples=12)
    @given(texts=st.lists(TEXTS.filter(str.strip), min_size=1, max_size=4), extra=TEXTS)
    def test_any_text_survives(self, postgresql: Database, texts: list[str], extra: str) -> None:
        """Whatever characters: messages, metadata, receipts and threads come back."""
        postgresql.clean()
        with StrataGate.open(postgresql.url, settings=Settings(block_turn_size=50)) as memory:
            for number, text in enumerate(texts):
                kept = {"metadata": {"k": extra}, "receipt": f"r{number}{extra}"}
                memory.add_turn(text, extra, thread="t", work="append", **kept)
            stored = memory.open_tail("t")

        assert [said for text in texts for said in (text, extra)] == [m.content for m in stored]
        assert {"k": extra} == stored[0].metadata

    def test_a_name_with_nul_is_one_name(self, postgresql: Database) -> None:
        """Threads and namespaces that differ by NUL alone are different ones."""
        with StrataGate.open(postgresql.url, namespace="a\x00b") as memory:
            memory.add_turn("one", "ok", thread="t\x00")
            memory.add_turn("two", "ok", thread="t")
            assert ["one", "ok"] == [said.content for said in memory.open_tail("t\x00")]
            assert 0 == memory.for_namespace("a").stats()["current_turn"]

    def test_a_very_long_text(self, postgresql: Database) -> None:
        """Millions of characters are one message."""
        text = "tea 茶 \x00" * 150_000
        with StrataGate.open(postgresql.url) as memory:
            memory.add_turn(text, "ok", work="append")
            assert text == memory.open_tail()[0].content

    def test_ids_sort_as_in_a_file(self, postgresql: Database) -> None:
        """By code points, whatever the language of the server."""
        ids = [
            "B",
            "a",
            "Z",
            "é",
            "z",
            "茶",
            "𝒳",
            "\x00",
            "\x01",
            "a\x00",
            "a\x01",
            "_",
            "-",
            "10",
            "9",
        ]
        orders = []
        for database in (":memory:", postgresql.url):
            store = Store(database)
            with store.write("n") as tx:
                rows = [{"target_id": key, "event_id": "e"} for key in ids]
                tx.insert(schema.event_supersedes, rows)
                column = schema.event_supersedes.c.target_id
                orders.append(
                    [row.target_id for row in tx.rows(sa.select(column).order_by(column))]
                )
            store.close()

        assert sorted(ids) == orders[0]
        assert orders[0] == orders[1]

    def test_an_instant_is_exact(self, postgresql: Database) -> None:
        """To the microsecond, from any zone, in years of few digits too."""
        east = timezone(timedelta(hours=5, minutes=45))
        times = [
            datetime(2026, 5, 6, 9, 0, 0, 123457, tzinfo=east),
            datetime(1, 1, 1, tzinfo=UTC),
            datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        ]
        with StrataGate.open(postgresql.url) as memory:
            for at in times:
                memory.add_turn("a", "b", at=at, work="append")
            stored: list[Any] = [said.created_at for said in memory.open_tail()][::2]

        assert times == stored
        assert {timedelta(0)} == {at.utcoffset() for at in stored}
