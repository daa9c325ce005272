"""Filling a memory quickly: rows through the store's own writers, many in one transaction."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from itertools import islice
from pathlib import Path

from benchmarks.corpus import START, texts
from stratagate_core import Event, Message, Settings, StrataGate, Temporal, Weight
from stratagate_core.rank.fields import event_tokens, message_tokens
from stratagate_core.store import events, index, namespaces, schema, turns
from stratagate_core.store.namespaces import Thread
from stratagate_core.store.turns import TurnRow

_PAGE = 1000
_BLOCK = 12


def open_memory(path: Path) -> StrataGate:
    """A memory whose blocks are sealed only when asked, so that filling is only filling."""
    return StrataGate.open(path, settings=Settings(block_turn_size=_BLOCK, processing="external"))


def add_messages(memory: StrataGate, count: int, *, seed: int = 1, thread: str = "old") -> None:
    """Store so many single-message turns of a finished epoch in a new namespace, and index them."""
    source = texts(count, seed)
    done = 0
    with memory._write() as work:
        index.begin(work.tx, index.MESSAGES)
    while page := list(islice(source, _PAGE)):
        with memory._write() as work:
            made = []
            for text in page:
                done += 1
                number = namespaces.advance(work.tx, "current_turn")
                made.append(_message(thread, number, text))
                turns.insert_turn(work.tx, _turn(thread, number, done))
                turns.insert_messages(work.tx, made[-1:], start=0)
            tokens = [(str(message.id), message_tokens(message, ())) for message in made]
            index.add(work.tx, index.MESSAGES, tokens)
            namespaces.put_thread(work.tx, Thread(thread, turns=done, sealed=done))


def copy_namespaces(place: Path, pairs: Iterable[tuple[str, str]]) -> None:
    """Give every (namespace, name) a copy under that name: far quicker than filling it again."""
    tables = [table for table in schema.metadata.tables.values() if "namespace" in table.c]
    with closing(sqlite3.connect(place)) as connection:
        for old, new in pairs:
            for table in tables:
                rest = ", ".join(
                    f'"{column.name}"' for column in table.c if column.name != "namespace"
                )
                connection.execute(
                    f'INSERT INTO "{table.name}" (namespace, {rest}) '
                    f'SELECT ?, {rest} FROM "{table.name}" WHERE namespace = ?',
                    (new, old),
                )
            connection.commit()


def _turn(thread: str, number: int, ordinal: int) -> TurnRow:
    return TurnRow(
        number=number,
        thread=thread,
        epoch=0,
        ordinal=ordinal,
        receipt=None,
        state="complete",
        version=1,
        body_hash="",
        text_hash="",
        block_id=f"blk_{number // _BLOCK}",
        created_at=START,
    )


def _message(thread: str, number: int, text: str) -> Message:
    return Message(
        id=f"{thread}_{number}",
        role="user",
        content=text,
        created_at=START,
        thread=thread,
        turn=number,
        block_id=f"blk_{number // _BLOCK}",
    )


def add_events(memory: StrataGate, count: int, *, seed: int = 3) -> None:
    """Store so many events in a namespace that has none, and index them."""
    source = texts(count, seed)
    number = 0
    with memory._write() as work:
        index.begin(work.tx, index.PASSIVE)
    while page := list(islice(source, _PAGE)):
        with memory._write() as work:
            tokens = []
            for text in page:
                number += 1
                event = _event(number, text)
                events.insert(work.tx, event, block_sequence=number)
                tokens.append((event.id, event_tokens(event)))
            index.add(work.tx, index.PASSIVE, tokens)


def _event(number: int, text: str) -> Event:
    return Event(
        id=f"evt_{number}",
        title=text[:100],
        summary=text,
        source_message_ids=("none",),
        scope="user",
        created_at=START,
        updated_at=START,
        temporal=Temporal(mentioned_at=START),
        weight=Weight(),
    )
