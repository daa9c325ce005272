"""The memory directory as a part of what goes before a model call (07 §4)."""

from stratagate_core.engine import Work
from stratagate_core.topics.read import directory


def directory_part(work: Work, message: str) -> str:
    """The directory as text, within its own budget; blank if there is nothing to list."""
    return directory(work, message)
