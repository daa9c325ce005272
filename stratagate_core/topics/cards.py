"""The directory as plain JSON for an agent: a page of it, and one topic within its budget."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from stratagate_core.cards.instants import written
from stratagate_core.engine import Work
from stratagate_core.llm.parse import compact_json
from stratagate_core.model.search import Page
from stratagate_core.model.topic import Topic
from stratagate_core.text.language import choose_language
from stratagate_core.topics import read
from stratagate_core.topics.rules.labels import CATEGORY_LABELS

#: estimated tokens of an expanded topic, and the sources that are named
BUDGET, SOURCES = 2_400, 12


def list_card(work: Work, page: Page[Topic], *, offset: int) -> dict[str, Any]:
    """A page of the directory."""
    language = choose_language(work.settings.language, "")
    return {
        "namespace": work.namespace,
        "navigation_only": True,
        "total": page.total,
        "offset": offset,
        "next_offset": page.next_offset,
        "categories": [
            {"id": name, "label": CATEGORY_LABELS[name][language], "count": number}
            for name, number in read.counted(work).items()
        ],
        "topics": [
            {
                "id": topic.id,
                "title": topic.title,
                "description": topic.description,
                "category": topic.category,
                "source_event_count": len(topic.source_event_ids),
                "coverage": asdict(topic.coverage),
                "is_fallback": topic.is_fallback,
            }
            for topic in page.items
        ],
    }


def expand_card(work: Work, topic: Topic) -> dict[str, Any]:
    """One topic: its sections in order until one does not fit, then what else fits.

    What is shown and what is left out add up to what there is.
    """
    card = _bare(work, topic)
    body, fits = card["topic"], _fits(work, card)
    for at, section in enumerate(topic.sections):
        entry = {"title": section.title, "source_event_count": len(section.source_event_ids)}
        body["omitted_sections"] = len(topic.sections) - at - 1
        if not fits("sections", entry):
            body["omitted_sections"] += 1
            break
    for name, count, parts in (
        ("overview", "omitted_overview_paragraphs", topic.overview),
        ("experiences", "omitted_experiences", topic.experiences),
    ):
        for part in parts:
            given = {key: value for key, value in asdict(part).items() if value is not None}
            if fits(name, given):
                body[count] -= 1
    return card


def _bare(work: Work, topic: Topic) -> dict[str, Any]:
    shown = topic.source_event_ids[:SOURCES]
    body = {
        "id": topic.id,
        "title": topic.title,
        "description": topic.description,
        "category": topic.category,
        "created_at": topic.created_at,
        "updated_at": topic.updated_at,
        "coverage": asdict(topic.coverage),
        "is_fallback": topic.is_fallback,
        "source_event_ids": list(shown),
        "overview": [],
        "experiences": [],
        "sections": [],
        "total_sections": len(topic.sections),
        "omitted_sections": len(topic.sections),
        "total_source_events": len(topic.source_event_ids),
        "omitted_source_events": len(topic.source_event_ids) - len(shown),
        "omitted_overview_paragraphs": len(topic.overview),
        "omitted_experiences": len(topic.experiences),
    }
    retrieval = {"tool": f"{work.settings.tool_prefix}search_events", "topic_id": topic.id}
    card = {
        "namespace": work.namespace,
        "navigation_only": True,
        "event_retrieval": {**retrieval, "query": "", "offset": 0},
        "topic": body,
    }
    return dict(written(card, work.settings.timezone))


def _fits(work: Work, card: Mapping[str, Any]) -> Callable[[str, Mapping[str, Any]], bool]:
    """Adds a part to the topic of the card if the whole stays within the budget."""

    def add(name: str, part: Mapping[str, Any]) -> bool:
        parts = card["topic"][name]
        parts.append(written(part, work.settings.timezone))
        if work.env.count_tokens(compact_json(card)) <= BUDGET:
            return True
        parts.pop()
        return False

    return add
