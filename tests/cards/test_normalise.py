"""Normalisation of what is said about an event (02 §1, §3)."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.cards.normalise import (
    catalog_hints,
    criticality,
    event_type,
    extractor_version,
    occurrence_interval,
    scope,
    temporal,
    temporal_to_json,
    texts,
)
from stratagate_core.errors import InvalidArgument
from stratagate_core.model.event import Temporal

SHANGHAI = ZoneInfo("Asia/Shanghai")
ANY_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
FIELDS = sorted(Temporal.__dataclass_fields__)
SOUND = st.fixed_dictionaries(
    {},
    optional={
        "mentioned_at": st.datetimes(timezones=st.just(UTC)),
        "happened_start": st.dates().map(str),
        "happened_end": st.dates().map(str),
        "precision": st.sampled_from(["instant", "day", "month", "year", "range", "fuzzy"]),
        "basis": st.sampled_from(["explicit", "unknown"]),
        "status": st.sampled_from(["planned", "done"]),
        "event_type": st.sampled_from(["发布", "x"]),
        "participants": st.lists(st.text(max_size=5), max_size=3),
        "before_event_ids": st.lists(st.text(max_size=5), max_size=3),
    },
)
TEMPORALS = st.one_of(SOUND, st.dictionaries(st.sampled_from(FIELDS), ANY_JSON), ANY_JSON)


def at(*parts: int, tz: Any = UTC) -> datetime:
    """An aware time."""
    return datetime(*parts, tzinfo=tz)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize("damaged", [{"name": "Ann"}, "Ann", 7, None, ["Ann", 7]])
def test_E_12_damaged_participants_are_dropped(damaged: object) -> None:
    """Participants that are no list of texts are absent, the rest of the object stands."""
    read = temporal({"participants": damaged, "status": "planned"}, timezone=UTC)
    assert Temporal(status="planned") == read


@pytest.mark.parametrize("raw", [None, "May", 5, ["a"], True])
def test_E_12_temporal_that_is_no_object_is_empty(raw: object) -> None:
    """Whatever is no object reads as nothing and is written as nothing."""
    assert temporal_to_json(temporal(raw, timezone=UTC)) == {}


def test_E_12_an_empty_list_is_kept() -> None:
    """No participants known and no participants are two things."""
    read = temporal({"participants": []}, timezone=UTC)
    assert read.participants == ()
    assert temporal_to_json(read) == {"participants": []}


def test_E_13_hints_and_versions() -> None:
    """Unusable hints are dropped, two remain; a version is a positive integer."""
    raw = [" ", 4, "OTHER", "其他", "chapter:1", "/a/b", "a → b", "x" * 65]
    assert catalog_hints([*raw, "工作方式", "工作方式", "PR 审查", "third"]) == (
        "工作方式",
        "PR 审查",
    )
    assert catalog_hints(["UI/UX"]) == ("UI/UX",)
    assert [*map(catalog_hints, ("topic", None, {"a": 1}, []))] == [None, None, None, ()]
    assert [*map(extractor_version, (0, 1.5, "2", True, -1, None))] == [None] * 6
    assert extractor_version(3) == 3


def test_E_18_invalid_enums_are_neutral() -> None:
    """Criticality falls back to routine, precision and status to unknown; scope to none."""
    read = temporal({"precision": "hour", "status": "done", "basis": ["explicit"]}, timezone=UTC)
    assert (read.precision, read.status, read.basis) == ("unknown", "unknown", "unknown")
    assert [*map(criticality, ("urgent", None, []))] == ["routine"] * 3
    assert criticality("safety") == "safety"
    assert [*map(scope, ("team", None, {}, "user"))] == [None, None, None, "user"]


def test_E_21_instants_become_utc_and_naive_ones_are_refused() -> None:
    """An offset is kept as the instant it means; a datetime without timezone is an error."""
    tokyo = at(2026, 5, 6, 9, tz=timezone(timedelta(hours=9)))
    for raw in (tokyo, tokyo.isoformat()):
        assert at(2026, 5, 6) == temporal({"mentioned_at": raw}, timezone=SHANGHAI).mentioned_at
    with pytest.raises(InvalidArgument, match="timezone"):
        temporal({"mentioned_at": datetime(2026, 5, 6)}, timezone=UTC)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2026-05-06T08:00:00.123456Z", at(2026, 5, 6, 8, 0, 0, 123000)),
        (" 2026-05-06 08:00 ", at(2026, 5, 6, 0)),
        ("2026-05-06", at(2026, 5, 5, 16)),
        (date(2026, 5, 6), at(2026, 5, 5, 16)),
        ("2026-05", at(2026, 4, 30, 16)),
        ("2026", at(2025, 12, 31, 16)),
        ("next week", None),
        ("0001-01-01", None),
        ("", None),
        (20260506, None),
    ],
)
def test_times_without_offset_are_read_in_the_display_timezone(
    raw: object, expected: datetime | None
) -> None:
    """A date is the start of that day there; what is no time is dropped."""
    assert expected == temporal({"mentioned_at": raw}, timezone=SHANGHAI).mentioned_at


@pytest.mark.parametrize("unknown", ["precision", "basis"])
def test_an_unknown_date_stays_empty(unknown: str) -> None:
    """Precision or basis unknown removes the time of occurrence, not the wording."""
    raw = {"precision": "day", "basis": "explicit", "happened_start": "2026-05-06"}
    read = temporal({**raw, "original_text": "in May", unknown: "unknown"}, timezone=UTC)
    assert (read.happened_start, read.original_text) == (None, "in May")


def test_lists_are_copied_and_dropped_whole() -> None:
    """A relation list with one item that is no text goes; the input is not aliased."""
    before = ["evt_1"]
    read = temporal({"before_event_ids": before, "after_event_ids": ["a", 1]}, timezone=UTC)
    before.append("evt_2")
    assert (read.before_event_ids, read.after_event_ids) == (("evt_1",), ())


@given(TEMPORALS)
def test_reading_what_was_written_changes_nothing(raw: Any) -> None:
    """Any value reads; written as JSON it reads the same again, in any display timezone."""
    once = temporal(raw, timezone=SHANGHAI)
    assert once == temporal(temporal_to_json(once), timezone=UTC)


@given(TEMPORALS)
def test_an_occurrence_lies_inside_its_interval(raw: Any) -> None:
    """The interval is half-open, not empty and holds the start of the event."""
    times = temporal(raw, timezone=UTC)
    interval = occurrence_interval(times, SHANGHAI)
    start = times.happened_start or times.happened_end
    if start is None:
        assert interval is None
    elif 1900 < start.year < 9000:
        assert interval is not None
        assert interval[0] <= start < interval[1]


@pytest.mark.parametrize(
    ("precision", "start", "end", "expected"),
    [
        ("day", at(2026, 5, 6, 12), None, (at(2026, 5, 5, 16), at(2026, 5, 6, 16))),
        ("month", at(2026, 12, 6), None, (at(2026, 11, 30, 16), at(2026, 12, 31, 16))),
        ("year", at(2026, 5, 6), None, (at(2025, 12, 31, 16), at(2026, 12, 31, 16))),
        ("day", None, at(2026, 5, 6, 12), (at(2026, 5, 5, 16), at(2026, 5, 6, 16))),
        (
            "range",
            at(2026, 5, 3, 16),
            at(2026, 5, 9, 16),
            (at(2026, 5, 3, 16), at(2026, 5, 10, 16)),
        ),
        ("instant", at(2026, 5, 6), None, (at(2026, 5, 6), at(2026, 5, 6, 0, 0, 0, 1000))),
    ],
)
def test_occurrence_interval(
    precision: Any,
    start: datetime | None,
    end: datetime | None,
    expected: tuple[datetime, datetime],
) -> None:
    """A day, month or year covers that whole unit of the display timezone."""
    times = Temporal(precision=precision, basis="explicit", happened_start=start, happened_end=end)
    assert expected == occurrence_interval(times, SHANGHAI)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Task-Completed", "task_completed"),
        ("ＲＥＬＥＡＳＥ", "release"),
        ("故障", "incident"),
        (3, "other"),
    ],
)
def test_event_type(raw: object, expected: str) -> None:
    """Spelling, width and separators do not matter; the rest is other."""
    assert expected == event_type(raw)


def test_texts_are_trimmed_unique_and_limited() -> None:
    """The first different texts remain, cut to their length."""
    assert texts([" a ", "a", "", 3, "bcd", "bce"], max_chars=2) == ("a", "bc")
    assert texts([str(number) for number in range(20)]) == tuple(map(str, range(12)))
    assert texts("abc") == ()
