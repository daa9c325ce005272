"""Why evidence was not found: each missed message of a question is told apart. Pure.

A message is missed when the first ten results do not cover it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from stratagate_core.evals.dataset import Question
from stratagate_core.evals.measures import Item, ranked_sessions
from stratagate_core.text.tokens import query_tokens, tokens

#: results that count as found
FOUND = 10

LATE = f"ranked {FOUND + 1}-50"
NO_WORD = "no shared word"
NO_CANDIDATE = "never a candidate"
BEYOND = "below rank 50"

WRONG_SESSION = "wrong session"
RIGHT_SESSION = "right session, other message"
TEMPORAL = "temporal"
LIST = "list over several sessions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """One message that should have been found."""

    id: str
    text: str
    session: int
    #: from 1; None if the search did not return it
    rank: int | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A question of which evidence was missed by one way to search."""

    conversation: str
    search: str
    question: str
    category: str
    found: int
    missed: tuple[Missed, ...]
    #: what the miss is about as a whole
    kinds: tuple[str, ...]
    #: the messages that came first instead
    instead: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question as it was asked: where, how, and what is known of its messages."""

    conversation: str
    search: str
    question: Question
    ranking: Sequence[Item]
    #: results asked for; a shorter ranking has everything the search considered
    depth: int
    #: every message as an item
    said: Mapping[str, Item]
    #: names of speakers, which tell nothing about what was said
    names: Set[str]


def failure(asked: Asked) -> Failure | None:
    """What was missed of a question; None if nothing was."""
    covered = frozenset[str]().union(*(item.covers for item in asked.ranking[:FOUND]))
    evidence = asked.question.evidence
    missed = tuple(_missed(asked, key) for key in sorted(evidence - covered))
    if not missed:
        return None
    return Failure(
        conversation=asked.conversation,
        search=asked.search,
        question=asked.question.text,
        category=asked.question.category,
        found=len(evidence & covered),
        missed=missed,
        kinds=tuple(_kinds(asked, missed)),
        instead=tuple(item.text for item in asked.ranking[:3]),
    )


def _missed(asked: Asked, key: str) -> Missed:
    item = asked.said[key]
    ranks = (rank for rank, each in enumerate(asked.ranking, 1) if key in each.covers)
    rank = next(ranks, None)
    return Missed(
        id=key,
        text=item.text,
        session=item.sessions[0],
        rank=rank,
        why=LATE if rank else _never(asked, item),
    )


def _never(asked: Asked, item: Item) -> str:
    names = {token for name in asked.names for token in tokens(name)}
    if not (set(query_tokens(asked.question.text)) - names) & set(tokens(item.text)):
        return NO_WORD
    return NO_CANDIDATE if len(asked.ranking) < asked.depth else BEYOND


def _kinds(asked: Asked, missed: Sequence[Missed]) -> list[str]:
    sessions = set(ranked_sessions(asked.ranking[:FOUND]))
    kinds = [RIGHT_SESSION if all(each.session in sessions for each in missed) else WRONG_SESSION]
    if TEMPORAL in asked.question.category:
        kinds.append(TEMPORAL)
    if len(asked.question.sessions) > 1:
        kinds.append(LIST)
    return kinds


def counted(failures: Sequence[Failure]) -> Mapping[str, int]:
    """How many messages were missed for each reason, and how many questions of each kind."""
    reasons = Counter(each.why for failed in failures for each in failed.missed)
    kinds = Counter(kind for failed in failures for kind in failed.kinds)
    order = (LATE, BEYOND, NO_WORD, NO_CANDIDATE)
    return {name: reasons[name] for name in order} | {
        name: kinds[name] for name in (WRONG_SESSION, RIGHT_SESSION, TEMPORAL, LIST)
    }
