"""The bracketed titles that mark what the library puts before a model, and their protection.

Stored text may contain such a title, by chance or on purpose. A zero-width joiner after the
bracket keeps it readable and makes it no marker.
"""

import re
from collections.abc import Mapping

from stratagate_core.text.language import Language

MARKERS: Mapping[str, Mapping[Language, str]] = {
    "recall": {"en": "Activated long-term memory", "zh": "激活的长期记忆"},
    "no_recall": {"en": "No memory was activated", "zh": "没有激活的记忆"},
    "directory": {"en": "Memory directory", "zh": "记忆目录"},
    "block_view": {"en": "Earlier conversation block", "zh": "较早的对话块"},
}
JOINER = "\u200d"

_TITLES = "|".join(
    title.replace(" ", r"[\s_-]+") for titles in MARKERS.values() for title in titles.values()
)
#: the row of a block view that names block, turns and level; it is broken at its first colon
_ROW = r"(?:Block|对话块)\s*(?=[:：][^|\n]{0,80}\|\s*(?:Turns|轮次)\s*[:：])"
_IMITATION = re.compile(rf"[\[【［](?=[\s/]*(?:{_TITLES}))|{_ROW}", re.IGNORECASE)
#: what stands below a title of ours: up to a blank line, and a block view to the very end
_VIEWS = "|".join(re.escape(title) for title in MARKERS["block_view"].values())
_LISTS = "|".join(
    re.escape(title)
    for name, titles in MARKERS.items()
    if name != "block_view"
    for title in titles.values()
)
_OURS = re.compile(
    rf"^[ \t]*\[(?:{_VIEWS})\][ \t]*(?:\n.*)?\Z|^[ \t]*\[(?:{_LISTS})\].*?(?=\n[ \t]*\n|\Z)",
    re.MULTILINE | re.DOTALL,
)


def without_ours(text: str) -> str:
    """`text` without what we put before a model and somebody said back: it is no new memory."""
    return _OURS.sub("", text) if "[" in text else text


def escape_markers(text: str) -> str:
    """`text` in which nothing passes for one of our markers; doing it twice changes nothing."""
    return _IMITATION.sub(lambda found: found[0] + JOINER, text)
