"""The embedder port: an embedder is anything that makes vectors of texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from stratagate_core.errors import InvalidArgument, ModelError
from stratagate_core.rank.vectors import Vector, unit
from stratagate_core.text.redact import redact

#: below this cosine a text is not taken for one of the same matter, unless an embedder knows better
FLOOR = 0.5


@runtime_checkable
class Embedder(Protocol):
    """Makes vectors of texts.

    It may also have ``floor``: the cosine from which on a text is about what a query asks.
    """

    #: which model this is: vectors of different names are never compared
    name: str

    def embed_documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector for each text, in their order; a failure is an error."""
        ...

    def embed_query(self, text: str) -> Sequence[float]:
        """The vector of a question."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryVector:
    """The vector of a query, and from which cosine on something is near it."""

    values: Vector
    embedder: str
    floor: float


#: package of a framework -> the wrapper that makes its embeddings fit
_WRAPPERS = {
    "langchain": "stratagate_lc.langchain.LangChainEmbedder",
    "llama_index": "stratagate_lc.llama_index.LlamaIndexEmbedder",
}


def checked_embedder(embedder: object) -> Embedder:
    """The embedder, if it can embed.

    Raises:
        InvalidArgument: it cannot; the message says what to wrap it in.

    """
    packages = {kind.__module__.partition(".")[0] for kind in type(embedder).__mro__}
    for name, wrapper in _WRAPPERS.items():
        if any(package == name or package.startswith(f"{name}_") for package in packages):
            made = wrapper.rpartition(".")[2]
            raise InvalidArgument(
                f"embedder: {type(embedder).__name__} is of {name}; wrap it: {made}(embedder) from "
                f"{wrapper.rpartition('.')[0]}"
            )
    able = all(callable(getattr(embedder, way, None)) for way in ("embed_documents", "embed_query"))
    named = isinstance(getattr(embedder, "name", None), str)
    if isinstance(embedder, type) or not able or not named:
        raise InvalidArgument(
            "embedder must have a name, embed_documents(texts) and embed_query(text): for example "
            "MiniLM() from stratagate_core.embedding.minilm, or embeddings of a framework in "
            "LangChainEmbedder or LlamaIndexEmbedder"
        )
    return embedder  # type: ignore[return-value]  # it has what the protocol asks for


def embedded(embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
    """The vectors of texts, of length 1 and of one dimension.

    Raises:
        ModelError: the embedder failed, or gave something else than a vector for each text.

    """
    if not texts:
        return []
    given = _called(lambda: embedder.embed_documents(texts))
    try:
        found = [unit(values) for values in given]
    except (TypeError, ValueError) as error:
        raise ModelError("embed: the embedder gave no vectors", task="embed") from error
    if len(found) != len(texts) or len({len(vector) for vector in found}) != 1:
        raise ModelError(
            f"embed: the embedder gave {len(found)} vectors of "
            f"{sorted({len(vector) for vector in found})} dimensions for {len(texts)} texts",
            task="embed",
        )
    return found


def embedded_query(embedder: Embedder, text: str) -> QueryVector:
    """The vector of a query.

    Raises:
        ModelError: the embedder failed, or gave no vector.

    """
    try:
        values = unit(_called(lambda: embedder.embed_query(text)))
    except (TypeError, ValueError) as error:
        raise ModelError("embed: the embedder gave no vector", task="embed") from error
    floor = float(getattr(embedder, "floor", FLOOR))
    return QueryVector(values=values, embedder=embedder.name, floor=floor)


def _called(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            f"embed: the embedder failed: {type(error).__name__}: {redact(str(error))}",
            away=isinstance(error, ConnectionRefusedError),
            task="embed",
        ) from error
