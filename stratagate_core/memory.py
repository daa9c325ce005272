"""StrataGate: the handle on one namespace of one database. Methods here only connect the parts."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from stratagate_core import arguments
from stratagate_core.conversation import read as conversation
from stratagate_core.conversation import steps as turns
from stratagate_core.conversation.rules.incoming import (
    checked_messages,
    checked_name,
    checked_time,
    turn_of,
)
from stratagate_core.core import Core
from stratagate_core.engine import Work
from stratagate_core.errors import InvalidArgument, NotFound
from stratagate_core.events import read as events
from stratagate_core.events import steps as event_steps
from stratagate_core.gate import envelope
from stratagate_core.gate import recovery as gate_recovery
from stratagate_core.gate import steps as gate
from stratagate_core.graph.expand import asked_for
from stratagate_core.graph.expand import listing as list_nodes
from stratagate_core.graph.expand import node as read_node
from stratagate_core.jobs.outbox import Outbox
from stratagate_core.llm.port import Model
from stratagate_core.model.block import Block
from stratagate_core.model.event import Draft, Event
from stratagate_core.model.evidence import (
    STRATEGIES,
    VERDICTS,
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
from stratagate_core.model.search import Card, Page, Results
from stratagate_core.model.turn import Added
from stratagate_core.purge import steps as purging
from stratagate_core.recall import read as recall_reader
from stratagate_core.search.both import search as search_both
from stratagate_core.search.events import search_events
from stratagate_core.search.graph import search_graph
from stratagate_core.search.raw import search_raw
from stratagate_core.search.steps import note_stale
from stratagate_core.settings import Settings
from stratagate_core.store import blocks as stored_blocks
from stratagate_core.store import jobs, namespaces
from stratagate_core.store import purges as stored_purges
from stratagate_core.store.export import write_lines
from stratagate_core.store.nodes import counts as graph_counts
from stratagate_core.text.estimate import estimate_tokens

if TYPE_CHECKING:
    from stratagate_core.aio import AsyncStrataGate

WorkMode = Literal["all", "seal", "append"]
DEFAULT_THREAD = "main"


def utc_now() -> datetime:
    """The clock that is used unless another is handed in."""
    return datetime.now(UTC)


def random_id(prefix: str) -> str:
    """The id factory that is used unless another is handed in."""
    return f"{prefix}_{uuid.uuid4().hex}"


def _thread(value: str | None) -> str:
    return checked_name(value, "thread", DEFAULT_THREAD) or DEFAULT_THREAD


class StrataGate:
    """A memory: one namespace of one database.

    Handles are cheap, safe to share between threads and event loops, and bound to none.
    Open one with `StrataGate.open`, close it with `close` or use it as a context manager.
    """

    def __init__(self, core: Core, *, namespace: str, owner: str) -> None:
        self._core = core
        self.namespace = namespace
        self.owner = owner

    # --- opening ------------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        database: str | Path,
        *,
        namespace: str = "default",
        owner: str = "default",
        model: Model | None = None,
        settings: Settings | None = None,
        read_only: bool = False,
        recover_running: bool = False,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[str], str] = random_id,
        count_tokens: Callable[[str], int] = estimate_tokens,
    ) -> "StrataGate":
        """Open or create a memory. Takes the same time however much is stored.

        Args:
            database: a file path, ``":memory:"`` or a URL, such as
                ``postgresql://user:password@host/db`` (extra ``postgres``).
            namespace: the memory space; namespaces never see each other's content.
            owner: whose profile belongs to it.
            model: answers memory tasks; None means the offline model, which needs no key.
            settings: what differs from the defaults. The three stored settings
                (`block_turn_size`, `block_decay_lambda`, `agent_memory_retrieval_weight`) are
                written to the database when given here, and read from it when not.
            read_only: change no byte; writing methods then fail.
            recover_running: treat running jobs as interrupted. Only for the single writer.
            clock: gives the time as an aware datetime.
            new_id: gives a fresh id for a prefix such as ``evt``.
            count_tokens: counts the tokens of a text.

        Raises:
            InvalidArgument: an argument is not acceptable; for a model it says what to wrap it in.
            NewerSchema: the database was written by a newer version.
            StorageError: there is no such server, user or database.
            MissingExtra: the driver of the database is not installed.

        """
        core = Core.open(
            database,
            model=model,
            settings=Settings() if settings is None else settings,
            read_only=read_only,
            clock=clock,
            new_id=new_id,
            count_tokens=count_tokens,
        )
        handle = cls(core, namespace=_named(namespace, "namespace"), owner=_named(owner, "owner"))
        if recover_running:
            core.recover_running()
        return handle

    def for_namespace(self, namespace: str, *, owner: str | None = None) -> "StrataGate":
        """A handle on another namespace; shares engine, pool and worker and does no I/O."""
        named = _named(namespace, "namespace")
        return StrataGate(self._core, namespace=named, owner=_named(owner or self.owner, "owner"))

    @property
    def aio(self) -> "AsyncStrataGate":
        """The async twin: the same names, awaited."""
        from stratagate_core.aio import AsyncStrataGate

        return AsyncStrataGate(self)

    @property
    def outbox(self) -> Outbox:
        """Writes of wrappers that failed and wait to be tried again."""
        return self._core.outbox

    def close(self) -> None:
        """Write what waits, stop the worker and give the connections back."""
        self._core.close()

    def __enter__(self) -> "StrataGate":
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"StrataGate(namespace={self.namespace!r})"

    def _read(self) -> Any:
        return self._core.env.read(self.namespace)

    def _write(self) -> Any:
        return self._core.env.write(self.namespace, owner=self.owner)

    # --- writing ------------------------------------------------------------------------------

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
        name = _thread(thread)
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

    def reset_thread(self, thread: str) -> None:
        """Start the conversation anew; what was said stays stored and searchable."""
        with self._write() as work:
            turns.reset_thread(work, _thread(thread))
        self._core.work_on(self.namespace)

    def rebase_thread(self, thread: str, messages: Sequence[Message]) -> int:
        """Make a transcript start with these messages; turns beyond them become superseded.

        Returns how many of the given messages were already there.
        """
        given = arguments.items(messages, "messages")
        if given:
            checked_messages(given)
        with self._write() as work:
            kept: int = turns.rebase_thread(work, _thread(thread), given)
        return kept

    # --- state of events ----------------------------------------------------------------------

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

    def _change(self, step: Callable[[Work, str], Event], event_id: str) -> Event:
        with self._write() as work:
            return step(work, arguments.text(event_id, "event_id"))

    # --- reading ------------------------------------------------------------------------------

    def open_tail(self, thread: str = DEFAULT_THREAD) -> tuple[Message, ...]:
        """The messages of a thread that are not yet in a block, in order."""
        with self._read() as work:
            return conversation.open_tail(work, _thread(thread))

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
            return conversation.transcript(work, _thread(thread), since=first)

    def now(self) -> datetime:
        """The time by the clock of this memory."""
        return self._core.env.clock()

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
        name = None if thread is None else _thread(thread)
        newest = arguments.optional_whole(latest, "latest", least=1)
        with self._read() as work:
            rows = stored_blocks.of_thread(work.tx, name, latest=newest)
            return conversation.block_values(work, rows)

    def event(self, event_id: str) -> Event:
        """One event of either pool, whatever its status."""
        with self._read() as work:
            found = events.event(work, arguments.text(event_id, "event_id"))
        if found is None:
            raise NotFound(f"no event {event_id!r}; search_events finds events")
        return found

    def node(
        self,
        node_id: str,
        *,
        as_of: str | datetime | None = None,
        known_at: str | datetime | None = None,
    ) -> Node:
        """One node of the graph with all facts that may be shown, now or at an instant.

        Raises:
            NotFound: no such node, or none of its events may be shown.

        """
        with self._read() as work:
            return read_node(work, arguments.text(node_id, "node_id"), asked_for(as_of, known_at))

    def nodes(self, *, limit: int = 50, offset: int = 0) -> Page[Node]:
        """The nodes of the graph with all facts that may be shown, the last changed first.

        Args:
            limit: at most so many.
            offset: so many are passed over.

        """
        with self._read() as work:
            return list_nodes(
                work,
                limit=arguments.whole(limit, "limit", least=1),
                offset=arguments.whole(offset, "offset", least=0),
            )

    def sources(self, ref: str) -> tuple[Message, ...]:
        """The source messages behind an event, a block, a message or an evidence ref."""
        with self._read() as work:
            return events.sources(work, arguments.text(ref, "ref"))

    def stats(self) -> dict[str, Any]:
        """Counts of this namespace."""
        with self._read() as work:
            return _stats(work)

    def health(self) -> dict[str, Any]:
        """Whether anything waits or has failed for good."""
        with self._read() as work:
            counts = jobs.counts(work.tx)
        waiting = self.outbox.health()
        failed = sum(n for (_, status), n in counts.items() if status == "failed")
        return {
            "ok": not failed and not waiting.waiting,
            "failed_jobs": failed,
            "waiting_writes": waiting.waiting,
            "write_failures": waiting.failures,
            "last_write_error": waiting.last_error,
        }

    # --- retrieving ---------------------------------------------------------------------------

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
            lambda work: search_events(
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
            ),
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
            lambda work: search_raw(
                work,
                query,
                limit=limit,
                scope=scope,
                include_tail=include_tail,
                metadata=arguments.mapping(metadata, "metadata"),
                thread=_thread(thread),
                explain=explain,
                about=None if about is None else arguments.text(about, "about"),
                window=window,
            ),
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
            lambda work: search_both(
                work,
                query,
                limit=limit,
                include_tail=include_tail,
                metadata=arguments.mapping(metadata, "metadata"),
                thread=_thread(thread),
                explain=explain,
                window=window,
            ),
        )

    def _opening(self, open_batch: bool) -> Any:
        return self._write() if open_batch else self._read()

    def _searched(
        self,
        operation: str,
        thread: str,
        open_batch: bool,
        search: Callable[[Work], Results[Card]],
    ) -> Results[Card]:
        """Run a search; a stale index is noted afterwards, so that a job rebuilds it."""
        with self._opening(open_batch) as work:
            found = search(work)
            if open_batch:
                found = envelope.with_batch(work, _thread(thread), operation, found)
        if found.reason == "index_rebuilding":
            note_stale(self._core.env, self.namespace)
            self._core.work_on(self.namespace)
        return found

    def search_graph(
        self,
        query: str,
        *,
        limit: int = 8,
        as_of: str | datetime | None = None,
        known_at: str | datetime | None = None,
        thread: str = DEFAULT_THREAD,
        open_batch: bool = False,
    ) -> Results[Card]:
        """Find what is so now: nodes with their facts and relations. Blank finds nothing.

        Args:
            query: words to look for.
            limit: 1 to 20 (clamped).
            as_of: show what was so at this instant (aware, or ISO 8601 with an offset).
            known_at: only what had been mentioned by this instant.
            thread: the asking thread.
            open_batch: also open an evidence batch.

        """
        asked = asked_for(as_of, known_at)
        return self._searched(
            "search_graph",
            thread,
            open_batch,
            lambda work: search_graph(work, query, limit=limit, asked=asked),
        )

    def expand_graph_node(
        self,
        node_id: str,
        *,
        as_of: str | datetime | None = None,
        known_at: str | datetime | None = None,
        thread: str = DEFAULT_THREAD,
        open_batch: bool = False,
    ) -> dict[str, Any]:
        """A node as JSON: current, stale and historical facts, edges, who won, timeline."""
        asked = asked_for(as_of, known_at)
        with self._opening(open_batch) as work:
            return envelope.expand_graph_node(
                work,
                _thread(thread),
                arguments.text(node_id, "node_id"),
                asked,
                open_batch=open_batch,
            )

    def expand_event(
        self, event_id: str, *, thread: str = DEFAULT_THREAD, open_batch: bool = False
    ) -> dict[str, Any]:
        """The complete card of an event as JSON: quotes and sources included."""
        with self._opening(open_batch) as work:
            asked = arguments.text(event_id, "event_id")
            return envelope.expand_event(work, _thread(thread), asked, open_batch=open_batch)

    def get_blocks(
        self,
        *,
        scope: Literal["session", "namespace"] = "session",
        thread: str = DEFAULT_THREAD,
        open_batch: bool = False,
    ) -> dict[str, Any]:
        """Earlier conversation, block by block, each at its present level, as JSON."""
        with self._opening(open_batch) as work:
            return envelope.get_blocks(work, _thread(thread), scope=scope, open_batch=open_batch)

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
            return envelope.expand_block(work, _thread(thread), row, open_batch=open_batch)

    # --- the gate -----------------------------------------------------------------------------

    def open_batches(self, thread: str = DEFAULT_THREAD) -> tuple[BatchInfo, ...]:
        """The unresolved batches of a thread, oldest first."""
        with self._read() as work:
            return gate.open_batches(work, _thread(thread))

    def assess(
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
        """Judge the evidence of a batch: does it answer the actual question?

        Args:
            verdict: ``"sufficient"``, ``"partial"`` or ``"wrong"``.
            evidence_refs: the refs that carry the judgement.
            fit: how it fits.
            missing: what is missing.
            next_strategy: what to do next.
            batch_id: None means the latest batch of the thread.
            thread: the asking thread.

        Raises:
            InvalidArgument: an unknown verdict or strategy, or refs that are no list. A ref that
                is not of the batch is no error: it comes back as rejected.
            BatchError: no such batch, or it was settled already.

        """
        refs = arguments.items(evidence_refs, "evidence_refs")
        arguments.one_of(verdict, "verdict", VERDICTS)
        arguments.one_of(next_strategy, "next_strategy", STRATEGIES)
        with self._write() as work:
            return gate.assess(
                work,
                _thread(thread),
                verdict=verdict,
                evidence_refs=refs,
                fit=fit,
                missing=missing,
                next_strategy=next_strategy,
                batch_id=arguments.optional_text(batch_id, "batch_id"),
            )

    def record_use(
        self,
        evidence_refs: Sequence[str],
        *,
        batch_id: str | None = None,
        receipt: str | None = None,
        thread: str = DEFAULT_THREAD,
    ) -> UseReceipt:
        """Record which evidence an answer really used; this alone makes a memory stronger.

        Args:
            evidence_refs: refs of a sufficient assessment, or ``[]`` to close the batch unused.
            batch_id: None means the latest batch of the thread.
            receipt: key of this call; the same key again has no second effect.
            thread: the asking thread.

        """
        with self._write() as work:
            return gate.record_use(
                work,
                _thread(thread),
                evidence_refs=evidence_refs,
                batch_id=arguments.optional_text(batch_id, "batch_id"),
                receipt=arguments.optional_text(receipt, "receipt"),
            )

    def finish_turn(self, thread: str = DEFAULT_THREAD) -> tuple[str, ...]:
        """Say that a turn is over: batches still open expire. Returns their ids."""
        if not self.open_batches(thread):
            return ()
        with self._write() as work:
            return gate.expire(work, _thread(thread))

    recover = staticmethod(gate_recovery.recover)

    def usage(self, *, limit: int = 50, offset: int = 0) -> Page[AuditRow]:
        """The usage audit, newest first: which answer used which memories, and why."""
        with self._read() as work:
            return gate.usage(
                work,
                limit=arguments.whole(limit, "limit", least=1),
                offset=arguments.whole(offset, "offset", least=0),
            )

    # --- recall -------------------------------------------------------------------------------

    def recall(
        self, message: str, *, thread: str = DEFAULT_THREAD, present: Iterable[str] = ()
    ) -> Recall:
        """What to put before a model call that answers `message`.

        Args:
            message: the user's current message.
            thread: the conversation it stands in.
            present: ids of messages and blocks that the request shows already.

        """
        with self._read() as work:
            return recall_reader.recall(
                work,
                arguments.text(message, "message"),
                thread=_thread(thread),
                present=arguments.texts(present, "present"),
            )

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

    # --- work ---------------------------------------------------------------------------------

    def run_pending(self, limit: int | None = None, *, retry_failed: bool = False) -> int:
        """Seal due tails, then run due jobs of this namespace; how many jobs were run.

        Args:
            limit: at most so many jobs.
            retry_failed: try failed jobs at once instead of when their wait is over. A job that
                has failed three times stays failed: `retry` starts it anew.

        """
        most = arguments.optional_whole(limit, "limit", least=0)
        self.seal_tails()
        return self._core.run(self.namespace, limit=most, retry_failed=retry_failed)

    async def arun(self, *, limit: int | None = None, retry_failed: bool = False) -> int:
        """Run due jobs of this namespace, awaiting the model; how many were run."""
        return await self._core.arun(self.namespace, limit=limit, retry_failed=retry_failed)

    async def awork_on(self) -> None:
        """Do what a write left to do, awaiting an inline model."""
        if self._core.processing == "inline":
            await self.arun()
        else:
            self._core.work_on(self.namespace)

    def seal_tails(self) -> int:
        """Write what waits and seal all due tails without asking a model; how many blocks."""
        self.outbox.flush()
        size = self._core.env.settings.block_turn_size
        with self._read() as work:
            due = namespaces.threads_with_tail(work.tx, size)
        return sum(len(self._seal(thread)) for thread in due)

    def drain(self, timeout: float | None = None) -> bool:
        """Work until nothing is due any more; whether that was reached in `timeout` seconds."""
        self.seal_tails()
        return self._core.drain(self.namespace, timeout)

    def flush(self) -> bool:
        """Write what failed before and waits; whether nothing is left."""
        return self.outbox.flush()

    def jobs(
        self,
        *,
        kind: str | None = None,
        status: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Job, ...]:
        """Jobs of this namespace, oldest first."""
        with self._read() as work:
            rows = jobs.listing(
                work.tx,
                kind=arguments.optional_text(kind, "kind"),
                status=arguments.optional_text(status, "status"),
                limit=arguments.whole(limit, "limit", least=1),
                offset=arguments.whole(offset, "offset", least=0),
            )
        return tuple(row.value() for row in rows)

    def retry(self, job_id: str) -> Job:
        """Run a failed job again now; its failure is raised.

        Raises:
            NotFound: no such job.
            InvalidArgument: the job did not fail.

        """
        return self._core.retry(self.namespace, arguments.text(job_id, "job_id"))

    # --- audit --------------------------------------------------------------------------------

    def export(self, path: str | Path, *, overwrite: bool = False) -> int:
        """Write everything of this namespace as JSON lines, secrets redacted; how many lines.

        Args:
            path: the file to write; its folder must exist.
            overwrite: replace the file if it is there.

        Raises:
            InvalidArgument: `path` is a folder, or a file that may not be replaced.
            StorageError: the file cannot be written.

        """
        with self._read() as work:
            return write_lines(work.tx, arguments.path(path, "path"), overwrite=overwrite)

    def count_tokens(self, text: str) -> int:
        """The tokens of a text, by the counter that was handed in."""
        return self._core.env.count_tokens(text)

    def settings(self) -> Settings:
        """The settings in force."""
        return self._core.env.settings

    def save_settings(self, **values: Any) -> Settings:
        """Change stored settings, for all namespaces and later openings."""
        return self._core.save_settings(values)


def _named(value: str, what: str) -> str:
    name = checked_name(value, what)
    if name is None:
        raise InvalidArgument(f"{what} must not be blank")
    return name


def _stats(work: Work) -> dict[str, Any]:
    counts = jobs.counts(work.tx)
    return {
        "namespace": work.namespace,
        "current_turn": work.current_turn(),
        "revision": namespaces.revision(work.tx),
        "threads": len(namespaces.thread_names(work.tx)),
        "open_turns": conversation.open_turns(work),
        "blocks": {
            status: stored_blocks.count(work.tx, status=status) for status in ("ready", "pending")
        },
        "events": events.counts(work),
        "graph": graph_counts(work.tx),
        "jobs": {f"{kind}.{status}": number for (kind, status), number in sorted(counts.items())},
        "model": jobs.ledger(work.tx),
    }
