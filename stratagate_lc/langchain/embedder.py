"""Any LangChain embeddings as the embedder of a memory."""

from collections.abc import Sequence

from langchain_core.embeddings import Embeddings

from stratagate_core.errors import InvalidArgument
from stratagate_lc.embeddings import Batches, checked_floor, checked_size, failed, name_of


class LangChainEmbedder:
    """LangChain embeddings as the embedder of a memory.

    Args:
        embeddings: any LangChain embeddings.
        batch_size: texts that are handed over at once.
        name: which model this is; vectors of different names are never compared. None: the class
            of the embeddings and the model they name.
        floor: the cosine from which on a text is about what a query asks; models differ.

    Raises:
        InvalidArgument: an argument that is not acceptable.

    """

    def __init__(
        self,
        embeddings: Embeddings,
        *,
        batch_size: int = 64,
        name: str | None = None,
        floor: float = 0.5,
    ) -> None:
        if not isinstance(embeddings, Embeddings):
            raise InvalidArgument(
                "LangChainEmbedder takes LangChain embeddings, for example OpenAIEmbeddings(), not "
                f"{type(embeddings).__name__}"
            )
        self._embeddings = embeddings
        self._batches = Batches(checked_size(batch_size))
        self.floor = checked_floor(floor)
        self.name = name or name_of(embeddings)

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in their order. Raises `ModelError`."""
        try:
            return self._batches.of(texts, self._embeddings.embed_documents)
        except Exception as error:
            raise failed(error) from error

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question. Raises `ModelError`."""
        try:
            return self._batches.checked([self._embeddings.embed_query(text)], 1)[0]
        except Exception as error:
            raise failed(error) from error
