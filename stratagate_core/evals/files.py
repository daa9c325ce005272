"""Reads the files of data sets: whatever is wrong with one is said in one line."""

from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import StringConstraints, TypeAdapter, ValidationError
from pydantic_core import from_json

from stratagate_core.errors import InvalidArgument, NotFound

T = TypeVar("T")

#: an id in a file
Key = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def load_json(path: Path, kind: str) -> Any:
    """The value in a JSON file; `kind` names the expected format in errors.

    Raises:
        NotFound: there is no such file.
        InvalidArgument: it cannot be read, or is not JSON.

    """
    try:
        return from_json(path.read_bytes())
    except FileNotFoundError as error:
        raise NotFound(f"no file {path}") from error
    except IsADirectoryError as error:
        raise InvalidArgument(f"{path} is a folder, not a {kind} file") from error
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InvalidArgument(f"{path} is not JSON: {error}") from error


def shaped(value: Any, shape: TypeAdapter[T], path: Path, kind: str) -> T:
    """The value in the expected shape.

    Raises:
        InvalidArgument: it has another one; the message says where and why first.

    """
    try:
        return shape.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        # the rest of the message names a class of ours
        what = first["msg"].partition(" or instance of ")[0]
        raise InvalidArgument(f"{path} is not a {kind} file: {where}: {what}") from error
