"""PostgreSQL: one schema of its own, snapshots for reading, one lock taken first for writing.

A write transaction locks the row of its namespace before anything else, and what spans
namespaces one lock of its own. Each transaction waits for a single lock, so none can end in a
deadlock, and at READ COMMITTED none can fail to be serialised: there is nothing to run again.
Reading takes a snapshot and waits for nobody.
"""

import time
from typing import Any

import sqlalchemy as sa

from stratagate_core.errors import InvalidArgument, MissingExtra, StorageError
from stratagate_core.store.places import shown_url

#: where the tables are, so that they never meet those of another program
SCHEMA = "stratagate"
#: connections of one process: so many are kept, and so many more are opened while they are needed
_POOL = {"pool_size": 5, "max_overflow": 10, "pool_timeout": 60}
_CONNECT_SECONDS = 10
_CROWDED_SECONDS = 60.0
_RETRY_SECONDS = 0.1
#: a server that will have room or be up in a moment
_CROWDED = (
    "too many clients",
    "too many connections",
    "remaining connection slots",
    "is starting up",
)
#: taken by what spans namespaces: the schema and the stored settings ("stra" and "gate")
_LOCK = (0x73747261 << 32) | 0x67617465
#: of a program within a transaction, until the server ends it
_SILENCE = "120s"

_WRITE = {"isolation_level": "READ COMMITTED"}
_READ = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def create_engine(url: sa.URL) -> sa.Engine:
    """The engine of a server's database; nothing is connected yet."""
    wanted = {
        "client_encoding": "utf8",
        "connect_timeout": _CONNECT_SECONDS,
        "application_name": SCHEMA,
    }
    connect_args = {name: value for name, value in wanted.items() if name not in url.query}
    try:
        return sa.create_engine(
            url,
            # not prepared: each query is planned for its values, and a pooler may lie between
            connect_args={**connect_args, "prepare_threshold": None},
            execution_options={"schema_translate_map": {None: SCHEMA}},
            pool_pre_ping=True,
            hide_parameters=True,
            **_POOL,
        )
    except ImportError as error:
        raise MissingExtra.of("a PostgreSQL database", "postgres") from error


def options(*, write: bool) -> dict[str, Any]:
    """How a transaction runs."""
    return _WRITE if write else _READ


def connect(engine: sa.Engine) -> sa.Connection:
    """A connection; a server without room for one more is asked again for a while.

    Raises:
        StorageError: there is no server, user or database as the URL says.

    """
    end = time.monotonic() + _CROWDED_SECONDS
    while True:
        try:
            return engine.connect()
        except sa.exc.DBAPIError as error:
            said = " ".join(str(error.orig).split())
            if time.monotonic() > end or not any(words in said for words in _CROWDED):
                # the driver's own traceback ends here: it may show how it was called
                raise StorageError(_not_connected(engine.url, said)) from None
        time.sleep(_RETRY_SECONDS)


def _not_connected(url: sa.URL, said: str) -> str:
    return f"no connection to the database {shown_url(url)}: {said}"


def words(error: sa.exc.DBAPIError) -> str:
    """What the server said, without the detail that repeats stored values."""
    diagnosis = getattr(error.orig, "diag", None)
    return str(getattr(diagnosis, "message_primary", None) or error.orig)


def lock_whole(connection: sa.Connection) -> None:
    """Wait for everybody else who changes what spans namespaces, until the transaction ends."""
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.literal(_LOCK, sa.BigInteger))))


def silence_limit() -> sa.ColumnElement[str]:
    """Selected by a transaction that takes a lock: it ends when its program is silent for long.

    A process that dies closes its connection, a machine that dies does not; and nothing here
    waits for a model or a person within a transaction.
    """
    return sa.func.set_config("idle_in_transaction_session_timeout", _SILENCE, True)


def prepare(connection: sa.Connection) -> None:
    """Make the schema that holds the tables.

    Raises:
        InvalidArgument: the database cannot hold every text.

    """
    encoding = connection.scalar(sa.text("SHOW server_encoding"))
    if encoding != "UTF8":
        raise InvalidArgument(
            f"database: its encoding is {encoding}, which cannot hold every text; "
            "make one with: createdb --encoding=UTF8 --template=template0"
        )
    known = sa.text("SELECT 1 FROM pg_namespace WHERE nspname = :name")
    if connection.execute(known, {"name": SCHEMA}).first() is None:
        connection.execute(sa.schema.CreateSchema(SCHEMA))
