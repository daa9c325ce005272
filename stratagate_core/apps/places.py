"""Where the command line finds a memory: the database file and the namespace in it."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from stratagate_core.errors import InvalidArgument, NotFound
from stratagate_core.memory import StrataGate
from stratagate_core.naming import namespace_for
from stratagate_core.settings import Settings
from stratagate_core.store import namespaces
from stratagate_core.store.engine import Store
from stratagate_core.store.places import shown

FILE = "memory.db"
#: of databases that the command line creates
SETTINGS = Settings(block_turn_size=6)


def data_directory(platform: str, environ: Mapping[str, str], home: Path) -> Path:
    """The user's data directory of StrataGate on a platform as `sys.platform` names it."""
    if given := environ.get("XDG_DATA_HOME"):
        return Path(given) / "stratagate"
    if platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "stratagate"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "stratagate"
    return home / ".local" / "share" / "stratagate"


def default_database() -> Path:
    """The database that is used when none is named."""
    return data_directory(sys.platform, os.environ, Path.home()) / FILE


def existing_database(given: str | None) -> str:
    """The named database or the default one, which must exist.

    Raises:
        NotFound: the default database does not exist yet.

    """
    if given is not None:
        return given
    path = default_database()
    if not path.is_file():
        raise NotFound(f"no memory at {path} yet; name another file with --database")
    return str(path)


def open_to_read(database: str | None, namespace: str | None) -> StrataGate:
    """A read-only handle on a namespace of a database.

    Without a name: the namespace of the project in the working directory, or else the only one.

    Raises:
        NotFound: no such database or namespace.
        InvalidArgument: the database has several namespaces and none was named.

    """
    place = existing_database(database)
    chosen = _chosen(_held(place), namespace, place)
    return StrataGate.open(place, namespace=chosen, read_only=True)


def open_to_write(database: str | None, namespace: str | None) -> StrataGate:
    """As `open_to_read`, for a command that changes the memory."""
    place = existing_database(database)
    return StrataGate.open(place, namespace=_chosen(_held(place), namespace, place))


def _held(database: str) -> tuple[str, ...]:
    store = Store(database, read_only=True)
    try:
        with store.admin() as tx:
            return namespaces.names(tx)
    finally:
        store.close()


def _chosen(held: tuple[str, ...], wanted: str | None, database: str) -> str:
    if not held:
        raise NotFound(f"{shown(database)} holds no memory yet")
    if wanted is None:
        project = namespace_for("project")
        if project in held:
            return project
        if len(held) == 1:
            return held[0]
    elif wanted.strip() in held:
        return wanted.strip()
    names = "".join(f"\n  {name}" for name in held)
    if wanted is None:
        raise InvalidArgument(f"choose one of these with --namespace:{names}")
    raise NotFound(f"no namespace {wanted!r} in {shown(database)}; it has:{names}")
