"""Dates in English text, counted from Wednesday 10 May 2023, noon."""

from datetime import UTC, datetime

import pytest

from stratagate_core.text.times import find_times

NOON = datetime(2023, 5, 10, 12, tzinfo=UTC)

#: text, words of the time, first day, day after the last, precision
DAYS = [
    # named outright
    ("2023-05-06", "2023-05-06", "2023-05-06", "2023-05-07", "day"),
    ("on 2021/12/03 we met", "2021/12/03", "2021-12-03", "2021-12-04", "day"),
    ("May 6", "May 6", "2023-05-06", "2023-05-07", "day"),
    ("6 May 2023", "6 May 2023", "2023-05-06", "2023-05-07", "day"),
    ("May 6th, 2021.", "May 6th, 2021", "2021-05-06", "2021-05-07", "day"),
    ("the 3rd of July", "the 3rd of July", "2023-07-03", "2023-07-04", "day"),
    ("Sept. 5, 2022", "Sept. 5, 2022", "2022-09-05", "2022-09-06", "day"),
    ("Friday, May 5th", "Friday, May 5th", "2023-05-05", "2023-05-06", "day"),
    ("We met on Dec 25", "Dec 25", "2022-12-25", "2022-12-26", "day"),
    ("We will meet on Dec 25", "Dec 25", "2023-12-25", "2023-12-26", "day"),
    ("May 6-8", "May 6-8", "2023-05-06", "2023-05-09", "range"),
    ("25/05/2023", "25/05/2023", "2023-05-25", "2023-05-26", "day"),
    ("05/25/2023", "05/25/2023", "2023-05-25", "2023-05-26", "day"),
    ("05/05/2023", "05/05/2023", "2023-05-05", "2023-05-06", "day"),
    ("29 February 2024", "29 February 2024", "2024-02-29", "2024-03-01", "day"),
    ("May 2023", "May 2023", "2023-05-01", "2023-06-01", "month"),
    ("in may of 2020", "may of 2020", "2020-05-01", "2020-06-01", "month"),
    ("in May", "May", "2023-05-01", "2023-06-01", "month"),
    ("since March", "March", "2023-03-01", "2023-04-01", "month"),
    ("We will move in February", "February", "2024-02-01", "2024-03-01", "month"),
    ("We moved in August", "August", "2022-08-01", "2022-09-01", "month"),
    ("last December", "last December", "2022-12-01", "2023-01-01", "month"),
    ("next May", "next May", "2024-05-01", "2024-06-01", "month"),
    ("in 2022 we moved", "2022", "2022-01-01", "2023-01-01", "year"),
    ("since 1998", "1998", "1998-01-01", "1999-01-01", "year"),
    ("done by 2030.", "2030", "2030-01-01", "2031-01-01", "year"),
    ("the 1990s", "the 1990s", "1990-01-01", "2000-01-01", "range"),
    ("summer of 2022", "summer of 2022", "2022-06-01", "2022-09-01", "range"),
    ("for Christmas", "Christmas", "2022-12-25", "2022-12-26", "day"),
    ("last Christmas", "last Christmas", "2022-12-25", "2022-12-26", "day"),
    ("next Halloween", "next Halloween", "2023-10-31", "2023-11-01", "day"),
    ("New Year's Eve 2021", "New Year's Eve 2021", "2021-12-31", "2022-01-01", "day"),
    # days around
    ("today", "today", "2023-05-10", "2023-05-11", "day"),
    ("Yesterday I ran", "Yesterday", "2023-05-09", "2023-05-10", "day"),
    ("tomorrow morning", "tomorrow morning", "2023-05-11", "2023-05-12", "day"),
    ("tonight", "tonight", "2023-05-10", "2023-05-11", "day"),
    ("last night", "last night", "2023-05-09", "2023-05-10", "day"),
    ("this morning", "this morning", "2023-05-10", "2023-05-11", "day"),
    ("the day before yesterday", "the day before yesterday", "2023-05-08", "2023-05-09", "day"),
    ("the day after tomorrow", "the day after tomorrow", "2023-05-12", "2023-05-13", "day"),
    # weeks, months, years, seasons
    ("last week", "last week", "2023-05-01", "2023-05-08", "range"),
    ("this week", "this week", "2023-05-08", "2023-05-15", "range"),
    ("next week", "next week", "2023-05-15", "2023-05-22", "range"),
    ("the week before last", "the week before last", "2023-04-24", "2023-05-01", "range"),
    ("last weekend", "last weekend", "2023-05-06", "2023-05-08", "range"),
    ("this weekend", "this weekend", "2023-05-13", "2023-05-15", "range"),
    ("We hiked over the weekend", "the weekend", "2023-05-06", "2023-05-08", "range"),
    ("I'm hiking over the weekend", "the weekend", "2023-05-13", "2023-05-15", "range"),
    ("last month", "last month", "2023-04-01", "2023-05-01", "month"),
    ("next month", "next month", "2023-06-01", "2023-07-01", "month"),
    ("last year", "last year", "2022-01-01", "2023-01-01", "year"),
    ("the year before last", "the year before last", "2021-01-01", "2022-01-01", "year"),
    ("last summer", "last summer", "2022-06-01", "2022-09-01", "range"),
    ("last winter", "last winter", "2022-12-01", "2023-03-01", "range"),
    ("this spring", "this spring", "2023-03-01", "2023-06-01", "range"),
    ("next fall", "next fall", "2023-09-01", "2023-12-01", "range"),
    # days of the week
    ("last Friday.", "last Friday", "2023-05-05", "2023-05-06", "day"),
    ("last Monday", "last Monday", "2023-05-08", "2023-05-09", "day"),
    ("this Friday", "this Friday", "2023-05-12", "2023-05-13", "day"),
    ("next Friday", "next Friday", "2023-05-19", "2023-05-20", "day"),
    ("this past Sunday", "this past Sunday", "2023-05-07", "2023-05-08", "day"),
    ("this coming Sunday", "this coming Sunday", "2023-05-14", "2023-05-15", "day"),
    ("on Friday we ate", "Friday", "2023-05-05", "2023-05-06", "day"),
    ("I will go on Friday", "Friday", "2023-05-12", "2023-05-13", "day"),
    ("We're going to meet on Tues", "Tues", "2023-05-16", "2023-05-17", "day"),
    ("I'm seeing her on Friday", "Friday", "2023-05-12", "2023-05-13", "day"),
    ("Sunday night was fun", "Sunday night", "2023-05-07", "2023-05-08", "day"),
    # counted
    ("3 days ago", "3 days ago", "2023-05-07", "2023-05-08", "day"),
    ("a week ago", "a week ago", "2023-05-03", "2023-05-04", "day"),
    ("two weeks ago", "two weeks ago", "2023-04-26", "2023-04-27", "day"),
    ("two weekends ago", "two weekends ago", "2023-04-29", "2023-05-01", "range"),
    ("a month ago", "a month ago", "2023-04-01", "2023-05-01", "month"),
    ("three years ago", "three years ago", "2020-01-01", "2021-01-01", "year"),
    ("a few days ago", "a few days ago", "2023-05-05", "2023-05-09", "range"),
    ("a couple of weeks ago", "a couple of weeks ago", "2023-04-19", "2023-04-27", "range"),
    ("see you in 3 days", "in 3 days", "2023-05-13", "2023-05-14", "day"),
    ("in two weeks' time", "in two weeks' time", "2023-05-24", "2023-05-25", "day"),
    ("in two weeks’ time", "in two weeks’ time", "2023-05-24", "2023-05-25", "day"),
    ("two weeks from now", "two weeks from now", "2023-05-24", "2023-05-25", "day"),
    ("the past two weeks", "the past two weeks", "2023-04-26", "2023-05-11", "range"),
    ("the past month", "the past month", "2023-04-10", "2023-05-11", "range"),
    # from another day
    ("the week of 9 June", "the week of 9 June", "2023-06-05", "2023-06-12", "range"),
    ("the week before 9 June", "the week before 9 June", "2023-05-29", "2023-06-05", "range"),
    ("the Friday before 9 June", "the Friday before 9 June", "2023-06-02", "2023-06-03", "day"),
    ("two days after May 6", "two days after May 6", "2023-05-08", "2023-05-09", "day"),
]

INSTANTS = [
    ("2023-05-06 15:30", "2023-05-06 15:30", "2023-05-06T15:30"),
    ("2023-05-06T15:30:00+02:00", "2023-05-06T15:30:00+02:00", "2023-05-06T13:30"),
    ("yesterday at 3pm", "yesterday at 3pm", "2023-05-09T15:00"),
    ("at 3 p.m. on Friday", "at 3 p.m. on Friday", "2023-05-05T15:00"),
    ("tomorrow at 15:30", "tomorrow at 15:30", "2023-05-11T15:30"),
    ("last night around 9:15", "last night around 9:15", "2023-05-09T21:15"),
    ("May 6, 2021 at noon", "May 6, 2021 at noon", "2021-05-06T12:00"),
    ("12 am tomorrow", "12 am tomorrow", "2023-05-11T00:00"),
    ("an hour ago", "an hour ago", "2023-05-10T11:00"),
]

NO_TIMES = [
    "We may go.",
    "It may 6 times fail.",
    "They march on.",
    "Give me a second.",
    "The sun sat low and we wed.",
    "This may be the last may.",
    "April is my friend.",
    "06/05/2023",
    "I paid 2023 for it",
    "between 2010-12",
    "We saved 2000 by 2000 people.",
    "Black Friday is loud.",
    "every Friday, on Fridays",
    "I finished it in two days.",
    "I love Christmas.",
    "the day before",
    "31/02/2023",
    "99999 years ago",
    "9999 years ago",
    "release 2023.05.1",
    "see report-2023-05-06.pdf",
    "at 3pm",
]


@pytest.mark.parametrize(("text", "words", "start", "end", "precision"), DAYS)
def test_english_days(text: str, words: str, start: str, end: str, precision: str) -> None:
    """A phrase names whole days, in its exact words."""
    (found,) = find_times(text, reference=NOON)
    expected = (words, start, end, precision)
    actual = (found.text, str(found.start.date()), str(found.end.date()), found.precision)
    assert expected == actual


@pytest.mark.parametrize(("text", "words", "moment"), INSTANTS)
def test_english_instants(text: str, words: str, moment: str) -> None:
    """A clock beside a day names a minute."""
    (found,) = find_times(text, reference=NOON)
    expected = (words, datetime.fromisoformat(moment).replace(tzinfo=UTC), "instant")
    assert expected == (found.text, found.start, found.precision)


@pytest.mark.parametrize("text", NO_TIMES)
def test_words_that_are_no_times(text: str) -> None:
    """What is no time, no existing time, or could be two times stays unread."""
    assert find_times(text, reference=NOON) == ()


def test_a_clock_that_could_be_morning_or_evening_leaves_the_day() -> None:
    """`tomorrow at 3:30` is read as the day alone."""
    (found,) = find_times("tomorrow at 3:30", reference=NOON)
    assert (found.text, found.precision) == ("tomorrow", "day")
