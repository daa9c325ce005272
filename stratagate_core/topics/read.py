"""Reading the directory: asks no model, opens no batch, strengthens nothing."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from stratagate_core.engine import Work
from stratagate_core.errors import InvalidArgument, NotFound
from stratagate_core.model.event import VISIBLE, Event
from stratagate_core.model.search import Page
from stratagate_core.model.topic import (
    CATEGORIES,
    FALLBACK,
    Category,
    Coverage,
    Experience,
    Overview,
    Section,
    Topic,
)
from stratagate_core.rank.bm25 import rank, weighted
from stratagate_core.store import events, topic_members, topics
from stratagate_core.store.topics import Entry, TopicRow
from stratagate_core.text.clip import clip
from stratagate_core.text.language import Language, choose_language
from stratagate_core.text.tokens import query_tokens, tokens
from stratagate_core.topics.rules.directory import Line, directory_text
from stratagate_core.topics.rules.labels import REMADE_TITLE, UNFILED, category_of

#: entries of a page, and how many are read at most to tell whether all fit into the text
MOST, PAGE, LINES = 20, 12, 64
QUERY = 500
_TITLE = 120


def listing(
    work: Work,
    *,
    query: str = "",
    category: str | None = None,
    offset: int = 0,
    limit: int = PAGE,
) -> Page[Topic]:
    """A page of the directory, in its order, or the best by `query` first.

    Raises:
        InvalidArgument: an unknown category.

    """
    if category is not None and category not in CATEGORIES:
        raise InvalidArgument(
            f"category must be one of {', '.join(CATEGORIES)}, not {category!r}",
            categories=list(CATEGORIES),
        )
    wanted = [category] if category else list(CATEGORIES)
    size = min(max(limit, 1), MOST)
    if query.strip():
        found = _matching(work, wanted, query[:QUERY])
        total, entries = len(found), found[offset : offset + size]
    else:
        counts = counted(work)
        total = sum(counts.get(name, 0) for name in wanted)
        entries = _entries(work, wanted, limit=offset + size)[offset:]
    return Page(
        items=tuple(_topics(work, entries)),
        total=total,
        next_offset=offset + size if offset + size < total else None,
    )


def _agent(work: Work) -> bool:
    """Whether what an agent recorded is shown."""
    return work.settings.agent_memory_retrieval_weight > 0


def counted(work: Work) -> dict[str, int]:
    """How many entries each category has; categories without any are left out."""
    counts = topics.counts(work.tx, agent=_agent(work))
    for entry in _passive_of_hidden(work):
        counts[entry.category] = counts.get(entry.category, 0) + 1
    return {name: counts[name] for name in CATEGORIES if counts.get(name)}


def _entries(work: Work, wanted: Sequence[str], *, limit: int) -> list[Entry]:
    """The first entries of some categories together, in directory order."""
    agent = _agent(work)
    found = [
        entry
        for name in wanted
        for entry in topics.first_entries(work.tx, name, agent=agent, limit=limit)
    ]
    found += [entry for entry in _passive_of_hidden(work) if entry.category in wanted]
    return sorted(found, key=lambda entry: entry.order)[:limit]


def _passive_of_hidden(work: Work) -> list[Entry]:
    """Entries of the events whose topics are all hidden because an agent recorded part of them."""
    if _agent(work):
        return []
    hidden = set(topics.hidden_topics(work.tx))
    ids = [m.event_id for key in hidden for m in topic_members.members(work.tx, key)]
    filed = topic_members.topics_of(work.tx, ids)
    known = events.by_ids(work.tx, sorted(set(ids)))
    return [
        _fallback_entry(event)
        for key, event in known.items()
        if event.pool == "passive" and event.status in VISIBLE and set(filed[key]) <= hidden
    ]


def _fallback_entry(event: Event) -> Entry:
    return Entry(
        id=f"{FALLBACK}{event.id}",
        place=topics.EVENT,
        category=category_of(event),
        created_at=event.created_at,
        agent=event.pool == "agent",
    )


def _matching(work: Work, wanted: Sequence[str], query: str) -> list[Entry]:
    entries = _entries(work, wanted, limit=sum(counted(work).values()))
    words = {entry.id: line for entry, line in zip(entries, _lines(work, entries), strict=True)}
    documents = [
        (key, weighted([(tokens(line[1]), 4), (tokens(line[2]), 2)])) for key, line in words.items()
    ]
    settings = work.settings
    hits = rank(documents, query_tokens(query), k1=settings.bm25_k1, b=settings.bm25_b)
    places = {entry.id: entry for entry in entries}
    return [places[key] for key, _ in hits]


# --- topics -----------------------------------------------------------------------------------


def topic(work: Work, topic_id: str) -> Topic:
    """One entry of the directory in full.

    Raises:
        NotFound: no such entry, or it is hidden.

    """
    found = _visible(work, topic_id)
    if found is None:
        raise NotFound(
            f"no topic {topic_id!r}; list_topics gives the ids that there are", id=topic_id
        )
    return found


def member_ids(work: Work, topic_id: str) -> tuple[str, ...]:
    """The events of an entry that may be shown, in member order.

    Raises:
        NotFound: no such entry, or it is hidden.

    """
    found = topic(work, topic_id)
    if _agent(work):
        return found.source_event_ids
    known = events.by_ids(work.tx, found.source_event_ids)
    return tuple(key for key in found.source_event_ids if known[key].pool == "passive")


def _visible(work: Work, topic_id: str) -> Topic | None:
    language = _language(work)
    if topic_id.startswith(FALLBACK):
        key = topic_id.removeprefix(FALLBACK)
        event = events.by_ids(work.tx, [key]).get(key)
        return _fallback(event, language) if event and _is_unfiled(work, event) else None
    row = topics.by_ids(work.tx, [topic_id]).get(topic_id)
    if row is None or (row.agent and not _agent(work)):
        return None
    return _topic(work, row, language)


def _is_unfiled(work: Work, event: Event) -> bool:
    if event.status not in VISIBLE or (event.pool == "agent" and not _agent(work)):
        return False
    held = topic_members.topics_of(work.tx, [event.id]).get(event.id, {})
    rows = topics.by_ids(work.tx, held).values()
    return all(row.agent and not _agent(work) for row in rows)


def _topics(work: Work, entries: Sequence[Entry]) -> list[Topic]:
    language = _language(work)
    rows = topics.by_ids(work.tx, [one.id for one in entries if one.place == topics.TOPIC])
    keys = [one.id.removeprefix(FALLBACK) for one in entries if one.place == topics.EVENT]
    known = events.by_ids(work.tx, keys)
    return [
        _topic(work, rows[entry.id], language)
        if entry.place == topics.TOPIC
        else _fallback(known[entry.id.removeprefix(FALLBACK)], language)
        for entry in entries
    ]


def _language(work: Work, text: str = "") -> Language:
    return choose_language(work.settings.language, text)


def _fallback(event: Event, language: Language) -> Topic:
    return Topic(
        id=f"{FALLBACK}{event.id}",
        title=clip(event.title, _TITLE),
        description=UNFILED[language],
        category=category_of(event),
        source_event_ids=(event.id,),
        created_at=event.created_at,
        updated_at=event.updated_at,
        coverage=Coverage(total_events=1, unassigned_events=1),
        is_fallback=True,
    )


def _topic(work: Work, row: TopicRow, language: Language) -> Topic:
    members = tuple(member.event_id for member in topic_members.members(work.tx, row.id))
    inside = topic_members.section_members(work.tx, row.id)
    ordered = topic_members.sections(work.tx, row.id)
    overview = _in_order(row, {section.key: at for at, section in enumerate(ordered)}, members)
    cited = {key for one in overview for key in one.source_event_ids}
    placed = {key for keys in inside.values() for key in keys}
    summarized = len(cited & set(members))
    unassigned = len(set(members) - placed - cited)
    return Topic(
        id=row.id,
        title=row.title if row.valid else REMADE_TITLE[language],
        description=row.description if row.valid else UNFILED[language],
        category=cast(Category, row.category),
        source_event_ids=members,
        created_at=row.created_at,
        updated_at=row.updated_at,
        coverage=Coverage(
            total_events=len(members),
            summarized_events=summarized,
            omitted_events=len(members) - summarized - unassigned,
            unassigned_events=unassigned,
        ),
        sections=tuple(
            Section(title=section.title, source_event_ids=inside[section.key])
            for section in ordered
        ),
        overview=overview,
        experiences=tuple(
            Experience(
                id=one["id"],
                title=one["title"],
                text=one["text"],
                source_event_ids=tuple(one["source_event_ids"]),
            )
            for one in row.experiences
        ),
        is_fallback=not row.valid,
    )


def _in_order(
    row: TopicRow, sections: Mapping[str, int], members: Sequence[str]
) -> tuple[Overview, ...]:
    """Paragraphs by their section, then by their earliest and latest source, then by content."""
    places = {key: at for at, key in enumerate(members)}

    def order(one: Mapping[str, Any]) -> tuple[Any, ...]:
        cited = [places.get(key, len(places)) for key in one["source_event_ids"]]
        content = (one["kind"], one.get("title") or "", one["text"])
        return sections.get(one["section"], len(sections)), min(cited), max(cited), content

    return tuple(
        Overview(
            kind=one["kind"],
            title=one.get("title"),
            text=one["text"],
            source_event_ids=tuple(one["source_event_ids"]),
        )
        for one in sorted(row.overview, key=order)
    )


# --- text -------------------------------------------------------------------------------------


def directory(work: Work, text: str = "") -> str:
    """The directory as text, within its budget; blank if it is empty.

    Args:
        work: the open transaction; only read.
        text: decides an ``auto`` language.

    """
    if not work.settings.topics_enabled:
        return ""
    counts = counted(work)
    entries = _entries(work, list(counts), limit=LINES)
    lines = _lines(work, entries)
    first: dict[str, Line] = {}
    for entry, line in zip(entries, lines, strict=True):
        first.setdefault(entry.category, line)
    missing = [name for name in counts if name not in first]
    more = [_entries(work, [name], limit=1)[0] for name in missing]
    first |= dict(zip(missing, _lines(work, more), strict=True))
    return directory_text(
        lines,
        counts,
        first,
        budget=work.settings.directory_budget,
        count=work.env.count_tokens,
        language=_language(work, text),
        prefix=work.settings.tool_prefix,
    )


def _lines(work: Work, entries: Sequence[Entry]) -> list[Line]:
    language = _language(work)
    rows = topics.by_ids(work.tx, [one.id for one in entries if one.place == topics.TOPIC])
    keys = [one.id.removeprefix(FALLBACK) for one in entries if one.place == topics.EVENT]
    known = events.by_ids(work.tx, keys)
    lines: list[Line] = []
    for entry in entries:
        if entry.place == topics.EVENT:
            title = known[entry.id.removeprefix(FALLBACK)].title
            lines.append((entry.id, clip(title, _TITLE), UNFILED[language]))
        elif rows[entry.id].valid:
            lines.append((entry.id, rows[entry.id].title, rows[entry.id].description))
        else:
            lines.append((entry.id, REMADE_TITLE[language], UNFILED[language]))
    return lines
