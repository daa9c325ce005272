"""No hot operation reads a whole namespace of a server either.

Its planner decides by what it knows of the rows, so the tables are filled and analysed first:
thousands of rows of the same namespace that no operation is about.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from stratagate_core import Settings, StrataGate
from stratagate_core.store import schema
from stratagate_core.store.postgresql import SCHEMA
from stratagate_core.store.types import Instant, Json
from tests.databases import Database, new_database
from tests.store.test_plans import HOT, SMALL, statements_of

pytestmark = pytest.mark.postgresql

ROWS = 24_000
#: columns that hold one of a few words, and the word that hides a row from every operation
_WORDS = {"status": "archived", "state": "complete", "pool": "passive", "kind": "event_extraction"}
_WORDS |= {"criticality": "routine", "scope": "user", "type": "person"}


@pytest.fixture(scope="module")
def filled() -> Iterator[Database]:
    """A database whose tables are large."""
    with new_database("_plans") as made:
        StrataGate.open(made.url).close()
        for table in schema.metadata.sorted_tables:
            if table.name not in SMALL:
                made.execute(_filling(table))
        made.execute("ANALYZE")
        yield made


def _filling(table: sa.Table) -> str:
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    values = ", ".join(_value(table, column) for column in table.columns)
    rows = f"SELECT {values} FROM generate_series(1, {ROWS}) g"
    return f"INSERT INTO {SCHEMA}.{table.name} ({names}) {rows} ON CONFLICT DO NOTHING"


def _value(table: sa.Table, column: sa.Column[Any]) -> str:
    if column.name == "namespace":
        return "'default'"
    if isinstance(column.type, Json):
        return "'[]'"
    if isinstance(column.type, sa.Boolean):
        return "false"
    if column.name == "tail":
        return "0"
    if isinstance(column.type, sa.Integer):
        return "1000000 + g"
    if isinstance(column.type, sa.Float):
        return "0.5"
    if isinstance(column.type, sa.LargeBinary):
        return "''"
    if isinstance(column.type, Instant):
        return "'2026-01-01T00:00:00.' || (100000 + g) || '+00:00'"
    if column.name in _WORDS:
        return f"'{_WORDS[column.name]}'"
    shared = 40 if column.name in ("thread", "term") and table is not schema.threads else 1
    # ids point at each other, in no order
    text = "md5(g::text)" if column.name.endswith("id") else f"(g / {shared})"
    return f"'{column.name[-2:]}' || {text}"


@pytest.mark.parametrize("name", sorted(HOT))
def test_nothing_hot_reads_a_namespace(filled: Database, name: str) -> None:
    """Each statement names more of an index than the namespace alone."""
    with StrataGate.open(filled.url, settings=Settings(block_turn_size=2)) as memory:
        asked = statements_of(memory, name)

        assert [] == [fault for text, values in asked for fault in _faults(memory, text, values)]


def _faults(memory: StrataGate, text: str, values: Any) -> list[str]:
    if not text.startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
        return []
    with memory._core.env.store.admin() as tx:
        one = values[0] if isinstance(values, list) else values
        explained = tx.connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {text}", one).scalar()
    plan = explained if isinstance(explained, list) else json.loads(str(explained))
    return [f"{step}: {text[-500:]}" for step in _steps(plan[0]["Plan"], "") if _is_wide(step)]


def _steps(node: dict[str, Any], relation: str) -> Iterator[str]:
    """Each reading of a table, as "table: condition of the index"."""
    relation = node.get("Relation Name", relation)
    if "Seq Scan" in node["Node Type"]:
        yield f"{relation}: all"
    elif "Index Name" in node:
        yield f"{relation}: {node.get('Index Cond', 'all')}"
    for inner in node.get("Plans", ()):
        yield from _steps(inner, relation)


def _is_wide(step: str) -> bool:
    relation, _, condition = step.partition(": ")
    return relation not in SMALL and " AND " not in condition
