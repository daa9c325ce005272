"""LlamaIndex connectors; each name loads LlamaIndex when it is first used."""

from typing import TYPE_CHECKING, Any

from stratagate_lc.lazy import Home, resolve

if TYPE_CHECKING:
    from stratagate_lc.llama_index.embedder import LlamaIndexEmbedder
    from stratagate_lc.llama_index.model import LlamaIndexModel
    from stratagate_lc.llama_index.retriever import StrataGateRetriever

__all__ = ["LlamaIndexEmbedder", "LlamaIndexModel", "StrataGateRetriever"]

_HOMES = {
    "LlamaIndexEmbedder": Home("embedder", "llamaindex", "llama_index"),
    "LlamaIndexModel": Home("model", "llamaindex", "llama_index"),
    "StrataGateRetriever": Home("retriever", "llamaindex", "llama_index"),
}


def __getattr__(name: str) -> Any:
    return resolve(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
