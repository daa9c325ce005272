"""Every error the library raises on purpose, in one tree.

::

    StrataGateError
    ├── InvalidArgument      (also a ValueError)
    ├── NotFound             (also a LookupError)
    ├── Conflict
    ├── EvidenceError
    │   └── BatchError
    ├── Disabled
    ├── NewerSchema
    ├── StorageError
    ├── MissingExtra         (also an ImportError)
    ├── GateError
    └── ModelError
        └── ModelUnavailable

The docstring of a class is its default message. None of them is a ``RuntimeError``: frameworks
rewrite those.
"""

from collections.abc import Mapping
from typing import Any


class StrataGateError(Exception):
    """StrataGate could not do what was asked."""

    #: machine-readable code used by the tools (13 §1)
    code = "unavailable"

    def __init__(self, message: str | None = None, /, **details: Any) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())
        self.details: Mapping[str, Any] = details

    @property
    def message(self) -> str:
        """The message alone, without the details."""
        return str(self.args[0])


class InvalidArgument(StrataGateError, ValueError):
    """An argument is not acceptable."""

    code = "invalid_argument"


class NotFound(StrataGateError, LookupError):
    """Nothing is stored under this id."""

    code = "not_found"


class Conflict(StrataGateError):
    """The stored state changed meanwhile; read it again and repeat."""

    code = "conflict"


class EvidenceError(StrataGateError):
    """The evidence gate refused this step."""

    code = "evidence"


class BatchError(EvidenceError):
    """No such evidence batch is open in this thread."""

    code = "batch"


class Disabled(StrataGateError):
    """Switched off in the settings of this memory."""

    code = "disabled"


class NewerSchema(StrataGateError):
    """The database was written by a newer StrataGate; upgrade the library to open it."""


class StorageError(StrataGateError):
    """The database did not do what was asked; nothing was written."""


class MissingExtra(StrataGateError, ImportError):
    """An optional dependency is not installed."""

    @classmethod
    def of(cls, what: str, extra: str) -> "MissingExtra":
        """The error for class or command `what`, which needs the extra `extra`."""
        return cls(
            f"{what} needs the extra '{extra}': pip install 'stratagate[{extra}]'",
            what=what,
            extra=extra,
        )


class GateError(StrataGateError):
    """The run ended without settled evidence."""

    code = "evidence"


class ModelError(StrataGateError):
    """The memory model failed."""

    def __init__(
        self,
        message: str | None = None,
        /,
        *,
        retryable: bool = True,
        away: bool = False,
        **details: Any,
    ) -> None:
        super().__init__(message, **details)
        #: whether asking again later may help
        self.retryable = retryable
        #: whether the model was not there to answer at all, which costs a job no attempt
        self.away = away


class ModelUnavailable(ModelError):
    """The memory model is momentarily not available."""

    def __init__(self, message: str | None = None, /, *, away: bool = True, **details: Any) -> None:
        super().__init__(message, away=away, **details)
