"""Turns, threads and blocks: what was said."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from stratagate_core import arguments
from stratagate_core.conversation import read as conversation
from stratagate_core.conversation import steps as turns
from stratagate_core.conversation.rules.incoming import (
    checked_messages,
    checked_name,
    checked_time,
    turn_of,
)
from stratagate_core.errors import InvalidArgument
from stratagate_core.gate import envelope
from stratagate_core.memory.handle import DEFAULT_THREAD, thread_name
from stratagate_core.memory.sealing import Sealing
from stratagate_core.model.block import Block
from stratagate_core.model.message import Message, ToolTrace
from stratagate_core.model.turn import Added
from stratagate_core.store import blocks as stored_blocks
from stratagate_core.store import namespaces

WorkMode = Literal["all", "seal", "append"]


class Turns(Sealing):
    """Writes turns; reads transcripts and blocks."""

    def add_turn(
        self,
        user: str,
        assistant: str,
        *,
        thread: str = DEFAULT_THREAD,
        tool_calls: Sequence[ToolTrace] = (),
        at: datetime | None = None,
        receipt: str | None = None,
        metadata: Mapping[str, Any] = {},
        work: WorkMode = "all",
    ) -> Added:
        """Store one user message and the answer to it.

        Args:
            user: what the user said.
            assistant: the complete answer.
            thread: the conversation it belongs to.
            tool_calls: what the assistant's tools did for this answer.
            at: when it was said (aware); None means now.
            receipt: a key of your own; delivering the same receipt twice stores one turn.
            metadata: plain JSON, kept with both messages, usable as a search filter.
            work: ``"all"`` also derives, ``"seal"`` seals blocks without asking a model,
                ``"append"`` only stores.

        """
        traces = arguments.items(tool_calls, "tool_calls")
        kept = arguments.mapping(metadata, "metadata")
        messages = turn_of(user, assistant, traces, kept)
        return self.add_messages(messages, thread=thread, at=at, receipt=receipt, work=work)

    def add_messages(
        self,
        messages: Iterable[Message],
        *,
        thread: str = DEFAULT_THREAD,
        at: datetime | None = None,
        receipt: str | None = None,
        complete: bool = True,
        ended: str | None = None,
        work: WorkMode = "all",
    ) -> Added:
        """Store one turn of any number of messages, each on its own.

        Args:
            messages: the turn's messages in order; ids, times and places are filled in.
            thread: the conversation it belongs to.
            at: time of messages that have none (aware); None means now.
            receipt: a key of your own. The same receipt and body again changes nothing; another
                answer under the same receipt replaces the earlier one while it is unsealed.
            complete: False opens a turn that a later delivery with the same receipt completes.
            ended: why the turn ended without an answer; it is stored as interrupted.
            work: as in `add_turn`.

        """
        if work not in ("all", "seal", "append"):
            raise InvalidArgument(f"work must be 'all', 'seal' or 'append', not {work!r}")
        checked = checked_messages(arguments.items(messages, "messages"))
        name = thread_name(thread)
        key = checked_name(receipt, "receipt")
        time = None if at is None else checked_time(at, "at")
        state: turns.State = "interrupted" if ended else "complete" if complete else "open"
        self.outbox.flush_one((self.namespace, name))
        with self._write() as step:
            added = turns.append_turn(step, checked, thread=name, at=time, receipt=key, state=state)
        if work == "append":
            return added
        sealed = self._seal(name)
        if work == "all":
            self._core.work_on(self.namespace)
        return Added(
            turn=added.turn,
            thread=added.thread,
            sealed_block_id=sealed[0] if sealed else None,
            receipt_known=added.receipt_known,
        )

    def reset_thread(self, thread: str) -> None:
        """Start the conversation anew; what was said stays stored and searchable."""
        with self._write() as work:
            turns.reset_thread(work, thread_name(thread))
        self._core.work_on(self.namespace)

    def rebase_thread(self, thread: str, messages: Sequence[Message]) -> int:
        """Make a transcript start with these messages; turns beyond them become superseded.

        Returns how many of the given messages were already there.
        """
        given = arguments.items(messages, "messages")
        if given:
            checked_messages(given)
        with self._write() as work:
            kept: int = turns.rebase_thread(work, thread_name(thread), given)
        return kept

    def open_tail(self, thread: str = DEFAULT_THREAD) -> tuple[Message, ...]:
        """The messages of a thread that are not yet in a block, in order."""
        with self._read() as work:
            return conversation.open_tail(work, thread_name(thread))

    def thread_messages(
        self, thread: str = DEFAULT_THREAD, *, since: int | None = None
    ) -> tuple[Message, ...]:
        """The visible transcript of a thread since its last reset.

        Args:
            thread: the conversation.
            since: only from this turn (its namespace-wide number) on.

        """
        with self._read() as work:
            first = arguments.optional_whole(since, "since", least=0)
            return conversation.transcript(work, thread_name(thread), since=first)

    def threads(self) -> tuple[str, ...]:
        """The threads of this namespace."""
        with self._read() as work:
            return namespaces.thread_names(work.tx)

    def blocks(self, thread: str | None = None, *, latest: int | None = None) -> tuple[Block, ...]:
        """The blocks of a thread or of the namespace, oldest first, pending ones included.

        Args:
            thread: the conversation; None means all of them.
            latest: only the newest so many.

        """
        name = None if thread is None else thread_name(thread)
        newest = arguments.optional_whole(latest, "latest", least=1)
        with self._read() as work:
            rows = stored_blocks.of_thread(work.tx, name, latest=newest)
            return conversation.block_values(work, rows)

    def get_blocks(
        self,
        *,
        scope: Literal["session", "namespace"] = "session",
        thread: str = DEFAULT_THREAD,
        open_batch: bool = False,
    ) -> dict[str, Any]:
        """Earlier conversation, block by block, each at its present level, as JSON."""
        with self._opening(open_batch) as work:
            return envelope.get_blocks(
                work, thread_name(thread), scope=scope, open_batch=open_batch
            )

    def expand_block(
        self,
        block_id: str,
        target: str | int | float | None = "next",
        *,
        by: Literal["agent", "user"] = "agent",
        thread: str = DEFAULT_THREAD,
        open_batch: bool = False,
    ) -> dict[str, Any]:
        """Show a block one level deeper, or at a named level, and keep it there for a while.

        Args:
            block_id: a ready block.
            target: ``"next"``, ``"raw"``, ``"L0"`` … ``"L5"`` or a number.
            by: who asked.
            thread: the asking thread.
            open_batch: also open an evidence batch.

        """
        if by not in ("agent", "user"):
            raise InvalidArgument(f"by must be 'agent' or 'user', not {by!r}")
        with self._write() as work:
            row = turns.expand_block(work, arguments.text(block_id, "block_id"), target, by=by)
            return envelope.expand_block(work, thread_name(thread), row, open_batch=open_batch)

    def pick_view(
        self, block_id: str, *, native_tokens: int, window: int | None = None
    ) -> str | None:
        """The text that may stand for a ready block's native messages, or None.

        Args:
            block_id: the block.
            native_tokens: tokens of the messages it would replace.
            window: the model's context window in tokens, if known.

        """
        with self._read() as work:
            return conversation.pick_view(
                work,
                arguments.text(block_id, "block_id"),
                native_tokens=arguments.whole(native_tokens, "native_tokens", least=0),
                window=arguments.optional_whole(window, "window", least=1),
            )
