"""Everything of a namespace as JSON lines: sources and what was derived from them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from stratagate_core.errors import InvalidArgument, StorageError
from stratagate_core.store import schema
from stratagate_core.store.tx import Tx
from stratagate_core.store.types import Instant
from stratagate_core.text.redact import redact

#: kind of a line -> table, sources first
_KINDS = {
    "turn": schema.turns,
    "message": schema.messages,
    "block": schema.blocks,
    "event": schema.events,
    "graph_answer": schema.graph_answers,
    "node": schema.nodes,
    "fact": schema.facts,
    "edge": schema.edges,
    "topic": schema.topics,
    "topic_member": schema.topic_members,
    "topic_section": schema.topic_sections,
    "topic_section_member": schema.topic_section_members,
    "dream_run": schema.dream_runs,
    "dream_step": schema.dream_steps,
    "reinforcement": schema.reinforcements,
    "batch": schema.batches,
    "use_receipt": schema.use_receipts,
    "memory_record": schema.memory_records,
    "job": schema.jobs,
    "purge": schema.purges,
}
_PAGE = 500


def lines(tx: Tx) -> Iterator[dict[str, Any]]:
    """One JSON object for each row, in the order of the primary keys; secrets are redacted."""
    for kind, table in _KINDS.items():
        keys = [column for column in table.primary_key.columns if column.name != "namespace"]
        query = sa.select(table).where(tx.of(table)).order_by(*keys)
        for row in tx.connection.execute(query.execution_options(yield_per=_PAGE)):
            yield redact({"kind": kind, **_values(table, row)})


def _values(table: sa.Table, row: sa.Row[Any]) -> dict[str, Any]:
    values = {}
    for column in table.columns:
        value = row._mapping[column]
        if column.name != "namespace" and value is not None:
            instant = isinstance(column.type, Instant)
            values[column.name] = value.isoformat(timespec="milliseconds") if instant else value
    return values


def write_lines(tx: Tx, path: Path, *, overwrite: bool = False) -> int:
    """Write the lines to a file; how many.

    Raises:
        InvalidArgument: the path is a folder, or a file that is there and may not be replaced.
        StorageError: the file cannot be written.

    """
    if path.is_dir():
        raise InvalidArgument(f"{path} is a folder; give the path of a file in it")
    count = 0
    try:
        with path.open("w" if overwrite else "x", encoding="utf-8") as file:
            for line in lines(tx):
                file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
                count += 1
    except FileExistsError as error:
        raise InvalidArgument(
            f"{path} exists; give another path, or say that it may be overwritten"
        ) from error
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written: {error.strerror}; check its folder, its permissions and "
            "the free space"
        ) from error
    return count
