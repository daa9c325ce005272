"""The dense signal: what is said in other words is found, and nothing waits for a vector."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from stratagate_core import InvalidArgument, ModelUnavailable, Settings, StrataGate
from stratagate_core.store import schema
from stratagate_core.testing import EmbedderConformance, ManualClock, WordEmbedder
from tests.conftest import Opener

ALIKE = {"feline": "cat", "animal": "cat", "automobile": "car", "vehicle": "car"}


@pytest.fixture
def embedder() -> WordEmbedder:
    """Knows a few words that mean the same."""
    return WordEmbedder(ALIKE)


@pytest.fixture
def told(open_memory: Opener, embedder: WordEmbedder) -> StrataGate:
    """A memory with two sealed blocks and an open tail; all jobs are done."""
    memory = open_memory(embedder=embedder, settings={"block_turn_size": 2, "processing": "inline"})
    for said in ("Our cat is grey.", "It rains in Ghent.", "I sold the car.", "Tea is ready."):
        memory.add_turn(said, f"So: {said}")
    memory.add_turn("The cat sleeps.", "Good.")
    memory.drain()
    return memory


def texts(memory: StrataGate, query: str, **options: Any) -> list[str]:
    """The messages that are found."""
    found = memory.search_raw(query, **options)
    return [hit.item["message"]["content"] for hit in found.hits]


class TestWordEmbedder(EmbedderConformance):
    """The double is an embedder."""

    def make_embedder(self) -> WordEmbedder:
        """The double."""
        return WordEmbedder(ALIKE)


def test_other_words_are_found(told: StrataGate, open_memory: Opener) -> None:
    """A message is found by what it means; the same memory without an embedder does not find it."""
    hit = told.search_raw("feline", explain=True).hits[0]
    without = open_memory()

    assert "Our cat is grey." == hit.item["message"]["content"]
    assert hit.signals["dense"] > 0
    assert "text" not in hit.signals
    assert ((), "no_match") == (without.search_raw("feline").hits, without.search_raw("x").reason)


def test_events_are_found_by_their_meaning(told: StrataGate) -> None:
    """So are cards, in their own search and in that of both."""
    (event,) = told.search_events("automobile", limit=1, explain=True).hits

    assert "I sold the car." in event.item["summary"]
    assert event.signals["dense"] > 0
    assert told.search("automobile").hits


def test_what_is_far_is_nothing(told: StrataGate) -> None:
    """A query that nothing is near finds nothing and says why."""
    found = told.search_raw("quantum chromodynamics")

    assert ((), "no_match") == (found.hits, found.reason)
    assert ((), "no_match") == (
        told.search_events("quantum chromodynamics").hits,
        told.search_events("quantum chromodynamics").reason,
    )


@pytest.mark.parametrize("query", ['"', "*", "\x00", "?!", "\ud800", " ", "🫖"])
def test_a_query_of_signs_alone_is_not_embedded(
    told: StrataGate, embedder: WordEmbedder, query: str
) -> None:
    """It means nothing, so nothing is near it."""
    asked = len(embedder.asked)
    found = told.search_raw(query)

    assert ((), "no_match") == (found.hits, found.reason)
    assert asked == len(embedder.asked) or query == "🫖"


def test_filters_hold_for_what_vectors_bring_in(told: StrataGate) -> None:
    """Thread, tail and metadata narrow hits by meaning as they do hits by words."""
    told.add_turn("A cat in the garden.", "Nice.", thread="b", metadata={"place": "garden"})
    told.drain()

    assert ["A cat in the garden."] == texts(told, "feline", metadata={"place": "garden"})
    assert ["A cat in the garden."] == texts(
        told, "feline", scope="session", thread="b", include_tail=True
    )
    assert "The cat sleeps." not in texts(told, "feline", limit=20)
    assert "The cat sleeps." in texts(told, "feline", limit=20, include_tail=True)


def test_recall_goes_by_meaning_too(told: StrataGate) -> None:
    """What is put before a model call is found by meaning."""
    assert "Our cat is grey." in told.recall("feline", thread="other").text


def test_each_text_is_embedded_once(told: StrataGate, embedder: WordEmbedder) -> None:
    """Searching, running jobs again and making the index anew embed no document again."""
    before = [text for text in embedder.asked if text != "feline"]
    told.search_raw("feline")
    told.search_raw("feline")
    told.drain()
    with told._write() as work:
        table = schema.index_stats
        work.tx.change(sa.delete(table).where(work.tx.of(table), table.c.name == "messages"))
    told.search_raw("cat")
    told.drain()

    assert len(set(before)) == len(before)
    assert {"feline", "cat"} == set(embedder.asked[len(before) :])
    assert "Our cat is grey." in texts(told, "feline")


def test_a_failing_embedder_costs_nothing(
    open_memory: Opener, embedder: WordEmbedder, clock: ManualClock
) -> None:
    """Turns are stored, search goes by words, and the vectors come when it is back."""
    memory = open_memory(embedder=embedder, settings={"block_turn_size": 1, "processing": "inline"})
    embedder.failure = RuntimeError("no such host")
    memory.add_turn("Our cat is grey.", "I see.")

    assert ["Our cat is grey."] == texts(memory, "cat")
    assert [] == texts(memory, "feline")
    (job,) = memory.jobs(kind="embedding", status="failed", limit=1)
    assert "RuntimeError: no such host" in str(job.error)

    embedder.failure = None
    clock.advance(hours=1)
    memory.run_pending()
    assert ["Our cat is grey."] == texts(memory, "feline")


def test_an_embedder_that_is_away_uses_up_no_attempt(
    open_memory: Opener, embedder: WordEmbedder, clock: ManualClock
) -> None:
    """Its jobs wait, one of a round finds out, and models are asked all the same."""
    memory = open_memory(embedder=embedder, settings={"block_turn_size": 1, "processing": "inline"})
    embedder.failure = ModelUnavailable("away")
    for _ in range(6):
        memory.add_turn("Our cat is grey.", "I see.")
        clock.advance(minutes=10)

    assert {0} == {job.attempts for job in memory.jobs(kind="embedding")}
    assert "ready" == memory.blocks()[-1].status
    embedder.failure = None
    clock.advance(hours=1)
    memory.drain()
    assert "Our cat is grey." in texts(memory, "feline")


@pytest.mark.parametrize("rubbish", [[], [[1.0], [1.0, 2.0]], [["a"]], None, [[float("nan")]]])
def test_rubbish_is_no_vector(open_memory: Opener, embedder: WordEmbedder, rubbish: Any) -> None:
    """An embedder that gives something else fails its job, and nothing of it is stored."""

    class Broken(WordEmbedder):
        def embed_documents(self, texts: Any) -> Any:
            return rubbish

    memory = open_memory(embedder=Broken(), settings={"block_turn_size": 1})
    memory.add_turn("Our cat is grey.", "I see.")
    memory.run_pending()

    assert "failed" in {job.status for job in memory.jobs(kind="embedding")}
    assert {} == memory.stats()["vectors"]
    assert ["Our cat is grey."] == texts(memory, "cat")


def test_another_embedder_starts_anew(told: StrataGate, open_memory: Opener) -> None:
    """Vectors of another model are not compared; words go on, and jobs embed everything again."""
    told.close()
    other = WordEmbedder({"moggy": "cat"}, name="other", dimensions=64)
    memory = open_memory(embedder=other, settings={"block_turn_size": 2, "processing": "external"})

    assert True is memory.stats()["vectors"]["messages"]["stale"]
    assert "Our cat is grey." in texts(memory, "cat")
    assert [] == texts(memory, "moggy")
    memory.drain()
    assert "Our cat is grey." in texts(memory, "moggy")
    found = memory.stats()["vectors"]["messages"]
    assert ("other", 0, False) == (found["embedder"], found["waiting"], found["stale"])


def test_other_dimensions_start_anew(told: StrataGate, open_memory: Opener) -> None:
    """The same name with vectors of another length: no document is left without one."""
    before = told.stats()["vectors"]
    told.close()
    other = WordEmbedder(ALIKE, dimensions=64)
    memory = open_memory(embedder=other, settings={"block_turn_size": 2, "processing": "inline"})
    for said in ("The kettle is new.", "Bread is dear.", "Snow fell."):
        memory.add_turn(said, f"So: {said}")
    memory.drain()
    after = memory.stats()["vectors"]

    assert "Our cat is grey." in texts(memory, "feline")
    assert [0, 0] == [after[name]["waiting"] for name in before]
    assert all(after[name]["embedded"] > before[name]["embedded"] for name in before)


def test_what_is_hidden_or_purged_has_no_vector(told: StrataGate) -> None:
    """Forgetting takes the vector of a card away, restoring makes it again, purging ends it."""
    (event,) = told.search_events("automobile", limit=1).hits
    held = told.stats()["vectors"]["events.passive"]["embedded"]
    told.forget(event.item["id"])
    hidden = told.stats()["vectors"]["events.passive"]["embedded"]
    told.restore(event.item["id"])
    told.drain()

    assert (held - 1, held) == (hidden, told.stats()["vectors"]["events.passive"]["embedded"])
    assert event.item["id"] == told.search_events("automobile", limit=1).hits[0].item["id"]
    said = {hit.item["message"]["content"]: hit.item["id"] for hit in told.search_raw("car").hits}
    message = said["I sold the car."]
    told.purge(messages=[message])
    told.drain()
    with told._read() as work:
        rows = work.tx.rows(sa.select(schema.vectors.c.document))
        signs = work.tx.scalar(sa.select(sa.func.sum(schema.vector_signs.c.size)))
    assert message not in {row.document for row in rows}
    assert len(rows) == signs
    assert "I sold the car." not in texts(told, "automobile")


def test_many_documents_are_embedded_in_several_jobs(
    open_memory: Opener, embedder: WordEmbedder
) -> None:
    """A long history that gets an embedder late is embedded page by page."""
    plain = open_memory(settings={"block_turn_size": 20, "processing": "external"})
    for number in range(150):
        plain.add_turn(f"Plate {number} is blue.", f"Cup {number} is red.", work="append")
    plain.close()
    memory = open_memory(
        embedder=embedder, settings={"block_turn_size": 20, "processing": "external"}
    )
    memory.add_turn("Our cat is grey.", "I see.", work="append")
    memory.drain()

    assert 302 == memory.stats()["vectors"]["messages"]["embedded"]
    assert texts(memory, "feline", include_tail=True) == ["Our cat is grey."]


@pytest.mark.parametrize("wrong", ["minilm", 3, WordEmbedder, object()])
def test_what_cannot_embed_is_refused(tmp_path: Path, wrong: Any) -> None:
    """The message says what to give."""
    with pytest.raises(InvalidArgument, match="embedder must have a name"):
        StrataGate.open(tmp_path / "memory.db", embedder=wrong)


def test_embeddings_of_a_framework_are_refused_with_their_wrapper(tmp_path: Path) -> None:
    """LangChain's and LlamaIndex' embeddings name the class to wrap them in."""
    langchain = pytest.importorskip("langchain_core.embeddings")
    llama_index = pytest.importorskip("llama_index.core.embeddings")
    fake = langchain.DeterministicFakeEmbedding(size=8)

    with pytest.raises(InvalidArgument, match=r"wrap it: LangChainEmbedder\(embedder\)"):
        StrataGate.open(tmp_path / "memory.db", embedder=fake)
    with pytest.raises(InvalidArgument, match=r"wrap it: LlamaIndexEmbedder\(embedder\)"):
        StrataGate.open(tmp_path / "memory.db", embedder=llama_index.MockEmbedding(embed_dim=8))


def test_the_default_is_to_embed_in_the_background(
    open_memory: Opener, embedder: WordEmbedder
) -> None:
    """A write does not wait for an embedder unless it is told to."""
    memory = open_memory(embedder=embedder)

    assert "background" == memory._core.processing


def test_X_04_embedding_killed_anywhere_is_done_again(
    open_memory: Opener, embedder: WordEmbedder, tmp_path: Path
) -> None:
    """Whenever a page of vectors is lost before its commit, the next run makes it."""
    memory = open_memory(
        embedder=embedder, settings={"block_turn_size": 1, "processing": "external"}
    )
    memory.add_turn("Our cat is grey.", "I see.")
    memory.run_pending(limit=2)
    commits = 0

    def lose(_connection: Any) -> None:
        nonlocal commits
        commits += 1
        if commits == 2:
            raise KeyboardInterrupt

    engine = memory._core.env.store.engine
    sa.event.listen(engine, "commit", lose)
    with pytest.raises(KeyboardInterrupt):
        memory.drain()
    sa.event.remove(engine, "commit", lose)
    memory.close()

    again: Callable[..., StrataGate] = open_memory
    resumed = again(embedder=embedder, settings={"block_turn_size": 1}, recover_running=True)
    resumed.drain()
    assert ["Our cat is grey."] == texts(resumed, "feline")


def test_settings_weigh_the_signal(told: StrataGate, open_memory: Opener) -> None:
    """With a weight of 0 a vector still brings candidates in and adds nothing to their score."""
    silent = {name: 0.0 for name in Settings().ranking.model_dump() if name.startswith("dense")}
    told.close()
    memory = open_memory(
        embedder=WordEmbedder(ALIKE), settings={"ranking": silent, "processing": "external"}
    )

    (hit, *_) = memory.search_raw("cat", explain=True).hits
    assert not [name for name in hit.signals if name.startswith("dense")]
