"""The contract of an answer that files events: any fault fails the whole of it (08 §5).

A fault is a path with what is wrong there and ends in a reason of a fixed list, so that what is
stored of a failure never holds a word of anyone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stratagate_core.model.topic import OVERVIEW_KINDS
from stratagate_core.text.normalise import label_identity
from stratagate_core.topics.rules.labels import section_key

TOPICS, PARAGRAPHS, SOURCES = 12, 8, 12
#: sections that are offered when the members of one topic are put into them
_LENGTHS = {"topic": 120, "description": 400, "section": 80, "paragraph": 80, "text": 1000}

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An existing topic as the answer may refer to it."""

    id: str
    title: str
    description: str
    #: members that the payload names
    exposed: frozenset[str] = frozenset()
    #: titles of its sections by key
    sections: Mapping[str, str] = field(default_factory=dict)
    #: sections that hold events of the batch only: they vanish unless they are named again
    emptied: frozenset[str] = frozenset()
    #: sections of the exposed members
    places: Mapping[str, frozenset[str]] = field(default_factory=dict)
    paragraphs: Sequence[Json] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What an answer is checked against."""

    events: tuple[str, ...]
    truncated: frozenset[str] = frozenset()
    candidates: Mapping[str, Candidate] = field(default_factory=dict)
    #: topics by the identity of their titles, also those that are not shown
    labels: Mapping[str, str] = field(default_factory=dict)
    #: the topics that hold events of the batch already, by event
    holders: Mapping[str, frozenset[str]] = field(default_factory=dict)
    #: only this topic is filled, and its words stay
    only_topic: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """Events that an admitted answer puts into one topic; without an id into a new one."""

    topic_id: str | None
    title: str
    description: str
    events: tuple[str, ...]
    #: key of a section -> the events of the batch in it, and key -> title
    sections: Mapping[str, tuple[str, ...]]
    titles: Mapping[str, str]
    paragraphs: tuple[Json, ...] = ()


def faults(topics: Sequence[Json], scope: Scope) -> tuple[str, ...]:
    """What is wrong with an answer; nothing if it may be written."""
    return tuple(_faults(topics, scope))


def _faults(topics: Sequence[Json], scope: Scope) -> Iterator[str]:
    if not 1 <= len(topics) <= TOPICS:
        yield f"topics: there must be 1 to {TOPICS} [topic-count]"
    yield from _label_faults(topics, scope)
    for at, topic in enumerate(topics):
        path = f"topics[{at}]"
        candidate = _candidate(topic, scope)
        yield from _text(topic["title"], f"{path}.title", "topic")
        yield from _text(topic["description"], f"{path}.description", "description")
        yield from _source_faults(topic, path, candidate, scope)
        yield from _section_faults(topic, path, candidate, scope)
        yield from _paragraph_faults(topic, path, candidate, scope)
    covered = {key for topic in topics for key in topic["source_event_ids"]}
    for event_id in scope.events:
        if event_id not in covered:
            yield f"topics: event {event_id} is filed nowhere [event-not-covered]"


def _text(value: str, path: str, what: str) -> Iterator[str]:
    if not value.strip():
        yield f"{path}: must not be blank [blank]"
    elif len(value) > _LENGTHS[what]:
        yield f"{path}: has {len(value)} characters, at most {_LENGTHS[what]} [too-long]"


# --- which topic is meant ---------------------------------------------------------------------


def _candidate(topic: Json, scope: Scope) -> Candidate | None:
    """The existing topic that is meant by its id or, without one, by its title."""
    if topic.get("topic_id") is not None:
        return scope.candidates.get(topic["topic_id"])
    return scope.candidates.get(scope.labels.get(label_identity(topic["title"]), ""))


def _label_faults(topics: Sequence[Json], scope: Scope) -> Iterator[str]:
    labels = Counter(label_identity(topic["title"]) for topic in topics)
    used = Counter(found.id for topic in topics if (found := _candidate(topic, scope)))
    for at, topic in enumerate(topics):
        path, given = f"topics[{at}]", topic.get("topic_id")
        label = label_identity(topic["title"])
        if labels[label] > 1:
            yield f"{path}.title: two topics of the answer have this title [duplicate-label]"
        if given is not None and given not in scope.candidates:
            yield f"{path}.topic_id: is none of the topics that were given [unknown-topic]"
        found = _candidate(topic, scope)
        if found is not None and used[found.id] > 1:
            yield f"{path}.topic_id: the same topic is used twice [topic-used-twice]"
        owner = scope.labels.get(label)
        if owner is not None and (found is None or owner != found.id):
            yield f"{path}.title: another topic has this title [label-taken]"
        if scope.only_topic is None:
            continue
        if found is None or found.id != scope.only_topic:
            yield f"{path}.topic_id: only the given topic is filled [unknown-topic]"
        elif (topic["title"], topic["description"]) != (found.title, found.description):
            yield f"{path}: title and description must stay as they are [words-changed]"


# --- what it rests on -------------------------------------------------------------------------


def _ids(
    ids: Sequence[str], path: str, allowed: frozenset[str], *, most: int | None = None
) -> Iterator[str]:
    if not ids or (most is not None and len(ids) > most):
        yield f"{path}: must hold 1 to {most or 'more'} ids [source-count]"
    if len(set(ids)) < len(ids):
        yield f"{path}: an id stands twice [duplicate-source]"
    foreign = sorted(set(ids) - allowed)
    if foreign:
        yield f"{path}: {len(foreign)} ids are not allowed here: {foreign[0]} [foreign-source]"


def _source_faults(
    topic: Json, path: str, candidate: Candidate | None, scope: Scope
) -> Iterator[str]:
    exposed = candidate.exposed if candidate else frozenset()
    sources = topic["source_event_ids"]
    yield from _ids(sources, f"{path}.source_event_ids", frozenset(scope.events) | exposed)
    if not set(sources) & set(scope.events):
        yield f"{path}.source_event_ids: holds no event of the batch [no-batch-event]"


def _section_faults(
    topic: Json, path: str, candidate: Candidate | None, scope: Scope
) -> Iterator[str]:
    batch, own = frozenset(scope.events), frozenset(topic["source_event_ids"])
    keys = Counter(section_key(section["title"]) for section in topic["sections"])
    for at, section in enumerate(topic["sections"]):
        here = f"{path}.sections[{at}]"
        yield from _text(section["title"], f"{here}.title", "section")
        key = section_key(section["title"])
        if keys[key] > 1:
            yield f"{here}.title: two sections have this title [duplicate-section]"
        ids = section["source_event_ids"]
        places = candidate.places if candidate else {}
        there = frozenset(old for old, inside in places.items() if key in inside)
        yield from _ids(ids, f"{here}.source_event_ids", (own & batch) | there)
    placed = {key for section in topic["sections"] for key in section["source_event_ids"]}
    for event_id in sorted((own & batch) - placed):
        yield f"{path}.sections: event {event_id} is in no section [event-not-in-section]"


# --- prose ------------------------------------------------------------------------------------


def _paragraph_faults(
    topic: Json, path: str, candidate: Candidate | None, scope: Scope
) -> Iterator[str]:
    if len(topic["overview"]) > PARAGRAPHS:
        yield f"{path}.overview: at most {PARAGRAPHS} paragraphs [paragraph-count]"
    if scope.only_topic is not None and topic["overview"]:
        yield f"{path}.overview: must stay as it is: give an empty list [words-changed]"
    stored = [_bare(paragraph) for paragraph in candidate.paragraphs] if candidate else []
    keys = _section_keys(topic, candidate)
    for at, paragraph in enumerate(topic["overview"]):
        here = f"{path}.overview[{at}]"
        if _bare(paragraph) in stored:
            continue
        if paragraph["kind"] not in OVERVIEW_KINDS:
            yield f"{here}.kind: must be one of {', '.join(OVERVIEW_KINDS)} [unknown-kind]"
        title = paragraph.get("title")
        if title is not None:
            yield from _text(title, f"{here}.title", "paragraph")
            if section_key(title) not in keys:
                yield f"{here}.title: is the title of no section of the topic [no-such-section]"
        yield from _text(paragraph["text"], f"{here}.text", "text")
        ids = frozenset(paragraph["source_event_ids"])
        where = f"{here}.source_event_ids"
        own = frozenset(topic["source_event_ids"])
        yield from _ids(paragraph["source_event_ids"], where, own, most=SOURCES)
        if ids & scope.truncated and paragraph["kind"] != "scope":
            yield f"{here}.kind: an event that was cut is cited by scope only [truncated-source]"
        if ids - set(scope.events):
            yield f"{where}: new paragraphs cite the batch only [old-paragraph-changed]"


def _bare(paragraph: Json) -> Json:
    """A paragraph without where it stands."""
    return {
        "kind": paragraph["kind"],
        "title": paragraph.get("title"),
        "text": paragraph["text"],
        "source_event_ids": list(paragraph["source_event_ids"]),
    }


def _section_keys(topic: Json, candidate: Candidate | None) -> frozenset[str]:
    """The sections there will be: those that are named and those that survive."""
    named = frozenset(section_key(section["title"]) for section in topic["sections"])
    surviving = frozenset(candidate.sections) - candidate.emptied if candidate else frozenset()
    return named | surviving


# --- what is written --------------------------------------------------------------------------


def admitted(
    topics: Sequence[Json], scope: Scope, defaults: Mapping[str, str]
) -> tuple[Filed, ...]:
    """What an answer without faults writes; `defaults` are section titles by paragraph kind."""
    batch = frozenset(scope.events)
    ids = _identities(topics, scope)
    return tuple(
        _filed(topic, topic_id, _candidate(topic, scope), batch, defaults)
        for topic, topic_id in zip(topics, ids, strict=True)
    )


def _identities(topics: Sequence[Json], scope: Scope) -> list[str | None]:
    """The ids of the topics: given, known by title, or that of the one whose members they share.

    If several topics of the answer share the members of one, that one is not continued.
    """
    known = [_candidate(topic, scope) for topic in topics]
    found: list[str | None] = [one.id if one else None for one in known]
    sharing = [
        {old for key in topic["source_event_ids"] for old in scope.holders.get(key, ())}
        for topic in topics
    ]
    shared = Counter(old for olds in sharing for old in olds)
    for at, olds in enumerate(sharing):
        if found[at] is None:
            own = sorted(old for old in olds if shared[old] == 1 and old not in found)
            found[at] = own[0] if own else None
    return found


def retired(topics: Sequence[Json], scope: Scope) -> frozenset[str]:
    """The topics that end because several others share their members."""
    kept = {topic_id for topic_id in _identities(topics, scope) if topic_id}
    new = [topic for topic in topics if _candidate(topic, scope) is None]
    shared = Counter(
        old
        for topic in new
        for old in {o for key in topic["source_event_ids"] for o in scope.holders.get(key, ())}
    )
    return frozenset(old for old, number in shared.items() if number > 1 and old not in kept)


def _filed(
    topic: Json,
    topic_id: str | None,
    candidate: Candidate | None,
    batch: frozenset[str],
    defaults: Mapping[str, str],
) -> Filed:
    sections = {
        section_key(section["title"]): tuple(
            key for key in section["source_event_ids"] if key in batch
        )
        for section in topic["sections"]
    }
    titles = {section_key(section["title"]): section["title"] for section in topic["sections"]}
    known = dict(candidate.sections) if candidate else {}
    stored = [_bare(paragraph) for paragraph in candidate.paragraphs] if candidate else []
    new = [_bare(paragraph) for paragraph in topic["overview"]]
    keys = _section_keys(topic, candidate)
    return Filed(
        topic_id=topic_id,
        title=topic["title"],
        description=topic["description"],
        events=tuple(key for key in topic["source_event_ids"] if key in batch),
        sections={key: inside for key, inside in sections.items() if inside},
        titles={key: known.get(key, title) for key, title in titles.items()},
        paragraphs=tuple(
            {**one, "section": _section_of(one, sections, keys, defaults)}
            for at, one in enumerate(new)
            if one not in stored and one not in new[:at]
        ),
    )


def _section_of(
    paragraph: Json,
    sections: Mapping[str, tuple[str, ...]],
    keys: frozenset[str],
    defaults: Mapping[str, str],
) -> str:
    """The section a paragraph stands in: the one it names, that of its kind, or of a source."""
    usual = section_key(paragraph["title"] or defaults[paragraph["kind"]])
    if usual in keys:
        return usual
    cited = set(paragraph["source_event_ids"])
    return next(key for key, inside in sections.items() if cited & set(inside))


#: every reason a fault can end in
REASONS = frozenset(
    (
        "topic-count",
        "blank",
        "too-long",
        "duplicate-label",
        "unknown-topic",
        "topic-used-twice",
        "label-taken",
        "words-changed",
        "source-count",
        "duplicate-source",
        "foreign-source",
        "no-batch-event",
        "event-not-covered",
        "duplicate-section",
        "event-not-in-section",
        "paragraph-count",
        "unknown-kind",
        "no-such-section",
        "truncated-source",
        "old-paragraph-changed",
    )
)
