"""SQLite: WAL mode, foreign keys, a busy timeout and immediate write transactions.

So a writer waits instead of failing.
"""

import sqlite3
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from stratagate_core.errors import NotFound, StorageError
from stratagate_core.store.advice import explained
from stratagate_core.store.places import MEMORY

BUSY_TIMEOUT_MS = 60_000
_RETRY_SECONDS = 0.02
#: of pages that a connection keeps at most; twice the default of SQLite
_CACHE_KB = 4_000


def is_memory(url: sa.URL) -> bool:
    """Whether the database lives in memory only; it has a single connection then."""
    return url.get_backend_name() == "sqlite" and url.database in (None, "", MEMORY)


def create_engine(url: sa.URL, *, read_only: bool) -> sa.Engine:
    """The engine of a file or of a memory database; the folder of a file is made."""
    connect_args: dict[str, Any] = {"check_same_thread": False, "timeout": BUSY_TIMEOUT_MS / 1000}
    # an error must not repeat what users said
    options: dict[str, Any] = {"hide_parameters": True}
    if is_memory(url):
        options["poolclass"] = StaticPool
    else:
        url = _file_url(Path(str(url.database)), read_only)
        connect_args["uri"] = read_only
        options |= {"pool_size": 5, "max_overflow": 60, "pool_timeout": 60}
    engine = sa.create_engine(url, connect_args=connect_args, **options)
    sa.event.listen(engine, "connect", _on_connect)
    if not read_only:
        sa.event.listen(engine, "connect", _on_connect_to_write)
    sa.event.listen(engine, "begin", _on_begin)
    return engine


def _file_url(path: Path, read_only: bool) -> sa.URL:
    if not read_only:
        _make_folder(path.parent)
        return sa.URL.create("sqlite", database=str(path))
    if not path.is_file():
        raise NotFound(f"no database at {path}; a read-only opening creates none")
    # without a journal beside it nobody is writing: then the file is read as it is and
    # not even a shared-memory file is created
    unused = not Path(f"{path}-wal").exists()
    query = {"mode": "ro", "uri": "true"} | ({"immutable": "1"} if unused else {})
    return sa.URL.create("sqlite", database=f"file:{path.resolve().as_posix()}", query=query)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"the folder {folder} cannot be made: {error.strerror}; make it, or give another path"
        ) from error


def _on_connect(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun by `_on_begin` alone
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute(f"PRAGMA cache_size=-{_CACHE_KB}")
    cursor.close()


def _on_connect_to_write(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA secure_delete=ON")
    # a committed turn survives the loss of power, not only of the process
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _on_begin(connection: sa.Connection) -> None:
    write = connection.get_execution_options().get("stratagate_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def use_write_ahead_log(engine: sa.Engine) -> None:
    """Switch the file to WAL, for good; SQLite does not wait for this lock by itself."""
    end = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            with engine.connect() as connection:
                driver = connection.connection.driver_connection
                if driver is not None:
                    driver.execute("PRAGMA journal_mode=WAL").close()
            return
        except (sqlite3.OperationalError, sa.exc.OperationalError) as error:
            if time.monotonic() > end or "locked" not in str(error):
                cause = getattr(error, "orig", None) or error
                raise StorageError(explained(cause, str(engine.url.database))) from error
            time.sleep(_RETRY_SECONDS)
