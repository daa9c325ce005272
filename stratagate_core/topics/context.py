"""What the filing is shown beside its events: the topics they may belong to (08 §4)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stratagate_core.engine import Work
from stratagate_core.llm.offline import is_offline
from stratagate_core.rank.bm25 import rank, weighted
from stratagate_core.store import events, index, topic_members, topics
from stratagate_core.store.topics import TopicRow
from stratagate_core.text.language import choose_language
from stratagate_core.text.tokens import query_tokens, tokens
from stratagate_core.topics.rules.compact import size
from stratagate_core.topics.rules.extractive import possible_titles
from stratagate_core.topics.rules.projection import Candidate

#: candidates, and the characters that events and candidates may have together
CANDIDATES, CHARACTERS = 12, 30_000
PARAGRAPHS = 4
#: so many topics are all weighed by text; of more, those near to so many events alike
WEIGHED, ALIKE = 64, 100
#: members that are named: the first, the last, and those whose titles help to choose
FIRST, LAST, TITLED = 3, 9, 3
#: section titles that are offered when a topic is filled
SECTION_TITLES, SECTION_CHARACTERS = 120, 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The topics that are shown, as JSON and as what the answer is checked against."""

    entries: tuple[Mapping[str, Any], ...]
    candidates: Mapping[str, Candidate]
    revisions: Mapping[str, int]
    labels: Mapping[str, str]
    holders: Mapping[str, frozenset[str]]
    #: topics that were considered but did not fit
    omitted: int


def context(
    work: Work, batch: Sequence[Mapping[str, Any]], *, only_topic: str | None = None
) -> Context:
    """The topics that a batch of events may belong to."""
    ids = [str(event["id"]) for event in batch]
    holders = {key: frozenset(held) for key, held in topic_members.topics_of(work.tx, ids).items()}
    if only_topic is not None:
        rows: Sequence[TopicRow] = tuple(topics.by_ids(work.tx, [only_topic]).values())
        labels = {row.label: row.id for row in rows}
    elif is_offline(work.env.model):
        language = choose_language(work.settings.language, _text(batch))
        found = topics.by_labels(work.tx, possible_titles(batch, language))
        rows, labels = tuple(found.values()), {label: row.id for label, row in found.items()}
    else:
        labels = topics.all_labels(work.tx)
        known = set(labels.values())
        near = known if len(known) <= WEIGHED else known & _near(work, batch, holders)
        rows = _ordered(work, list(topics.by_ids(work.tx, near).values()), batch, holders)
    return _shown(work, rows, batch, labels, holders, by_rules=is_offline(work.env.model))


def _text(batch: Iterable[Mapping[str, Any]]) -> str:
    return " ".join(f"{event['title']} {event['summary']}" for event in batch)


def _ordered(
    work: Work,
    rows: Sequence[TopicRow],
    batch: Sequence[Mapping[str, Any]],
    holders: Mapping[str, frozenset[str]],
) -> list[TopicRow]:
    """Topics that hold events of the batch, then by text, then the last changed, then by id."""
    holding = Counter(topic for held in holders.values() for topic in held)
    named = {row.id: _titles_of_members(work, row.id) for row in rows}
    known = events.by_ids(work.tx, sorted({key for ids in named.values() for key in ids}))
    documents = [
        (
            row.id,
            weighted(
                [
                    (tokens(row.title), 8),
                    *((tokens(t), 6) for t in topic_members.titles(work.tx, row.id).values()),
                    *((tokens(known[key].title), 4) for key in named[row.id] if key in known),
                    (tokens(row.description), 2),
                ]
            ),
        )
        for row in rows
    ]
    settings = work.settings
    query = query_tokens(_text(batch))
    scores = dict(rank(documents, query, k1=settings.bm25_k1, b=settings.bm25_b))
    return sorted(
        rows,
        key=lambda row: (
            -holding[row.id],
            -scores.get(row.id, 0.0),
            -row.updated_at.timestamp(),
            row.id,
        ),
    )


def _near(
    work: Work, batch: Sequence[Mapping[str, Any]], holders: Mapping[str, frozenset[str]]
) -> set[str]:
    """Of many topics those that may fit: with events alike, a title alike, or changed of late."""
    settings, query = work.settings, query_tokens(_text(batch))
    alike = [
        key
        for name in (index.PASSIVE, index.AGENT)
        for key, _ in index.best(
            work.tx, name, query, k1=settings.bm25_k1, b=settings.bm25_b, limit=ALIKE
        )
    ]
    held = topic_members.topics_of(work.tx, alike)
    words = possible_titles(batch, choose_language(settings.language, _text(batch)))
    return {
        *(topic for of_event in held.values() for topic in of_event),
        *(topic for of_event in holders.values() for topic in of_event),
        *(row.id for row in topics.by_labels(work.tx, words).values()),
        *topics.last_changed(work.tx, limit=CANDIDATES),
    }


def _titles_of_members(work: Work, topic_id: str) -> list[str]:
    first = topic_members.members(work.tx, topic_id, limit=TITLED)
    last = topic_members.members(work.tx, topic_id, limit=TITLED, newest=True)
    return list(dict.fromkeys(member.event_id for member in (*first, *last)))


def _shown(
    work: Work,
    rows: Sequence[TopicRow],
    batch: Sequence[Mapping[str, Any]],
    labels: Mapping[str, str],
    holders: Mapping[str, frozenset[str]],
    *,
    by_rules: bool,
) -> Context:
    """As many as fit; rules look at all that they asked for by name."""
    left = CHARACTERS - sum(size(event) for event in batch)
    entries: list[Mapping[str, Any]] = []
    candidates: dict[str, Candidate] = {}
    for row in rows if by_rules else rows[:CANDIDATES]:
        candidate, entry = _candidate(work, row, [str(event["id"]) for event in batch])
        left -= size(entry)
        if left < 0 and not by_rules:
            break
        entries.append(entry)
        candidates[row.id] = candidate
    return Context(
        entries=tuple(entries),
        candidates=candidates,
        revisions={row.id: row.revision for row in rows if row.id in candidates},
        labels=labels,
        holders=holders,
        omitted=len(rows) - len(candidates),
    )


def _candidate(
    work: Work, row: TopicRow, batch: Sequence[str]
) -> tuple[Candidate, Mapping[str, Any]]:
    first = topic_members.members(work.tx, row.id, limit=FIRST)
    last = topic_members.members(work.tx, row.id, limit=LAST, newest=True)
    ids = dict.fromkeys(member.event_id for member in (*first, *reversed(last)))
    exposed = [key for key in ids if key not in batch]
    titles = topic_members.titles(work.tx, row.id)
    paragraphs = [{k: v for k, v in one.items() if k != "section"} for one in row.overview]
    shown = paragraphs[-PARAGRAPHS:]
    cited = [key for one in shown for key in one["source_event_ids"] if key not in batch]
    candidate = Candidate(
        id=row.id,
        title=row.title,
        description=row.description,
        exposed=frozenset((*exposed, *cited)),
        sections=titles,
        emptied=topic_members.emptied(work.tx, row.id, batch),
        places=topic_members.sections_of(work.tx, row.id, (*exposed, *cited)),
        paragraphs=paragraphs,
    )
    entry = {
        "id": row.id,
        "title": row.title,
        "description": row.description,
        "overview": shown,
        "sections": _offered(list(titles.values())),
        "source_event_ids": list(dict.fromkeys((*exposed, *cited))),
        "total": row.members,
    }
    return candidate, entry


def _offered(titles: Sequence[str]) -> list[str]:
    offered: list[str] = []
    left = SECTION_CHARACTERS
    for title in titles[:SECTION_TITLES]:
        left -= len(title)
        if left < 0:
            break
        offered.append(title)
    return offered
