"""The packaged model: it runs here, without a network, and knows what is alike."""

import pytest

pytest.importorskip("onnxruntime", reason="the extra minilm is not installed")
pytest.importorskip("tokenizers", reason="the extra minilm is not installed")

from stratagate_core.embedding.minilm import MiniLM
from stratagate_core.rank.vectors import unit
from stratagate_core.testing import EmbedderConformance
from tests.conftest import Opener


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    """The model, loaded once."""
    return MiniLM()


class TestMiniLM(EmbedderConformance):
    """It is an embedder."""

    @pytest.fixture(autouse=True)
    def _loaded(self, minilm: MiniLM) -> None:
        self.loaded = minilm

    def make_embedder(self) -> MiniLM:
        """The packaged model."""
        return self.loaded


def test_meaning_is_near(minilm: MiniLM) -> None:
    """A question is near its answer and far from anything else."""
    question = unit(minilm.embed_query("When will somebody fix the roof?"))
    answer, other = map(
        unit, minilm.embed_documents(["The roofer comes on Friday.", "I like oolong tea."])
    )

    assert minilm.dimensions == len(question)
    assert question @ answer > minilm.floor > question @ other


def test_a_memory_finds_what_was_said_in_other_words(open_memory: Opener, minilm: MiniLM) -> None:
    """The whole way: stored, embedded by jobs, found by a question that shares no word."""
    memory = open_memory(embedder=minilm, settings={"block_turn_size": 2, "processing": "inline"})
    memory.add_turn("The roofer comes on Friday.", "Noted.")
    memory.add_turn("My favourite tea is oolong.", "Good choice.")

    found = memory.search_raw("Which hot drink do I prefer?", limit=1)
    nothing = memory.search_raw("Explain lattice quantum chromodynamics")

    assert ["My favourite tea is oolong."] == [h.item["message"]["content"] for h in found.hits]
    assert ((), "no_match") == (nothing.hits, nothing.reason)
