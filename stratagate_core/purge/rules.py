"""What a purge leaves of the evidence that searches had shown."""

from collections.abc import Set
from dataclasses import replace

from stratagate_core.model.evidence import Evidence


def left_of(item: Evidence, gone: Set[str], nodes: Set[str]) -> Evidence:
    """The evidence without ids and words that were purged.

    Args:
        item: as it was shown.
        gone: ids of purged messages, blocks and events.
        nodes: ids of the nodes that are there; the id of a node follows its name, so one that is
            there has the name it had.

    """
    kept = tuple(key for key in item.event_ids if key not in gone)
    title = "" if is_gone(item, gone, nodes) else item.title
    return replace(item, title=title, event_ids=kept)


def is_gone(item: Evidence, gone: Set[str], nodes: Set[str]) -> bool:
    """Whether nothing is left that the evidence points to."""
    if item.kind == "graph":
        return item.id not in nodes
    return points_at(item, gone)


def points_at(item: Evidence, ids: Set[str]) -> bool:
    """Whether the evidence is one of these, or rests on one."""
    return not ids.isdisjoint((item.id, *item.event_ids, *item.ref.split(":")))
