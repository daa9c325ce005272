"""No hot operation reads a whole namespace: the plan of each statement is looked at."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from stratagate_core import StrataGate
from tests.conftest import Opener

#: one row for each namespace, or a handful in all
SMALL = {"namespaces", "meta", "index_stats"}


def _use(memory: StrataGate) -> None:
    found = memory.search_raw("harbour", open_batch=True)
    refs = [hit.ref for hit in found.hits][:1]
    memory.assess("sufficient", refs)
    memory.record_use(refs)


HOT: dict[str, Callable[[StrataGate], object]] = {
    "add_turn": lambda m: m.add_turn("the harbour is calm", "ok"),
    "add_turn again": lambda m: m.add_turn("a", "b", receipt="known"),
    "search_events": lambda m: m.search_events("harbour"),
    "search_raw": lambda m: m.search_raw("harbour"),
    "search_graph": lambda m: m.search_graph("harbour Lyon"),
    "search": lambda m: m.search("harbour"),
    "recall": lambda m: m.recall("Where is the harbour?"),
    "directory": lambda m: m.directory(),
    "list_topics": lambda m: m.list_topics(),
    "topic": lambda m: m.topic(m.topics().items[0].id),
    "search of a topic": lambda m: m.search_events("", topic_id=m.topics().items[0].id),
    "use": _use,
    "finish_turn": lambda m: m.finish_turn(),
    "expand_block": lambda m: m.expand_block(m.blocks("main", latest=1)[0].id),
    "run_pending": lambda m: m.run_pending(),
    "open_tail": lambda m: m.open_tail(),
}


def statements_of(memory: StrataGate, name: str) -> list[tuple[str, Any]]:
    """What a hot operation asks of a memory that holds a few turns: texts and values."""
    memory.add_turn("I saw the harbour yesterday.", "ok", receipt="known")
    memory.add_turn("I live in Lyon and work at Acme.", "ok")
    for number in range(4):
        memory.add_turn(f"The harbour of town {number} is blue.", "ok")
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, text: str, values: Any, *_rest: Any) -> None:
        asked.append((text, values))

    engine = memory._core.env.store.engine
    sa.event.listen(engine, "before_cursor_execute", note)
    HOT[name](memory)
    sa.event.remove(engine, "before_cursor_execute", note)

    assert asked
    return asked


@pytest.mark.one_database
@pytest.mark.parametrize("name", sorted(HOT))
def test_nothing_hot_reads_a_namespace(open_memory: Opener, name: str) -> None:
    """Each statement names more of an index than the namespace alone."""
    memory = open_memory(settings={"block_turn_size": 2})
    asked = statements_of(memory, name)

    assert [] == [fault for text, values in asked for fault in _faults(memory, text, values)]


def _faults(memory: StrataGate, text: str, values: Any) -> list[str]:
    if not text.startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
        return []
    with memory._read() as work:
        one = values[0] if isinstance(values, list) else values
        plan = work.tx.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", tuple(one)).all()
    steps = [str(row[3]) for row in plan]
    return [f"{step}: {text[:200]}" for step in steps if _is_wide(step)]


def _is_wide(step: str) -> bool:
    found = re.match(r"(SCAN|SEARCH) (\w+)(?: .*\((.*)\))?", step)
    if found is None or found[2] in SMALL:
        return False
    whole_table = found[1] == "SCAN" and not re.search(r"SCAN (json_each|anon|CONSTANT|\()", step)
    return whole_table or found[3] == "namespace=?"
