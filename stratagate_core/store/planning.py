"""What SQLite's planner is told about the tables before they hold anything.

Without statistics it takes any equality for selective, so it would rather walk through a whole
namespace in the order of the primary key than use an index that names thread or status as well.
"""

from collections.abc import Iterator

import sqlalchemy as sa

#: rows of a table, and rows that share the first one, two, three … columns of an index
_ROWS = 1_000_000
_SHARED = (_ROWS, 10_000, 100, 10)


def describe(connection: sa.Connection) -> None:
    """Store the statistics and have this connection read them; later ones do so by themselves."""
    connection.exec_driver_sql("ANALYZE")
    connection.exec_driver_sql("DELETE FROM sqlite_stat1")
    tables = [
        str(name)
        for (name,) in connection.exec_driver_sql(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    ]
    for table in tables:
        for row in _statistics(connection, table):
            connection.exec_driver_sql("INSERT INTO sqlite_stat1 VALUES (?, ?, ?)", row)
    connection.exec_driver_sql("ANALYZE sqlite_schema")


def _statistics(connection: sa.Connection, table: str) -> Iterator[tuple[str, str, str]]:
    indexes = connection.exec_driver_sql(f"PRAGMA index_list('{table}')").all()
    for _, index, is_unique, origin, *_ in indexes:
        columns = connection.exec_driver_sql(f"PRAGMA index_info('{index}')").all()
        shared = [_SHARED[min(place, len(_SHARED) - 1)] for place in range(len(columns))]
        if is_unique:
            shared[-1] = 1
        # the primary key of a table without rowid goes by the name of the table
        name = table if origin == "pk" else str(index)
        yield table, name, " ".join(str(number) for number in (_ROWS, *shared))
