"""Searches of events and messages, and what goes before a model call."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from stratagate_core import arguments
from stratagate_core.memory.handle import DEFAULT_THREAD, Handle, thread_name
from stratagate_core.model.recall import Recall
from stratagate_core.model.search import Card, Results
from stratagate_core.recall import read as recall_reader
from stratagate_core.search.both import search as search_both
from stratagate_core.search.events import search_events
from stratagate_core.search.raw import search_raw


class Searches(Handle):
    """Finds; only reads, unless a batch is opened."""

    def search_events(
        self,
        query: str,
        *,
        limit: int = 6,
        offset: int = 0,
        topic_id: str | None = None,
        event_ids: Sequence[str] | None = None,
        participants: Sequence[str] = (),
        event_type: str | None = None,
        happened_from: str | datetime | None = None,
        happened_to: str | datetime | None = None,
        temporal_intent: Literal["first", "latest"] | None = None,
        metadata: Mapping[str, Any] = {},
        thread: str = DEFAULT_THREAD,
        explain: bool = False,
        open_batch: bool = False,
    ) -> Results[Card]:
        """Find events. A filter only narrows; no match returns nothing, with the reason.

        Args:
            query: words to look for; blank lists by filters and time.
            limit: 1 to 20 (clamped).
            offset: how many results to skip.
            topic_id: only members of this topic.
            event_ids: only these events.
            participants: each must match a participant.
            event_type: must match the type, or stand in title, summary or tags.
            happened_from: start of the occurrence window: a day or an instant.
            happened_to: end of the occurrence window; a day counts whole.
            temporal_intent: ``"first"`` or ``"latest"``: order relevant events by time.
            metadata: values that a source message's metadata must have.
            thread: the asking thread.
            explain: list the share of each signal.
            open_batch: also open an evidence batch; only agents need that.

        """
        return self._searched(
            "search_events",
            thread,
            open_batch,
            lambda work, vector: search_events(
                work,
                query,
                limit=limit,
                offset=offset,
                topic_id=topic_id,
                event_ids=None if event_ids is None else arguments.texts(event_ids, "event_ids"),
                participants=arguments.texts(participants, "participants"),
                event_type=arguments.optional_text(event_type, "event_type"),
                happened_from=happened_from,
                happened_to=happened_to,
                temporal_intent=temporal_intent,
                metadata=arguments.mapping(metadata, "metadata"),
                explain=explain,
                vector=vector,
            ),
            query,
        )

    def search_raw(
        self,
        query: str,
        *,
        limit: int = 6,
        scope: Literal["namespace", "session"] = "namespace",
        include_tail: bool = False,
        metadata: Mapping[str, Any] = {},
        thread: str = DEFAULT_THREAD,
        explain: bool = False,
        about: str | None = None,
        window: int = 1,
        open_batch: bool = False,
    ) -> Results[Card]:
        """Find messages, sealed or not, each ranked by what is said around it.

        Args:
            query: words to look for.
            limit: 1 to 50 (clamped).
            scope: all threads of the namespace, or only this one (``"session"``).
            include_tail: also messages of this thread's own open tail.
            metadata: values that the message's metadata must have.
            thread: the asking thread.
            explain: list the share of each signal.
            about: the id of a message; the results say where it stands and why.
            window: so many messages before and after come with each hit, 0 to 2.
            open_batch: also open an evidence batch.

        """
        return self._searched(
            "search_raw",
            thread,
            open_batch,
            lambda work, vector: search_raw(
                work,
                query,
                limit=limit,
                scope=scope,
                include_tail=include_tail,
                metadata=arguments.mapping(metadata, "metadata"),
                thread=thread_name(thread),
                explain=explain,
                about=None if about is None else arguments.text(about, "about"),
                window=window,
                vector=vector,
            ),
            query,
        )

    def search(
        self,
        query: str,
        *,
        limit: int = 6,
        include_tail: bool = False,
        metadata: Mapping[str, Any] = {},
        thread: str = DEFAULT_THREAD,
        explain: bool = False,
        window: int = 0,
        open_batch: bool = False,
    ) -> Results[Card]:
        """Find events and messages in one ranking; arguments as in the two searches.

        Nothing is listed twice: an event stands before the best of its messages and for them.
        """
        return self._searched(
            "search",
            thread,
            open_batch,
            lambda work, vector: search_both(
                work,
                query,
                limit=limit,
                include_tail=include_tail,
                metadata=arguments.mapping(metadata, "metadata"),
                thread=thread_name(thread),
                explain=explain,
                window=window,
                vector=vector,
            ),
            query,
        )

    def recall(
        self, message: str, *, thread: str = DEFAULT_THREAD, present: Iterable[str] = ()
    ) -> Recall:
        """What to put before a model call that answers `message`.

        Args:
            message: the user's current message.
            thread: the conversation it stands in.
            present: ids of messages and blocks that the request shows already.

        """
        said = arguments.text(message, "message")
        vector = self._core.embedded(said)
        with self._read() as work:
            return recall_reader.recall(
                work,
                said,
                thread=thread_name(thread),
                present=arguments.texts(present, "present"),
                vector=vector,
            )
