"""Candidates of a raw search with what stands around them: everything that signals read.

Looked up for the candidates only, so the cost does not grow with the database.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import islice, pairwise

import numpy as np

from stratagate_core.embedding.port import QueryVector
from stratagate_core.engine import Work
from stratagate_core.model.message import Message
from stratagate_core.rank import asked
from stratagate_core.rank.asked import Asked
from stratagate_core.rank.bm25 import idf
from stratagate_core.rank.scene import SILENCE, Floats, Scene, build_scene, silence
from stratagate_core.search.candidates import candidates, weigh
from stratagate_core.search.sources import tokens_of
from stratagate_core.search.vectors import near
from stratagate_core.store import index, surroundings, turns
from stratagate_core.store.scoring import Scored, Within
from stratagate_core.text import kinds

#: messages of the days that a query names, at most
_OF_DAYS = 50
#: so many of the best by text are looked at with what stands around them
_WITH_NEIGHBOURS = 60
#: candidates that only their speaker or a member of the kind asked for brings in
_FURTHER = 50
#: members that are looked for, the most telling ones
_MEMBERS = 48
#: a longer stretch of time picks out no messages of its own
_LONGEST_STAY = timedelta(days=31)


def read_query(work: Work, query: str) -> Asked:
    """The query as the ranking reads it."""
    named = weigh(work, index.MESSAGES, {one.token for one in asked.mentions(query)})
    rest, speakers = asked.without_names(query, named.weights)
    terms = asked.text_terms(query, rest)
    head = asked.head_terms(rest)
    members = kinds.members(head) - set(terms)
    touched = kinds.members(set(terms) - head) - members - set(terms)
    weighed = weigh(work, index.MESSAGES, terms)
    known = weigh(work, index.MESSAGES, members).weights
    known_touched = weigh(work, index.MESSAGES, touched).weights
    return Asked(
        terms=terms,
        weights=weighed.weights,
        average=weighed.average,
        rarest=idf(max(1, weighed.documents), 1),
        members=known,
        touched=known_touched,
        speakers=speakers,
        when=asked.asks_when(query),
        how_much=asked.asks_how_much(query),
        days=asked.days_named(query, work.now, work.settings.timezone),
    )


def scene_of(
    work: Work,
    query: Asked,
    lexical: Sequence[Message],
    *,
    within: Within,
    vector: QueryVector | None = None,
    nearest: Sequence[Scored] = (),
) -> Scene:
    """The scene of a query.

    Args:
        work: the open transaction; only read.
        query: what is asked.
        lexical: the best messages by text.
        within: which messages may be hits.
        vector: the vector of the query, if there is one.
        nearest: the messages whose vectors are near it.

    """
    known = {str(message.id): message for message in lexical}
    others = [*_of_speakers(work, query, within), *_of_kind(work, query, within)]
    others += [key for key, _ in nearest]
    if lexical:  # a day alone finds nothing
        others += _of_days(work, query, within.thread)
    central = list(dict.fromkeys([*islice(known, _WITH_NEIGHBOURS), *others]))
    chains = surroundings.chains(work.tx, central)
    around = (key for chain in chains for key in chain if key is not None)
    missing = [key for key in dict.fromkeys([*others, *around]) if key not in known]
    known |= turns.messages_by_id(work.tx, missing)
    return build_scene(
        query,
        list(known.values()),
        _links(chains),
        analyse=tokens_of,
        k1=work.settings.bm25_k1,
        b=work.settings.bm25_b,
        given=_given(work, vector, list(known)),
    )


def _given(work: Work, vector: QueryVector | None, ids: Sequence[str]) -> dict[str, Floats]:
    """How near the vectors of messages are, and which are near enough to be hits for that alone."""
    if vector is None:
        return {}
    found = near(work, index.MESSAGES, vector, ids)
    if not found:
        return {}
    dense = np.array([found.get(key, 0.0) for key in ids], np.float64)
    return {"dense": dense, "near": (dense >= vector.floor).astype(np.float64)}


def _of_speakers(work: Work, query: Asked, within: Within) -> Iterable[str]:
    """What the persons asked about said of it, where many speak of the same."""
    if not query.speakers:
        return ()
    return _best(work, [*query.terms, *query.speakers], within)


def _of_kind(work: Work, query: Asked, within: Within) -> Iterable[str]:
    """What names members of the kind that is asked for: it may share no word with the query."""
    if not query.members:
        return ()
    rarest = sorted(query.members, key=lambda token: (-query.members[token], token))
    return _best(work, [*rarest[:_MEMBERS], *query.speakers], within)


def _best(work: Work, terms: Sequence[str], within: Within) -> Iterable[str]:
    pages = candidates(work, index.MESSAGES, terms, within=within, limit=_FURTHER)
    return [key for page in pages for key, _ in page]


def _of_days(work: Work, query: Asked, thread: str | None) -> Iterable[str]:
    for day in query.days:
        if day.end - day.start > _LONGEST_STAY:
            continue
        yield from surroundings.said_between(
            work.tx, day.start, day.end, limit=_OF_DAYS, thread=thread
        )


def _links(chains: Iterable[Sequence[str | None]]) -> dict[str, str | None]:
    """The id of each message with that of the one before it, None for the first of a thread."""
    steps = (step for chain in chains for step in pairwise(chain))
    return {later: earlier for earlier, later in steps if later is not None}


def windows(
    work: Work, found: Sequence[Message], reach: int, *, without_tail: str | None
) -> dict[str, tuple[Message, ...]]:
    """Each message with up to `reach` neighbours on either side, of the same session, in order."""
    if reach < 1 or not found:
        return {}
    known = {str(message.id): message for message in found}
    chains = surroundings.chains(work.tx, list(known))
    middle = surroundings.REACH
    kept = {chain[middle]: chain[middle - reach : middle + reach + 1] for chain in chains}
    keys = (key for chain in kept.values() for key in chain if key is not None)
    missing = [key for key in dict.fromkeys(keys) if key not in known]
    known |= turns.messages_by_id(work.tx, missing)
    return {
        str(key): tuple(_together([known[k] for k in chain if k in known], str(key), without_tail))
        for key, chain in kept.items()
    }


def _together(chain: Sequence[Message], middle: str, without_tail: str | None) -> Iterator[Message]:
    """Of a chain in order, what belongs to the session of the message in its middle."""
    place = next(at for at, message in enumerate(chain) if message.id == middle)
    first, last = place, place
    while first > 0 and silence(chain[first - 1], chain[first]) <= SILENCE:
        first -= 1
    while last + 1 < len(chain) and silence(chain[last], chain[last + 1]) <= SILENCE:
        last += 1
    for message in chain[first : last + 1]:
        if message.id == middle or message.block_id or message.thread != without_tail:
            yield message
