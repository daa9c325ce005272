"""The output budget of a task, set where a framework's model keeps it."""

from typing import TypeVar

from pydantic import BaseModel

#: the fields in which models keep their output budget
_FIELDS = ("max_tokens", "max_output_tokens", "num_predict")

M = TypeVar("M", bound=BaseModel)


def with_budget(model: M, max_tokens: int) -> M:
    """A copy of the model with this output budget, or the model itself if it has no such field."""
    fields = type(model).model_fields
    name = next((name for name in _FIELDS if name in fields), None)
    return model if name is None else model.model_copy(update={name: max_tokens})
