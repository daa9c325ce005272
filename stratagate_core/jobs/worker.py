"""A background thread that runs due work: soon after a write, then every few seconds."""

import logging
import threading
from collections.abc import Callable

log = logging.getLogger("stratagate_core.jobs")

#: seconds after start before the first round, and between rounds (12 §5)
FIRST_ROUND = 0.25
INTERVAL = 3.0


class Worker:
    """Calls `work` again and again until it is stopped. Starting and stopping are idempotent."""

    def __init__(self, work: Callable[[], int]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._busy = threading.Lock()

    @property
    def running(self) -> bool:
        """Whether the thread lives."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Start the thread if it does not run yet."""
        with self._lock:
            if self.running or self._stop.is_set():
                return
            self._thread = threading.Thread(target=self._run, name="stratagate", daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Ask for a round now."""
        self._wake.set()

    def stop(self) -> None:
        """End the thread after the job it is running."""
        self._stop.set()
        self._wake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def wait_idle(self, timeout: float | None = None) -> bool:
        """Wait until no round is under way; whether that happened in time (seconds)."""
        if not self._busy.acquire(timeout=-1 if timeout is None else max(0.0, timeout)):
            return False
        self._busy.release()
        return True

    def _run(self) -> None:
        wait = FIRST_ROUND
        while True:
            self._wake.wait(wait)
            if self._stop.is_set():
                return
            self._wake.clear()
            with self._busy:
                worked = self._round()
            # a round leaves the rest of some kinds of work to the next one
            wait = 0.0 if worked else INTERVAL

    def _round(self) -> bool:
        try:
            return self._work() > 0
        except Exception as error:
            # a failing round never makes the memory unusable; the next one tries again
            log.warning("a round of background work failed: %s", type(error).__name__)
            return False
