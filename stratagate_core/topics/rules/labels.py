"""Stock words of the directory, and what makes two titles one (08 §1, §2)."""

import hashlib
from collections.abc import Mapping

from stratagate_core.model.event import Event
from stratagate_core.model.topic import CATEGORIES, Category
from stratagate_core.text.language import Language
from stratagate_core.text.normalise import label_identity

#: raised when prompt or rules of filing change what they produce
PROJECTOR_VERSION = 1

CATEGORY_LABELS: Mapping[str, Mapping[Language, str]] = {
    "preferences": {"en": "Preferences and requirements", "zh": "偏好与要求"},
    "decisions": {"en": "Decisions and plans", "zh": "决定与计划"},
    "work": {"en": "Work and results", "zh": "工作与结果"},
    "relationships": {"en": "People and collaboration", "zh": "交流与协作"},
    "other": {"en": "Other experiences", "zh": "其他经历"},
}
#: kind of a paragraph -> the section it stands in unless it names another
SECTION_TITLES: Mapping[str, Mapping[Language, str]] = {
    "history": {"en": "How it developed", "zh": "发展脉络"},
    "decision": {"en": "Key decisions", "zh": "关键设计决策"},
    "change": {"en": "Important changes", "zh": "重要变化"},
    "open-question": {"en": "Open questions", "zh": "尚未解决的问题"},
    "scope": {"en": "Scope", "zh": "主题范围"},
}
UNCOVERED: Mapping[Language, str] = {"en": "Not yet in a section", "zh": "待归类"}
UNFILED: Mapping[Language, str] = {
    "en": "Not yet organised; see the event",
    "zh": "尚未整理，请查看事件",
}
REMADE_TITLE: Mapping[Language, str] = {
    "en": "A topic that is being reorganised",
    "zh": "正在重新整理的主题",
}

TYPE_CATEGORY: Mapping[str, Category] = {
    "decision": "decisions",
    "plan": "decisions",
    "change": "decisions",
    "cancellation": "decisions",
    "release": "work",
    "task_completed": "work",
    "migration": "work",
    "incident": "work",
    "meeting": "relationships",
    "collaboration": "relationships",
}


def category_of(event: Event) -> Category:
    """The category of an event."""
    if event.criticality != "routine":
        return "preferences"
    return TYPE_CATEGORY.get(event.temporal.event_type, "other")


def main_category(counts: Mapping[str, int]) -> Category:
    """The most frequent category; of equal ones the first in their order."""
    return max(CATEGORIES, key=lambda name: (counts.get(name, 0), -CATEGORIES.index(name)))


def section_key(title: str) -> str:
    """The key of a section: titles that are one have one key."""
    return hashlib.sha256(label_identity(title).encode()).hexdigest()[:16]
