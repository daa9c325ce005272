"""Transactions: `Tx` is bound to one namespace, `AdminTx` serves what spans them."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from stratagate_core.store.postgresql import silence_limit
from stratagate_core.store.schema import namespaces

Row = sa.Row[Any]

_RAISE = (
    sa.update(namespaces)
    .where(namespaces.c.namespace == sa.bindparam("of"))
    .values(revision=namespaces.c.revision + 1)
)


class AdminTx:
    """A transaction on the whole database."""

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection

    @property
    def is_postgresql(self) -> bool:
        """Whether rows must be locked one by one; SQLite has one writer at a time."""
        return self.connection.dialect.name == "postgresql"

    def part(self) -> AbstractContextManager[object]:
        """A part that may fail and leave the rest of the transaction as it was.

        PostgreSQL refuses everything after a failed statement, unless it goes back to a savepoint.
        """
        return self.connection.begin_nested() if self.is_postgresql else nullcontext()

    def rows(self, query: sa.Executable) -> Sequence[Row]:
        """All rows of a query."""
        return self.connection.execute(query).all()

    def row(self, query: sa.Executable) -> Row | None:
        """The first row of a query."""
        return self.connection.execute(query).first()

    def scalar(self, query: sa.Executable) -> Any:
        """The first value of a query, or None."""
        return self.connection.execute(query).scalar()

    def change(self, statement: sa.Executable) -> int:
        """Run an insert, update or delete; the number of rows it touched."""
        return int(self.connection.execute(statement).rowcount)

    def insert(self, table: sa.Table, rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert rows; all have the same keys."""
        values = [dict(row) for row in rows]
        if values:
            self.connection.execute(sa.insert(table), values)

    def upsert(self, table: sa.Table, row: Mapping[str, Any], *, replace: bool = True) -> bool:
        """Insert a row; if its primary key exists, replace the other columns or leave it.

        Returns whether a row was written.
        """
        build = postgresql.insert if self.is_postgresql else sqlite.insert
        statement = build(table).values(**row)
        keys = [column.name for column in table.primary_key.columns]
        changes = {name: statement.excluded[name] for name in row if name not in keys}
        if replace and changes:
            final = statement.on_conflict_do_update(index_elements=keys, set_=changes)
        else:
            final = statement.on_conflict_do_nothing()
        counted = final.execution_options(preserve_rowcount=True)
        return int(self.connection.execute(counted).rowcount) > 0


class Tx(AdminTx):
    """A transaction bound to one namespace."""

    def __init__(self, connection: sa.Connection, namespace: str) -> None:
        super().__init__(connection)
        self.namespace = namespace
        self._changed = False

    def change(self, statement: sa.Executable) -> int:
        """Run an insert, update or delete; the number of rows it touched."""
        count = super().change(statement)
        self._changed = self._changed or count > 0
        return count

    def insert(self, table: sa.Table, rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert rows of this namespace; the namespace is filled in."""
        values = [{"namespace": self.namespace, **row} for row in rows]
        if values:
            super().insert(table, values)
            self._changed = True

    def upsert(self, table: sa.Table, row: Mapping[str, Any], *, replace: bool = True) -> bool:
        """As in `AdminTx`; the namespace is filled in."""
        written = super().upsert(table, {"namespace": self.namespace, **row}, replace=replace)
        self._changed = self._changed or written
        return written

    def of(self, table: sa.Table) -> sa.ColumnElement[bool]:
        """The condition that keeps a query inside this namespace."""
        return table.c.namespace == self.namespace

    def lock(self, *, owner: str, now: datetime) -> Row:
        """The row of this namespace, created if new and held until the transaction ends."""
        row = {"owner": owner, "current_turn": 0, "block_sequence": 0, "batch_sequence": 0}
        self.upsert(namespaces, {**row, "revision": 0, "created_at": now}, replace=False)
        query = sa.select(namespaces).where(self.of(namespaces))
        if self.is_postgresql:
            query = query.add_columns(silence_limit())
        return self.connection.execute(query.with_for_update()).one()

    def raise_revision(self) -> None:
        """Count the change, if there was one; called when a write transaction ends."""
        if self._changed:
            self.connection.execute(_RAISE, {"of": self.namespace})
