"""What is wrong with an edit, told by what it changes (08 §5, §8, §9)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stratagate_core.model.topic import OVERVIEW_KINDS
from stratagate_core.text.normalise import label_identity
from stratagate_core.topics.rules.labels import section_key

EXPERIENCES, PARAGRAPHS, SOURCES = 8, 8, 12
_TITLE, _DESCRIPTION, _SECTION = 120, 400, 80
_TEXT, _LESSON = 1000, 600

Json = Mapping[str, Any]

#: operation -> the fields it needs
OPERATIONS: Mapping[str, tuple[str, ...]] = {
    "rename_topic": ("topic_id",),
    "merge_topics": ("topic_id", "other_topic_ids"),
    "move_events": ("topic_id", "event_ids", "section"),
    "rename_section": ("topic_id", "section", "title"),
    "write_overview": ("topic_id", "kind", "title", "text", "source_event_ids"),
    "drop_overview": ("topic_id", "text"),
    "write_experience": ("topic_id", "title", "text", "source_event_ids"),
    "drop_experience": ("topic_id", "experience_id"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The topic that an edit changes, as far as the edit is checked against it."""

    #: ids of the topics that have words
    topics: Collection[str]
    #: topics by the identity of their titles
    labels: Mapping[str, str]
    #: those events of the edit that are members
    members: Collection[str] = ()
    #: titles of the sections by key
    sections: Mapping[str, str] = field(default_factory=dict)
    paragraphs: Sequence[Json] = ()
    experiences: Sequence[Json] = ()
    #: events that are shown cut
    truncated: Collection[str] = ()


def faults(edit: Json, known: Known) -> tuple[str, ...]:
    """Why an edit is refused; nothing if it may be written."""
    needed = OPERATIONS.get(edit["op"])
    if needed is None:
        return (f"op must be one of {', '.join(OPERATIONS)}",)
    missing = [name for name in needed if edit.get(name) in (None, "", [])]
    if missing:
        return (f"{edit['op']} needs {', '.join(missing)}",)
    if edit["topic_id"] not in known.topics:
        return ("topic_id is no topic that can be changed",)
    return tuple(_CHECKS[edit["op"]](edit, known))


def _rename(edit: Json, known: Known) -> Iterator[str]:
    title, description = edit.get("title"), edit.get("description")
    if title is None and description is None:
        yield "give a title or a description"
    if title is not None:
        yield from _length(title, "title", _TITLE)
        if known.labels.get(label_identity(title), edit["topic_id"]) != edit["topic_id"]:
            yield "another topic has this title; merge them instead"
    if description is not None:
        yield from _length(description, "description", _DESCRIPTION)


def _merge(edit: Json, known: Known) -> Iterator[str]:
    others = edit["other_topic_ids"]
    if edit["topic_id"] in others or len(set(others)) < len(others):
        yield "other_topic_ids must be different topics"
    if unknown := sorted(set(others) - set(known.topics)):
        yield f"unknown topics: {', '.join(unknown)}"


def _move(edit: Json, known: Known) -> Iterator[str]:
    yield from _members(edit["event_ids"], "event_ids", known)
    yield from _length(edit["section"], "section", _SECTION)
    target, title = edit.get("to_topic_id"), edit.get("to_title")
    if (target is None) == (title is None):
        yield "give either to_topic_id or to_title"
    elif target is not None and target not in known.topics:
        yield "to_topic_id is no topic that can be changed"
    elif title is not None:
        yield from _length(title, "to_title", _TITLE)
        yield from _length(edit.get("description") or "-", "description", _DESCRIPTION)


def _rename_section(edit: Json, known: Known) -> Iterator[str]:
    if section_key(edit["section"]) not in known.sections:
        yield "section is none of the topic"
    yield from _length(edit["title"], "title", _SECTION)


def _write_overview(edit: Json, known: Known) -> Iterator[str]:
    if edit["kind"] not in OVERVIEW_KINDS:
        yield f"kind must be one of {', '.join(OVERVIEW_KINDS)}"
    if section_key(edit["title"]) not in known.sections:
        yield "title is the title of no section of the topic"
    yield from _length(edit["text"], "text", _TEXT)
    yield from _sources(edit, known)
    if len(known.paragraphs) >= PARAGRAPHS:
        yield f"a topic has at most {PARAGRAPHS} paragraphs; drop one first"
    if set(edit["source_event_ids"]) & set(known.truncated) and edit["kind"] != "scope":
        yield "an event that is shown cut is cited by kind scope only"


def _drop_overview(edit: Json, known: Known) -> Iterator[str]:
    if edit["text"] not in [one["text"] for one in known.paragraphs]:
        yield "no paragraph has this text"


def _write_experience(edit: Json, known: Known) -> Iterator[str]:
    yield from _length(edit["title"], "title", _SECTION)
    yield from _length(edit["text"], "text", _LESSON)
    yield from _sources(edit, known)
    if len(known.experiences) >= EXPERIENCES:
        yield f"a topic has at most {EXPERIENCES} experiences; drop one first"


def _drop_experience(edit: Json, known: Known) -> Iterator[str]:
    if edit["experience_id"] not in [one["id"] for one in known.experiences]:
        yield "no experience has this id"


_CHECKS = {
    "rename_topic": _rename,
    "merge_topics": _merge,
    "move_events": _move,
    "rename_section": _rename_section,
    "write_overview": _write_overview,
    "drop_overview": _drop_overview,
    "write_experience": _write_experience,
    "drop_experience": _drop_experience,
}


def _length(text: str, name: str, most: int) -> Iterator[str]:
    if not text.strip():
        yield f"{name} must not be blank"
    elif len(text) > most:
        yield f"{name} has {len(text)} characters, at most {most}"


def _members(ids: Sequence[str], name: str, known: Known) -> Iterator[str]:
    if len(set(ids)) < len(ids):
        yield f"{name}: an id stands twice"
    if foreign := sorted(set(ids) - set(known.members)):
        yield f"{name}: no members of the topic: {', '.join(foreign[:3])}"


def _sources(edit: Json, known: Known) -> Iterator[str]:
    if len(edit["source_event_ids"]) > SOURCES:
        yield f"source_event_ids: at most {SOURCES}"
    yield from _members(edit["source_event_ids"], "source_event_ids", known)
