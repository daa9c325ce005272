"""What one would use instead: rank_bm25 over the same messages, with its defaults."""

from collections.abc import Mapping, Sequence

from rank_bm25 import BM25Okapi

from stratagate_core.evals.items import speaker
from stratagate_core.model.message import Message


class RankBm25:
    """BM25Okapi over lower-case whitespace tokens of speaker and content."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._ids = [str(message.id) for message in messages]
        self._ranker = BM25Okapi([_tokens(f"{speaker(each)} {each.content}") for each in messages])

    def search(self, query: str, limit: int) -> list[str]:
        """The ids of the best messages that share a token with the query."""
        scores: Mapping[int, float] = dict(enumerate(self._ranker.get_scores(_tokens(query))))
        best = sorted(scores, key=lambda place: (-scores[place], place))[:limit]
        return [self._ids[place] for place in best if scores[place] > 0]


def _tokens(text: str) -> list[str]:
    return text.lower().split()
