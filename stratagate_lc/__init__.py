"""StrataGate for LangChain and LlamaIndex.

``stratagate_lc.langchain`` and ``stratagate_lc.llama_index`` load nothing of their framework
before one of their classes is used, and nothing of each other.
"""

from importlib import import_module
from types import ModuleType

__all__ = ["langchain", "llama_index"]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
