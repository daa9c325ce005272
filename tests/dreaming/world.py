"""A memory with a directory, and a model that tidies it as a test says."""

from collections import deque
from collections.abc import Callable, Mapping
from itertools import repeat
from pathlib import Path
from typing import Any

from stratagate_core import DreamStep, Reply, Request
from stratagate_core.testing import ScriptedModel
from tests.conftest import NO_GRAPH
from tests.graph.world import SUMMARY
from tests.topics.world import TopicWorld, one_topic, payload_of

Line = Mapping[str, Any] | Reply | str | BaseException | Callable[[Request], Any]
DONE: dict[str, Any] = {"edits": [], "batch_done": True}


def edits(*given: Mapping[str, Any], done: bool = True) -> dict[str, Any]:
    """An answer that changes something."""
    return {"edits": [dict(one) for one in given], "batch_done": done}


class DreamWorld(TopicWorld):
    """`tidying` are what the model says, one after the other; then the batch is done."""

    def __init__(self, database: str | Path = ":memory:", **options: Any) -> None:
        self.tidying: deque[Line] = deque()
        super().__init__(database, model=self._model(), **options)
        self.silent = False

    def _model(self) -> ScriptedModel:
        self.tidier = ScriptedModel(
            {
                "summarise_block": repeat(SUMMARY),
                "project_graph": repeat(NO_GRAPH),
                "project_topics": repeat(lambda request: self._file(request)),
                "tidy_topics": repeat(self._tidy),
            }
        )
        return self.tidier

    def _tidy(self, request: Request) -> Any:
        answer = self.tidying.popleft() if self.tidying else DONE
        return answer(request) if callable(answer) else answer

    def file(self, title: str, *ids: str, **parts: Any) -> str:
        """A topic with new events of these ids."""
        self.tell(*(f"about {title} {key}" for key in ids), ids=ids)
        self.answers.append(one_topic(title, **parts))
        self.work()
        return self.topics[title].id

    @property
    def shown(self) -> list[dict[str, Any]]:
        """What the tidying model was shown, one after the other."""
        return [payload_of(r) for r in self.tidier.requests if r.task == "tidy_topics"]

    @property
    def done(self) -> tuple[DreamStep, ...]:
        """The transcript of the last run."""
        return self.memory.dream_transcript(limit=1000).items
