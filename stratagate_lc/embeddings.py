"""What both frameworks' embedders share: batches, checks, and which model an object stands for."""

from collections.abc import Callable, Iterable, Sequence

from stratagate_core.errors import InvalidArgument, ModelError
from stratagate_lc.failures import kind_of, model_error

#: the fields in which embeddings keep the name of their model
_NAMES = ("model_name", "model", "model_id", "deployment")


class Batches:
    """Texts in batches; all vectors of one object have one dimension."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._dimensions: int | None = None

    def of(
        self, texts: Sequence[str], embed: Callable[[list[str]], Iterable[Sequence[float]]]
    ) -> list[list[float]]:
        """The vectors of all texts, in their order; without texts nothing is called."""
        found: list[list[float]] = []
        for at in range(0, len(texts), self._size):
            part = list(texts[at : at + self._size])
            found += self.checked(embed(part), len(part))
        return found

    def checked(self, given: Iterable[Sequence[float]], number: int) -> list[list[float]]:
        """Vectors as lists.

        Raises:
            ModelError: another number of them than asked for, or of another dimension than before.

        """
        vectors = [list(vector) for vector in given]
        if len(vectors) != number:
            raise ModelError(
                f"embed: {len(vectors)} vectors came back for {number} texts", task="embed"
            )
        for vector in vectors:
            self._dimensions = self._dimensions or len(vector)
            if len(vector) != self._dimensions:
                raise ModelError(
                    f"embed: a vector has {len(vector)} dimensions, earlier ones had "
                    f"{self._dimensions}: was the model changed?",
                    retryable=False,
                    task="embed",
                )
        return vectors


def checked_size(size: int) -> int:
    """A number of texts."""
    if type(size) is not int or size < 1:
        raise InvalidArgument(f"batch_size must be a whole number from 1 on, not {size!r}")
    return size


def checked_floor(floor: float) -> float:
    """A cosine."""
    if isinstance(floor, bool) or not isinstance(floor, int | float) or not 0 <= floor <= 1:
        raise InvalidArgument(f"floor must be a number from 0 to 1, not {floor!r}")
    return float(floor)


def name_of(embeddings: object) -> str:
    """Class and model of embeddings: what tells their vectors from others."""
    named = (getattr(embeddings, field, None) for field in _NAMES)
    model = next((name for name in named if isinstance(name, str) and name), None)
    kind = type(embeddings).__name__
    return f"{kind} {model}" if model else kind


def failed(error: Exception) -> ModelError:
    """The core's error for the error of a client."""
    return model_error(error, "embed", kind_of(error))
