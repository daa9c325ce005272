"""Tails that are due become blocks."""

from stratagate_core.conversation import steps as turns
from stratagate_core.memory.handle import Handle
from stratagate_core.store import namespaces


class Sealing(Handle):
    """Seals tails, each block in its own transaction."""

    def seal_tails(self) -> int:
        """Write what waits and seal all due tails without asking a model; how many blocks."""
        self.outbox.flush()
        size = self._core.env.settings.block_turn_size
        with self._read() as work:
            due = namespaces.threads_with_tail(work.tx, size)
        return sum(len(self._seal(thread)) for thread in due)

    def _seal(self, thread: str) -> list[str]:
        """Seal what is due in a thread, block by block, each in its own transaction."""
        sealed: list[str] = []
        while self._is_due(thread):
            with self._write() as work:
                block_id = turns.seal_due(work, thread)
            if block_id is None:
                break
            sealed.append(block_id)
        return sealed

    def _is_due(self, thread: str) -> bool:
        with self._read() as work:
            tail = namespaces.thread(work.tx, thread).tail
        return bool(tail >= self._core.env.settings.block_turn_size)
