"""Opening a memory: what is refused, what is kept, what costs nothing."""

import gc
import hashlib
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from stratagate_core import (
    InvalidArgument,
    NewerSchema,
    NotFound,
    Settings,
    StorageError,
    StrataGate,
)
from stratagate_core.store.advice import explained
from stratagate_core.testing import ScriptedModel
from tests.conftest import Opener, RunSql


def test_X_03_a_newer_schema_is_refused(open_memory: Opener, run_sql: RunSql) -> None:
    """A database of a newer version says so and is left alone."""
    open_memory().close()
    run_sql("UPDATE meta SET value = '99' WHERE key = 'schema_version'")

    with pytest.raises(NewerSchema, match="99"):
        open_memory()


def _fingerprint(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.one_database
def test_X_03_read_only_changes_no_byte(open_memory: Opener, tmp_path: Path) -> None:
    """Reading from a read-only opening leaves the folder as it is; writing is refused."""
    memory = open_memory(settings={"block_turn_size": 1})
    memory.add_turn("the harbour is blue", "yes")
    memory.close()
    before = _fingerprint(tmp_path)

    reader = open_memory(read_only=True)
    assert 1 == len(reader.search_raw("harbour").hits)
    assert 1 == reader.get_blocks()["block_count"]
    with pytest.raises(InvalidArgument, match="read-only"):
        reader.add_turn("x", "y")
    reader.close()

    assert before == _fingerprint(tmp_path)


def test_read_only_creates_no_database(tmp_path: Path) -> None:
    """A read-only opening of nothing is an error, not a new file."""
    with pytest.raises(NotFound):
        StrataGate.open(tmp_path / "none.db", read_only=True)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("database", ["", "   ", None, 3, True, b"x", ["a"], {}, "a\x00b"])
def test_a_blank_database_is_refused(database: Any) -> None:
    """Blank is an error that says what to give."""
    with pytest.raises(InvalidArgument, match="file path"):
        StrataGate.open(database)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """Some other file is not overwritten."""
    path = tmp_path / "letter.txt"
    path.write_text("dear reader " * 400)

    with pytest.raises(StorageError, match=r"letter.txt failed: .* it is no SQLite file; give"):
        StrataGate.open(path)
    assert "dear reader " * 400 == path.read_text()


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"block_turn_size": 0}, "block_turn_size"),
        ({"block_decay_lambda": -1}, "block_decay_lambda"),
        ({"block_decay_lambda": float("nan")}, "block_decay_lambda"),
        ({"agent_memory_retrieval_weight": 9}, "agent_memory_retrieval_weight"),
        ({"display_timezone": "Mars/Olympus"}, "display_timezone"),
        ({"blok_size": 3}, "blok_size"),
    ],
)
def test_invalid_settings_name_the_setting(values: dict[str, object], named: str) -> None:
    """A value out of range is refused at start, naming the setting."""
    with pytest.raises(InvalidArgument, match=named):
        Settings(**values)


def test_namespaces_never_see_each_other(open_memory: Opener) -> None:
    """Equal ids in two namespaces stay apart; a prefix of a name is another name."""
    memory = open_memory()
    acme, corp = memory.for_namespace("acme"), memory.for_namespace("acme-corp")
    acme.add_turn("the secret is marmalade", "ok", receipt="r")
    corp.add_turn("nothing here", "ok", receipt="r")

    assert () == corp.search_raw("marmalade", include_tail=True).hits
    assert 1 == len(acme.search_raw("marmalade", include_tail=True).hits)
    assert 1 == corp.stats()["current_turn"]


def test_saved_settings_reach_open_handles(open_memory: Opener) -> None:
    """A stored setting acts at once in every handle and survives a restart."""
    memory = open_memory()
    other = memory.for_namespace("other")
    memory.save_settings(block_turn_size=3)

    assert 3 == other.settings().block_turn_size
    memory.close()
    assert 3 == open_memory().settings().block_turn_size
    with pytest.raises(InvalidArgument, match="stored"):
        open_memory().save_settings(language="zh")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"model": "gpt-4"}, r"LangChainModel\('openai:gpt-4'\)"),
        ({"model": 3}, "int cannot answer"),
        ({"model": ScriptedModel}, "the class ScriptedModel cannot answer"),
        ({"settings": {}}, "settings must be a Settings"),
        ({"settings": {"language": "zh"}}, "settings must be a Settings"),
        ({"clock": None}, "clock must give"),
        ({"clock": datetime(2026, 5, 6, tzinfo=UTC)}, "clock must give"),
        ({"clock": lambda: datetime(2026, 5, 6)}, "with a timezone"),
        ({"new_id": "evt"}, "new_id must be a function"),
        ({"count_tokens": 4}, "count_tokens must be a function"),
        ({"count_tokens": str.split}, "gives a number"),
    ],
)
def test_what_does_not_fit_is_refused_at_opening(
    tmp_path: Path, given: dict[str, Any], told: str
) -> None:
    """Nothing is accepted that would fail at the first job; no file is made."""
    with pytest.raises(InvalidArgument, match=told):
        StrataGate.open(tmp_path / "memory.db", **given)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_model_of_a_framework_is_told_its_wrapper() -> None:
    """An unwrapped model names the class that wraps it; a wrapper refuses all but its kind."""
    from langchain_core.language_models import FakeListChatModel
    from llama_index.core.llms import MockLLM

    from stratagate_lc.langchain import LangChainModel
    from stratagate_lc.llama_index import LlamaIndexModel

    chat, llm = FakeListChatModel(responses=["x"]), MockLLM()
    unwrapped: Any
    for unwrapped, told in (
        (chat, r"LangChainModel\(model\) from stratagate_lc.langchain"),
        (llm, r"LlamaIndexModel\(model\) from stratagate_lc.llama_index"),
    ):
        with pytest.raises(InvalidArgument, match=told):
            StrataGate.open(":memory:", model=unwrapped)
    for wrapper, other in ((LangChainModel, llm), (LlamaIndexModel, chat), (LangChainModel, None)):
        with pytest.raises(InvalidArgument, match=f"{wrapper.__name__} takes a L"):
            wrapper(other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE songs (title TEXT)",
        "CREATE TABLE meta (name TEXT, content TEXT)",
        "CREATE TABLE meta (key TEXT, value TEXT)",
    ],
)
def test_a_database_of_another_program_is_refused_untouched(tmp_path: Path, statement: str) -> None:
    """Nothing is added to a database that is not ours, whatever its tables are called."""
    path = tmp_path / "songs.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    before = _fingerprint(tmp_path)

    for read_only in (False, True):
        with pytest.raises(InvalidArgument, match=r"songs\.db is a database of something else"):
            StrataGate.open(path, read_only=read_only)
    assert before == _fingerprint(tmp_path)


def test_an_empty_file_becomes_a_memory(tmp_path: Path) -> None:
    """A file of no bytes is as good as none."""
    path = tmp_path / "memory.db"
    path.touch()
    with StrataGate.open(path) as memory:
        assert 1 == memory.add_turn("a", "b").turn


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    """The message names the folder and says what to give."""
    with pytest.raises(StorageError, match=f"{tmp_path} cannot be opened: it is a folder; give"):
        StrataGate.open(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match=r"cannot be made: .*; make it, or give another path"):
        StrataGate.open(tmp_path / "file" / "memory.db")


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("attempt to write a readonly database", "it may not be written; allow it"),
        ("database or disk is full", "free some and repeat"),
        ("database is locked", "another process"),
        ("database disk image is malformed", "restore it from a copy"),
        ("disk I/O error", "the disk failed"),
        ("unable to open database file", "the folder /no/where does not exist"),
    ],
)
def test_a_failure_of_storage_names_file_and_remedy(words: str, remedy: str) -> None:
    """What the driver says is kept, with the file and what to do."""
    told = explained(sqlite3.OperationalError(words), "/no/where/memory.db")

    assert "/no/where/memory.db" in told
    assert remedy in told


def test_a_failure_without_known_meaning_is_repeated() -> None:
    """No remedy is made up."""
    told = explained(sqlite3.OperationalError("no such table: x"), "memory.db")

    assert "the database memory.db failed: no such table: x" == told


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="reads Linux' list of open files")
def test_a_memory_that_is_dropped_gives_its_files_back(tmp_path: Path) -> None:
    """Who forgets `close` leaks no connection."""

    def opened() -> list[str]:
        links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
        targets = [os.readlink(link) for link in links if link.is_symlink()]
        return [target for target in targets if target.startswith(str(tmp_path))]

    memory = StrataGate.open(tmp_path / "memory.db")
    memory.add_turn("The kiln came.", "Good.")
    held = opened()
    del memory
    gc.collect()

    assert held
    assert [] == opened()
