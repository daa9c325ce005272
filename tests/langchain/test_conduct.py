"""How all our classes behave: nothing blocks a loop, logs hold no content, kinds stay apart."""

import asyncio
import logging
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from stratagate_core import StrataGate
from stratagate_lc.langchain import (
    StrataGateChatMessageHistory,
    StrataGateMemory,
    StrataGateRetriever,
    StrataGateToolkit,
)
from stratagate_lc.langchain.guard import guarded
from tests.langchain.fakes import FailingMemory, talk

#: operations that read or write the database
_WORKING = {
    "add_messages",
    "blocks",
    "event",
    "finish_turn",
    "pick_view",
    "recall",
    "reset_thread",
    "search_events",
    "thread_messages",
}


class OffLoopMemory:
    """A memory whose database may not be touched on an event loop."""

    def __init__(self, memory: StrataGate) -> None:
        self.memory = memory

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__dict__["memory"], name)
        return _off_loop(found) if name in _WORKING else found


def _off_loop(work: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*args: Any, **options: Any) -> Any:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return work(*args, **options)
        raise AssertionError(f"{work.__name__} blocks the loop")

    return checked


async def test_LC_98_nothing_blocks_the_loop(memory: StrataGate) -> None:
    """Every async form leaves database work to other threads."""
    talk(memory, "t", 4)
    off_loop: Any = OffLoopMemory(memory)
    chain_memory = StrataGateMemory(memory=off_loop, session_id="t", on_error="raise")
    history = StrataGateChatMessageHistory(off_loop, "t", recall=True, on_error="raise")
    (search,) = StrataGateToolkit(off_loop, session_id="t", include=("search_events",)).get_tools()

    await chain_memory.aload_memory_variables({"input": "Orion"})
    await chain_memory.asave_context({"input": "hi"}, {"output": "hello"})
    assert await history.aget_messages()
    await history.aadd_messages([HumanMessage("hi"), AIMessage("hello")])
    assert await StrataGateRetriever(memory=off_loop).ainvoke("Orion")
    assert "batch_id" in await search.ainvoke({"query": "Orion"})
    await chain_memory.aclear()
    await history.aclear()

    assert () == memory.thread_messages("t")


def test_LC_09_logs_hold_no_content(memory: StrataGate, caplog: pytest.LogCaptureFixture) -> None:
    """What fails is logged by kind and count; what was said is in no line."""
    failing: Any = FailingMemory(memory, "add_messages", "thread_messages", "search_events")
    caplog.set_level(logging.DEBUG)
    chain_memory = StrataGateMemory(memory=failing, session_id="t")

    chain_memory.load_memory_variables({"input": "canary"})
    chain_memory.save_context({"input": "canary"}, {"output": "canary"})
    StrataGateRetriever(memory=failing, on_error="empty").invoke("canary")
    (search,) = StrataGateToolkit(failing, session_id="t", include=("search_events",)).get_tools()
    search.invoke({"query": "canary"})

    ours = [record for record in caplog.records if record.name.startswith("stratagate")]
    assert "stratagate_lc.langchain" in {record.name for record in ours}
    assert "canary" not in caplog.text


def test_guarded_falls_back_and_tells() -> None:
    """The fallback stands in for a failure, unless failures are to be raised."""

    def fail() -> int:
        raise OSError("no")

    assert 1 == guarded("work", lambda: 1, 0)
    assert 0 == guarded("work", fail, 0)
    with pytest.raises(OSError, match="no"):
        guarded("work", fail, 0, "raise")


@pytest.mark.slow
def test_LC_07_import_is_silent() -> None:
    """Importing all our classes raises no warning, also where warnings are errors."""
    names = "StrataGateMemory, StrataGateChatMessageHistory, StrataGateRetriever, StrataGateToolkit"
    code = f"from stratagate_lc.langchain import {names}"

    subprocess.run([sys.executable, "-W", "error::DeprecationWarning", "-c", code], check=True)
