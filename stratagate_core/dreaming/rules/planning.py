"""Which part of the directory is looked at together (08 §9)."""

from collections.abc import Mapping, Sequence
from typing import Any

#: characters of compact events in a batch
CHARACTERS = 16_000
#: empty replies or refused edits, one after the other, before a run is paused
PATIENCE = 3

Part = Mapping[str, Any]


def planned(topics: Sequence[tuple[str, Sequence[tuple[str, int]]]]) -> list[list[Part]]:
    """Whole topics up to the size of a batch; a larger topic is split.

    Args:
        topics: (topic id, (event id, characters) of its members), in directory order.

    """
    batches: list[list[Part]] = []
    room = 0
    for topic_id, members in topics:
        whole = sum(length for _, length in members)
        if whole <= CHARACTERS:
            if whole > room or not batches:
                batches.append([])
                room = CHARACTERS
            batches[-1].append({"topic_id": topic_id, "event_ids": [key for key, _ in members]})
            room -= whole
            continue
        batches += [[{"topic_id": topic_id, "event_ids": ids}] for ids in _split(members)]
        room = 0
    return batches


def _split(members: Sequence[tuple[str, int]]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    left = CHARACTERS
    for key, length in members:
        if length > left and parts[-1]:
            parts.append([])
            left = CHARACTERS
        parts[-1].append(key)
        left -= length
    return parts
