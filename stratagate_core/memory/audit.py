"""What is stored and how it does: counts, health, export, settings."""

from pathlib import Path
from typing import Any

from stratagate_core import arguments
from stratagate_core.conversation import read as conversation
from stratagate_core.engine import Work
from stratagate_core.events import read as events
from stratagate_core.memory.handle import Handle
from stratagate_core.search.vectors import counts as vector_counts
from stratagate_core.settings import Settings
from stratagate_core.store import blocks as stored_blocks
from stratagate_core.store import jobs, namespaces
from stratagate_core.store.export import write_lines
from stratagate_core.store.nodes import counts as graph_counts
from stratagate_core.topics.status import status as topic_status


class Audit(Handle):
    """Counts, health, export and stored settings."""

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

    def save_settings(self, **values: Any) -> Settings:
        """Change stored settings, for all namespaces and later openings."""
        return self._core.save_settings(values)


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
        "topics": topic_status(work),
        "jobs": {f"{kind}.{status}": number for (kind, status), number in sorted(counts.items())},
        "model": jobs.ledger(work.tx),
        "vectors": vector_counts(work),
    }
