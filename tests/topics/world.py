"""A memory whose events and filings are what a test says they are."""

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from stratagate_core import Event, Job, Request, Settings, StrataGate, Topic
from stratagate_core.store import schema
from stratagate_core.testing import CountingIds, ManualClock, ScriptedModel
from tests.conftest import NO_GRAPH, START
from tests.graph.world import SUMMARY

Json = dict[str, Any]
Line = Mapping[str, Any] | Callable[[Request], Any] | BaseException


def payload_of(request: Request) -> Json:
    """What a model was shown."""
    shown: Json = json.loads(request.messages[1]["content"])
    return shown


def topic(title: str, *sources: str, **parts: Any) -> Json:
    """A topic of an answer; all its events stand in one section."""
    return {
        "title": title,
        "description": f"About {title}.",
        "source_event_ids": list(sources),
        "sections": [section("How it developed", *sources)],
        "overview": [],
        **parts,
    }


def section(title: str, *sources: str) -> Json:
    """A section of an answer."""
    return {"title": title, "source_event_ids": list(sources)}


def paragraph(text: str, *sources: str, **parts: Any) -> Json:
    """A paragraph of an answer."""
    return {
        "kind": "history",
        "title": "How it developed",
        "text": text,
        "source_event_ids": list(sources),
        **parts,
    }


def one_topic(title: str = "Harbour", **parts: Any) -> Callable[[Request], Json]:
    """Files a whole batch into one topic, a known one if it has this title."""

    def line(request: Request) -> Json:
        payload = payload_of(request)
        ids = [event["id"] for event in payload["events"]]
        known = [shown["id"] for shown in payload["topics"] if shown["title"] == title]
        named = {"topic_id": known[0]} if known else {}
        return {"topics": [topic(title, *ids, **named, **parts)]}

    return line


class TopicWorld:
    """`tell` stores events; `answers` are what the filing says, one after the other."""

    def __init__(self, database: str | Path = ":memory:", **options: Any) -> None:
        self.answers: deque[Line] = deque()
        #: what is said when there is no answer left
        self.otherwise: Line = one_topic()
        self.clock = options.pop("clock", None) or ManualClock(START)
        self.model = ScriptedModel(
            {
                "summarise_block": repeat(SUMMARY),
                "project_graph": repeat(NO_GRAPH),
                "project_topics": repeat(self._file),
            }
        )
        #: the offline model would make cards of its own
        self.silent = "model" in options
        settings = {"block_turn_size": 1, "processing": "external", "recall_messages": False}
        model, new_id = options.pop("model", self.model), options.pop("new_id", None)
        self.memory = StrataGate.open(
            database,
            model=model,
            settings=Settings(**(settings | options)),
            clock=self.clock,
            new_id=new_id or CountingIds(),
        )

    def _file(self, request: Request) -> Any:
        answer = self.answers.popleft() if self.answers else self.otherwise
        return answer(request) if callable(answer) else answer

    def tell(self, *texts: str, ids: Sequence[str] = (), **draft: Any) -> tuple[Event, ...]:
        """Events on a turn of their own; `ids` name them."""
        self.clock.advance(minutes=1)
        said_by_user = "Hello." if self.silent else " ".join(texts)
        block = self.memory.add_turn(said_by_user, "ok", thread="t", work="seal")
        said = self.memory.thread_messages("t")
        source = next(one for one in said if one.block_id == block.sealed_block_id)
        names = [{"id": key} for key in ids] or [{} for _ in texts]
        cards = [
            {"title": text, "summary": text, "scope": "user", "source_message_ids": [source.id]}
            | {"source_block_id": block.sealed_block_id}
            | name
            | draft
            for text, name in zip(texts, names, strict=True)
        ]
        return self.memory.ingest_events(cards)

    def many(self, number: int, **draft: Any) -> tuple[Event, ...]:
        """So many events at once, ``evt_…`` by number."""
        return self.tell(*(f"thing {at}" for at in range(number)), **draft)

    def work(self) -> None:
        """All rounds that are due."""
        while self.memory.run_pending():
            pass

    @property
    def asked(self) -> list[Json]:
        """What the filing was shown, one after the other."""
        return [payload_of(r) for r in self.model.requests if r.task == "project_topics"]

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs that file."""
        return self.memory.jobs(kind="topic_projection")

    @property
    def topics(self) -> dict[str, Topic]:
        """All entries by their titles."""
        found: dict[str, Topic] = {}
        offset: int | None = 0
        while offset is not None:
            page = self.memory.topics(offset=offset, limit=20)
            found |= {one.title: one for one in page.items}
            offset = page.next_offset
        return found

    def rows(self, *without: str) -> dict[str, list[Any]]:
        """All rows of all tables but those whose names begin so."""
        tables = [t for t in schema.metadata.tables.values() if not t.name.startswith(without)]
        with self.memory._read() as work:
            return {
                table.name: sorted(str(row) for row in work.tx.rows(sa.select(table)))
                for table in tables
            }
