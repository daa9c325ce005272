"""Opening a database and its transactions; all differences of dialects are here.

SQLite runs in WAL mode with foreign keys, a busy timeout and immediate write transactions, so a
writer waits instead of failing. A memory database has one connection, guarded by a lock.
"""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.pool import StaticPool

from stratagate_core.errors import InvalidArgument, NewerSchema, NotFound, StorageError
from stratagate_core.store import planning, schema
from stratagate_core.store.advice import explained
from stratagate_core.store.migrations import MIGRATIONS
from stratagate_core.store.tx import AdminTx, Tx

BUSY_TIMEOUT_MS = 60_000
_RETRY_SECONDS = 0.02
_MEMORY = ":memory:"


def _url(target: str | Path) -> sa.URL:
    text = str(target).strip() if isinstance(target, str | Path) else ""
    if not text or "\x00" in text:
        raise InvalidArgument("database: give a file path, ':memory:' or a database URL")
    if text == _MEMORY:
        return sa.URL.create("sqlite", database=_MEMORY)
    if "://" in text:
        return _checked_url(text)
    return sa.URL.create("sqlite", database=str(Path(text).expanduser()))


def _checked_url(text: str) -> sa.URL:
    try:
        url = make_url(text)
    except sa.exc.ArgumentError as error:
        raise InvalidArgument("database: this is not a database URL") from error
    if url.get_backend_name() != "sqlite":
        raise InvalidArgument(
            f"database: {url.get_backend_name()} is not supported by this version; give a file "
            "path, ':memory:' or a sqlite:/// URL"
        )
    return url


class Store:
    """One database: an engine, and transactions on it."""

    def __init__(self, target: str | Path, *, read_only: bool = False) -> None:
        self.url = _url(target)
        self.read_only = read_only
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.is_memory = self.is_sqlite and self.url.database in (None, "", _MEMORY)
        #: serialises a memory database, which has a single connection
        self._lock = threading.RLock()
        self._closed = False
        self.engine = self._create_engine()
        try:
            self._prepare_schema()
        except BaseException:
            self.engine.dispose()
            raise

    def _create_engine(self) -> sa.Engine:
        if not self.is_sqlite:
            return sa.create_engine(self.url, pool_size=5, max_overflow=20)
        connect_args: dict[str, Any] = {
            "check_same_thread": False,
            "timeout": BUSY_TIMEOUT_MS / 1000,
        }
        url = self.url
        options: dict[str, Any] = {}
        if self.is_memory:
            options["poolclass"] = StaticPool
        else:
            path = Path(str(self.url.database))
            url = self._file_url(path)
            connect_args["uri"] = self.read_only
            options |= {"pool_size": 5, "max_overflow": 60, "pool_timeout": 60}
        engine = sa.create_engine(url, connect_args=connect_args, **options)
        sa.event.listen(engine, "connect", self._on_connect)
        sa.event.listen(engine, "begin", _on_begin)
        return engine

    def _file_url(self, path: Path) -> sa.URL:
        if not self.read_only:
            _make_folder(path.parent)
            return sa.URL.create("sqlite", database=str(path))
        if not path.is_file():
            raise NotFound(f"no database at {path}; a read-only opening creates none")
        # without a journal beside it nobody is writing: then the file is read as it is and
        # not even a shared-memory file is created
        unused = not Path(f"{path}-wal").exists()
        query = {"mode": "ro", "uri": "true"} | ({"immutable": "1"} if unused else {})
        return sa.URL.create("sqlite", database=f"file:{path.resolve().as_posix()}", query=query)

    def _on_connect(self, connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions are begun by `_on_begin` alone
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
        cursor.execute("PRAGMA foreign_keys=ON")
        if not self.read_only:
            cursor.execute("PRAGMA secure_delete=ON")
            # a committed turn survives the loss of power, not only of the process
            cursor.execute("PRAGMA synchronous=FULL")
        cursor.close()

    def _prepare_schema(self) -> None:
        with self._connect(write=False) as connection:
            version = _stored_version(connection)
            foreign = version is None and bool(sa.inspect(connection).get_table_names())
        if foreign:
            raise InvalidArgument(
                f"{self._place} is a database of something else: it has tables but no StrataGate "
                "memory; give another path. Nothing in it was changed"
            )
        if version == schema.SCHEMA_VERSION:
            return
        if version is not None and version > schema.SCHEMA_VERSION:
            raise NewerSchema(
                f"the database {self._place} has schema version {version}, this StrataGate "
                f"knows up to {schema.SCHEMA_VERSION}: upgrade stratagate to open it"
            )
        if self.read_only:
            raise InvalidArgument(
                f"{self._place} has no current StrataGate schema; open it "
                "once for writing, which creates or upgrades it"
            )
        if self.is_sqlite and not self.is_memory:
            self._use_write_ahead_log()
        with self._connect(write=True) as connection:
            _upgrade(connection)

    def _use_write_ahead_log(self) -> None:
        """Switch the file to WAL, for good; SQLite does not wait for this lock by itself."""
        end = time.monotonic() + BUSY_TIMEOUT_MS / 1000
        while True:
            try:
                with self.engine.connect() as connection:
                    driver = connection.connection.driver_connection
                    if driver is not None:
                        driver.execute("PRAGMA journal_mode=WAL").close()
                return
            except (sqlite3.OperationalError, sa.exc.OperationalError) as error:
                if time.monotonic() > end or "locked" not in str(error):
                    cause = getattr(error, "orig", None) or error
                    raise StorageError(explained(cause, self._place)) from error
                time.sleep(_RETRY_SECONDS)

    @property
    def _place(self) -> str:
        """How messages name the database."""
        return str(self.url.database) if self.is_sqlite else self.url.render_as_string()

    @contextmanager
    def _connect(self, *, write: bool) -> Iterator[sa.Connection]:
        if self._closed:
            raise StorageError("this memory is closed; open it again")
        lock = self._lock if self.is_memory else None
        if lock is not None:
            lock.acquire()
        try:
            options = {"stratagate_write": write}
            with (
                self.engine.connect().execution_options(**options) as connection,
                connection.begin(),
            ):
                yield connection
        except UnicodeEncodeError as error:
            raise InvalidArgument("half a surrogate pair is no text; no id holds it") from error
        except sa.exc.DBAPIError as error:
            # the statement's parameters hold text of users: only the driver's words are repeated
            raise StorageError(explained(error.orig or error, self._place)) from error
        finally:
            if lock is not None:
                lock.release()

    @contextmanager
    def read(self, namespace: str) -> Iterator[Tx]:
        """A read transaction: one consistent snapshot of one namespace."""
        with self._connect(write=False) as connection:
            yield Tx(connection, namespace)

    @contextmanager
    def write(self, namespace: str) -> Iterator[Tx]:
        """A write transaction of one namespace; it commits when the block ends without error."""
        if self.read_only:
            raise InvalidArgument("this memory was opened read-only")
        with self._connect(write=True) as connection:
            tx = Tx(connection, namespace)
            yield tx
            tx.raise_revision()

    @contextmanager
    def admin(self, *, write: bool = False) -> Iterator[AdminTx]:
        """A transaction over what spans namespaces."""
        if write and self.read_only:
            raise InvalidArgument("this memory was opened read-only")
        with self._connect(write=write) as connection:
            yield AdminTx(connection)

    def close(self) -> None:
        """Give all connections back; closing twice is no error."""
        self._closed = True
        self.engine.dispose()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"the folder {folder} cannot be made: {error.strerror}; make it, or give another path"
        ) from error


def _on_begin(connection: sa.Connection) -> None:
    write = connection.get_execution_options().get("stratagate_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _stored_version(connection: sa.Connection) -> int | None:
    inspector = sa.inspect(connection)
    if not inspector.has_table("meta"):
        return None
    if {column["name"] for column in inspector.get_columns("meta")} != set(schema.meta.c.keys()):
        return None  # another program keeps something under this name
    query = sa.select(schema.meta.c.value).where(schema.meta.c.key == "schema_version")
    version = connection.execute(query).scalar_one_or_none()
    return version if isinstance(version, int) else None


def _upgrade(connection: sa.Connection) -> None:
    # another process may have done it while this one waited for the write lock
    version = _stored_version(connection)
    if version is None:
        schema.metadata.create_all(connection)
        if connection.dialect.name == "sqlite":
            planning.describe(connection)
        connection.execute(
            sa.insert(schema.meta).values(key="schema_version", value=schema.SCHEMA_VERSION)
        )
        return
    for number in range(version, schema.SCHEMA_VERSION):
        MIGRATIONS[number](connection)
    connection.execute(
        sa.update(schema.meta)
        .where(schema.meta.c.key == "schema_version")
        .values(value=schema.SCHEMA_VERSION)
    )
