"""The doctor finds damage, names it, and touches nothing."""

import json
import sqlite3
from pathlib import Path

import pytest

from stratagate_core import Reply, Settings, StrataGate
from stratagate_core.testing import ScriptedModel
from tests.apps.conftest import Run
from tests.conftest import Opener

pytestmark = pytest.mark.slow


def hurt(database: Path, *statements: str) -> None:
    """Damage a file behind the library's back."""
    connection = sqlite3.connect(database)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def test_installation(run: Run) -> None:
    """Without any memory the installation alone is looked at."""
    code, text, _ = run("doctor")
    assert code == 0
    for name in ("python", "sqlalchemy", "snowballstemmer", "extra langchain", "extra llamaindex"):
        assert f"   {name} " in text
    assert "No memory at " in text


def test_a_healthy_database(run: Run, database: Path) -> None:
    """Every check is listed with how much it saw."""
    code, text, _ = run("doctor", database)
    assert code == 0
    assert "DAMAGED" not in text
    assert text.count(" ok\n") >= 15
    for what in ("schema version", "ready blocks have L0 to L2", "index messages of default"):
        assert what in text
    assert "6 documents" in text


@pytest.mark.parametrize(
    ("statements", "check", "fault"),
    [
        (
            ("DELETE FROM blocks",),
            "references resolve",
            "is not among the blocks",
        ),
        (
            ("DELETE FROM messages WHERE position = 0 AND block_id IS NOT NULL",),
            "references resolve",
            "is not among the messages",
        ),
        (
            ("UPDATE messages SET block_id = NULL",),
            "sources stand in their block",
            "is outside its block",
        ),
        (
            ("UPDATE events SET source_message_ids = '[]'",),
            "sources stand in their block",
            "its list of sources is damaged",
        ),
        (
            ("UPDATE events SET source_message_ids = '{damaged'",),
            "sources stand in their block",
            "its list of sources is damaged",
        ),
        (
            ("UPDATE blocks SET summary = ' '",),
            "ready blocks have L0 to L2",
            "is ready without its levels L0 to L2",
        ),
        (
            ("UPDATE blocks SET key_points = NULL",),
            "ready blocks have L0 to L2",
            "is ready without its levels L0 to L2",
        ),
        (
            ("UPDATE threads SET tail = -1",),
            "counters are not negative",
            "default: threads main: tail is negative",
        ),
        (
            ("UPDATE namespaces SET current_turn = -3",),
            "counters are not negative",
            "default: namespaces: current_turn is negative",
        ),
        (
            ("UPDATE events SET superseded_by = 'evt_nobody'",),
            "references resolve",
            "superseded_by 'evt_nobody' is not among the events",
        ),
        (
            (
                "UPDATE events SET temporal = "
                + repr(json.dumps({"before_event_ids": ["evt_nobody"]})),
            ),
            "relations resolve",
            "names the unknown event 'evt_nobody'",
        ),
    ],
)
def test_damage_is_found(
    run: Run, database: Path, statements: tuple[str, ...], check: str, fault: str
) -> None:
    """Each kind of damage is named and ends with exit code 1."""
    hurt(database, *statements)
    code, text, _ = run("doctor", database)
    assert code == 1
    (line,) = [line for line in text.splitlines() if line.strip().startswith(check)]
    assert line.endswith("DAMAGED")
    assert fault in text


def test_ids_that_stand_twice(run: Run, database: Path) -> None:
    """A table that lost its primary key may hold an id twice; that is found."""
    hurt(
        database,
        "CREATE TABLE copy AS SELECT * FROM batches",
        "DROP TABLE batches",
        "ALTER TABLE copy RENAME TO batches",
        *[
            "INSERT INTO batches (namespace, id, evidence, status) VALUES "
            "('default', 'bat_1', '[]', 'expired')"
        ]
        * 2,
    )
    code, text, _ = run("doctor", database)
    assert code == 1
    assert "default: batches bat_1: stands twice" in text


def test_an_index_that_lost_a_document(run: Run, database: Path) -> None:
    """An index that does not hold all its documents is damage."""
    hurt(database, "UPDATE index_stats SET documents = 5 WHERE name = 'messages'")
    code, text, _ = run("doctor", database)
    assert code == 1
    assert "holds 5 of 6 documents" in text


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("UPDATE terms SET recent = x'00'", "the list of a word in the index is damaged"),
        ("UPDATE terms SET documents = documents + 1", "documents and lists"),
        ("UPDATE documents SET length = length + 1", "lists a document that is not there"),
        (
            "DELETE FROM terms WHERE term = (SELECT min(term) FROM terms)",
            "does not list every word of a document",
        ),
    ],
)
def test_an_index_whose_lists_are_damaged(
    run: Run, database: Path, damage: str, words: str
) -> None:
    """Lists that cannot be read or do not fit the documents are damage."""
    hurt(database, damage)
    code, text, _ = run("doctor", database)
    assert code == 1
    assert words in text


def test_an_index_of_another_analyser_is_only_a_note(run: Run, database: Path) -> None:
    """An index that will be rebuilt by itself is worth knowing, no damage."""
    hurt(database, "UPDATE index_stats SET analyser = 'older'")
    code, text, _ = run("doctor", database)
    assert code == 0
    assert "waits to be rebuilt; until then search scans" in text


def test_many_faults_are_cut_short(run: Run, tmp_path: Path, open_memory: Opener) -> None:
    """The first twenty faults are listed, the rest counted."""
    path = tmp_path / "many.db"
    memory = open_memory(path=path)
    for number in range(25):
        memory.add_turn(f"Note {number}", "Yes.", thread=f"thread-{number:02}")
    memory.close()
    hurt(path, "UPDATE threads SET tail = -1")
    _, text, _ = run("doctor", path)
    assert "thread-19: tail is negative" in text
    assert "thread-20" not in text
    assert "and 5 more" in text


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE meta SET value = '99' WHERE key = 'schema_version'", "upgrade stratagate"),
        ("DROP TABLE meta", "has tables but no StrataGate memory"),
    ],
)
def test_a_database_that_cannot_be_opened(
    run: Run, database: Path, statement: str, message: str
) -> None:
    """A newer or a foreign file is damage to the doctor, with the reason."""
    hurt(database, statement)
    code, text, _ = run("doctor", database)
    assert code == 1
    assert message in text


def test_a_file_that_is_no_database(run: Run, tmp_path: Path) -> None:
    """Neither a missing file nor one of something else raises."""
    text_file = tmp_path / "notes.txt"
    text_file.write_text("these are only notes " * 100)
    for path in (text_file, tmp_path / "nothing.db"):
        code, text, _ = run("doctor", path)
        assert code == 1
        assert "opening    not possible  FAILED" in text
        assert "DAMAGED" not in text
        assert str(path) in text


def test_what_the_model_cost_is_shown(run: Run, tmp_path: Path) -> None:
    """Calls, retries and tokens of each kind of job, over all namespaces, if any."""
    path = tmp_path / "memory.db"
    summary = {"l0_title": "x", "l1_summary": "y", "l0_tags": [], "l2_keypoints": []}
    reply = Reply(
        text=json.dumps({**summary, "should_extract": False}),
        usage={"input_tokens": 700, "output_tokens": 9},
    )
    settings = Settings(block_turn_size=1, processing="inline")
    model = ScriptedModel([Reply(text="no"), reply, reply])
    with StrataGate.open(path, model=model, settings=settings) as memory:
        assert "model asked for" not in run("doctor", path)[1]
        memory.add_turn("a", "b")
        memory.for_namespace("other").add_turn("c", "d")
    _, text, _ = run("doctor", path)
    rows = [line.split() for line in text.splitlines() if "block_summary" in line]

    (row,) = rows
    assert ["block_summary", "3", "1"] == row[:3]
    assert ["1,400", "+", "18"] == row[-3:]
    assert text.count("model asked for") == 1
