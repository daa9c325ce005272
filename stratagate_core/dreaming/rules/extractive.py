"""Tidying without a model: titles that say the same, events in the wrong topic, stale prose."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stratagate_core.text.language import Language
from stratagate_core.text.normalise import label_identity
from stratagate_core.text.tokens import query_tokens
from stratagate_core.topics.rules.extractive import (
    description_of,
    is_stock,
    names_of,
    section_title,
    words_of,
)

#: events of a stock topic with one name that get a topic of their own
ENOUGH = 3

Json = Mapping[str, Any]


def tidy(payload: Json) -> Json:
    """The edits that a batch needs by rules; none: the batch is done."""
    language: Language = payload["language"]
    edits = list(_merges(payload)) or [
        *_moves(payload, language),
        *_sections(payload, language),
        *_stale(payload),
    ]
    return {"batch_done": not edits, "show_topic_ids": [], "show_event_ids": [], "edits": edits}


def _merges(payload: Json) -> Iterator[Json]:
    """Topics of the batch whose titles say the same go into the oldest one."""
    first: dict[frozenset[str], str] = {}
    for topic in payload["directory"]:
        first.setdefault(_said(topic["title"]), topic["id"])
    for topic in payload["topics"]:
        target = first.get(_said(topic["title"]), topic["id"])
        if target != topic["id"]:
            yield {"op": "merge_topics", "topic_id": target, "other_topic_ids": [topic["id"]]}


def _said(title: str) -> frozenset[str]:
    return frozenset(query_tokens(title)) or frozenset({label_identity(title)})


def _moves(payload: Json, language: Language) -> Iterator[Json]:
    """Events of a stock topic go where their names have a topic, or make one together."""
    titles = {label_identity(topic["title"]): topic["id"] for topic in payload["directory"]}
    named = {key: one for key, one in titles.items() if not is_stock(key)}
    for topic in payload["topics"]:
        if not is_stock(label_identity(topic["title"])):
            continue
        events = [payload["events"][key] for key in topic["event_ids"] if key in payload["events"]]
        counted = Counter(label_identity(name) for event in events for name in names_of(event))
        yield from _targets(topic["id"], events, named, counted, language)


def _targets(
    topic_id: str,
    events: Sequence[Json],
    named: Mapping[str, str],
    counted: Mapping[str, int],
    language: Language,
) -> Iterator[Json]:
    going: dict[tuple[str, str, str], list[str]] = {}
    spelled: dict[str, str] = {}
    for event in events:
        target, identity = _place(event, named, counted)
        if identity:
            names = {label_identity(name): name for name in names_of(event)}
            spelled.setdefault(identity, names[identity])
        if target or identity:
            place = (target, spelled.get(identity, ""), section_title(event, language))
            going.setdefault(place, []).append(event["id"])
    made: set[str] = set()
    for (target, title, section), ids in going.items():
        move = {"op": "move_events", "topic_id": topic_id, "event_ids": ids, "section": section}
        if target:
            yield {**move, "to_topic_id": target}
            continue
        described = {} if title in made else {"description": description_of(title, language)}
        made.add(title)
        yield {**move, "to_title": title, **described}


def _place(event: Json, named: Mapping[str, str], counted: Mapping[str, int]) -> tuple[str, str]:
    """(id of the topic, identity of the title of a topic to be made) that an event belongs to."""
    for name in (*names_of(event), *words_of(event)):
        if label_identity(name) in named:
            return named[label_identity(name)], ""
    new = [key for key in map(label_identity, names_of(event)) if counted[key] >= ENOUGH]
    # the name that most of them carry; of equal ones the first in the alphabet
    return "", min(new, key=lambda key: (-counted[key], key), default="")


def _sections(payload: Json, language: Language) -> Iterator[Json]:
    """Members that are in no section get one by their kind."""
    for topic in payload["topics"]:
        by_title: dict[str, list[str]] = {}
        for key in topic["uncovered_event_ids"]:
            if key in payload["events"]:
                title = section_title(payload["events"][key], language)
                by_title.setdefault(title, []).append(key)
        for title, ids in by_title.items():
            yield {
                "op": "move_events",
                "topic_id": topic["id"],
                "to_topic_id": topic["id"],
                "event_ids": ids,
                "section": title,
            }


def _stale(payload: Json) -> Iterator[Json]:
    """Paragraphs that rest on something superseded are dropped."""
    for topic in payload["topics"]:
        for paragraph in topic["overview"]:
            cited = [payload["events"].get(key) for key in paragraph["source_event_ids"]]
            if any(event is not None and event["status"] == "superseded" for event in cited):
                yield {
                    "op": "drop_overview",
                    "topic_id": topic["id"],
                    "text": paragraph["text"],
                }
