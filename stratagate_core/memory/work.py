"""Derivation work: jobs, run now or later."""

from stratagate_core import arguments
from stratagate_core.memory.sealing import Sealing
from stratagate_core.model.job import Job
from stratagate_core.search.steps import note_waiting
from stratagate_core.search.vectors import is_behind
from stratagate_core.store import jobs


class Jobs(Sealing):
    """Runs, lists and retries jobs."""

    def run_pending(self, limit: int | None = None, *, retry_failed: bool = False) -> int:
        """Seal due tails, then run due jobs of this namespace; how many jobs were run.

        Args:
            limit: at most so many jobs.
            retry_failed: try failed jobs at once instead of when their wait is over. A job that
                has failed three times stays failed: `retry` starts it anew.

        """
        most = arguments.optional_whole(limit, "limit", least=0)
        self.seal_tails()
        self._core.settle_older(self.namespace)
        self._note_waiting()
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

    def drain(self, timeout: float | None = None) -> bool:
        """Work until nothing is due any more; whether that was reached in `timeout` seconds."""
        self.seal_tails()
        self._core.settle_older(self.namespace)
        self._note_waiting()
        return self._core.drain(self.namespace, timeout)

    def _note_waiting(self) -> None:
        """Queue what an embedder has not seen yet: the open tails, too."""
        with self._read() as work:
            waiting = is_behind(work)
        if waiting:
            note_waiting(self._core.env, self.namespace)

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
            Conflict: it files events, and they do not wait for that. Filing is only queued.

        """
        return self._core.retry(self.namespace, arguments.text(job_id, "job_id"))
