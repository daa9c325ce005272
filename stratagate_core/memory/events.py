"""Events: what happened, each with its sources."""

from collections.abc import Iterable
from typing import Any

from stratagate_core import arguments
from stratagate_core.errors import NotFound
from stratagate_core.events import read as events
from stratagate_core.events import steps as event_steps
from stratagate_core.gate import envelope
from stratagate_core.memory.handle import DEFAULT_THREAD, Handle, thread_name
from stratagate_core.model.event import Draft, Event
from stratagate_core.model.message import Message


class Events(Handle):
    """Adds events, reads them and changes their state."""

    def ingest_events(self, drafts: Iterable[Draft]) -> tuple[Event, ...]:
        """Add events of your own extraction; each cites messages of one stored block.

        Raises:
            InvalidArgument: a draft lacks a title, a summary or valid sources.
            NotFound: the block does not exist.
            Conflict: an id is taken.

        """
        with self._write() as work:
            added: tuple[Event, ...] = event_steps.ingest_events(
                work, arguments.items(drafts, "drafts")
            )
        self._core.work_on(self.namespace)
        return added

    def event(self, event_id: str) -> Event:
        """One event of either pool, whatever its status."""
        with self._read() as work:
            found = events.event(work, arguments.text(event_id, "event_id"))
        if found is None:
            raise NotFound(f"no event {event_id!r}; search_events finds events")
        return found

    def sources(self, ref: str) -> tuple[Message, ...]:
        """The source messages behind an event, a block, a message or an evidence ref."""
        with self._read() as work:
            return events.sources(work, arguments.text(ref, "ref"))

    def expand_event(
        self, event_id: str, *, thread: str = DEFAULT_THREAD, open_batch: bool = False
    ) -> dict[str, Any]:
        """The complete card of an event as JSON: quotes and sources included."""
        with self._opening(open_batch) as work:
            asked = arguments.text(event_id, "event_id")
            return envelope.expand_event(work, thread_name(thread), asked, open_batch=open_batch)

    def pin(self, event_id: str) -> Event:
        """Keep an event at full weight."""
        return self._change(event_steps.pin, event_id)

    def unpin(self, event_id: str) -> Event:
        """Let a pinned event fade again."""
        return self._change(event_steps.unpin, event_id)

    def forget(self, event_id: str) -> Event:
        """Hide an event from every read; its sources stay."""
        return self._change(event_steps.forget, event_id)

    def archive(self, event_id: str) -> Event:
        """Put an event away: hidden like a forgotten one."""
        return self._change(event_steps.archive, event_id)

    def restore(self, event_id: str) -> Event:
        """Bring a forgotten or archived event back."""
        return self._change(event_steps.restore, event_id)
