"""Deleting for good."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from stratagate_core import arguments
from stratagate_core.errors import InvalidArgument
from stratagate_core.memory.handle import Handle
from stratagate_core.model.purge import PurgeReceipt
from stratagate_core.purge import steps as purging
from stratagate_core.store import purges as stored_purges


class Purging(Handle):
    """Purges, and their receipts."""

    def purge(
        self,
        *,
        messages: Iterable[str] = (),
        blocks: Iterable[str] = (),
        events: Iterable[str] = (),
        thread: str | None = None,
        namespace: bool = False,
    ) -> PurgeReceipt:
        """Delete for good: the named sources or events, and all that rested on them alone.

        What rested on others too is derived again. `forget` hides; this cannot be undone. The
        same purge again is no error, and finishes one that was held up.

        Args:
            messages: ids of messages.
            blocks: ids of blocks, with all their messages.
            events: ids of events; their messages stay.
            thread: all messages of a conversation.
            namespace: everything of this namespace.

        Raises:
            InvalidArgument: nothing was named, or `namespace` together with something else.
            NotFound: an id was never stored; nothing is deleted.

        """
        named: dict[str, Any] = {
            "messages": arguments.texts(messages, "messages"),
            "blocks_": arguments.texts(blocks, "blocks"),
            "event_ids": arguments.texts(events, "events"),
            "thread": arguments.optional_text(thread, "thread"),
        }
        if namespace and any(named.values()):
            raise InvalidArgument("namespace=True purges everything: name nothing beside it")
        self.outbox.flush()
        with self._write() as work:
            receipt = purging.purge_namespace(work) if namespace else purging.purge(work, **named)
        clean = self._core.env.store.clean_files()
        self._core.work_on(self.namespace)
        return replace(receipt, files_clean=clean)

    def purges(self) -> tuple[PurgeReceipt, ...]:
        """The receipts of what was purged, oldest first."""
        with self._read() as work:
            return stored_purges.receipts(work.tx)
