"""StrataGateMemory: the `memory=` of classic chains.

Loading writes nothing; saving stores one complete turn. A memory that fails costs the chain
neither its answer nor the turn: the turn waits and is tried again.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast
from uuid import uuid4

from langchain_classic.memory.chat_memory import BaseChatMemory
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage, get_buffer_string
from pydantic import ConfigDict, Field

from stratagate_core import InvalidArgument
from stratagate_lc.langchain.capture import Work, Write, akeep, finish, keep, memory_tool_names
from stratagate_lc.langchain.convert import is_marked, mark, text_of
from stratagate_lc.langchain.exchange import answered, asked, turn_of
from stratagate_lc.langchain.guard import guarded
from stratagate_lc.langchain.history import LiveChatMessageHistory
from stratagate_lc.langchain.identity import (
    THREAD_KEY,
    MemoryField,
    Place,
    SharesMemory,
    place_of,
    receipt_of,
)
from stratagate_lc.langchain.native import Shown, layered


class StrataGateMemory(SharesMemory, BaseChatMemory):
    """Conversation memory for classic chains.

    Args:
        memory: a memory, or what picks one by the run's configurable values.
        session_id: the conversation; None means the run's. Without one, use fails.
        thread_key: where the run's configurable values name it.
        memory_key: under which the chain finds the conversation so far.
        recall: also activate long-term memory.
        recall_key: under which the chain finds it; None puts it at the end of the conversation.
        input_key: which input is the user's text; None finds out.
        output_key: which output is the answer; None finds out.
        return_messages: give messages instead of one text.
        human_prefix: begins the user's lines in a text.
        ai_prefix: begins the assistant's lines in a text.
        on_error: ``"raise"`` also raises what fails, for tests.

    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    memory: MemoryField = Field(exclude=True, repr=False)
    session_id: str | None = None
    thread_key: str = THREAD_KEY
    memory_key: str = "history"
    recall: bool = True
    recall_key: str | None = None
    human_prefix: str = "Human"
    ai_prefix: str = "AI"
    on_error: Literal["log", "raise"] = "log"
    #: the same conversation as a chat history, always as it is now
    chat_memory: BaseChatMessageHistory = Field(default=cast(Any, None), exclude=True, repr=False)

    def __init__(self, **given: Any) -> None:
        if "chat_memory" in given:
            raise InvalidArgument("chat_memory is the memory itself; leave it out")
        super().__init__(**given)
        self.chat_memory = LiveChatMessageHistory(
            self.memory, self.session_id, thread_key=self.thread_key
        )

    @property
    def memory_variables(self) -> list[str]:
        """The inputs that this memory gives to a chain."""
        return [self.memory_key, *self._recall_keys()]

    def _recall_keys(self) -> list[str]:
        return [self.recall_key] if self.recall and self.recall_key else []

    def _place(self) -> Place:
        return place_of(type(self).__name__, self.memory, self.session_id, self.thread_key)

    # --- loading ------------------------------------------------------------------------------

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The conversation so far, and what the inputs call to mind."""
        place = self._place()
        place.memory.outbox.flush_one(place.key)
        shown = guarded(
            "loading a conversation", lambda: layered(place), Shown((), ()), self.on_error
        )
        nothing: tuple[BaseMessage, ...] = ()
        recalled = guarded(
            "recall", lambda: self._recalled(place, inputs, shown), nothing, self.on_error
        )
        if not self._recall_keys():
            return {self.memory_key: self._form((*shown.messages, *recalled))}
        return {
            self.memory_key: self._form(shown.messages),
            str(self.recall_key): self._form(recalled),
        }

    async def aload_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """As `load_memory_variables`, without blocking the loop."""
        return await asyncio.to_thread(self.load_memory_variables, inputs)

    def _recalled(
        self, place: Place, inputs: Mapping[str, Any], shown: Shown
    ) -> tuple[BaseMessage, ...]:
        if not self.recall:
            return ()
        question = asked(inputs, self.input_key, self.memory_variables)
        found = place.memory.recall(question, thread=place.thread, present=shown.ids)
        return (mark(found.text, "recall"),) if found.events or found.messages else ()

    def _form(self, messages: Sequence[BaseMessage]) -> Any:
        """As a list or, with the prefixes, as text; what is ours has no speaker."""
        if self.return_messages:
            return list(messages)
        return "\n".join(
            text_of(message)
            if is_marked(message)
            else get_buffer_string([message], self.human_prefix, self.ai_prefix)
            for message in messages
        )

    # --- saving -------------------------------------------------------------------------------

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
        """Store the chain's question and answer as one turn."""
        place = self._place()
        keep(place, self._saving(place, inputs, outputs), strict=self.on_error == "raise")
        finish(place)

    async def asave_context(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
        """As `save_context`, without blocking the loop."""
        place = self._place()
        await akeep(place, self._saving(place, inputs, outputs), strict=self.on_error == "raise")
        await asyncio.to_thread(finish, place)

    def _saving(self, place: Place, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Write:
        question = asked(inputs, self.input_key, self.memory_variables)
        answer = answered(outputs, self.output_key)
        receipt, at = receipt_of(place.thread, uuid4().hex), place.memory.now()
        turn = turn_of(question, outputs, answer, memory_tool_names(place))

        def write(work: Work) -> None:
            place.memory.add_messages(turn, thread=place.thread, at=at, receipt=receipt, work=work)

        return write

    def clear(self) -> None:
        """Begin the conversation anew; long-term memory keeps what was said."""
        self.chat_memory.clear()

    async def aclear(self) -> None:
        """As `clear`, without blocking the loop."""
        await self.chat_memory.aclear()
