"""AsyncStrataGate: the same names as `StrataGate`, awaited. Generated; do not edit.

Written by ``scripts/generate_aio.py`` from the package `memory`. Database work runs in threads; the
models of memory tasks are awaited on the running loop. Nothing is bound to a loop.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from stratagate_core.conversation.rules.incoming import turn_of
from stratagate_core.model.block import Block
from stratagate_core.model.dream import DreamRun, DreamStep
from stratagate_core.model.event import Draft, Event
from stratagate_core.model.evidence import (
    Assessment,
    AuditRow,
    BatchInfo,
    UseReceipt,
)
from stratagate_core.model.graph import Node
from stratagate_core.model.job import Job
from stratagate_core.model.message import Message, ToolTrace
from stratagate_core.model.purge import PurgeReceipt
from stratagate_core.model.recall import Recall
from stratagate_core.model.remembered import Remembered
from stratagate_core.model.search import Card, Page, Results
from stratagate_core.model.topic import Topic
from stratagate_core.model.turn import Added
from stratagate_core.settings import Settings

if TYPE_CHECKING:
    from stratagate_core.memory import StrataGate, WorkMode

DEFAULT_THREAD = "main"
P = ParamSpec("P")
T = TypeVar("T")


class AsyncStrataGate:
    """The async twin of a `StrataGate` handle; get it as ``memory.aio``."""

    def __init__(self, memory: "StrataGate") -> None:
        self.memory = memory

    @property
    def namespace(self) -> str:
        """The memory space of this handle."""
        return self.memory.namespace

    @property
    def owner(self) -> str:
        """Whose profile belongs to it."""
        return self.memory.owner

    @staticmethod
    async def _run(call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(call, *args, **kwargs)

    def for_namespace(self, namespace: str, *, owner: str | None = None) -> "AsyncStrataGate":
        """A handle on another namespace; does no I/O."""
        return AsyncStrataGate(self.memory.for_namespace(namespace, owner=owner))

    def settings(self) -> Settings:
        """The settings in force."""
        return self.memory.settings()

    def now(self) -> datetime:
        """The time by the clock of this memory."""
        return self.memory.now()

    async def close(self) -> None:
        """Write what waits, stop the worker and give the connections back."""
        await self._run(self.memory.close)

    async def __aenter__(self) -> "AsyncStrataGate":
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self.close()

    async def _derive(self) -> None:
        """Do what a write left to do; an inline model is awaited here, not in a thread."""
        await self.memory.awork_on()

    async def add_messages(
        self,
        messages: Iterable[Message],
        *,
        thread: str = DEFAULT_THREAD,
        at: datetime | None = None,
        receipt: str | None = None,
        complete: bool = True,
        ended: str | None = None,
        work: "WorkMode" = "all",
    ) -> Added:
        """Store one turn of any number of messages, each on its own."""
        added = await self._run(
            self.memory.add_messages,
            messages,
            thread=thread,
            at=at,
            receipt=receipt,
            complete=complete,
            ended=ended,
            work="seal" if work == "all" else work,
        )
        if work == "all":
            await self._derive()
        return added

    async def ingest_events(self, drafts: Iterable[Draft]) -> tuple[Event, ...]:
        """Add events of your own extraction; each cites messages of one stored block."""
        return await self._run(self.memory.ingest_events, drafts)

    async def reset_thread(self, thread: str) -> None:
        """Start the conversation anew; what was said stays stored and searchable."""
        await self._run(self.memory.reset_thread, thread)

    async def run_pending(self, limit: int | None = None, *, retry_failed: bool = False) -> int:
        """Seal due tails, then run due jobs of this namespace; how many jobs were run."""
        await self._run(self.memory.seal_tails)
        return await self.memory.arun(limit=limit, retry_failed=retry_failed)

    async def add_turn(
        self,
        user: str,
        assistant: str,
        *,
        thread: str = DEFAULT_THREAD,
        tool_calls: Sequence[ToolTrace] = (),
        at: datetime | None = None,
        receipt: str | None = None,
        metadata: Mapping[str, Any] = {},
        work: "WorkMode" = "all",
    ) -> Added:
        """Store one user message and the answer to it."""
        messages = turn_of(user, assistant, tool_calls, dict(metadata))
        return await self.add_messages(messages, thread=thread, at=at, receipt=receipt, work=work)

    async def stats(self) -> dict[str, Any]:
        """Counts of this namespace."""
        return await self._run(self.memory.stats)

    async def health(self) -> dict[str, Any]:
        """Whether anything waits or has failed for good."""
        return await self._run(self.memory.health)

    async def export(self, path: str | Path, *, overwrite: bool = False) -> int:
        """Write everything of this namespace as JSON lines, secrets redacted; how many lines."""
        return await self._run(self.memory.export, path, overwrite=overwrite)

    async def save_settings(self, **values: Any) -> Settings:
        """Change stored settings, for all namespaces and later openings."""
        return await self._run(self.memory.save_settings)

    async def dream(
        self,
        directions: Iterable[str] = (),
        *,
        resume: bool = False,
        limit: int | None = None,
        progress: Callable[[DreamRun], None] | None = None,
    ) -> DreamRun:
        """Tidy the directory until all of it was looked at, or the run is held."""
        return await self._run(
            self.memory.dream, directions, resume=resume, limit=limit, progress=progress
        )

    async def dream_status(self) -> DreamRun | None:
        """The last run, or None; one that runs without an owner shows as interrupted."""
        return await self._run(self.memory.dream_status)

    async def pause_dream(self) -> DreamRun:
        """Hold the run after its present step. Raises `Conflict` if it does not run."""
        return await self._run(self.memory.pause_dream)

    async def stop_dream(self) -> DreamRun:
        """End the run; what it wrote stays. Raises `Conflict` if it has ended."""
        return await self._run(self.memory.stop_dream)

    async def direct_dream(self, text: str) -> DreamRun:
        """Add a direction to the run, also while it runs. Raises `Conflict` if it has ended."""
        return await self._run(self.memory.direct_dream, text)

    async def dream_transcript(
        self, number: int | None = None, *, limit: int = 50, offset: int = 0
    ) -> Page[DreamStep]:
        """What a run was told, asked to see and did, oldest first; None means the last run."""
        return await self._run(self.memory.dream_transcript, number, limit=limit, offset=offset)

    async def event(self, event_id: str) -> Event:
        """One event of either pool, whatever its status."""
        return await self._run(self.memory.event, event_id)

    async def sources(self, ref: str) -> tuple[Message, ...]:
        """The source messages behind an event, a block, a message or an evidence ref."""
        return await self._run(self.memory.sources, ref)

    async def expand_event(
        self, event_id: str, *, thread: str = DEFAULT_THREAD, open_batch: bool = False
    ) -> dict[str, Any]:
        """The complete card of an event as JSON: quotes and sources included."""
        return await self._run(
            self.memory.expand_event, event_id, thread=thread, open_batch=open_batch
        )

    async def pin(self, event_id: str) -> Event:
        """Keep an event at full weight."""
        return await self._run(self.memory.pin, event_id)

    async def unpin(self, event_id: str) -> Event:
        """Let a pinned event fade again."""
        return await self._run(self.memory.unpin, event_id)

    async def forget(self, event_id: str) -> Event:
        """Hide an event from every read; its sources stay."""
        return await self._run(self.memory.forget, event_id)

    async def archive(self, event_id: str) -> Event:
        """Put an event away: hidden like a forgotten one."""
        return await self._run(self.memory.archive, event_id)

    async def restore(self, event_id: str) -> Event:
        """Bring a forgotten or archived event back."""
        return await self._run(self.memory.restore, event_id)

    async def open_batches(self, thread: str = DEFAULT_THREAD) -> tuple[BatchInfo, ...]:
        """The unresolved batches of a thread, oldest first."""
        return await self._run(self.memory.open_batches, thread)

    async def assess(
        self,
        verdict: str,
        evidence_refs: Sequence[str],
        *,
        fit: str = "",
        missing: str = "",
        next_strategy: str = "answer",
        batch_id: str | None = None,
        thread: str = DEFAULT_THREAD,
    ) -> Assessment:
        """Judge the evidence of a batch: does it answer the actual question?"""
        return await self._run(
            self.memory.assess,
            verdict,
            evidence_refs,
            fit=fit,
            missing=missing,
            next_strategy=next_strategy,
            batch_id=batch_id,
            thread=thread,
        )

    async def record_use(
        self,
        evidence_refs: Sequence[str],
        *,
        batch_id: str | None = None,
        receipt: str | None = None,
        thread: str = DEFAULT_THREAD,
    ) -> UseReceipt:
        """Record which evidence an answer really used; this alone makes a memory stronger."""
        return await self._run(
            self.memory.record_use, evidence_refs, batch_id=batch_id, receipt=receipt, thread=thread
        )

    async def finish_turn(self, thread: str = DEFAULT_THREAD) -> tuple[str, ...]:
        """Say that a turn is over: batches still open expire. Returns their ids."""
        return await self._run(self.memory.finish_turn, thread)

    async def usage(self, *, limit: int = 50, offset: int = 0) -> Page[AuditRow]:
        """The usage audit, newest first: which answer used which memories, and why."""
        return await self._run(self.memory.usage, limit=limit, offset=offset)

    async def node(
        self,
        node_id: str,
        *,
        as_of: str | datetime | None = None,
        known_at: str | datetime | None = None,
    ) -> Node:
        """One node of the graph with all facts that may be shown, now or at an instant."""
        return await self._run(self.memory.node, node_id, as_of=as_of, known_at=known_at)

    async def nodes(self, *, limit: int = 50, offset: int = 0) -> Page[Node]:
        """The nodes of the graph with all facts that may be shown, the last changed first."""
        return await self._run(self.memory.nodes, limit=limit, offset=offset)

    async def search_graph(
        self,
        query: str,
        *,
        limit: int = 8,
        as_of: str | datetime | None = None,
        known_at: str | datetime | None = None,
        thread: str = DEFAULT_THREAD,
        open_batch: bool = False,
    ) -> Results[Card]:
        """Find what is so now: nodes with their facts and relations. Blank finds nothing."""
        return await self._run(
            self.memory.search_graph,
            query,
            limit=limit,
            as_of=as_of,
            known_at=known_at,
            thread=thread,
            open_batch=open_batch,
        )

    async def expand_graph_node(
        self,
        node_id: str,
        *,
        as_of: str | datetime | None = None,
        known_at: str | datetime | None = None,
        thread: str = DEFAULT_THREAD,
        open_batch: bool = False,
    ) -> dict[str, Any]:
        """A node as JSON: current, stale and historical facts, edges, who won, timeline."""
        return await self._run(
            self.memory.expand_graph_node,
            node_id,
            as_of=as_of,
            known_at=known_at,
            thread=thread,
            open_batch=open_batch,
        )

    async def count_tokens(self, text: str) -> int:
        """The tokens of a text, by the counter that was handed in."""
        return await self._run(self.memory.count_tokens, text)

    async def remember(
        self,
        content: str,
        *,
        category: str | None = None,
        thread: str = DEFAULT_THREAD,
        receipt: str | None = None,
    ) -> Remembered:
        """Record one lasting fact now, without waiting for a block."""
        return await self._run(
            self.memory.remember, content, category=category, thread=thread, receipt=receipt
        )

    async def add_source(
        self, text: str, *, title: str, at: datetime | None = None, metadata: Mapping[str, Any] = {}
    ) -> Block:
        """Store a text that is no conversation: it is searched and cited like anything said."""
        return await self._run(self.memory.add_source, text, title=title, at=at, metadata=metadata)

    async def purge(
        self,
        *,
        messages: Iterable[str] = (),
        blocks: Iterable[str] = (),
        events: Iterable[str] = (),
        thread: str | None = None,
        namespace: bool = False,
    ) -> PurgeReceipt:
        """Delete for good: the named sources or events, and all that rested on them alone."""
        return await self._run(
            self.memory.purge,
            messages=messages,
            blocks=blocks,
            events=events,
            thread=thread,
            namespace=namespace,
        )

    async def purges(self) -> tuple[PurgeReceipt, ...]:
        """The receipts of what was purged, oldest first."""
        return await self._run(self.memory.purges)

    async def seal_tails(self) -> int:
        """Write what waits and seal all due tails without asking a model; how many blocks."""
        return await self._run(self.memory.seal_tails)

    async def search_events(
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
        """Find events. A filter only narrows; no match returns nothing, with the reason."""
        return await self._run(
            self.memory.search_events,
            query,
            limit=limit,
            offset=offset,
            topic_id=topic_id,
            event_ids=event_ids,
            participants=participants,
            event_type=event_type,
            happened_from=happened_from,
            happened_to=happened_to,
            temporal_intent=temporal_intent,
            metadata=metadata,
            thread=thread,
            explain=explain,
            open_batch=open_batch,
        )

    async def search_raw(
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
        """Find messages, sealed or not, each ranked by what is said around it."""
        return await self._run(
            self.memory.search_raw,
            query,
            limit=limit,
            scope=scope,
            include_tail=include_tail,
            metadata=metadata,
            thread=thread,
            explain=explain,
            about=about,
            window=window,
            open_batch=open_batch,
        )

    async def search(
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
        """Find events and messages in one ranking; arguments as in the two searches."""
        return await self._run(
            self.memory.search,
            query,
            limit=limit,
            include_tail=include_tail,
            metadata=metadata,
            thread=thread,
            explain=explain,
            window=window,
            open_batch=open_batch,
        )

    async def recall(
        self, message: str, *, thread: str = DEFAULT_THREAD, present: Iterable[str] = ()
    ) -> Recall:
        """What to put before a model call that answers `message`."""
        return await self._run(self.memory.recall, message, thread=thread, present=present)

    async def topics(
        self, query: str = "", *, category: str | None = None, offset: int = 0, limit: int = 12
    ) -> Page[Topic]:
        """A page of the directory: topics, then events that are in none yet."""
        return await self._run(
            self.memory.topics, query, category=category, offset=offset, limit=limit
        )

    async def topic(self, topic_id: str) -> Topic:
        """One topic, or the entry of an event that is in none (``"fallback:<event id>"``)."""
        return await self._run(self.memory.topic, topic_id)

    async def directory(self) -> str:
        """The directory as text, within `directory_budget` tokens; blank if it is empty."""
        return await self._run(self.memory.directory)

    async def list_topics(
        self, query: str = "", *, category: str | None = None, offset: int = 0, limit: int = 12
    ) -> dict[str, Any]:
        """As `topics`, as JSON with the number of entries in each category."""
        return await self._run(
            self.memory.list_topics, query, category=category, offset=offset, limit=limit
        )

    async def expand_topic(self, topic_id: str) -> dict[str, Any]:
        """A topic as JSON within 2,400 tokens, with counts of what is left out."""
        return await self._run(self.memory.expand_topic, topic_id)

    async def rebase_thread(self, thread: str, messages: Sequence[Message]) -> int:
        """Make a transcript start with these messages; turns beyond them become superseded."""
        return await self._run(self.memory.rebase_thread, thread, messages)

    async def open_tail(self, thread: str = DEFAULT_THREAD) -> tuple[Message, ...]:
        """The messages of a thread that are not yet in a block, in order."""
        return await self._run(self.memory.open_tail, thread)

    async def thread_messages(
        self, thread: str = DEFAULT_THREAD, *, since: int | None = None
    ) -> tuple[Message, ...]:
        """The visible transcript of a thread since its last reset."""
        return await self._run(self.memory.thread_messages, thread, since=since)

    async def threads(self) -> tuple[str, ...]:
        """The threads of this namespace."""
        return await self._run(self.memory.threads)

    async def blocks(
        self, thread: str | None = None, *, latest: int | None = None
    ) -> tuple[Block, ...]:
        """The blocks of a thread or of the namespace, oldest first, pending ones included."""
        return await self._run(self.memory.blocks, thread, latest=latest)

    async def get_blocks(
        self,
        *,
        scope: Literal["session", "namespace"] = "session",
        thread: str = DEFAULT_THREAD,
        open_batch: bool = False,
    ) -> dict[str, Any]:
        """Earlier conversation, block by block, each at its present level, as JSON."""
        return await self._run(
            self.memory.get_blocks, scope=scope, thread=thread, open_batch=open_batch
        )

    async def expand_block(
        self,
        block_id: str,
        target: str | int | float | None = "next",
        *,
        by: Literal["agent", "user"] = "agent",
        thread: str = DEFAULT_THREAD,
        open_batch: bool = False,
    ) -> dict[str, Any]:
        """Show a block one level deeper, or at a named level, and keep it there for a while."""
        return await self._run(
            self.memory.expand_block, block_id, target, by=by, thread=thread, open_batch=open_batch
        )

    async def pick_view(
        self, block_id: str, *, native_tokens: int, window: int | None = None
    ) -> str | None:
        """The text that may stand for a ready block's native messages, or None."""
        return await self._run(
            self.memory.pick_view, block_id, native_tokens=native_tokens, window=window
        )

    async def drain(self, timeout: float | None = None) -> bool:
        """Work until nothing is due any more; whether that was reached in `timeout` seconds."""
        return await self._run(self.memory.drain, timeout)

    async def flush(self) -> bool:
        """Write what failed before and waits; whether nothing is left."""
        return await self._run(self.memory.flush)

    async def jobs(
        self,
        *,
        kind: str | None = None,
        status: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Job, ...]:
        """Jobs of this namespace, oldest first."""
        return await self._run(
            self.memory.jobs, kind=kind, status=status, limit=limit, offset=offset
        )

    async def retry(self, job_id: str) -> Job:
        """Run a failed job again now; its failure is raised."""
        return await self._run(self.memory.retry, job_id)
