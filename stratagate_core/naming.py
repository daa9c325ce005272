"""Names of namespaces by project, session or for everything (15)."""

import hashlib
from pathlib import Path
from typing import Literal

from stratagate_core.errors import InvalidArgument

PREFIX = "stratagate"


def namespace_for(
    mode: Literal["project", "session", "global"],
    name: str | Path | None = None,
    *,
    prefix: str = PREFIX,
) -> str:
    """The namespace of a project, a session or a global memory.

    Args:
        mode: ``"project"``: `name` is the project's root folder (default: the working
            directory); ``"session"``: `name` is the thread id; ``"global"``: `name` is any name
            (default ``"global"``).
        name: see `mode`.
        prefix: put in front; blank means the default.

    """
    start = prefix.strip() or PREFIX
    text = str(name).strip() if name is not None else ""
    if mode == "project":
        root = Path(text or ".").expanduser().resolve().as_posix().lower()
        return f"{start}:project:{hashlib.sha256(root.encode()).hexdigest()[:20]}"
    if mode == "session":
        if not text:
            raise InvalidArgument("a session namespace needs the thread id as its name")
        return f"{start}:session:{text}"
    if mode == "global":
        return f"{start}:global:{text or 'global'}"
    raise InvalidArgument(f"mode must be 'project', 'session' or 'global', not {mode!r}")
