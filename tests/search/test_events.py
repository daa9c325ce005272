"""Event search: what is found, in which order, and why nothing is found."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from stratagate_core.errors import InvalidArgument, NotFound
from stratagate_core.model.event import Event, Temporal
from stratagate_core.model.search import Card, Results
from stratagate_core.search.events import find_events, search_events
from tests.search.world import World, event


@pytest.fixture
def world(quick_database: str) -> Iterator[World]:
    """An empty memory."""
    opened = World(quick_database)
    yield opened
    opened.env.store.close()


def search(world: World, query: str = "", **arguments: Any) -> Results[Card]:
    """A search in a read transaction."""
    with world.read() as work:
        return search_events(work, query, **arguments)


def ids(results: Results[Card]) -> list[str]:
    """The ids of the hits, in order."""
    return [hit.item["id"] for hit in results.hits]


def full_card() -> Event:
    """An event with a word of its own in every field that is searched."""
    return event(
        "evt_full",
        "Alphatitle chosen",
        "Betasummary of it",
        tags=("gammatag",),
        quotes=("deltaquote",),
        temporal=Temporal(
            participants=("Epsilon Park",),
            event_type="meeting",
            original_text="last zetaday",
            happened_start=datetime(2024, 3, 9, tzinfo=UTC),
            precision="day",
            basis="explicit",
        ),
    )


@pytest.mark.parametrize(
    "word",
    [
        "alphatitle",
        "betasummary",
        "gammatag",
        "deltaquote",
        "epsilon",
        "meeting",
        "zetaday",
        "2024-03-09",
    ],
)
def test_E_01_each_field_is_searched(world: World, word: str) -> None:
    """A word of title, summary, tag, quote, participant, type or time finds the event."""
    world.happen(full_card(), event("evt_other", "Unrelated"))
    assert ids(search(world, word)) == ["evt_full"]


@pytest.mark.parametrize(
    "filters",
    [{"participants": ["epsilon"]}, {"event_type": "meeting"}, {"event_type": "会议"}],
)
def test_E_01_blank_query_with_filter(world: World, filters: dict[str, Any]) -> None:
    """With a blank query, participants or type find the event."""
    world.happen(full_card(), event("evt_other", "Unrelated"))
    assert ids(search(world, "  ", **filters)) == ["evt_full"]


def test_E_02_forgotten_events_are_not_found(world: World) -> None:
    """A forgotten event leaves the search at once and comes back when it is restored."""
    world.happen(event("evt_1", "Tea at the harbour"))
    world.set_status("evt_1", "forgotten")
    assert search(world, "tea") == Results(reason="no_data")
    assert search(world) == Results(reason="no_data")
    world.set_status("evt_1", "active")
    assert ids(search(world, "tea")) == ["evt_1"]


def test_S_01_only_matching_events(world: World) -> None:
    """No match, no result."""
    world.happen(event("evt_1", "PostgreSQL chosen as database"), event("evt_2", "Tea party"))
    assert ids(search(world, "PostgreSQL database")) == ["evt_1"]
    assert search(world, "watermelon") == Results(reason="no_match")


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("Released v0.3.2 today", ["v0.3.2", "v0", "2"]),
        ("Pi is 3.14", ["3.14", "14"]),
        ("Moved to example.com", ["example.com", "example"]),
        ("We can't ship", ["can't"]),
        ("We migrated the store", ["migrations"]),
        ("李明加入团队", ["李明", "团队"]),
        ("2026 年", ["年"]),
    ],
)
def test_S_02_words_and_their_parts(world: World, text: str, queries: list[str]) -> None:
    """A word is found whole, by its parts and by its other forms."""
    world.happen(event("evt_1", text), event("evt_2", "Something else entirely"))
    assert [ids(search(world, query)) for query in queries] == [["evt_1"]] * len(queries)


@pytest.mark.parametrize("query", ["", "tea"])
def test_S_03_event_ids(world: World, query: str) -> None:
    """Only the given events, however many others rank higher; an empty list leaves nothing."""
    others = [event(f"evt_{number}", "Tea tea tea") for number in range(30)]
    world.happen(*others, event("evt_z", "Tea and a lot of other things beside it"))
    assert ids(search(world, query, event_ids=["evt_z"], limit=1)) == ["evt_z"]
    assert search(world, query, event_ids=[]) == Results(reason="filtered_out")
    assert search(world, query, event_ids=["'; --", "\x00", "\ud800"]).hits == ()


@pytest.mark.parametrize("pool", ["passive", "agent"])
@pytest.mark.parametrize("query", ["", "tea"])
@pytest.mark.parametrize(
    "filters",
    [
        {"participants": ["nobody"]},
        {"event_type": "incident"},
        {"happened_from": "2030-01-01"},
        {"happened_to": "2001-01-01"},
        {"metadata": {"channel": "none"}},
        {"participants": ["epsilon"], "event_type": "incident"},
    ],
)
def test_S_04_filters_are_hard(
    world: World, filters: dict[str, Any], query: str, pool: str
) -> None:
    """A filter that matches nothing leaves nothing, and the reason says so."""
    times = full_card().temporal
    world.happen(event("evt_1", "Tea", temporal=times, pool=pool))
    assert search(world, query, **filters) == Results(reason="filtered_out")


def test_E_12_events_without_sound_participants(world: World) -> None:
    """Damaged participants match no filter and disturb no search."""
    sound = Temporal(participants=("Lim",))
    world.happen(
        event("evt_damaged", "Tea", temporal=Temporal(participants=None)),
        event("evt_empty", "Tea", temporal=Temporal(participants=())),
        event("evt_sound", "Tea", temporal=sound),
    )
    assert len(search(world, "tea").hits) == 3
    assert ids(search(world, "tea", participants=["lim"])) == ["evt_sound"]


def test_a_filter_reaches_matches_far_down_the_ranking(world: World) -> None:
    """Hits that pass a filter are found behind hundreds that do not."""
    better = [event(f"evt_{number:03}", "Tea tea") for number in range(450)]
    lim = event("evt_z", "Tea once among words", temporal=Temporal(participants=("Lim",)))
    world.happen(*better, lim)
    assert ids(search(world, "tea", participants=["lim"])) == ["evt_z"]


@pytest.mark.parametrize(
    ("bounds", "found"),
    [
        ({"happened_from": "2024-03-09", "happened_to": "2024-03-09"}, True),
        ({"happened_from": "2024-03-10"}, False),
        ({"happened_to": "2024-03-08"}, False),
        ({"happened_from": "2024-03", "happened_to": "2024-03"}, True),
        ({"happened_to": "2023"}, False),
        ({"happened_from": datetime(2024, 3, 9, 23, 59, tzinfo=UTC)}, True),
        ({"happened_to": datetime(2024, 3, 9, tzinfo=UTC)}, True),
        ({"happened_from": "2024-03-10T00:00:00Z"}, False),
        ({"happened_to": "9999-12-31"}, True),
    ],
)
def test_S_04_time_window(world: World, bounds: dict[str, Any], *, found: bool) -> None:
    """A date alone means that whole day; events without a time of occurrence never match."""
    world.happen(full_card(), event("evt_undated", "Alphatitle without a date"))
    assert ids(search(world, "alphatitle", **bounds)) == ["evt_full"] * found


def test_days_are_those_of_the_display_timezone() -> None:
    """The same instant lies on another day elsewhere."""
    world = World(display_timezone="Asia/Shanghai")
    late = Temporal(
        happened_start=datetime(2024, 3, 9, 20, tzinfo=UTC), precision="instant", basis="explicit"
    )
    world.happen(event("evt_1", "Tea", temporal=late))
    assert ids(search(world, happened_from="2024-03-10")) == ["evt_1"]
    assert ids(search(world, happened_to="2024-03-09")) == []


def test_metadata_of_one_source_message(world: World) -> None:
    """All given values must stand in the metadata of one source message."""
    world.say("Hello", metadata={"channel": "web", "user": "7"})
    world.say("Hello", metadata={"channel": "phone", "user": "8"})
    world.happen(event("evt_1", "Tea", sources=("msg_1", "msg_2")))
    assert ids(search(world, "tea", metadata={"channel": "web", "user": "7"})) == ["evt_1"]
    assert ids(search(world, "tea", metadata={"channel": "web", "user": "8"})) == []


def test_S_05_paging_covers_both_pools_without_overlap(world: World) -> None:
    """Pages have 12, 12 and 11 hits and meet each event once."""
    passive = [event(f"evt_p{number:02}", "Tea") for number in range(23)]
    agent = [event(f"evt_a{number:02}", "Tea", pool="agent") for number in range(12)]
    world.happen(*passive, *agent)
    pages = [search(world, limit=12, offset=offset) for offset in (0, 12, 24)]
    assert [len(page.hits) for page in pages] == [12, 12, 11]
    assert [page.next_offset for page in pages] == [12, 24, None]
    assert len({key for page in pages for key in ids(page)}) == 35
    assert search(world, offset=35).hits == ()


@pytest.mark.parametrize("offset", [-1, 1.5, float("nan"), float("inf"), True, "1", None])
def test_S_05_a_bad_offset_is_named(world: World, offset: object) -> None:
    """Only a whole number from 0 on is an offset."""
    with pytest.raises(InvalidArgument, match="offset"):
        search(world, offset=offset)


def test_S_06_no_lexical_hit_nothing(world: World) -> None:
    """Weight and filters admit nothing that does not match."""
    world.happen(event("evt_1", "Tea", pinned=True, temporal=Temporal(participants=("Lim",))))
    assert search(world, "watermelon") == Results(reason="no_match")
    assert search(world, "watermelon", participants=["lim"]).hits == ()


def test_S_07_neither_pool_hides_the_other() -> None:
    """The agent match is among the first two, leads at weight 2 and is hidden at 0."""
    assert "evt_z" in first_two(1.0)
    assert first_two(2.0)[0] == "evt_z"
    assert "evt_z" not in first_two(0.0)


def first_two(weight: float) -> list[str]:
    """What is found of three passive matches and a weaker one of the agent, `evt_z`."""
    world = World(agent_memory_retrieval_weight=weight)
    world.happen(*(event(f"evt_{number}", "Tea tea") for number in range(3)))
    world.happen(event("evt_z", "Tea with other words", pool="agent"))
    return ids(search(world, "tea", limit=2))


def heavy_and_light(world: World) -> None:
    """`evt_heavy` is pinned; `evt_light` has faded; a third is clearly less relevant."""
    world.happen(
        event("evt_light", "Tea harbour evening"),
        event("evt_near", "Tea harbour evening walk", pinned=True),
        event("evt_far", "Tea", "many words that are about other things", pinned=True),
    )
    world.say(*["."] * 40)


def test_S_08_weight_factor_zero_is_relevance_only(world: World) -> None:
    """Without weight the more relevant event leads."""
    heavy_and_light(world)
    hits = ids(search(world, "tea harbour", weight_factor=0.0))
    assert hits == ["evt_light", "evt_near", "evt_far"]


@pytest.mark.parametrize("factor", [0.1, 5.0, 1000.0])
def test_S_08_weight_never_passes_what_is_clearly_more_relevant(
    world: World, factor: float
) -> None:
    """Weight decides between close matches only, however much it counts."""
    heavy_and_light(world)
    hits = ids(search(world, "tea harbour", weight_factor=factor))
    assert hits == ["evt_near", "evt_light", "evt_far"]


def test_temporal_intent_orders_the_relevant_by_time(world: World) -> None:
    """`first` and `latest` put relevant events in the order of time, weak matches behind."""

    def on(day: int) -> Temporal:
        start = datetime(2024, 3, day, tzinfo=UTC)
        return Temporal(happened_start=start, precision="day", basis="explicit")

    world.happen(
        event("evt_b", "Harbour tea", temporal=on(2)),
        event("evt_c", "Harbour tea", temporal=on(3)),
        event("evt_a", "Harbour tea", temporal=on(1)),
        event("evt_weak", "Many", "words and far away the tea", temporal=on(9)),
    )
    firsts = ids(search(world, "harbour tea", temporal_intent="first"))
    latest = ids(search(world, "harbour tea", temporal_intent="latest"))
    assert firsts == ["evt_a", "evt_b", "evt_c", "evt_weak"]
    assert latest == ["evt_c", "evt_b", "evt_a", "evt_weak"]
    assert ids(search(world, temporal_intent="latest"))[0] == "evt_weak"
    chosen = ["evt_c", "evt_a"]
    assert ids(search(world, temporal_intent="first", event_ids=chosen)) == ["evt_a", "evt_c"]


def test_blank_query_lists_the_last_adopted_first(world: World) -> None:
    """Without words and time the order is that of adoption, then id descending."""
    world.happen(event("evt_1", "A"), event("evt_2", "B", adopted=5), event("evt_3", "C"))
    assert ids(search(world)) == ["evt_2", "evt_3", "evt_1"]
    assert ids(search(world, event_ids=["evt_1", "evt_3"])) == ["evt_3", "evt_1"]


def test_S_12_compact_cards(world: World) -> None:
    """A card has title, summary and the meaning of its score; no quotes, sources or `score`."""
    world.happen(full_card())
    card = dict(search(world, "alphatitle").hits[0].item)
    score = card.pop("rank_score")
    assert score > 0
    assert "probability" in card.pop("score_meaning")
    assert card == {
        "id": "evt_full",
        "title": "Alphatitle chosen",
        "summary": "Betasummary of it",
        "source_time": "2024-03-09T00:00:00.000+00:00",
        "temporal": {
            "happened_start": "2024-03-09T00:00:00.000+00:00",
            "precision": "day",
            "status": "unknown",
            "event_type": "meeting",
        },
        "status": "active",
        "scope": "user",
        "criticality": "routine",
    }


def test_cards_are_short_redacted_and_name_the_pool(world: World) -> None:
    """Texts are cut and redacted; an agent's record says so and has no block key."""
    secret = "tea password: hunter2 " + "word " * 300
    world.happen(event("evt_1", "Tea", secret, pool="agent"))
    card = search(world, "tea").hits[0].item
    assert len(card["summary"]) == 800
    assert "hunter2" not in card["summary"]
    assert card["source"] == "agent-recorded"
    assert "source_block_id" not in card


def test_refs_and_explained_signals(world: World) -> None:
    """A hit is referred to as an event; its signals are listed when asked for."""
    world.happen(event("evt_1", "Tea"), event("evt_2", "Tea and more"))
    plain, explained = search(world, "tea"), search(world, "tea", explain=True)
    assert [hit.ref for hit in plain.hits] == ["event:evt_1", "event:evt_2"]
    assert plain.hits[0].signals == {}
    assert explained.hits[0].signals == {"text": 1.0, "weight": 1.0}


def test_found_events_come_whole_with_their_relevance(world: World) -> None:
    """Other parts get the events themselves."""
    world.happen(full_card())
    with world.read() as work:
        match = find_events(work, "alphatitle", limit=5, weight_factor=0.0).matches[0]
    assert match.event.quotes == ("deltaquote",)
    assert match.relevance > 0


def test_there_are_no_topics_yet(world: World) -> None:
    """An unknown topic is an error, never an empty result."""
    with pytest.raises(NotFound, match="top_1"):
        search(world, topic_id="top_1")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"limit": 1.5}, "limit"),
        ({"happened_from": "yesterday"}, "happened_from"),
        ({"happened_to": "2024-13-01"}, "happened_to"),
        ({"temporal_intent": "newest"}, "temporal_intent"),
    ],
)
def test_a_bad_argument_is_named(world: World, arguments: dict[str, Any], name: str) -> None:
    """The error says which argument was wrong."""
    with pytest.raises(InvalidArgument, match=name):
        search(world, **arguments)


@pytest.mark.parametrize("limit", [-5, 0, 10**9])
def test_limits_are_clamped(world: World, limit: int) -> None:
    """A limit out of range is brought into it."""
    world.happen(*(event(f"evt_{number:02}", "Tea") for number in range(25)))
    assert len(search(world, limit=limit).hits) == (1 if limit <= 0 else 20)


HOSTILE = [
    '" OR 1=1 --',
    "tea NOT harbour AND (near*",
    "'; DROP TABLE events; --",
    "\x00\x00",
    "tea\x00",
    "👍🏽 🫖",
    "\ud800",
    "%_*?[]{}^$",
    "。。。",
    "a" * 100_000,
    "tea " * 25_000,
    " ".join(f"word{number}" for number in range(12_000)),
]


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_queries_are_just_words(world: World, query: str) -> None:
    """Operators, quotes, control characters and huge texts find what their words say."""
    world.happen(event("evt_1", "Tea at the harbour"))
    assert ids(search(world, query)) == ["evt_1"] * ("tea" in query)
