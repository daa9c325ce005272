"""Public test doubles: a clock, ids and a model that do exactly what a test tells them.

`ModelConformance` and `EmbedderConformance` are what every adapter of the ports has to pass.
"""

import asyncio
import hashlib
import itertools
import math
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias, cast

from stratagate_core.embedding.port import Embedder, checked_embedder
from stratagate_core.errors import ModelError
from stratagate_core.llm.port import Model, Reply, Request, ToolCall
from stratagate_core.pipeline import offline_model

#: a reply, an answer (given as one tool call), a plain text or an error to raise
Answer: TypeAlias = Reply | Mapping[str, Any] | str | BaseException
#: an answer, or what makes one out of the request
Line: TypeAlias = Answer | Callable[[Request], Answer]


class ManualClock:
    """A clock that stands still until it is advanced."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        if start.tzinfo is None:
            raise ValueError("start needs a time zone")
        self.now = start

    def __call__(self) -> datetime:
        """The time now."""
        return self.now

    def advance(self, **amount: float) -> datetime:
        """Move forward by the arguments of a `timedelta`, for example ``hours=1``."""
        self.now += timedelta(**amount)
        return self.now


class CountingIds:
    """Ids that count per prefix: ``evt_1``, ``evt_2``, ``blk_1``."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, prefix: str) -> str:
        """The next id with this prefix."""
        with self._lock:
            self._counts[prefix] += 1
            return f"{prefix}_{self._counts[prefix]}"


class ScriptExhausted(BaseException):
    """The scripted model was asked more often than its script says.

    Not an `Exception`: code that handles failing models must not hide it from the test.
    """


class ScriptedModel:
    """A model that answers by a script and records every request.

    The script is a list of lines in the order of asking, or one such list for each task; a task
    that is not named in it is answered by rules, as the offline model answers it.
    """

    def __init__(
        self, script: Iterable[Line] | Mapping[str, Iterable[Line]], *, ready: bool = True
    ) -> None:
        self.requests: list[Request] = []
        #: what `ready` says
        self.available = ready
        self._lock = threading.Lock()
        self._common: Iterator[Line] = iter(())
        self._by_task: dict[str, Iterator[Line]] = {}
        self._names_tasks = isinstance(script, Mapping)
        if isinstance(script, Mapping):
            self._by_task = {task: iter(lines) for task, lines in script.items()}
        else:
            self._common = iter(script)

    @classmethod
    def failing(cls, error: BaseException) -> "ScriptedModel":
        """A model that raises `error` whenever it is asked."""
        return cls(itertools.repeat(error))

    def ready(self) -> bool:
        """Whether the model can be asked now."""
        return self.available

    def complete(self, request: Request) -> Reply:
        """Play the next line; raises `ScriptExhausted` when there is none."""
        line = self._next(request)
        if line is None:
            return offline_model().complete(request)
        answer = line(request) if callable(line) else line
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, str):
            return Reply(text=answer)
        if isinstance(answer, Mapping):
            return Reply(tool_calls=(ToolCall(name=request.task, arguments=answer),))
        return answer

    async def acomplete(self, request: Request) -> Reply:
        """As `complete`."""
        return self.complete(request)

    def _next(self, request: Request) -> Line | None:
        with self._lock:
            self.requests.append(request)
            if self._names_tasks and request.task not in self._by_task:
                return None
            for line in self._by_task.get(request.task, self._common):
                return line
            asked = sum(past.task == request.task for past in self.requests)
        raise ScriptExhausted(f"no line for request {asked} of {request.task}")


class WordEmbedder:
    """An embedder without a model: texts are near when they share words, or words that are alike.

    Args:
        alike: words that mean the same as others, for example ``{"feline": "cat"}``.
        name: which model it claims to be.
        dimensions: of its vectors.

    """

    floor = 0.4

    def __init__(
        self,
        alike: Mapping[str, str] | None = None,
        *,
        name: str = "words",
        dimensions: int = 256,
    ) -> None:
        self.name = name
        self.alike = dict(alike or {})
        self.dimensions = dimensions
        #: raised instead of an answer while it is set
        self.failure: Exception | None = None
        #: every text that was embedded, questions too
        self.asked: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text."""
        if self.failure is not None:
            raise self.failure
        self.asked += texts
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self.embed_documents([text])[0]

    def _vector(self, text: str) -> list[float]:
        found = [0.0] * self.dimensions
        for word in text.casefold().replace(".", " ").replace("?", " ").split():
            meant = self.alike.get(word, word)
            digest = hashlib.sha256(meant.encode("utf-8", "surrogatepass")).digest()
            for at in range(8):  # a word has eight places of its own, some shared by chance
                place = int.from_bytes(digest[2 * at : 2 * at + 2], "big") % self.dimensions
                found[place] += 1.0 if digest[16 + at] % 2 else -1.0
        return found


class EmbedderConformance:
    """What an embedder has to do; subclass it in a test module.

    ``class TestMine(EmbedderConformance)`` with a `make_embedder` gives the tests to pytest.
    """

    #: texts in several scripts, one of them blank
    texts = ("The kettle is red.", "水壶是红色的。", "Чайник красный.", " ", "🫖" * 50)

    def make_embedder(self) -> Embedder:
        """The embedder."""
        raise NotImplementedError

    def test_it_is_accepted(self) -> None:
        """It has a name and can embed."""
        embedder = self.make_embedder()

        assert checked_embedder(embedder) is embedder
        assert embedder.name

    def test_texts_keep_their_order_and_dimension(self) -> None:
        """One vector for each text, in order, all of one dimension, finite; alone or together."""
        embedder = self.make_embedder()
        together = [list(vector) for vector in embedder.embed_documents(self.texts)]
        alone = [list(embedder.embed_documents([text])[0]) for text in self.texts]

        assert len(self.texts) == len(together)
        assert len({len(vector) for vector in (*together, *alone)}) == 1
        for one, other in zip(together, alone, strict=True):
            assert all(math.isfinite(value) for value in one)
            assert all(math.isclose(a, b, abs_tol=0.02) for a, b in zip(one, other, strict=True))

    def test_no_text_is_no_call(self) -> None:
        """Nothing in, nothing out."""
        assert not list(self.make_embedder().embed_documents([]))

    def test_questions_are_comparable(self) -> None:
        """The vector of a question has the dimension of those of texts."""
        embedder = self.make_embedder()

        assert len(embedder.embed_query("What is red?")) == len(
            embedder.embed_documents(["The kettle is red."])[0]
        )


class ModelConformance:
    """What an adapter of the model port has to do; subclass it in a test module.

    ``class TestMyModel(ModelConformance)`` with a `make_model` gives the tests to pytest.
    """

    #: what the tests ask
    request_asked = Request(
        task="name_colour",
        messages=(
            {"role": "system", "content": "Name a colour. 颜色 {braces} stay."},
            {"role": "user", "content": '{"mood":"calm"}'},
        ),
        schema={
            "type": "object",
            "properties": {"colour": {"type": "string"}},
            "required": ["colour"],
        },
        max_tokens=100,
        timeout=10.0,
    )

    def make_model(self, answer: Reply | Exception) -> Model:
        """The adapter over a backend that gives `answer`, or raises it, whenever asked."""
        raise NotImplementedError

    def test_text_is_returned(self) -> None:
        """A text answer comes back as it is, without a call."""
        text = '{"colour": "蓝"}'
        reply = self.make_model(Reply(text=text)).complete(self.request_asked)

        assert text == reply.text
        assert not reply.tool_calls

    def test_tool_call_is_returned(self) -> None:
        """A tool call comes back with its name and arguments."""
        call = ToolCall(name="name_colour", arguments={"colour": "blue"})
        reply = self.make_model(Reply(tool_calls=(call,))).complete(self.request_asked)

        assert (call,) == reply.tool_calls

    def test_error_is_raised(self) -> None:
        """A failing backend is a `ModelError`, never an empty reply."""
        model = self.make_model(ConnectionError("line is dead"))

        assert isinstance(_failure(lambda: model.complete(self.request_asked)), ModelError)

    def test_async_equals_sync(self) -> None:
        """Where the adapter can be awaited it gives and raises the same."""
        call = ToolCall(name="name_colour", arguments={"colour": "blue"})
        for answer in (Reply(text="blue"), Reply(tool_calls=(call,))):
            expected = self.make_model(answer).complete(self.request_asked)

            assert expected == _awaited(self.make_model(answer), self.request_asked)
        model = self.make_model(ConnectionError("line is dead"))

        assert isinstance(_failure(lambda: _awaited(model, self.request_asked)), ModelError)


def _awaited(model: Model, request: Request) -> Reply:
    acomplete = getattr(model, "acomplete", None)
    if acomplete is None:
        return model.complete(request)
    return cast(Reply, asyncio.run(acomplete(request)))


def _failure(call: Callable[[], object]) -> Exception | None:
    try:
        call()
    except Exception as error:
        return error
    return None
