"""Public names that are imported when they are first used (a framework costs seconds)."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from stratagate_core.errors import MissingExtra


@dataclass(frozen=True, slots=True)
class Home:
    """Where a public name lives and what has to be installed for it."""

    module: str
    extra: str
    #: the top package the extra brings
    package: str


def resolve(where: str, homes: Mapping[str, Home], name: str) -> Any:
    """The public object `name` of the package `where`.

    Raises `MissingExtra` only when the extra's own package is absent: any other failing import
    says itself what is wrong.
    """
    home = homes.get(name)
    if home is None:
        raise AttributeError(f"module {where!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{where}.{home.module}"), name)
    except ModuleNotFoundError as error:
        if not is_absent(home.package):
            raise
        raise MissingExtra.of(name, home.extra) from error


def is_absent(package: str) -> bool:
    """Whether the top package of an extra is not installed."""
    return find_spec(package) is None
