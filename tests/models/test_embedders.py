"""Embeddings of LangChain and LlamaIndex as embedders of a memory."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("langchain_core")
pytest.importorskip("llama_index.core")

from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from llama_index.core.embeddings import BaseEmbedding

from stratagate_core import InvalidArgument, ModelError
from stratagate_core.testing import EmbedderConformance, WordEmbedder
from stratagate_lc.langchain import LangChainEmbedder
from stratagate_lc.llama_index import LlamaIndexEmbedder
from tests.conftest import Opener

Make = Callable[..., Any]


class LangChainWords(Embeddings):
    """LangChain embeddings over words; counts its calls."""

    def __init__(self, **options: Any) -> None:
        self.words = WordEmbedder({"feline": "cat"}, **options)
        self.calls: list[tuple[str, int]] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Texts."""
        self.calls.append(("texts", len(texts)))
        return self.words.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """A question."""
        self.calls.append(("query", 1))
        return self.words.embed_query(text)


class LlamaIndexWords(BaseEmbedding):
    """The same for LlamaIndex."""

    def __init__(self, **options: Any) -> None:
        super().__init__(embed_batch_size=100)
        self._words = WordEmbedder({"feline": "cat"}, **options)
        self._calls: list[tuple[str, int]] = []

    @property
    def words(self) -> WordEmbedder:
        """What makes the vectors."""
        return self._words

    @property
    def calls(self) -> list[tuple[str, int]]:
        """What was called, with how many texts."""
        return self._calls

    def _get_query_embedding(self, query: str) -> list[float]:
        self._calls.append(("query", 1))
        return self._words.embed_query(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        self._calls.append(("texts", len(texts)))
        return self._words.embed_documents(texts)


KINDS = {
    "langchain": (LangChainEmbedder, LangChainWords),
    "llama_index": (LlamaIndexEmbedder, LlamaIndexWords),
}


class TestLangChain(EmbedderConformance):
    """LangChain embeddings are an embedder."""

    def make_embedder(self) -> LangChainEmbedder:
        """Wrapped."""
        return LangChainEmbedder(LangChainWords())


class TestLlamaIndex(EmbedderConformance):
    """A LlamaIndex embedding is an embedder."""

    def make_embedder(self) -> LlamaIndexEmbedder:
        """Wrapped."""
        return LlamaIndexEmbedder(LlamaIndexWords())


@pytest.mark.parametrize("kind", KINDS)
def test_LC_94_LI_83_questions_and_texts_apart(kind: str) -> None:
    """Questions by the query call, texts in batches in their order, nothing for no text."""
    wrap, make = KINDS[kind]
    inner: Any = make()
    embedder: Any = wrap(inner, batch_size=2)
    texts = ["one cat", "two cats", "three", "four", "five"]

    assert [] == embedder.embed_documents([])
    assert [] == inner.calls
    assert inner.words.embed_documents(texts) == embedder.embed_documents(texts)
    assert [("texts", 2), ("texts", 2), ("texts", 1)] == inner.calls
    embedder.embed_query("cat?")
    assert ("query", 1) == inner.calls[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_LC_94_LI_83_another_dimension_is_an_error(kind: str) -> None:
    """Vectors of two lengths are never mixed."""
    wrap, make = KINDS[kind]
    inner: Any = make(dimensions=32)
    embedder: Any = wrap(inner)
    embedder.embed_documents(["cat"])
    inner.words.dimensions = 16

    with pytest.raises(ModelError, match="16 dimensions, earlier ones had 32"):
        embedder.embed_query("cat")


@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_those_of_models(kind: str) -> None:
    """A failing client is a `ModelError`; one that is away says so."""
    wrap, make = KINDS[kind]
    inner: Any = make()
    inner.words.failure = ConnectionError("no route to host")

    with pytest.raises(ModelError, match="no route to host") as caught:
        wrap(inner).embed_documents(["cat"])
    assert caught.value.away


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("options", "words"),
    [({"batch_size": 0}, "batch_size"), ({"floor": 2}, "floor"), ({"floor": True}, "floor")],
)
def test_bad_arguments_are_refused(kind: str, options: dict[str, Any], words: str) -> None:
    """What is not acceptable is refused by name."""
    wrap, make = KINDS[kind]

    with pytest.raises(InvalidArgument, match=words):
        wrap(make(), **options)
    with pytest.raises(InvalidArgument, match="takes"):
        wrap("text-embedding-3-small")


def test_names_tell_models_apart() -> None:
    """The name is that of class and model, or the one that is given."""
    fake = DeterministicFakeEmbedding(size=8)

    assert "DeterministicFakeEmbedding" == LangChainEmbedder(fake).name
    assert "mine" == LangChainEmbedder(fake, name="mine").name
    assert "LlamaIndexWords unknown" == LlamaIndexEmbedder(LlamaIndexWords()).name


@pytest.mark.parametrize("kind", KINDS)
def test_a_memory_uses_them(open_memory: Opener, kind: str) -> None:
    """The whole way, for both frameworks."""
    wrap, make = KINDS[kind]
    memory = open_memory(
        embedder=wrap(make(), floor=0.4),
        settings={"block_turn_size": 1, "processing": "inline"},
    )
    memory.add_turn("Our cat is grey.", "I see.")

    found = memory.search_raw("feline")
    assert ["Our cat is grey."] == [hit.item["message"]["content"] for hit in found.hits]
