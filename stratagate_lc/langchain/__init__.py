"""LangChain connectors; each name loads LangChain when it is first used."""

from typing import TYPE_CHECKING, Any

from stratagate_lc.lazy import Home, resolve

if TYPE_CHECKING:
    from stratagate_lc.langchain.embedder import LangChainEmbedder
    from stratagate_lc.langchain.history import StrataGateChatMessageHistory
    from stratagate_lc.langchain.memory import StrataGateMemory
    from stratagate_lc.langchain.model import LangChainModel
    from stratagate_lc.langchain.retriever import StrataGateRetriever
    from stratagate_lc.langchain.tools import StrataGateToolkit

__all__ = [
    "LangChainEmbedder",
    "LangChainModel",
    "StrataGateChatMessageHistory",
    "StrataGateMemory",
    "StrataGateRetriever",
    "StrataGateToolkit",
]

_HOMES = {
    "LangChainEmbedder": Home("embedder", "langchain", "langchain_core"),
    "LangChainModel": Home("model", "langchain", "langchain_core"),
    "StrataGateChatMessageHistory": Home("history", "langchain", "langchain_core"),
    "StrataGateMemory": Home("memory", "classic", "langchain_classic"),
    "StrataGateRetriever": Home("retriever", "langchain", "langchain_core"),
    "StrataGateToolkit": Home("tools", "langchain", "langchain_core"),
}


def __getattr__(name: str) -> Any:
    return resolve(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
