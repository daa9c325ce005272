"""Filing without a model: by hint, by the names an event carries, and else by its kind (12 §2).

A title is a name that every member carries, or a stock word: so it tells nothing that the members
do not tell, and it stands as long as one of them does.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import regex

from stratagate_core.text.clip import clip
from stratagate_core.text.language import Language
from stratagate_core.text.normalise import collapse, label_identity
from stratagate_core.topics.rules.labels import CATEGORY_LABELS, SECTION_TITLES, TYPE_CATEGORY
from stratagate_core.topics.rules.projection import TOPICS

#: topics that an event is put into at most, and events of a batch that make a new one
_PLACES, _ENOUGH = 2, 2
_LONGEST = 64
_CAPITALISED = regex.compile(r"(?<!\w)\p{Lu}[\w-]+")
#: who is always there says nothing about a subject
_NOBODY = frozenset(label_identity(name) for name in ("user", "assistant", "用户", "助手"))

_NAMED: Mapping[Language, str] = {
    "en": "Everything recorded about {name}",
    "zh": "关于{name}的全部记录",
}
_STOCK: Mapping[Language, str] = {
    "en": "Records of this kind that no other topic holds",
    "zh": "其他主题未收录的此类记录",
}
_RESULTS: Mapping[Language, str] = {"en": "Results", "zh": "结果"}
_PLANS: Mapping[Language, str] = {"en": "Plans", "zh": "计划"}
_WISHES: Mapping[Language, str] = {"en": "Preferences", "zh": "偏好"}
_MEETINGS: Mapping[Language, str] = {"en": "Meetings", "zh": "交流"}
_SECTION_OF_TYPE = {
    "decision": SECTION_TITLES["decision"],
    "change": SECTION_TITLES["change"],
    "cancellation": SECTION_TITLES["change"],
    "plan": _PLANS,
    "release": _RESULTS,
    "task_completed": _RESULTS,
    "migration": _RESULTS,
    "incident": _RESULTS,
    "meeting": _MEETINGS,
    "collaboration": _MEETINGS,
}


def names_of(event: Mapping[str, Any]) -> tuple[str, ...]:
    """What an event may be filed under, the most telling first: hints, tags, participants."""
    given = [
        *event.get("catalog_hints", ()),
        *event["tags"],
        *(event["temporal"].get("participants") or ()),
    ]
    names: dict[str, str] = {}
    for name in map(collapse, given):
        identity = label_identity(name)
        if identity and identity not in _NOBODY and len(name) <= _LONGEST:
            names.setdefault(identity, name)
    return tuple(names.values())


def words_of(event: Mapping[str, Any]) -> tuple[str, ...]:
    """Words with a capital, wherever they stand: they name an event only to a topic that exists."""
    found = _CAPITALISED.findall(f"{event['title']} {event['summary']}")
    return tuple(dict.fromkeys(word for word in found if label_identity(word) not in _NOBODY))


def stock_title(event: Mapping[str, Any], language: Language) -> str:
    """The topic of events of this kind."""
    return CATEGORY_LABELS[_category(event)][language]


def section_title(event: Mapping[str, Any], language: Language) -> str:
    """The section of events of this kind."""
    if event["criticality"] != "routine":
        return _WISHES[language]
    kind = event["temporal"].get("event_type", "other")
    return _SECTION_OF_TYPE.get(kind, SECTION_TITLES["history"])[language]


def possible_titles(events: Sequence[Mapping[str, Any]], language: Language) -> frozenset[str]:
    """The identities of all titles that `project` may give."""
    stock = (stock_title(event, language) for event in events)
    named = (name for event in events for name in (*names_of(event), *words_of(event)))
    return frozenset(label_identity(name) for name in (*stock, *named))


def _category(event: Mapping[str, Any]) -> str:
    if event["criticality"] != "routine":
        return "preferences"
    return TYPE_CATEGORY.get(event["temporal"].get("event_type", "other"), "other")


def project(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Where the events of a batch belong, from the JSON a model would see."""
    language: Language = payload["language"]
    events = payload["events"]
    if payload.get("only_topic"):
        return {"topics": [_topic(payload["topics"][0], events, language)]}
    known = {label_identity(topic["title"]): topic for topic in payload["topics"]}
    named = Counter(label_identity(name) for event in events for name in names_of(event))
    titles = [_titles(event, known, named, language) for event in events]
    filed: dict[str, list[Mapping[str, Any]]] = {}
    shown: dict[str, str] = {}
    # second places only where the answer may hold another topic
    for place in range(_PLACES):
        for event, possible in zip(events, titles, strict=True):
            identity = label_identity(possible[place]) if place < len(possible) else ""
            if identity and (place == 0 or identity in filed or len(filed) < TOPICS):
                shown.setdefault(identity, possible[place])
                filed.setdefault(identity, []).append(event)
    return {
        "topics": [
            _topic(known.get(identity) or _new(shown[identity], language), inside, language)
            for identity, inside in filed.items()
        ]
    }


def _titles(
    event: Mapping[str, Any],
    known: Mapping[str, Mapping[str, Any]],
    named: Mapping[str, int],
    language: Language,
) -> Sequence[str]:
    """The topics of an event: of those its names make possible the most special ones."""
    possible = [
        name
        for name in names_of(event)
        if label_identity(name) in known or named[label_identity(name)] >= _ENOUGH
    ]
    possible += [word for word in words_of(event) if label_identity(word) in known]
    different: dict[str, str] = {}
    for name in possible:
        different.setdefault(label_identity(name), name)
    if not possible:
        return (stock_title(event, language),)

    def special(name: str) -> int:
        topic = known.get(label_identity(name))
        return 0 if topic is None else int(topic["total"])

    return sorted(different.values(), key=special)[:_PLACES]


def is_stock(identity: str) -> bool:
    """Whether a title, by its identity, is that of a category."""
    return any(
        identity == label_identity(label)
        for labels in CATEGORY_LABELS.values()
        for label in labels.values()
    )


def description_of(title: str, language: Language) -> str:
    """The description of a topic of this title; it tells nothing but the title."""
    if is_stock(label_identity(title)):
        return _STOCK[language]
    return clip(_NAMED[language].format(name=title), 400)


def _new(title: str, language: Language) -> Mapping[str, Any]:
    return {"title": title, "description": description_of(title, language)}


def _topic(
    topic: Mapping[str, Any], events: Sequence[Mapping[str, Any]], language: Language
) -> Mapping[str, Any]:
    known = {label_identity(title): title for title in topic.get("sections", ())}
    sections: dict[str, list[str]] = {}
    for event in events:
        title = section_title(event, language)
        sections.setdefault(known.get(label_identity(title), title), []).append(event["id"])
    named = {"topic_id": topic["id"]} if "id" in topic else {}
    return {
        **named,
        "title": topic["title"],
        "description": topic["description"],
        "source_event_ids": list(_ids(events)),
        "sections": [{"title": key, "source_event_ids": ids} for key, ids in sections.items()],
        "overview": [],
    }


def _ids(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    return iter(dict.fromkeys(str(event["id"]) for event in events))
