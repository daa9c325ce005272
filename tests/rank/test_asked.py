"""What a query asks for besides its words."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core.rank.asked import (
    asks_how_much,
    asks_when,
    days_named,
    head_terms,
    mentions,
    overlaps,
    speaker_tokens,
    text_terms,
    without_names,
)

KNOWN = {token for name in ("Ana", "Ben Okri", "小明") for token in speaker_tokens(name)}
NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "rest", "about"),
    [
        ("What does Ana like?", "What does like?", {"s:ana"}),
        ("What does Ana think of Ben's plan?", "What does think of plan?", {"s:ana"}),
        ("Where did Ana and Ben go?", "Where did and go?", {"s:ana", "s:ben"}),
        ("What is Ben's job?", "What is job?", {"s:ben"}),
        ("did ana call ben okri", "did call", {"s:ana"}),
        ("banana bread", "banana bread", set()),
        ("小明的爱好是什么", "爱好是什么", {"s:小明"}),
        ("Is it the ana of old? Yes.", "Is it the ana of old? Yes.", set()),
    ],
)
def test_names_leave_the_query(query: str, rest: str, about: set[str]) -> None:
    """Speakers become a prior; who only has something is not whom it is about."""
    left, found = without_names(query, KNOWN)
    assert rest == " ".join(left.split())
    assert about == found


def test_a_query_of_names_keeps_them() -> None:
    """Where nothing else is asked for, the name is what is looked for."""
    rest, _ = without_names("Ana?", KNOWN)
    assert text_terms("Ana?", rest) == ("w:ana",)


def test_chinese_asking_words_are_no_words_to_look_for() -> None:
    """`什么` inside a run of characters makes no pair with what stands beside it."""
    assert text_terms("喜欢什么运动", "喜欢什么运动") == ("h2:喜欢", "h2:运动")


@pytest.mark.parametrize(
    ("query", "head"),
    [
        ("What instruments does she play?", {"w:instrument"}),
        ("How many pets did he have?", {"w:pet"}),
        ("What are her hobbies?", {"w:hobbi"}),
        ("喜欢什么运动？", {"h2:运动"}),
        ("爱好是什么？", {"h2:爱好"}),
        ("When did the race end?", set()),
        ("the race", set()),
    ],
)
def test_what_is_asked_for_by_its_kind(query: str, head: set[str]) -> None:
    """The noun behind the question word, in both languages."""
    assert head <= head_terms(query)
    assert bool(head) == bool(head_terms(query))


def test_when_and_how_much() -> None:
    """Questions for a time and for a number are told by their words."""
    assert [asks_when(q) for q in ("When was it?", "什么时候去的", "What was it?")] == [1, 1, 0]
    assert [asks_how_much(q) for q in ("How many cats?", "多少钱", "Which cat?")] == [1, 1, 0]


def test_a_day_without_a_year_counts_in_every_year() -> None:
    """`on 3 May` finds the third of May of any year, `on 3 May 2024` that of one year."""
    (any_year,) = days_named("What happened on 3 May?", NOW, UTC)
    (one_year,) = days_named("What happened on 3 May 2024?", NOW, UTC)
    moment = datetime(2022, 5, 3, 9, tzinfo=UTC)
    assert overlaps(any_year, moment, moment.replace(hour=10))
    assert not overlaps(one_year, moment, moment.replace(hour=10))
    assert not overlaps(any_year, NOW, NOW.replace(hour=13))


@given(st.text(max_size=300))
def test_any_text_is_read(query: str) -> None:
    """Every text has its mentions, its terms and its rest; nothing raises."""
    rest, about = without_names(query, {one.token for one in mentions(query)})
    assert text_terms(query, rest) is not None
    assert all(token.startswith("s:") for token in about)
    head_terms(rest)
    days_named(query, NOW, UTC)
