"""StrataGateChatMessageHistory: the memory behind `RunnableWithMessageHistory`.

One object serves one invocation: what it shows is frozen at the first read, because the runnable
around it cuts the history off again by its length.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage

from stratagate_core import InvalidArgument
from stratagate_lc.langchain.capture import Write, akeep, keep
from stratagate_lc.langchain.convert import is_real_user, mark, text_of
from stratagate_lc.langchain.guard import OnError, guarded
from stratagate_lc.langchain.identity import (
    THREAD_KEY,
    MemorySource,
    Place,
    checked_source,
    place_of,
)
from stratagate_lc.langchain.incoming import given, store
from stratagate_lc.langchain.native import Shown, layered, verbatim

View = Literal["layered", "raw"]
_VIEWS = ("layered", "raw")
_MODES = ("queue", "raise")


class StrataGateChatMessageHistory(BaseChatMessageHistory):
    """The messages of one conversation; construction does no I/O.

    Args:
        memory: a memory, or what picks one by the run's configurable values.
        session_id: the conversation; None means the run's.
        thread_key: where the run's configurable values name it.
        view: ``"layered"`` shows older blocks at their level where that is shorter, ``"raw"``
            shows every message.
        recall: close the history with activated memory.
        on_error: ``"queue"`` keeps a failed write for later and reads nothing from a failing
            memory; ``"raise"`` also raises.

    """

    def __init__(
        self,
        memory: MemorySource,
        session_id: str | None = None,
        *,
        thread_key: str = THREAD_KEY,
        view: View = "layered",
        recall: bool = False,
        on_error: Literal["queue", "raise"] = "queue",
    ) -> None:
        super().__init__()
        _check("view", view, _VIEWS)
        _check("on_error", on_error, _MODES)
        self._memory = checked_source(memory)
        self._session_id = session_id
        self._thread_key = thread_key
        self._view: View = view
        self._recall = recall
        self._strict = on_error == "raise"
        self._frozen: Shown | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> "StrataGateChatMessageHistory":
        return type(self)(
            self._memory,
            self._session_id,
            thread_key=self._thread_key,
            view=self._view,
            recall=self._recall,
            on_error="raise" if self._strict else "queue",
        )

    def _place(self) -> Place:
        return place_of(type(self).__name__, self._memory, self._session_id, self._thread_key)

    # --- reading ------------------------------------------------------------------------------

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """The conversation as it was at the first read since the last write; a copy."""
        if self._frozen is None:
            self._frozen = self._read(self._place())
        return list(self._frozen.messages)

    async def aget_messages(self) -> list[BaseMessage]:
        """As `messages`, without blocking the loop."""
        return await asyncio.to_thread(lambda: self.messages)

    def _read(self, place: Place) -> Shown:
        place.memory.outbox.flush_one(place.key)
        read = layered if self._view == "layered" else verbatim
        mode: OnError = "raise" if self._strict else "log"
        shown = guarded("reading a chat history", lambda: read(place), Shown((), ()), mode)
        text = guarded("recall", lambda: self._recalled(place, shown), "", mode)
        return Shown((*shown.messages, mark(text, "recall")), shown.ids) if text else shown

    def _recalled(self, place: Place, shown: Shown) -> str:
        """What the last turns call to mind; the next user message is not known yet."""
        users = [message for message in shown.messages if is_real_user(message)]
        if not (self._recall and users):
            return ""
        question = text_of(users[-1])
        found = place.memory.recall(question, thread=place.thread, present=shown.ids)
        return found.text if found.events or found.messages else ""

    # --- writing ------------------------------------------------------------------------------

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store what is new of these messages, turn by turn.

        A turn whose answer is missing stays open until the answer is added.
        """
        place = self._place()
        keep(place, self._writing(place, messages), strict=self._strict)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """As `add_messages`, without blocking the loop."""
        place = self._place()
        await akeep(place, self._writing(place, messages), strict=self._strict)

    def _writing(self, place: Place, messages: Sequence[BaseMessage]) -> Write:
        handed_out = self._frozen.messages if self._frozen else ()
        self._frozen = None
        shown = frozenset(message.id for message in handed_out if message.id)
        return partial(store, place, given(messages), shown, place.memory.now())

    def clear(self) -> None:
        """Begin the conversation anew; long-term memory keeps what was said."""
        place = self._place()
        place.memory.outbox.flush_one(place.key)
        place.memory.reset_thread(place.thread)
        self._frozen = None

    async def aclear(self) -> None:
        """As `clear`, without blocking the loop."""
        await asyncio.to_thread(self.clear)

    def flush(self) -> bool:
        """Write what failed before and waits for this conversation; whether nothing is left."""
        place = self._place()
        return place.memory.outbox.flush_one(place.key)

    def pending_writes(self) -> int:
        """How many failed writes of this conversation wait."""
        place = self._place()
        return place.memory.outbox.pending(place.key)


class LiveChatMessageHistory(StrataGateChatMessageHistory):
    """A chat history that is read anew every time: for objects that outlive one invocation."""

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """The conversation as it is now."""
        self._frozen = None
        return super().messages


def _check(name: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise InvalidArgument(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
