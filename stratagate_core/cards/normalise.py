"""Bringing what a model, a caller or a damaged row says about an event into its stored form.

Nothing here fails on a bad value: it is dropped, or the neutral value stands for it. The same
functions serve writing and reading, so what was stored damaged never breaks a later read.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, cast

from stratagate_core.cards.instants import after, parse_instant, unit_around, write_instant
from stratagate_core.model.event import (
    BASES,
    CRITICALITIES,
    HAPPENINGS,
    PRECISIONS,
    RELATIONS,
    SCOPES,
    Criticality,
    Scope,
    Temporal,
)
from stratagate_core.text.clip import clip
from stratagate_core.text.normalise import normalise

_EVENT_TYPES = {
    spelling: kind
    for kind, spellings in {
        "decision": "decision 决定 决策",
        "release": "release released 发布 版本发布",
        "task_completed": "taskcompleted completed 完成 任务完成",
        "plan": "plan planned 计划",
        "change": "change 变更 修改",
        "cancellation": "cancellation cancelled canceled 取消",
        "incident": "incident 故障",
        "meeting": "meeting 会议",
        "collaboration": "collaboration 协作",
        "migration": "migration 迁移",
    }.items()
    for spelling in spellings.split()
}
_SEPARATORS = re.compile(r"[ _-]")

_HINTS, _HINT_LENGTH = 2, 64
#: hints that name no subject: stock words, numbered headings, paths
_NO_HINT = re.compile(
    r"(?:other|其他|其它)\Z|(?:chapter|section|topic|chap|sec)[_:：-]|[/\\]|.*[>→]|.*[/\\].*[/\\]",
    re.IGNORECASE | re.DOTALL,
)

_TIMES = ("mentioned_at", "happened_start", "happened_end")
_TEXTS = ("original_text", "thread_id", "same_event_id")
_ENUMS = {"precision": PRECISIONS, "basis": BASES, "status": HAPPENINGS}
_LISTS = ("participant_node_ids", *RELATIONS)


def event_type(raw: object) -> str:
    """The kind of event that `raw` names, `other` for anything unknown."""
    name = _SEPARATORS.sub("", normalise(raw)) if isinstance(raw, str) else ""
    return _EVENT_TYPES.get(name, "other")


def catalog_hints(raw: object) -> tuple[str, ...] | None:
    """The first two usable filing hints in the list `raw`; None if it is no list."""
    if not isinstance(raw, list | tuple):
        return None
    hints = (hint for hint in _trimmed(raw) if len(hint) <= _HINT_LENGTH)
    return tuple(dict.fromkeys(hint for hint in hints if not _NO_HINT.match(hint)))[:_HINTS]


def extractor_version(raw: object) -> int | None:
    """`raw` if it is a positive integer, else None."""
    return raw if type(raw) is int and raw > 0 else None


def criticality(raw: object) -> Criticality:
    """The criticality that `raw` names, else `routine`."""
    return cast(Criticality, _one_of(CRITICALITIES, raw, "routine"))


def scope(raw: object) -> Scope | None:
    """The scope that `raw` names, else None: there is no default scope."""
    return cast(Scope, raw) if isinstance(raw, str) and raw in SCOPES else None


def texts(raw: object, limit: int = 12, max_chars: int | None = None) -> tuple[str, ...]:
    """The first `limit` different texts in the list `raw`, trimmed, each cut to `max_chars`."""
    if not isinstance(raw, list | tuple):
        return ()
    found = _trimmed(raw)
    cut = found if max_chars is None else [clip(text, max_chars) for text in found]
    return tuple(dict.fromkeys(cut))[:limit]


def temporal(raw: object, *, timezone: tzinfo) -> Temporal:
    """The times and relations in the JSON object `raw`; without an object, empty ones.

    Args:
        raw: what a model, a caller or the store says.
        timezone: the display timezone, in which times without an offset are read.

    Raises:
        InvalidArgument: a time is a datetime object without timezone.

    """
    if not isinstance(raw, Mapping):
        return Temporal()
    values: dict[str, Any] = {
        name: _one_of(allowed, raw.get(name), "unknown") for name, allowed in _ENUMS.items()
    }
    values |= {name: parse_instant(raw.get(name), timezone) for name in _TIMES}
    values |= {name: _text(raw.get(name)) for name in _TEXTS}
    values |= {name: _texts_only(raw.get(name)) or () for name in _LISTS}
    if "unknown" in (values["precision"], values["basis"]):
        values |= {"happened_start": None, "happened_end": None}
    return Temporal(
        event_type=event_type(raw.get("event_type")),
        participants=_texts_only(raw.get("participants")),
        **values,
    )


def temporal_to_json(times: Temporal, timezone: tzinfo = UTC) -> dict[str, Any]:
    """`times` as the JSON object `temporal` reads; what is absent or neutral is left out.

    Instants are written in `timezone`: UTC in storage, the display timezone wherever it is read.
    """
    written: dict[str, Any] = {}
    for name in _TIMES:
        if (instant := getattr(times, name)) is not None:
            written[name] = write_instant(instant, timezone)
    for name in ("original_text", *_ENUMS, "event_type"):
        if (value := getattr(times, name)) not in (None, "unknown", "other"):
            written[name] = value
    if times.participants is not None:
        written["participants"] = list(times.participants)
    for name in ("thread_id", "participant_node_ids", "same_event_id", *RELATIONS):
        if value := getattr(times, name):
            written[name] = value if isinstance(value, str) else list(value)
    return written


def occurrence_interval(times: Temporal, timezone: tzinfo) -> tuple[datetime, datetime] | None:
    """When the event happened, as [start, end); None without a time of occurrence.

    A precision of day, month or year covers that whole unit of `timezone`; so does the last day
    of a range that ends at midnight, since a date was meant.
    """
    start = times.happened_start or times.happened_end
    if start is None:
        return None
    last = max(start, times.happened_end or start)
    try:
        if times.precision in ("day", "month", "year"):
            first, _ = unit_around(start, times.precision, timezone)
            return first, unit_around(last, times.precision, timezone)[1]
        midnight, next_midnight = unit_around(last, "day", timezone)
        whole_day = times.precision == "range" and last == midnight
        return start, next_midnight if whole_day else after(last)
    except (OverflowError, ValueError):  # the unit reaches beyond the calendar
        return start, last


def _one_of(allowed: tuple[str, ...], raw: object, neutral: str) -> str:
    return raw if isinstance(raw, str) and raw in allowed else neutral


def _text(raw: object) -> str | None:
    return raw if isinstance(raw, str) and raw.strip() else None


def _texts_only(raw: object) -> tuple[str, ...] | None:
    """A list of texts; None for anything else, also for a list with any other item."""
    if isinstance(raw, list | tuple) and all(isinstance(item, str) for item in raw):
        return tuple(raw)
    return None


def _trimmed(raw: list[Any] | tuple[Any, ...]) -> list[str]:
    trimmed = (item.strip() for item in raw if isinstance(item, str))
    return [text for text in trimmed if text]
