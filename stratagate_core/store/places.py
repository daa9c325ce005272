"""How a database is named: a file, ``:memory:`` or a URL of SQLite or PostgreSQL.

A URL may hold a password; nothing here repeats it, neither in a message nor in a traceback.
"""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import make_url

from stratagate_core.errors import InvalidArgument

MEMORY = ":memory:"
#: scheme of a URL -> the driver that serves it
_DRIVERS = {
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
}


def url_of(target: str | Path) -> sa.URL:
    """The URL of what a caller named.

    Raises:
        InvalidArgument: it is blank, no URL, or of a database that is not supported.

    """
    text = str(target).strip() if isinstance(target, str | Path) else ""
    if not text or "\x00" in text:
        raise InvalidArgument("database: give a file path, ':memory:' or a database URL")
    if text == MEMORY:
        return sa.URL.create("sqlite", database=MEMORY)
    if "://" in text:
        return _checked_url(text)
    return sa.URL.create("sqlite", database=str(Path(text).expanduser()))


def shown(target: str | Path) -> str:
    """The name of a database as it may be shown to anybody: without the password."""
    text = str(target)
    return shown_url(url_of(text)) if "://" in text else text


def shown_url(url: sa.URL) -> str:
    """As `shown`, of what was read already."""
    secret = [name for name in url.query if "password" in name]
    return url.difference_update_query(secret).render_as_string(hide_password=True)


def _checked_url(text: str) -> sa.URL:
    try:
        url = make_url(text)
    except (sa.exc.ArgumentError, ValueError):
        # what could not be read is not repeated: it may hold a password
        raise InvalidArgument(
            "database: this is not a database URL; the form is "
            "postgresql://user:password@host:port/database"
        ) from None
    if url.drivername not in _DRIVERS:
        raise InvalidArgument(
            f"database: {url.drivername} is not supported; give a file path, ':memory:', a "
            "sqlite:/// URL or a postgresql:// URL"
        )
    if "@" in (url.host or ""):
        raise InvalidArgument("database: write an '@' in the user or the password as %40")
    return url.set(drivername=_DRIVERS[url.drivername])
