"""Writes `stratagate_core/aio.py` from the package `memory`, so that both offer the same names.

``python scripts/generate_aio.py`` writes the file, ``--check`` fails if it is not up to date.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "stratagate_core" / "memory"
TARGET = ROOT / "stratagate_core" / "aio.py"

#: the modules whose names stand in signatures
WANTED = "stratagate_core.model."

#: written by hand in the template below, or without an async form
BY_HAND = {
    "open",
    "for_namespace",
    "aio",
    "outbox",
    "close",
    "recover",
    "settings",
    "add_messages",
    "ingest_events",
    "reset_thread",
    "run_pending",
}

HEAD = '''"""AsyncStrataGate: the same names as `StrataGate`, awaited. Generated; do not edit.

Written by ``scripts/generate_aio.py`` from the package `memory`. Database work runs in threads; the
models of memory tasks are awaited on the running loop. Nothing is bound to a loop.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

{imports}
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

    async def run_pending(
        self, limit: int | None = None, *, retry_failed: bool = False
    ) -> int:
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
        return await self.add_messages(
            messages, thread=thread, at=at, receipt=receipt, work=work
        )
'''
BY_HAND |= {"add_turn", "arun", "awork_on", "now"}


def _imports(trees: Iterable[ast.Module]) -> str:
    """What the signatures name; of each module once, all names together."""
    names: dict[str, set[str]] = {
        "stratagate_core.conversation.rules.incoming": {"turn_of"},
        "stratagate_core.settings": {"Settings"},
    }
    for node in (node for tree in trees for node in tree.body):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(WANTED):
            names.setdefault(node.module or "", set()).update(alias.name for alias in node.names)
    return "".join(
        f"from {module} import {', '.join(sorted(found))}\n"
        for module, found in sorted(names.items())
    )


def _method(node: ast.FunctionDef) -> str:
    arguments = node.args
    names = [a.arg for a in arguments.args[1:]]
    call = ", ".join([*names, *(f"{a.arg}={a.arg}" for a in arguments.kwonlyargs)])
    returns = ast.unparse(node.returns) if node.returns else "None"
    doc = ast.get_docstring(node) or ""
    body = f"return await self._run(self.memory.{node.name}{', ' if call else ''}{call})"
    text = f"async def {node.name}({ast.unparse(arguments)}) -> {returns}:\n"
    first = doc.splitlines()[0]
    return text + f'    """{first}"""\n    {body}\n'


def generate() -> str:
    """The text of the file, formatted."""
    trees = [ast.parse(file.read_text()) for file in sorted(SOURCE.glob("*.py"))]
    classes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    methods = [
        _method(node)
        for node in (node for facade in classes for node in facade.body)
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and node.name not in BY_HAND
    ]
    body = "\n".join(
        "".join(f"    {line}\n" if line else "\n" for line in m.splitlines()) for m in methods
    )
    text = HEAD.replace("{imports}", _imports(trees)) + "\n" + body
    for command in (["check", "--fix-only", "-q"], ["format", "-q"]):
        args = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(TARGET), "-"]
        text = subprocess.run(args, input=text, capture_output=True, text=True, check=True).stdout
    return text


def main() -> int:
    """Write or check."""
    text = generate()
    if "--check" in sys.argv[1:]:
        same = TARGET.exists() and TARGET.read_text() == text
        print("aio.py is up to date" if same else "run: python scripts/generate_aio.py")
        return 0 if same else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
