"""The rules that let a card in: times, quotes and relations."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import hypothesis.strategies as st
import pytest
from hypothesis import given

from stratagate_core import Message
from stratagate_core.cards.normalise import occurrence_interval
from stratagate_core.events.rules.admission import Origin, admit
from stratagate_core.events.rules.quotes import checked_quotes, citable_texts
from stratagate_core.events.rules.relations import permitted
from stratagate_core.events.rules.times import event_times
from stratagate_core.model.event import RELATIONS, Temporal
from tests.conftest import START

SHANGHAI = ZoneInfo("Asia/Shanghai")


def _times(content: str, zone: Any = UTC, **raw: Any) -> Temporal:
    said = Message(role="user", content=content, id="m1", created_at=START)
    return event_times(raw, [said], zone)


@pytest.mark.parametrize(
    ("content", "words", "first", "last"),
    [
        ("I met Ana yesterday.", "yesterday", (2026, 5, 5), (2026, 5, 6)),
        ("I met Ana on Friday.", "on Friday", (2026, 5, 1), (2026, 5, 2)),
        ("I will meet Ana on Friday.", "on Friday", (2026, 5, 8), (2026, 5, 9)),
        ("The launch moved to June 12.", "June 12", (2026, 6, 12), (2026, 6, 13)),
        ("会议改到6月12日。", "6月12日", (2026, 6, 12), (2026, 6, 13)),
        ("I was there last week.", "last week", (2026, 4, 27), (2026, 5, 4)),
        ("上周我在北京。", "上周", (2026, 4, 27), (2026, 5, 4)),
        ("I lived there in 2024.", "2024", (2024, 1, 1), (2025, 1, 1)),
    ],
)
def test_words_for_a_time_are_read_where_they_stand(
    content: str, words: str, first: tuple[int, ...], last: tuple[int, ...]
) -> None:
    """The verbs around decide between the last and the next Friday; whole units are covered."""
    times = _times(content, original_text=words)
    expected = datetime(*first, tzinfo=UTC), datetime(*last, tzinfo=UTC)  # type: ignore[misc,arg-type]

    assert expected == occurrence_interval(times, UTC)
    assert (words, START) == (times.original_text, times.mentioned_at)


def test_given_dates_are_not_overruled() -> None:
    """A date of the answer stands, with its precision and basis."""
    dated = {"happened_start": "2026-05-01", "precision": "day", "basis": "explicit"}
    times = _times("I met Ana yesterday.", original_text="yesterday", **dated)

    assert datetime(2026, 5, 1, tzinfo=UTC) == times.happened_start


@pytest.mark.parametrize("words", ["a while back", "someday", "", None, 5])
def test_words_that_name_no_time_leave_it_unknown(words: object) -> None:
    """Nothing is guessed."""
    times = _times("I met Ana a while back, someday.", original_text=words)

    assert (None, "unknown", "unknown") == (times.happened_start, times.precision, times.basis)


def test_words_that_stand_nowhere_are_read_alone() -> None:
    """A model that changed a letter loses no date; the day is that of the display timezone."""
    times = _times("I met Ana yesterdya.", SHANGHAI, original_text="yesterday")

    assert datetime(2026, 5, 5, tzinfo=SHANGHAI) == times.happened_start


def test_the_second_source_counts_for_its_own_words() -> None:
    """Words are read against the time of the message that holds them."""
    later = START.replace(day=20)
    cited = [
        Message(role="user", content="Ana called.", id="m1", created_at=START),
        Message(role="user", content="We met yesterday.", id="m2", created_at=later),
    ]
    times = event_times({"original_text": "yesterday"}, cited, UTC)

    assert (datetime(2026, 5, 19, tzinfo=UTC), START) == (times.happened_start, times.mentioned_at)


@pytest.mark.parametrize(
    ("status", "day", "expected"),
    [
        ("occurred", "2026-05-09", "planned"),
        ("unknown", "2026-05-09", "planned"),
        ("cancelled", "2026-05-09", "cancelled"),
        ("occurred", "2026-05-06", "occurred"),
        ("occurred", "2026-05-01", "occurred"),
    ],
)
def test_what_lies_ahead_has_not_occurred(status: str, day: str, expected: str) -> None:
    """A date beyond its mention makes an outcome a plan."""
    dated = {"happened_start": day, "precision": "day", "basis": "explicit"}

    assert expected == _times("x", status=status, **dated).status


def test_quotes_need_a_cited_message() -> None:
    """What another message says is no quote of this one; case counts, width does not."""
    messages = [
        Message(role="user", content="Ｕse\tpnpm", id="m1"),
        Message(role="user", content="Use npm", id="m2"),
    ]
    quotes = ["Use pnpm", "Use npm", "use pnpm"]

    assert (("Use pnpm",), 2) == checked_quotes(quotes, ["m1"], citable_texts(messages))


IDS = st.sampled_from([f"evt_{n}" for n in range(6)])
TIMES = st.builds(
    Temporal,
    same_event_id=st.none() | IDS,
    **{name: st.lists(IDS, max_size=4).map(tuple) for name in RELATIONS},
)


@given(TIMES, st.frozensets(IDS))
def test_only_permitted_relations_are_left(times: Temporal, allowed: frozenset[str]) -> None:
    """Nothing foreign, nothing twice, everything allowed; doing it again changes nothing."""
    kept = permitted(times, allowed)

    assert set(times.all_related_ids) & allowed == set(kept.all_related_ids)
    assert kept == permitted(kept, allowed)
    for name in RELATIONS:
        listed = getattr(kept, name)
        assert len(set(listed)) == len(listed)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | IDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)
RAW = st.fixed_dictionaries(
    {
        "title": st.sampled_from(["A", "B", " "]) | JSON,
        "summary": st.sampled_from(["S", "T"]) | JSON,
        "scope": st.sampled_from(["user", "project", "world"]) | JSON,
        "source_message_ids": st.lists(st.sampled_from(["m1", "m2", "m9"]), max_size=3) | JSON,
    },
    optional={
        "tags": JSON,
        "quotes": st.lists(st.sampled_from(["one", "two", "three"])) | JSON,
        "criticality": JSON,
        "catalog_hints": JSON,
        "temporal": st.dictionaries(
            st.sampled_from([*Temporal.__dataclass_fields__, "x"]), JSON | st.lists(IDS)
        )
        | JSON,
    },
)


@given(st.lists(RAW, max_size=5), st.frozensets(IDS))
def test_admission_lets_nothing_foreign_through(
    raws: list[dict[str, Any]], related: frozenset[str]
) -> None:
    """Whatever a model answers: sound sources, quotes and relations, and no two equal cards."""
    messages = {
        key: Message(role="user", content=text, id=key, created_at=START)
        for key, text in (("m1", "one"), ("m2", "two"))
    }
    citable = citable_texts(tuple(messages.values()))
    origin = Origin(
        block_id="blk_1",
        thread="main",
        formed_turn=3,
        messages=messages,
        citable=citable,
        timezone=UTC,
        now=START,
    )
    admission = admit(raws, origin, related=related)

    assert len(admission.cards) + admission.rejected <= len(raws)
    earlier: set[str] = set()
    for card in admission.cards:
        assert card.title.strip()
        assert card.summary.strip()
        assert card.source_message_ids
        assert set(card.source_message_ids) <= messages.keys()
        assert set(card.temporal.all_related_ids) <= related | earlier
        earlier.add(card.id)
        said = [text for key in card.source_message_ids for text in citable[key]]
        assert all(any(quote in text for text in said) for quote in card.quotes)
        assert (3, 3) == (card.formed_turn, card.weight.last_adopted_turn)
    identities = [(c.title, c.summary, c.scope, c.criticality, c.temporal) for c in admission.cards]
    assert len(set(identities)) == len(identities)
