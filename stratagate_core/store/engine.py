"""Opening a database and its transactions. What differs by dialect is in `sqlite`, `postgresql`.

A memory database has one connection, guarded by a lock.
"""

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from stratagate_core.errors import InvalidArgument, NewerSchema, StorageError
from stratagate_core.store import planning, postgresql, schema, sqlite
from stratagate_core.store.advice import explained
from stratagate_core.store.migrations import MIGRATIONS
from stratagate_core.store.places import url_of
from stratagate_core.store.tx import AdminTx, Tx


class Store:
    """One database: an engine, and transactions on it."""

    def __init__(self, target: str | Path, *, read_only: bool = False) -> None:
        self.url = url_of(target)
        self.read_only = read_only
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.is_memory = sqlite.is_memory(self.url)
        #: serialises a memory database, which has a single connection
        self._lock = threading.RLock()
        self._closed = False
        self.engine = self._create_engine()
        # a memory that is dropped without `close` gives its connections back as well
        weakref.finalize(self, self.engine.dispose)
        try:
            self._prepare_schema()
        except BaseException:
            self.engine.dispose()
            raise

    def _create_engine(self) -> sa.Engine:
        if self.is_sqlite:
            return sqlite.create_engine(self.url, read_only=self.read_only)
        return postgresql.create_engine(self.url)

    def _prepare_schema(self) -> None:
        with self._connect(write=False) as connection:
            version = _stored_version(connection)
            # a server keeps our tables in a schema of their own
            held = self.is_sqlite and version is None and sa.inspect(connection).get_table_names()
            foreign = bool(held)
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
            sqlite.use_write_ahead_log(self.engine)
        with self._connect(write=True) as connection:
            _upgrade(connection)

    def _begin(self, *, write: bool) -> sa.Connection:
        if self.is_sqlite:
            return self.engine.connect().execution_options(stratagate_write=write)
        return postgresql.connect(self.engine).execution_options(
            stratagate_write=write, **postgresql.options(write=write)
        )

    @property
    def _place(self) -> str:
        """How messages name the database."""
        return str(self.url.database) if self.is_sqlite else self.url.render_as_string()

    def _failed(self, error: sa.exc.DBAPIError) -> str:
        if not self.is_sqlite:
            return f"the database failed: {postgresql.words(error)}"
        return explained(error.orig or error, self._place)

    @contextmanager
    def _connect(self, *, write: bool) -> Iterator[sa.Connection]:
        if self._closed:
            raise StorageError("this memory is closed; open it again")
        lock = self._lock if self.is_memory else None
        if lock is not None:
            lock.acquire()
        try:
            with self._begin(write=write) as connection, connection.begin():
                yield connection
        except UnicodeEncodeError as error:
            raise InvalidArgument("half a surrogate pair is no text; no id holds it") from error
        except sa.exc.DBAPIError as error:
            # the statement's parameters hold text of users: only the driver's words are repeated
            raise StorageError(self._failed(error)) from error
        except sa.exc.PendingRollbackError as error:
            raise StorageError("the connection to the database was lost") from error
        except sa.exc.TimeoutError as error:
            raise StorageError("no connection to the database became free in time") from error
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
            if write and not self.is_sqlite:
                postgresql.lock_whole(connection)
            yield AdminTx(connection)

    def clean_files(self) -> bool:
        """Empty the journal, so that no page of a file keeps what was deleted.

        Deleted content is overwritten in the file itself (``secure_delete``). Returns False
        while a reader holds the journal. A database server looks after its own files.
        """
        if not self.is_sqlite or self.is_memory:
            return True
        with self.engine.connect() as connection:
            driver = connection.connection.driver_connection
            if driver is None:
                return False
            cursor = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            held_up = cursor.fetchone()[0]
            cursor.close()
        return not held_up

    def close(self) -> None:
        """Give all connections back; closing twice is no error."""
        self._closed = True
        self.engine.dispose()


def _stored_version(connection: sa.Connection) -> int | None:
    place = None if connection.dialect.name == "sqlite" else postgresql.SCHEMA
    inspector = sa.inspect(connection)
    if not inspector.has_table(schema.meta.name, schema=place):
        return None
    if {column["name"] for column in inspector.get_columns("meta", schema=place)} != set(
        schema.meta.c.keys()
    ):
        return None  # another program keeps something under this name
    query = sa.select(schema.meta.c.value).where(schema.meta.c.key == "schema_version")
    version = connection.execute(query).scalar_one_or_none()
    return version if isinstance(version, int) else None


def _upgrade(connection: sa.Connection) -> None:
    is_sqlite = connection.dialect.name == "sqlite"
    if not is_sqlite:
        postgresql.lock_whole(connection)
    # another process may have done it while this one waited for the lock
    version = _stored_version(connection)
    if version is None:
        if not is_sqlite:
            postgresql.prepare(connection)
        schema.metadata.create_all(connection)
        if is_sqlite:
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
