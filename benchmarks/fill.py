"""Filling a memory quickly: rows through the store's own writers, many in one transaction."""

from itertools import islice
from pathlib import Path

from benchmarks.corpus import START, texts
from stratagate_core import Event, Message, Settings, StrataGate, Temporal, Weight
from stratagate_core.store import events, index, namespaces, turns
from stratagate_core.store.namespaces import Thread
from stratagate_core.store.turns import TurnRow

_PAGE = 1000


def open_memory(path: Path) -> StrataGate:
    """A memory whose blocks are sealed only when asked, so that filling is only filling."""
    return StrataGate.open(path, settings=Settings(block_turn_size=12, processing="external"))


def add_messages(memory: StrataGate, count: int, *, seed: int = 1, thread: str = "old") -> None:
    """Store so many single-message turns of a finished epoch, and index them."""
    source = texts(count, seed)
    done = 0
    while page := list(islice(source, _PAGE)):
        with memory._write() as work:
            for text in page:
                done += 1
                number = namespaces.advance(work.tx, "current_turn")
                turns.insert_turn(
                    work.tx,
                    TurnRow(
                        number=number,
                        thread=thread,
                        epoch=0,
                        ordinal=done,
                        receipt=None,
                        state="complete",
                        version=1,
                        body_hash="",
                        text_hash="",
                        block_id=f"blk_{number // 12}",
                        created_at=START,
                    ),
                )
                message = Message(
                    id=f"{thread}_{number}",
                    role="user",
                    content=text,
                    created_at=START,
                    thread=thread,
                    turn=number,
                    block_id=f"blk_{number // 12}",
                )
                turns.insert_messages(work.tx, [message], start=0)
                index.index_message(work.tx, message)
            namespaces.put_thread(work.tx, Thread(thread, turns=done, sealed=done))


def add_events(memory: StrataGate, count: int, *, seed: int = 3) -> None:
    """Store so many events, and index them."""
    source = texts(count, seed)
    number = 0
    while page := list(islice(source, _PAGE)):
        with memory._write() as work:
            for text in page:
                number += 1
                event = Event(
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
                events.insert(work.tx, event, block_sequence=number)
                index.index_event(work.tx, event)
