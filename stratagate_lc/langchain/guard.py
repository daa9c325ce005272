"""Memory that fails must not cost the user an answer: log what failed and go on without it.

What the frameworks use to steer a run passes through. Logs carry kinds, never content.
"""

import logging
import sys
from collections.abc import Callable
from typing import Literal, TypeVar

logger = logging.getLogger("stratagate_lc.langchain")

T = TypeVar("T")
OnError = Literal["log", "raise"]


def steers_run(error: BaseException) -> bool:
    """Whether the error is no failure but how LangGraph interrupts a run."""
    module = sys.modules.get("langgraph.errors")
    bubble: type[BaseException] | None = getattr(module, "GraphBubbleUp", None)
    return bubble is not None and isinstance(error, bubble)


def guarded(what: str, call: Callable[[], T], fallback: T, on_error: OnError = "log") -> T:
    """What `call` gives; `fallback`, with a line in the log, if it fails."""
    try:
        return call()
    except Exception as error:
        if on_error == "raise" or steers_run(error):
            raise
        logger.warning("%s failed, going on without it: %s", what, type(error).__name__)
        return fallback
