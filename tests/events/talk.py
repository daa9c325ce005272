"""A conversation whose extractor says what a test wants: every turn is a block of its own."""

import json
from collections import deque
from collections.abc import Callable, Mapping
from itertools import repeat
from typing import Any

from stratagate_core import Message, Settings, StrataGate
from stratagate_core.llm.port import Request
from stratagate_core.model.job import Job
from stratagate_core.store import schema
from stratagate_core.testing import CountingIds, ManualClock, ScriptedModel
from tests.conftest import NO_GRAPH, START

SUMMARY = {
    "l0_title": "tea harvest",
    "l0_tags": ["tea"],
    "l1_summary": "They talked about tea.",
    "l2_keypoints": ["tea grows in the hills"],
    "should_extract": True,
}
NOTHING = {"should_extract": False, "reason": "small talk", "events": []}

Answer = Mapping[str, Any] | Callable[[Mapping[str, Any]], Mapping[str, Any]]


def card(source: str, **parts: Any) -> dict[str, Any]:
    """A valid card that cites one message."""
    base = {"title": "A title", "summary": "A summary", "scope": "user"}
    return {**base, "source_message_ids": [source], **parts}


def found(*cards: Mapping[str, Any]) -> dict[str, Any]:
    """An answer with these cards."""
    return {"should_extract": True, "reason": "they matter", "events": list(cards)}


class Talk:
    """A memory with a scripted extractor; `say` answers with what stands in `answers`."""

    def __init__(self, database: Any = ":memory:", **settings: Any) -> None:
        self.answers: deque[Answer] = deque()
        self.payloads: list[dict[str, Any]] = []
        self.clock = ManualClock(START)
        self.title = SUMMARY
        self.model = ScriptedModel(
            {
                "summarise_block": repeat(lambda request: self.title),
                "extract_events": repeat(self._extract),
                "project_graph": repeat(NO_GRAPH),
            }
        )
        options = {"block_turn_size": 1, "processing": "inline", **settings}
        self.memory = StrataGate.open(
            database,
            model=self.model,
            settings=Settings(**options),
            clock=self.clock,
            new_id=CountingIds(),
        )

    def _extract(self, request: Request) -> Mapping[str, Any]:
        self.payloads.append(json.loads(request.messages[1]["content"]))
        answer = self.answers.popleft() if self.answers else NOTHING
        return answer(self.payloads[-1]) if callable(answer) else answer

    def say(self, message_id: str, text: str, *answers: Answer, **options: Any) -> str:
        """One turn of one message, sealed and extracted; the id of its block."""
        self.answers.extend(answers)
        self.clock.advance(minutes=1)
        said = Message(role="user", content=text, id=message_id)
        block = self.memory.add_messages([said], **options).sealed_block_id
        assert block is not None
        return block

    def add(self, message_id: str, *cards: Mapping[str, Any], **options: Any) -> list[str]:
        """A turn whose extraction gives these cards; their event ids."""
        before = set(self.ids())
        self.say(message_id, f"said in {message_id}", found(*cards), **options)
        return [event_id for event_id in self.ids() if event_id not in before]

    def ids(self) -> list[str]:
        """The ids of all stored events, in the order of their making."""
        with self.memory._read() as work:
            rows = work.tx.rows(schema.events.select().where(work.tx.of(schema.events)))
        return sorted((row.id for row in rows), key=lambda key: (len(key), key))

    def damage(self, event_id: str, **values: Any) -> None:
        """Write into the row of an event what the library never would."""
        with self.memory._write() as work:
            table = schema.events
            change = table.update().where(work.tx.of(table), table.c.id == event_id)
            work.tx.change(change.values(**values))

    def job(self) -> Job:
        """The extraction job of the last block."""
        return self.memory.jobs(kind="event_extraction")[-1]

    def drop_index(self, name: str) -> None:
        """Take away what says that a collection is complete."""
        with self.memory._write() as work:
            table = schema.index_stats
            work.tx.change(table.delete().where(work.tx.of(table), table.c.name == name))
