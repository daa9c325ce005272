"""Killed at any commit and run again, a memory ends where an undisturbed run ends (X-04)."""

import contextlib
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from stratagate_core import Conflict, Message, Settings, StrataGate
from stratagate_core.store import schema
from stratagate_core.testing import ManualClock
from tests.conftest import START
from tests.databases import Database
from tests.store.contents import contents

TURNS = (
    ("I moved from Berlin to Lyon last week.", "How is the new flat?"),
    ("The flat is small. I adopted a cat named Miso.", "A cat!"),
    ("We plan to launch the beta on June 3.", "Noted."),
    ("好的。我上周开始学习日语。", "加油！"),
    ("I prefer green tea.", "Good choice."),
)


class Killed(BaseException):
    """The process dies here."""


class Killer:
    """Kills the process at the n-th write transaction, before or after its commit."""

    def __init__(self, at: int | None, *, after: bool) -> None:
        self.at, self.after, self.seen = at, after, 0
        self.dead = False

    def watch(self, memory: StrataGate) -> None:
        """Look at every transaction of this memory."""
        engine = memory._core.env.store.engine
        sa.event.listen(engine, "begin", self.begin)
        sa.event.listen(engine, "commit", self.commit)

    def begin(self, connection: sa.Connection) -> None:
        """After the n-th commit nothing starts any more."""
        if self.dead or (self.after and self.at is not None and self.seen >= self.at):
            self.die()

    def commit(self, connection: sa.Connection) -> None:
        """Count write transactions; die before the n-th is committed."""
        if not connection.get_execution_options().get("stratagate_write"):
            return
        self.seen += 1
        if self.seen == self.at and not self.after:
            self.die()

    def die(self) -> None:
        """From here on nothing is written."""
        self.dead = True
        raise Killed


class Places:
    """Databases for one run after another: fresh files, or the same one emptied each time."""

    def __init__(self, folder: Path, server: Database | None) -> None:
        self.folder, self.server = folder, server
        self._numbers = itertools.count()
        #: a run takes so long on a server that not every write is the last one there
        self.step = 1 if server is None else 4

    def fresh(self) -> Path | str:
        """An empty database."""
        if self.server is None:
            return self.folder / f"{next(self._numbers)}.db"
        self.server.clean()
        return self.server.url


@pytest.fixture
def places(each_database: Path | str, tmp_path: Path, request: pytest.FixtureRequest) -> Places:
    """Where to be killed."""
    is_file = isinstance(each_database, Path)
    return Places(tmp_path, None if is_file else request.getfixturevalue("postgresql"))


#: random ids would make two runs differ in more than their order
_ids = itertools.count()


def _open(place: Path | str) -> StrataGate:
    return StrataGate.open(
        place,
        settings=Settings(block_turn_size=2),
        clock=ManualClock(START),
        new_id=lambda prefix: f"{prefix}_{next(_ids):09}",
        recover_running=True,
    )


def _run(memory: StrataGate) -> None:
    """A conversation and an answer that uses what it found; every part may be repeated."""
    for number, (user, assistant) in enumerate(TURNS):
        memory.add_turn(user, assistant, receipt=f"r{number}")
    memory.run_pending(retry_failed=True)
    if not memory.usage().total:
        batches = memory.open_batches()
        if not batches:
            memory.search_raw("cat Miso", open_batch=True)
            batches = memory.open_batches()
        ref = batches[0].refs[0]
        memory.assess("sufficient", [ref], batch_id=batches[0].id)
        memory.record_use([ref], batch_id=batches[0].id, receipt="call-1")
    memory.expand_block(memory.blocks()[0].id, "L2", by="user")
    if memory.usage().total < 2:
        if not memory.open_batches():
            memory.search_raw("green tea", open_batch=True, include_tail=True)
        memory.finish_turn()
    _curate(memory)
    memory.drain()
    _check_filed(memory)


def _check_filed(memory: StrataGate) -> None:
    """Every event that is shown stands in a topic."""
    page = memory.topics(limit=20)
    filed = {key for one in page.items for key in one.source_event_ids}

    assert page.next_offset is None
    assert not [one for one in page.items if one.is_fallback]
    assert {hit.item["id"] for hit in memory.search_events("", limit=20).hits} == filed


def _curate(memory: StrataGate) -> None:
    """Adding, pinning, forgetting and restoring by hand."""
    source = str(memory.sources(memory.blocks()[0].id)[0].id)
    card = {"id": "evt_mine", "title": "Lisbon", "summary": "A talk in Lisbon.", "scope": "user"}
    with contextlib.suppress(Conflict):
        memory.ingest_events([{**card, "source_message_ids": [source]}])
    for change in (memory.pin, memory.archive, memory.restore, memory.unpin):
        change("evt_mine")


INDEX = (
    schema.segments,
    schema.terms,
    schema.documents,
    schema.index_stats,
)


def _lose_index(memory: StrataGate) -> None:
    """The index of the messages is gone, as after a change of the analyser."""
    with memory._write() as work:
        for table in INDEX:
            work.tx.change(sa.delete(table).where(work.tx.of(table), table.c.name == "messages"))


def _postings(memory: StrataGate) -> list[Any]:
    """What the index says, without ids."""
    with memory._read() as work:
        return sorted(
            (said[0], said[1], *said[3:]) for said in contents(work.tx) if said[0] == "posting"
        )


_TRIED = ("attempts", "diagnostics", "lease", "error", "result", "audit", "body_hash")


def _state(memory: StrataGate, folder: Path) -> list[str]:
    """Everything stored, without ids and without how often work was tried."""
    path = folder / "state.jsonl"
    memory.export(path, overwrite=True)
    lines = []
    for line in path.read_text().splitlines():
        row: dict[str, Any] = json.loads(line)
        if str(row["kind"]).startswith("topic"):
            # where events are filed by name depends on which of them wait together
            continue
        for name in _TRIED:
            row.pop(name, None)
        row.pop("id", None)
        text = json.dumps(row, sort_keys=True, ensure_ascii=False)
        lines.append(re.sub(r"\b(msg|blk|evt|graph|batch|job|lease|ans)_\d+", r"\1", text))
    return sorted(lines)


def _undisturbed(places: Places) -> tuple[list[str], int]:
    killer = Killer(None, after=False)
    with _open(places.fresh()) as memory:
        killer.watch(memory)
        _run(memory)
        return _state(memory, places.folder), killer.seen


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before commit", "after commit"])
def test_X_04_killed_at_every_commit(places: Places, after: bool) -> None:
    """Whatever write the process dies at, running again gives the undisturbed state."""
    expected, writes = _undisturbed(places)
    assert writes > 10
    # nothing begins after the last write
    for at in range(1, writes + (0 if after else 1), places.step):
        place = places.fresh()
        memory = _open(place)
        Killer(at, after=after).watch(memory)
        with pytest.raises(Killed):
            _run(memory)
        memory._core.env.store.engine.dispose()
        with _open(place) as again:
            _run(again)

            assert expected == _state(again, places.folder), f"killed at write {at}"


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before commit", "after commit"])
def test_X_04_a_rebuild_killed_anywhere_is_done_again(places: Places, after: bool) -> None:
    """A lost index is rebuilt whole, whenever the process dies on the way."""
    with _open(places.fresh()) as memory:
        _run(memory)
        expected = _postings(memory)
    for at in (1, 2, 3):
        place = places.fresh()
        with _open(place) as memory:
            _run(memory)
            _lose_index(memory)
        memory = _open(place)
        Killer(at, after=after).watch(memory)
        with contextlib.suppress(Killed):
            memory.search_raw("cat")
            memory.run_pending()
        memory._core.env.store.engine.dispose()
        with _open(place) as again:
            again.search_raw("cat")
            again.run_pending(retry_failed=True)

            assert expected == _postings(again)
            assert again.search_raw("cat").reason is None


def test_a_source_is_stored_before_anything_is_derived(places: Places) -> None:
    """Dying in the first derivation leaves the turn and its receipt."""
    place = places.fresh()
    memory = _open(place)
    Killer(2, after=False).watch(memory)
    memory.add_turn("one", "two", receipt="r", work="append")
    with pytest.raises(Killed):
        memory.add_messages([Message(role="user", content="three")])
    memory._core.env.store.engine.dispose()

    with _open(place) as again:
        assert ["one", "two"] == [message.content for message in again.open_tail()]
        assert again.add_turn("one", "two", receipt="r").receipt_known
