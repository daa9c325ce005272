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


#: said on Thursday March 5, 2026: what, words of the time, its day or None for unread
LEANS = [
    # deadlines and what something is for look forward, unless it is told as done
    ("He promised to finish the report by March 20.", "March 20", "2026-03-20"),
    ("She asked me to send the invoice before April 10.", "April 10", "2026-04-10"),
    ("We promised the demo for April 2.", "April 2", "2026-04-02"),
    ("I ordered two cakes for Saturday.", "Saturday", "2026-03-07"),
    ("The shop is closed until Monday.", "Monday", "2026-03-09"),
    ("We extended the deadline until October 20.", "October 20", "2026-10-20"),
    ("He promised to finish the report by March 2.", "March 2", "2026-03-02"),
    ("The shop was closed until Monday.", "Monday", "2026-03-02"),
    ("The bug was fixed by Friday.", "Friday", "2026-02-27"),
    ("I had to finish it by Friday.", "Friday", "2026-02-27"),
    ("I was there for Saturday dinner.", "Saturday", "2026-02-28"),
    ("I have been ill since Monday.", "Monday", "2026-03-02"),
    ("他答应3月20日之前完成报告。", "3月20日", "2026-03-20"),
    ("他答应了周五前完成报告。", "周五", "2026-03-06"),
    ("为周六订了两个蛋糕。", "周六", "2026-03-07"),
    ("商店关到周一。", "周一", "2026-03-09"),
    ("周五之前已经完成了。", "周五", "2026-02-27"),
    ("我一直忙到了周一。", "周一", "2026-03-02"),
    ("自11月1日以来我住在这里。", "11月1日", "2025-11-01"),
    # the day of what is arranged or called off, whenever that was done
    ("We cancelled the workshop of March 28.", "March 28", "2026-03-28"),
    ("The workshop of May 28 is cancelled.", "May 28", "2026-05-28"),
    ("The workshop of March 2 is cancelled.", "March 2", "2026-03-02"),
    ("The workshop of October 20 was cancelled.", "October 20", "2026-10-20"),
    ("I got tickets for the May 9 concert.", "May 9", "2026-05-09"),
    ("The dinner on Friday is cancelled.", "Friday", "2026-03-06"),
    ("I attended the workshop of February 10.", "February 10", "2026-02-10"),
    ("The concert of Saturday was great.", "Saturday", "2026-02-28"),
    ("我们取消了3月28日的研讨会。", "3月28日", "2026-03-28"),
    ("5月28日的研讨会取消了。", "5月28日", "2026-05-28"),
    ("我约了周六的牙医。", "周六", "2026-03-07"),
    ("我参加了周六的会。", "周六", "2026-02-28"),
    # what somebody is bound to do, and what is said of later
    ("We agreed to ship on April 3.", "April 3", "2026-04-03"),
    ("He said he would come on March 20.", "March 20", "2026-03-20"),
    ("We agreed on March 2 to ship.", "March 2", "2026-03-02"),
    ("他保证3月20日交货。", "3月20日", "2026-03-20"),
    # the day of an act
    ("I ordered it on Saturday.", "Saturday", "2026-02-28"),
    ("She got back on December 20.", "December 20", "2025-12-20"),
    ("On Friday we cancelled the dinner.", "Friday", "2026-02-27"),
    ("周五我取消了聚会。", "周五", "2026-02-27"),
    # the day of the dinner, or of calling it off
    ("We cancelled the dinner on Friday.", "Friday", None),
    ("The dinner on Friday was cancelled.", "Friday", None),
    # no cue at all: whichever is nearest
    ("Workshop, March 28", "March 28", "2026-03-28"),
    ("Workshop, February 10", "February 10", "2026-02-10"),
    ("研讨会，2月10日", "2月10日", "2026-02-10"),
]


@pytest.mark.parametrize(("text", "words", "day"), LEANS)
def test_cue_and_tense_say_on_which_side_a_date_lies(
    text: str, words: str, day: str | None
) -> None:
    """A date without its year, a weekday without its week: cues first, then verbs, else nearest."""
    found = find_times(text, reference=datetime(2026, 3, 5, 10, tzinfo=UTC))

    expected = [] if day is None else [(words, day)]
    assert expected == [(one.text, str(one.start.date())) for one in found]
