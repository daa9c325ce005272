"""The public surface: what is exported, what is async, and that both stay in step."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import stratagate_core
from stratagate_core import AsyncStrataGate, Settings, StrataGate, errors

ROOT = Path(__file__).resolve().parent.parent
#: no async form: they do no I/O, or open the handle
SYNC_ONLY = {"open", "aio", "outbox", "recover", "arun", "awork_on", "now"}


def _public(kind: type) -> dict[str, object]:
    return {name: value for name, value in vars(kind).items() if not name.startswith("_")}


def test_all_is_sorted_and_complete() -> None:
    """`__all__` lists each public name once, sorted, and nothing that is not there."""
    names = stratagate_core.__all__

    assert sorted(set(names)) == sorted(names)
    assert [] == [name for name in names if not hasattr(stratagate_core, name)]


def test_every_error_is_exported() -> None:
    """Each error of the tree can be imported from the top."""
    tree = {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.StrataGateError)
    }

    assert set() == tree - set(stratagate_core.__all__)


def test_an_error_explains_itself() -> None:
    """The docstring of an error is its default message."""
    assert "not acceptable" in str(errors.InvalidArgument())
    assert issubclass(errors.MissingExtra, ImportError)
    assert "pip install 'stratagate[classic]'" in str(errors.MissingExtra.of("X", "classic"))


def test_the_async_twin_has_the_same_names() -> None:
    """Every method of the facade exists on the twin with the same parameters."""
    twin = _public(AsyncStrataGate)
    for name, method in _public(StrataGate).items():
        if name in SYNC_ONLY or isinstance(method, property):
            continue
        assert name in twin, name
        expected = list(inspect.signature(method).parameters)  # type: ignore[arg-type]
        assert expected == list(inspect.signature(twin[name]).parameters), name  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_async_twin_is_generated() -> None:
    """`aio.py` is what the generator writes."""
    command = [sys.executable, str(ROOT / "scripts" / "generate_aio.py"), "--check"]

    assert 0 == subprocess.run(command, cwd=ROOT, check=False).returncode


async def test_sync_and_async_give_the_same(tmp_path: Path) -> None:
    """The same conversation through both forms leaves the same answers."""
    from stratagate_core.testing import CountingIds, ManualClock

    def opened(name: str) -> StrataGate:
        return StrataGate.open(
            tmp_path / name,
            settings=Settings(block_turn_size=2),
            clock=ManualClock(),
            new_id=CountingIds(),
        )

    with opened("sync.db") as one, opened("async.db") as two:
        other = two.aio
        for text in ("I moved to Lyon last week.", "My cat is Miso.", "ok"):
            one.add_turn(text, "ok", receipt=text)
            await other.add_turn(text, "ok", receipt=text)

        assert one.blocks() == await other.blocks()
        assert one.search_events("Lyon") == await other.search_events("Lyon")
        assert one.search_raw("cat", open_batch=True) == await other.search_raw(
            "cat", open_batch=True
        )
        assert one.open_batches() == await other.open_batches()
        assert one.recall("Where is my cat?") == await other.recall("Where is my cat?")
        assert one.finish_turn() == await other.finish_turn()
        assert one.stats() == await other.stats()


@pytest.mark.slow
def test_core_imports_no_framework() -> None:
    """Importing the core loads neither LangChain nor LlamaIndex."""
    code = (
        "import sys, stratagate_core;"
        "print([n for n in sys.modules if n.split('.')[0] in "
        "('langchain','langchain_core','langchain_classic','langgraph','llama_index')])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[]" == shown.stdout.strip()


def test_C_02_namespaces_by_project_and_session(tmp_path: Path) -> None:
    """One project is one namespace; sessions differ."""
    name = stratagate_core.namespace_for

    assert name("project", tmp_path) == name("project", str(tmp_path))
    assert name("session", "a") != name("session", "b")
    assert "stratagate:global:global" == name("global")
    with pytest.raises(stratagate_core.InvalidArgument, match="thread id"):
        name("session")
