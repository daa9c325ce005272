"""A conversation as LangChain sees it, however long it has become."""

from stratagate_lc.langchain import StrataGateChatMessageHistory
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
