"""Failed writes of wrappers, kept in order per thread and tried again (12 §5).

A write that works is never held here. One box serves all handles of an engine.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

#: seconds before a background retry; doubles up to the second number
FIRST_WAIT, LONGEST_WAIT = 2.0, 60.0

Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What waits to be written."""

    waiting: int
    failures: int
    last_error: str | None


class Outbox:
    """Writes that failed, by (namespace, thread)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Key, deque[Callable[[], object]]] = {}
        self._writing: dict[Key, threading.Lock] = {}
        self._here = threading.local()
        self._failures = 0
        self._last_error: str | None = None

    def write(self, key: Key, write: Callable[[], object]) -> bool:
        """Write now, after what waits for the same thread; keep it if that fails.

        Returns whether it was written.
        """
        with self._lock:
            self._waiting.setdefault(key, deque()).append(write)
        return self.flush_one(key)

    def flush_one(self, key: Key) -> bool:
        """Write what waits for one thread, in order; whether nothing is left.

        Nothing to do inside a waiting write itself: what it follows is written already.
        """
        if key in self._under_way():
            return True
        with self._lock:
            lock = self._writing.setdefault(key, threading.Lock())
        with lock:
            while (write := self._first(key)) is not None:
                if not self._try(key, write):
                    return False
                with self._lock:
                    self._waiting[key].popleft()
        return True

    def _under_way(self) -> set[Key]:
        """The keys whose waiting writes run in this thread at the moment."""
        keys: set[Key] = self._here.__dict__.setdefault("keys", set())
        return keys

    def flush(self) -> bool:
        """Write what waits for all threads; whether nothing is left."""
        with self._lock:
            keys = sorted(self._waiting)
        written = [self.flush_one(key) for key in keys]
        return all(written)

    def pending(self, key: Key | None = None) -> int:
        """How many writes wait, for one thread or for all."""
        with self._lock:
            if key is not None:
                return len(self._waiting.get(key, ()))
            return sum(len(waiting) for waiting in self._waiting.values())

    def health(self) -> Health:
        """What waits and how often writing failed in a row."""
        waiting = self.pending()
        with self._lock:
            return Health(waiting=waiting, failures=self._failures, last_error=self._last_error)

    def wait(self) -> float:
        """Seconds until a background retry is due."""
        with self._lock:
            return float(min(FIRST_WAIT * 2 ** max(0, self._failures - 1), LONGEST_WAIT))

    def _first(self, key: Key) -> Callable[[], object] | None:
        with self._lock:
            waiting = self._waiting.get(key)
            if waiting:
                return waiting[0]
            self._waiting.pop(key, None)
            return None

    def _try(self, key: Key, write: Callable[[], object]) -> bool:
        self._under_way().add(key)
        try:
            write()
        except Exception as error:
            with self._lock:
                self._failures += 1
                self._last_error = type(error).__name__
            return False
        finally:
            self._under_way().discard(key)
        with self._lock:
            self._failures, self._last_error = 0, None
        return True
