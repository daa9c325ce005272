"""`stratagate doctor`: is the installation complete, and is a database in good health?

The database is opened read-only; no byte of it changes.
"""

import platform
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Literal

from stratagate_core.errors import StrataGateError
from stratagate_core.store import index_check, integrity, jobs, namespaces, schema
from stratagate_core.store.engine import Store
from stratagate_core.store.places import shown
from stratagate_core.store.tx import AdminTx, Tx

PACKAGE = "stratagate"
_OLDEST_PYTHON = (3, 11)
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"extra == ['\"]([a-z]+)['\"]")
#: extras that bring nothing of their own to look for
_UNCHECKED = ("all", "dev")

#: fine, worth knowing, damaged, or not to be looked at
Health = Literal["ok", "note", "fault", "failed"]


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was looked at."""

    what: str
    found: str
    health: Health = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All lines of a visit, and the faults in full."""

    title: str
    lines: tuple[Line, ...]
    faults: tuple[str, ...] = ()
    #: what each kind of job has spent on the model, over all namespaces
    spent: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def is_healthy(self) -> bool:
        """Whether all could be looked at and nothing is damaged."""
        return all(line.health in ("ok", "note") for line in self.lines)


def installation() -> Report:
    """Look at the interpreter and the packages."""
    needed = tuple(requires(PACKAGE) or ())
    lines = (
        Line(PACKAGE, version(PACKAGE)),
        _python(),
        Line("sqlite", sqlite3.sqlite_version),
        *_core_packages(needed),
        *_extras(needed),
    )
    return Report(title="Installation", lines=lines)


def _python() -> Line:
    fits = sys.version_info >= _OLDEST_PYTHON
    return Line("python", platform.python_version(), "ok" if fits else "fault")


def _core_packages(needed: Sequence[str]) -> Iterator[Line]:
    for name in _names(text for text in needed if ";" not in text):
        found = _installed(name)
        yield Line(name, found or "missing: pip install stratagate", "ok" if found else "fault")


def _extras(needed: Sequence[str]) -> Iterator[Line]:
    """An extra counts as there when all its packages are."""
    brought: dict[str, list[str]] = {}
    for text in needed:
        if match := _EXTRA.search(text):
            brought.setdefault(match[1], []).extend(_names([text]))
    for extra in sorted(set(brought) - set(_UNCHECKED)):
        versions = {name: _installed(name) for name in brought[extra]}
        if all(versions.values()):
            found = ", ".join(f"{name} {value}" for name, value in versions.items())
            yield Line(f"extra {extra}", found)
        else:
            advice = f"not installed: pip install '{PACKAGE}[{extra}]'"
            yield Line(f"extra {extra}", advice, "note")


def _names(requirements: Sequence[str] | Iterator[str]) -> list[str]:
    return [match[0] for text in requirements if (match := _NAME.match(text))]


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def database(place: str) -> Report:
    """Look through a database."""
    try:
        store = Store(place, read_only=True)
    except StrataGateError as error:
        return _unreadable(place, error)
    try:
        with store.admin() as tx:
            return _looked_through(place, tx)
    except StrataGateError as error:
        return _unreadable(place, error)
    finally:
        store.close()


def _unreadable(place: str, error: StrataGateError) -> Report:
    line = Line("opening", "not possible", "failed")
    return Report(title=f"Database {shown(place)}", lines=(line,), faults=(error.message,))


def _looked_through(place: str, tx: AdminTx) -> Report:
    found = tuple(integrity.findings(tx))
    lines = (
        Line("schema version", f"{integrity.schema_version(tx)} (known: {schema.SCHEMA_VERSION})"),
        *(_line(finding) for finding in found),
        *(_index_line(state) for state in index_check.index_states(tx)),
    )
    faults = tuple(fault for finding in found for fault in finding.faults)
    return Report(title=f"Database {shown(place)}", lines=lines, faults=faults, spent=_spent(tx))


def _spent(tx: AdminTx) -> Mapping[str, Mapping[str, int]]:
    """The account of model calls, summed over namespaces; kinds that asked nothing are left out."""
    sums: dict[str, Counter[str]] = {}
    for namespace in namespaces.names(tx):
        for kind, spent in jobs.ledger(Tx(tx.connection, namespace)).items():
            sums.setdefault(kind, Counter()).update(spent)
    return {kind: dict(spent) for kind, spent in sorted(sums.items()) if spent["model_calls"]}


def _line(finding: integrity.Finding) -> Line:
    if finding.faults:
        return Line(finding.check, f"{len(finding.faults)} damaged", "fault")
    return Line(finding.check, f"{finding.looked_at:,} looked at")


def _index_line(state: index_check.IndexState) -> Line:
    what = f"index {state.name} of {state.namespace}"
    if state.state == "rebuilding":
        return Line(what, "waits to be rebuilt; until then search scans", "note")
    if state.indexed != state.expected:
        return Line(what, f"holds {state.indexed:,} of {state.expected:,} documents", "fault")
    if state.damage is not None:
        return Line(what, f"is damaged: {state.damage}", "fault")
    return Line(what, f"{state.indexed:,} documents")
