"""Numbered schema changes. The first release starts at version 1, so the list is empty.

A migration is a function ``(connection)``; number ``n`` lifts a database from version ``n``
to ``n + 1`` inside the transaction that also stores the new version.
"""

from collections.abc import Callable

from sqlalchemy import Connection

MIGRATIONS: dict[int, Callable[[Connection], None]] = {}
