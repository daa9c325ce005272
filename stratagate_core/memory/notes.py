"""What is recorded on purpose: notes of an agent, and texts that are no conversation."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from stratagate_core import arguments
from stratagate_core.conversation import read as conversation
from stratagate_core.conversation import synthetic
from stratagate_core.conversation.rules.incoming import checked_time
from stratagate_core.errors import Disabled, InvalidArgument
from stratagate_core.memory.handle import DEFAULT_THREAD, Handle, thread_name
from stratagate_core.model.block import Block
from stratagate_core.model.remembered import Remembered
from stratagate_core.remember import rules, steps
from stratagate_core.store import blocks as stored_blocks


class Notes(Handle):
    """Records facts and sources."""

    def remember(
        self,
        content: str,
        *,
        category: str | None = None,
        thread: str = DEFAULT_THREAD,
        receipt: str | None = None,
    ) -> Remembered:
        """Record one lasting fact now, without waiting for a block.

        What says the same already counts once more; what may contradict is decided by the model,
        asked outside of any transaction, or kept beside it as a conflict.

        Args:
            content: one self-contained sentence.
            category: ``"preference"``, ``"decision"``, ``"correction"`` or ``"fact"`` (None).
            thread: the conversation it comes from: its last messages become the sources.
            receipt: a key of this call; the same key again has no second effect.

        Raises:
            InvalidArgument: nothing to record, or an unknown category.
            Conflict: the receipt stands for another content.
            Disabled: the setting `agent_memory_enabled` is off.

        """
        if not self._core.env.settings.agent_memory_enabled:
            raise Disabled("agent_memory_enabled is off: nothing can be recorded on purpose")
        call = steps.Call(
            namespace=self.namespace,
            owner=self.owner,
            thread=thread_name(thread),
            candidate=rules.candidate_of(
                arguments.text(content, "content"), arguments.optional_text(category, "category")
            ),
            receipt=arguments.optional_text(receipt, "receipt"),
        )
        done = steps.remember(self._core.env, call)
        if done.recorded:
            self._core.work_on(self.namespace)
        return done

    def add_source(
        self,
        text: str,
        *,
        title: str,
        at: datetime | None = None,
        metadata: Mapping[str, Any] = {},
    ) -> Block:
        """Store a text that is no conversation: it is searched and cited like anything said.

        No event is read out of it; `ingest_events` adds those that you find in it.

        Args:
            text: the whole text, kept as it is.
            title: what it is called.
            at: when it was written (aware); None means now.
            metadata: plain JSON, kept with it, usable as a search filter.

        """
        given, named = arguments.text(text, "text"), arguments.text(title, "title")
        if not given.strip() or not named.strip():
            raise InvalidArgument("a source needs a text and a title")
        with self._write() as work:
            row = synthetic.add_source(
                work,
                given,
                title=named,
                kind="source",
                role="user",
                at=None if at is None else checked_time(at, "at"),
                metadata=arguments.mapping(metadata, "metadata"),
            )
            stored = stored_blocks.by_ids(work.tx, [row.id])
            (block,) = conversation.block_values(work, list(stored.values()))
        self._core.work_on(self.namespace)
        return block
