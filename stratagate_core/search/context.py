"""Candidates of a raw search with what stands around them: everything that signals read.

Looked up for the candidates only, so the cost does not grow with the database.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import pairwise

from stratagate_core.engine import Work
from stratagate_core.model.message import Message
from stratagate_core.rank import asked
from stratagate_core.rank.asked import Asked
from stratagate_core.rank.scene import Scene, build_scene
from stratagate_core.search.candidates import weigh
from stratagate_core.search.sources import tokens_of
from stratagate_core.store import index, surroundings, turns

#: messages of the days that a query names, at most
_OF_DAYS = 50
#: a longer stretch of time picks out no messages of its own
_LONGEST_STAY = timedelta(days=31)


def read_query(work: Work, query: str) -> Asked:
    """The query as the ranking reads it."""
    names = [one.token for one in asked.mentions(query)]
    known, _ = weigh(work, index.MESSAGES, names) if names else ({}, 0.0)
    terms, speakers = asked.text_terms(query, known)
    weights, average = weigh(work, index.MESSAGES, terms)
    return Asked(
        terms=terms,
        weights=weights,
        average=average,
        speakers=speakers,
        when=asked.asks_when(query),
        days=asked.days_named(query, work.now, work.settings.timezone),
    )


def scene_of(work: Work, query: Asked, hits: Sequence[Message], *, thread: str | None) -> Scene:
    """The hits, best first, with their neighbours and the messages of the days asked for.

    `thread` narrows the messages of the days to one thread.
    """
    ids = [str(message.id) for message in hits]
    wanted = dict.fromkeys([*ids, *_of_days(work, query, thread)])
    chains = surroundings.chains(work.tx, list(wanted))
    around = {key: None for chain in chains for key in chain if key is not None}
    known = {str(message.id): message for message in hits}
    missing = [key for key in (wanted | around) if key not in known]
    known |= turns.messages_by_id(work.tx, missing)
    return build_scene(
        query,
        list(known.values()),
        _links(chains),
        analyse=tokens_of,
        k1=work.settings.bm25_k1,
        b=work.settings.bm25_b,
    )


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
