"""What a fact is compared with: the active events of both pools that are most like it."""

from stratagate_core.cards.fingerprint import fingerprint
from stratagate_core.engine import Work
from stratagate_core.model.event import Event
from stratagate_core.rank.fusion import rrf
from stratagate_core.remember import rules
from stratagate_core.remember.rules import Candidate, Verdict
from stratagate_core.search.candidates import candidates
from stratagate_core.store import events, index
from stratagate_core.text.tokens import query_tokens


def known_duplicate(work: Work, candidate: Candidate) -> Verdict | None:
    """The event that says the same already, word for word or nearly (10 §2, steps 1 and 2)."""
    mark = fingerprint(candidate.title, candidate.summary)
    for event in events.by_fingerprint(work.tx, mark):
        return rules.known_already(candidate, event, exact=True)
    near = rules.same_as(candidate, similar(work, candidate))
    return None if near is None else rules.known_already(candidate, near, exact=False)


def unclear(work: Work, candidate: Candidate) -> tuple[Event, ...]:
    """Events that may be about the same (10 §2, step 3)."""
    return rules.unclear_among(candidate, similar(work, candidate))


def similar(work: Work, candidate: Candidate) -> list[Event]:
    """The best active events of an event search in both pools, whatever the pools weigh."""
    terms = list(dict.fromkeys(query_tokens(candidate.words)))
    lanes = [_lane(work, pool, terms) for pool in (index.PASSIVE, index.AGENT)]
    best = [key for key, _ in rrf(lanes)][: rules.COMPARED]
    found = events.by_ids(work.tx, best)
    return [found[key] for key in best if key in found and found[key].status == "active"]


def _lane(work: Work, pool: str, terms: list[str]) -> list[str]:
    pages = candidates(work, pool, terms, limit=rules.COMPARED)
    return [key for page in pages for key, _ in page]
