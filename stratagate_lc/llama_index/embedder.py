"""Any LlamaIndex embedding as the embedder of a memory."""

from collections.abc import Sequence

from llama_index.core.base.embeddings.base import BaseEmbedding

from stratagate_core.errors import InvalidArgument
from stratagate_lc.embeddings import Batches, checked_floor, checked_size, failed, name_of


class LlamaIndexEmbedder:
    """A LlamaIndex embedding as the embedder of a memory.

    Args:
        embedding: any LlamaIndex embedding.
        batch_size: texts that are handed over at once.
        name: which model this is; vectors of different names are never compared. None: the class
            of the embedding and the model it names.
        floor: the cosine from which on a text is about what a query asks; models differ.

    Raises:
        InvalidArgument: an argument that is not acceptable.

    """

    def __init__(
        self,
        embedding: BaseEmbedding,
        *,
        batch_size: int = 64,
        name: str | None = None,
        floor: float = 0.5,
    ) -> None:
        if not isinstance(embedding, BaseEmbedding):
            raise InvalidArgument(
                "LlamaIndexEmbedder takes a LlamaIndex embedding, for example OpenAIEmbedding(), "
                f"not {type(embedding).__name__}"
            )
        self._embedding = embedding
        self._batches = Batches(checked_size(batch_size))
        self.floor = checked_floor(floor)
        self.name = name or name_of(embedding)

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in their order. Raises `ModelError`."""
        try:
            return self._batches.of(texts, self._embedding.get_text_embedding_batch)
        except Exception as error:
            raise failed(error) from error

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question. Raises `ModelError`."""
        try:
            return self._batches.checked([self._embedding.get_query_embedding(text)], 1)[0]
        except Exception as error:
            raise failed(error) from error
