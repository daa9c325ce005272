"""A conversation as LangChain sees it, however long it has become."""

from collections.abc import Callable
from typing import Any

import pytest

from stratagate_lc.langchain import (
    StrataGateChatMessageHistory,
    StrataGateMemory,
    StrataGateRetriever,
)
from stratagate_lc.langchain.native import BLOCKS_SHOWN
from tests.conftest import Opener


def test_a_long_conversation_shows_its_newest_blocks(open_memory: Opener) -> None:
    """What is shown does not grow with the years; nothing of it is lost."""
    memory = open_memory(settings={"block_turn_size": 1, "block_decay_lambda": 0.0})
    for number in range(BLOCKS_SHOWN + 6):
        memory.add_turn(f"question {number}", f"answer {number}", thread="t")
    history = StrataGateChatMessageHistory(memory, "t")

    shown = [message.text for message in history.messages if message.type == "human"]

    assert [f"question {number}" for number in range(6, BLOCKS_SHOWN + 6)] == shown
    assert BLOCKS_SHOWN + 6 == len(memory.blocks("t"))
    assert 1 == len(memory.blocks("t", latest=1))


@pytest.mark.parametrize(
    "make",
    [
        lambda memory: StrataGateMemory(memory=memory, session_id="s"),
        lambda memory: StrataGateRetriever(memory=memory),
        lambda memory: StrataGateChatMessageHistory(memory, "s"),
    ],
)
def test_a_path_is_no_memory(make: Callable[[Any], object]) -> None:
    """A path where a memory belongs is refused at once, with what to do instead."""
    with pytest.raises(ValueError, match=r"StrataGate\.open"):
        make("memory.db")
