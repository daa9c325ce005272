"""Dreaming: the directory is tidied on request."""

from collections.abc import Callable, Iterable

from stratagate_core import arguments
from stratagate_core.dreaming import read, steps
from stratagate_core.dreaming.run import carry_on
from stratagate_core.errors import Disabled
from stratagate_core.memory.handle import Handle
from stratagate_core.model.dream import DreamRun, DreamStep
from stratagate_core.model.search import Page
from stratagate_core.store.dreams import RunRow


class Dreaming(Handle):
    """Runs that tidy the directory: it alone is written, batch by batch, and they can be held."""

    def dream(
        self,
        directions: Iterable[str] = (),
        *,
        resume: bool = False,
        limit: int | None = None,
        progress: Callable[[DreamRun], None] | None = None,
    ) -> DreamRun:
        """Tidy the directory until all of it was looked at, or the run is held.

        Every change is written alone. What was written stays, wherever the run ends; a run that
        was held goes on from there with `resume`.

        Args:
            directions: what to look after, in your words; a model reads them, rules do not.
            resume: go on with the run that is paused.
            limit: hold the run after so many steps, to be continued.
            progress: called after each step with the run as it stands.

        Returns:
            The run: completed, stopped, or paused with its reason. After ``"source-changed"`` it
            cannot go on: stop it and start another.

        Raises:
            Conflict: another run is not finished, or there is none that could go on.
            Disabled: `dreaming_enabled` is off.

        """
        if not self.settings().dreaming_enabled:
            raise Disabled("dreaming is switched off: dreaming_enabled is False")
        texts = arguments.texts(directions, "directions")
        most = arguments.optional_whole(limit, "limit", least=0)
        with self._write() as work:
            run = steps.resume(work) if resume else steps.start(work, texts)
            for text in texts if resume else ():
                run = steps.direct(work, text)

        def told(row: RunRow) -> None:
            if progress is not None:
                progress(read.as_value(row))

        env, namespace = self._core.env, self.namespace
        return read.as_value(carry_on(env, namespace, run, limit=most, progress=told))

    def dream_status(self) -> DreamRun | None:
        """The last run, or None; one that runs without an owner shows as interrupted."""
        with self._read() as work:
            return read.status(work)

    def pause_dream(self) -> DreamRun:
        """Hold the run after its present step. Raises `Conflict` if it does not run."""
        with self._write() as work:
            return read.as_value(steps.pause(work, "user"))

    def stop_dream(self) -> DreamRun:
        """End the run; what it wrote stays. Raises `Conflict` if it has ended."""
        with self._write() as work:
            return read.as_value(steps.stop(work))

    def direct_dream(self, text: str) -> DreamRun:
        """Add a direction to the run, also while it runs. Raises `Conflict` if it has ended."""
        with self._write() as work:
            return read.as_value(steps.direct(work, arguments.text(text, "text")))

    def dream_transcript(
        self, number: int | None = None, *, limit: int = 50, offset: int = 0
    ) -> Page[DreamStep]:
        """What a run was told, asked to see and did, oldest first; None means the last run.

        Raises:
            NotFound: no such run.

        """
        with self._read() as work:
            return read.transcript(
                work,
                arguments.optional_whole(number, "number", least=1),
                limit=arguments.whole(limit, "limit", least=1),
                offset=arguments.whole(offset, "offset", least=0),
            )
