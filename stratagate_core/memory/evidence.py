"""The gate: what was found is judged, what was used is recorded."""

from collections.abc import Sequence

from stratagate_core import arguments
from stratagate_core.gate import recovery as gate_recovery
from stratagate_core.gate import steps as gate
from stratagate_core.memory.handle import DEFAULT_THREAD, Handle, thread_name
from stratagate_core.model.evidence import (
    STRATEGIES,
    VERDICTS,
    Assessment,
    AuditRow,
    BatchInfo,
    UseReceipt,
)
from stratagate_core.model.search import Page


class Evidence(Handle):
    """Batches of evidence, their assessment and their use."""

    def open_batches(self, thread: str = DEFAULT_THREAD) -> tuple[BatchInfo, ...]:
        """The unresolved batches of a thread, oldest first."""
        with self._read() as work:
            return gate.open_batches(work, thread_name(thread))

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
                thread_name(thread),
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
                thread_name(thread),
                evidence_refs=evidence_refs,
                batch_id=arguments.optional_text(batch_id, "batch_id"),
                receipt=arguments.optional_text(receipt, "receipt"),
            )

    def finish_turn(self, thread: str = DEFAULT_THREAD) -> tuple[str, ...]:
        """Say that a turn is over: batches still open expire. Returns their ids."""
        if not self.open_batches(thread):
            return ()
        with self._write() as work:
            return gate.expire(work, thread_name(thread))

    recover = staticmethod(gate_recovery.recover)

    def usage(self, *, limit: int = 50, offset: int = 0) -> Page[AuditRow]:
        """The usage audit, newest first: which answer used which memories, and why."""
        with self._read() as work:
            return gate.usage(
                work,
                limit=arguments.whole(limit, "limit", least=1),
                offset=arguments.whole(offset, "offset", least=0),
            )
