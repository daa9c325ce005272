"""Known errors of a data set: the evidence that a question should have cited.

The file is a JSON list; each entry names a question by its text and gives `correct_evidence`.
An empty list leaves the question out. Published audits of LoCoMo have this shape already.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from stratagate_core.errors import InvalidArgument
from stratagate_core.evals.files import load_json, shaped

_KIND = "list of corrections"


class Correction(BaseModel):
    """One entry; keys other than these are ignored."""

    question: str
    correct_evidence: list[str]
    #: only where the file cites exactly this
    cited_evidence: list[str] | None = None
    #: only in the conversation of this id
    conversation: str | None = None


_FILE = TypeAdapter(list[Correction])


@dataclass(frozen=True, slots=True)
class Corrections:
    """All entries of a file."""

    entries: tuple[Correction, ...] = ()

    def evidence(
        self, conversation: str, question: str, cited: Sequence[str]
    ) -> tuple[str, ...] | None:
        """The right citations of a question; None if nothing is known against the given ones."""
        for entry in self.entries:
            if (
                entry.question.strip() == question.strip()
                and entry.conversation in (None, conversation)
                and (entry.cited_evidence is None or set(entry.cited_evidence) == set(cited))
            ):
                return tuple(entry.correct_evidence)
        return None


def read_corrections(path: Path) -> Corrections:
    """The corrections in a file.

    Raises:
        NotFound: there is no such file.
        InvalidArgument: it is not such a list, or is empty.

    """
    entries = shaped(load_json(path, _KIND), _FILE, path, _KIND)
    if not entries:
        raise InvalidArgument(f"{path} holds no corrections")
    return Corrections(tuple(entries))
