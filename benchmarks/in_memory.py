"""Rankings that hold everything in memory: adding a text means building them anew.

What opening needs is kept in a file, as their own `save` writes it or pickled.
"""

import importlib
import pickle
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi

from benchmarks.engines import K1, TOP, B, Documents, Engine
from benchmarks.server import Missing


def _module(name: str, package: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Missing(f"needs {package}: pip install -e '.[bench]'") from error


class _Pickled:
    """Texts, their ids and a ranking, in one file."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "ranking.pickle"
        self.texts: dict[str, str] = {}
        self.ranking: Any = None

    def build(self, documents: Documents) -> None:
        """Rank and store."""
        self.texts = dict(documents)
        self.ranking = self.ranked()
        with self.place.open("wb") as file:
            pickle.dump((self.texts, self.ranking), file)

    def ranked(self) -> Any:
        """The ranking of all texts."""
        raise NotImplementedError

    def open(self) -> None:
        """Read the file."""
        with self.place.open("rb") as file:
            self.texts, self.ranking = pickle.load(file)

    def add(self, key: str, text: str) -> None:
        """Build and store everything anew."""
        self.build([*self.texts.items(), (key, text)])

    def size(self) -> int:
        """The file."""
        return self.place.stat().st_size


class RankBm25(_Pickled):
    """rank-bm25 as it is used everywhere: `BM25Okapi` over lists of words."""

    def ranked(self) -> BM25Okapi:
        """All texts."""
        self.ids = list(self.texts)
        return BM25Okapi([text.split() for text in self.texts.values()], k1=K1, b=B)

    def open(self) -> None:
        """Read the file."""
        super().open()
        self.ids = list(self.texts)

    def search(self, query: str) -> list[str]:
        """The best by their scores."""
        scores = self.ranking.get_scores(query.split())
        best = np.argpartition(-scores, TOP)[:TOP]
        return [self.ids[at] for at in best[np.argsort(-scores[best], kind="stable")]]


class LangChainBm25(_Pickled):
    """`BM25Retriever` of langchain-community, which uses rank-bm25."""

    def ranked(self) -> Any:
        """All texts as documents."""
        retrievers = _module("langchain_community.retrievers", "langchain-community")
        return retrievers.BM25Retriever.from_texts(
            list(self.texts.values()),
            metadatas=[{"id": key} for key in self.texts],
            bm25_params={"k1": K1, "b": B},
            k=TOP,
        )

    def search(self, query: str) -> list[str]:
        """Through the interface of a retriever."""
        return [found.metadata["id"] for found in self.ranking.invoke(query)]


def _keep(folder: Path, texts: dict[str, str]) -> None:
    """Texts beside a ranking, to build it anew; they are no part of its size."""
    (folder.parent / "texts.pickle").write_bytes(pickle.dumps(texts))


def _kept(folder: Path) -> dict[str, str]:
    texts: dict[str, str] = pickle.loads((folder.parent / "texts.pickle").read_bytes())
    return texts


class Bm25s:
    """bm25s: scores of every word in every text, made beforehand, as sparse arrays."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "bm25s"
        self.texts: dict[str, str] = {}
        self.library = _module("bm25s", "bm25s")

    def build(self, documents: Documents) -> None:
        """Index and save."""
        self.texts = dict(documents)
        ranking = self.library.BM25(k1=K1, b=B, method="lucene")
        ranking.index([text.split() for text in self.texts.values()], show_progress=False)
        ranking.save(self.place)
        (self.place / "ids.pickle").write_bytes(pickle.dumps(list(self.texts)))
        _keep(self.place, self.texts)
        self.open()

    def open(self) -> None:
        """Load what was saved."""
        self.ranking = self.library.BM25.load(self.place)
        self.ids = pickle.loads((self.place / "ids.pickle").read_bytes())

    def search(self, query: str) -> list[str]:
        """The best by their scores."""
        places, _ = self.ranking.retrieve([query.split()], k=TOP, show_progress=False)
        return [self.ids[int(at)] for at in places[0]]

    def add(self, key: str, text: str) -> None:
        """Build and save everything anew."""
        self.texts = self.texts or _kept(self.place)
        self.build([*self.texts.items(), (key, text)])

    def size(self) -> int:
        """The folder."""
        return sum(file.stat().st_size for file in self.place.iterdir())


class LlamaIndexBm25:
    """`BM25Retriever` of llama-index-retrievers-bm25, which uses bm25s."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "llama"
        self.texts: dict[str, str] = {}
        name = "llama_index.retrievers.bm25"
        self.retriever = _module(name, "llama-index-retrievers-bm25").BM25Retriever
        self.node = _module("llama_index.core.schema", "llama-index-core").TextNode

    def build(self, documents: Documents) -> None:
        """Index and persist."""
        self.texts = dict(documents)
        self.ranking = self.retriever.from_defaults(
            nodes=[self.node(text=text, id_=key) for key, text in self.texts.items()],
            similarity_top_k=TOP,
            skip_stemming=True,
            token_pattern=r"\S+",
        )
        self.ranking.persist(str(self.place))
        _keep(self.place, self.texts)

    def open(self) -> None:
        """Load what was persisted."""
        self.ranking = self.retriever.from_persist_dir(str(self.place))

    def search(self, query: str) -> list[str]:
        """Through the interface of a retriever."""
        return [found.node.node_id for found in self.ranking.retrieve(query)]

    def add(self, key: str, text: str) -> None:
        """Build and persist everything anew."""
        self.texts = self.texts or _kept(self.place)
        self.build([*self.texts.items(), (key, text)])

    def size(self) -> int:
        """The folder."""
        return sum(file.stat().st_size for file in self.place.iterdir())


ENGINES: dict[str, Callable[[Path], Engine]] = {
    "rank-bm25": RankBm25,
    "LangChain BM25Retriever": LangChainBm25,
    "bm25s": Bm25s,
    "LlamaIndex BM25Retriever": LlamaIndexBm25,
}
