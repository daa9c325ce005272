"""What holds for every text that is searched for times."""

import warnings
from datetime import UTC, datetime, timedelta
from time import process_time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.text.times import find_times

NOON = datetime(2023, 5, 10, 12, tzinfo=UTC)

WORDS = """
last next this week month year Friday May may 6 2023 , the before after of in on at 3pm two days
ago yesterday 2023-05-06 31/12/2020
昨天 上 下 周 五 月 年 三 十 前 后 点 半 下午 去年 2026 日 号 1 9999
"""
FRAGMENTS = st.sampled_from(WORDS.split())
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(FRAGMENTS, max_size=14).map(" ".join),
    st.lists(FRAGMENTS, max_size=14).map("".join),
)
MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 28), timezones=st.just(UTC))


@given(TEXTS, MOMENTS, st.sampled_from(["UTC", "Asia/Shanghai", "America/New_York"]))
def test_times_are_exact_ordered_pieces_of_any_text(
    text: str, reference: datetime, zone: str
) -> None:
    """Nothing raises; spans hold the words, never overlap, and every interval has a length."""
    times = find_times(text, reference=reference, timezone=ZoneInfo(zone))
    position = 0
    for found in times:
        assert found.text == text[slice(*found.span)]
        assert position <= found.span[0] < found.span[1]
        assert found.start < found.end
        position = found.span[1]


@given(TEXTS)
def test_finding_is_deterministic(text: str) -> None:
    """The same text and moment give the same times."""
    assert find_times(text, reference=NOON) == find_times(text, reference=NOON)


@pytest.mark.parametrize(
    "unit",
    ["last ", "in ", "1", "1-", "九", "两", "the week before ", "2023-", " ", "半个月"],
)
def test_hostile_texts_cost_linear_time(unit: str) -> None:
    """Sixteen thousand repeated signs are searched in well under a second."""
    before = process_time()
    find_times((unit * 16_000)[:16_000], reference=NOON)
    assert process_time() - before < 0.8


def test_several_times_come_in_reading_order() -> None:
    """English and Chinese times of one text stand in reading order."""
    found = find_times("Yesterday we met, 下周三 again, then in 2025.", reference=NOON)
    assert [time.text for time in found] == ["Yesterday", "下周三", "2025"]


def test_relative_dates_count_from_the_message_in_its_zone() -> None:
    """`yesterday` is the day before the speaker's local day, not before the UTC day."""
    late = datetime(2023, 5, 10, 20, tzinfo=UTC)
    zone = ZoneInfo("Asia/Shanghai")
    (found,) = find_times("yesterday", reference=late, timezone=zone)
    assert datetime(2023, 5, 10, tzinfo=zone) == found.start
    assert timedelta(days=1) == found.end - found.start


@pytest.mark.parametrize(
    ("text", "direction", "basis"),
    [
        ("yesterday", "past", "relative"),
        ("today", "present", "relative"),
        ("this year", "present", "relative"),
        ("next week", "future", "relative"),
        ("6 May 2023", "past", "explicit"),
        ("2026年", "future", "explicit"),
    ],
)
def test_direction_and_basis(text: str, direction: str, basis: str) -> None:
    """A time lies before, around or after the moment of speaking, and is named or counted."""
    (found,) = find_times(text, reference=NOON)
    assert (direction, basis) == (found.direction, found.basis)


@pytest.mark.parametrize(
    "text",
    ["6 May 2023", "May 6, 2021", "2020-02-29", "3 July 1999", "December 31st, 2024", "25/12/2022"],
)
def test_agrees_with_dateparser_on_explicit_dates(text: str) -> None:
    """An independent parser reads the same day."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import dateparser  # type: ignore[import-untyped]

        other = dateparser.parse(text, languages=["en"])
    (found,) = find_times(text, reference=NOON)
    assert other is not None
    assert other.date() == found.start.date()


@pytest.mark.parametrize(
    ("text", "words", "day"),
    [
        ("We moved the launch from June 3 to June 10.", "June 10", "2026-06-10"),
        ("I booked a flight to Rome for July 4.", "July 4", "2026-07-04"),
        ("The meeting with Acme is on Tuesday.", "Tuesday", "2026-05-12"),
        ("The meeting with Acme was on Tuesday.", "Tuesday", "2026-05-05"),
        ("The release was planned for April 20.", "April 20", "2026-04-20"),
        ("I moved to Lyon on April 3.", "April 3", "2026-04-03"),
        ("会议推迟到周五了。", "周五", "2026-05-08"),
        ("会议定在周二。", "周二", "2026-05-12"),
    ],
)
def test_what_a_date_is_set_for_is_still_to_come(text: str, words: str, day: str) -> None:
    """Said on Wednesday May 6: the new date lies ahead though the verb is of the past."""
    found = find_times(text, reference=datetime(2026, 5, 6, 9, tzinfo=UTC))

    assert [day] == [str(one.start.date()) for one in found if one.text == words]
