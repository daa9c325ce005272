"""Raw search reads a conversation: answers, windows, reasons, odd queries."""

from datetime import UTC, datetime
from typing import Any

import pytest

from stratagate_core.errors import InvalidArgument
from stratagate_core.model.event import Temporal
from stratagate_core.model.search import Card, Results
from stratagate_core.search.events import search_events
from stratagate_core.search.raw import search_raw
from stratagate_core.settings import Ranking
from tests.search.world import World, event


@pytest.fixture
def world() -> World:
    """An empty memory with blocks of two turns."""
    return World(block_turn_size=2)


def raw(world: World, query: str, **arguments: Any) -> Results[Card]:
    """A raw search by a thread that said nothing itself."""
    with world.read() as work:
        return search_raw(work, query, **{"thread": "asking", **arguments})


def ids(results: Results[Card]) -> list[str]:
    """The ids of the hits, in order."""
    return [hit.item["id"] for hit in results.hits]


def test_an_answer_is_found_by_its_question(world: World) -> None:
    """It shares no word with the query and comes before the question itself."""
    world.say("Which wood is the harp made of?", "Maple, I think.", "Good night.")
    assert ids(raw(world, "wood of the harp")) == ["msg_2", "msg_1"]


def test_S_06_what_merely_stands_near_a_match_is_no_hit(world: World) -> None:
    """Neighbours give context to a match and are no matches themselves."""
    world.say("I painted the harp.", "Fine.", "Good night.")
    assert ids(raw(world, "harp")) == ["msg_1"]
    assert raw(world, "watermelon") == Results(reason="no_match")


def test_a_member_answers_for_its_kind(world: World) -> None:
    """`instruments` finds the violin without sharing a word; another kind finds nothing."""
    world.say("I bought a violin in spring.", "Fine.", "Good night.")
    assert ids(raw(world, "What instruments are there?")) == ["msg_1"]
    assert raw(world, "What languages are there?") == Results(reason="no_match")


def test_neighbours_are_of_the_same_thread(world: World) -> None:
    """Threads that speak at the same time do not answer each other's questions."""
    for thread, words in (
        ("a", "Which wood is the harp made of?"),
        ("b", "The ferry leaves at noon."),
        ("a", "Maple, I think."),
        ("b", "I see."),
    ):
        world.say(words, thread=thread, seal=False)
    assert ids(raw(world, "wood of the harp")) == ["msg_3", "msg_1"]


def test_names_are_a_prior_and_no_filter(world: World) -> None:
    """Who is named comes first, who is not is found as well."""
    world.say("I sold my harp at the fair.", name="Ben", thread="a")
    world.say("I sold my harp at the fair.", name="Ana", thread="b")
    assert ids(raw(world, "What did Ana sell at the fair?")) == ["msg_2", "msg_1"]
    assert ids(raw(world, "What did Ben sell at the fair?")) == ["msg_1", "msg_2"]
    assert ids(raw(world, "ana")) == ["msg_2"]


def test_hits_come_with_their_neighbours(world: World) -> None:
    """One message on either side by default, up to two, never across a long silence."""
    world.say("One.", "Two.", "The harp is three.")
    world.clock.advance(hours=9)
    world.say("Four.")

    def around(**arguments: Any) -> list[str]:
        hit = raw(world, "harp", **arguments).hits[0]
        return [str(message.id) for message in hit.around]

    assert around() == ["msg_2", "msg_3"]
    assert around(window=2) == ["msg_1", "msg_2", "msg_3"]
    assert around(window=0) == []
    with pytest.raises(InvalidArgument, match="window"):
        around(window=3)


def test_the_own_open_tail_comes_with_no_hit(world: World) -> None:
    """A window holds nothing that the request of the asking thread shows already."""
    world.say("One.", "The harp is two.", "Three is open.")
    hit = raw(world, "harp", thread="main").hits[0]
    assert [message.id for message in hit.around] == ["msg_1", "msg_2"]


def why(world: World, query: str, key: str, **arguments: Any) -> tuple[str, int | None]:
    """What the results say about a message."""
    about = raw(world, query, about=key, **arguments).about
    assert about is not None
    return about.why, about.rank


def test_why_a_message_is_not_among_the_results(world: World) -> None:
    """Each cause has a name."""
    world.say("The harp is large.", "Fine.", "Harps and the sea.", "Far away, all is quiet.")
    world.say("A harp of my own.")
    assert why(world, "harp", "msg_1") == ("among_the_results", 1)
    assert why(world, "harp", "msg_3", limit=1)[0] == "below_the_limit"
    assert why(world, "harp", "msg_2") == ("only_near_a_match", None)
    assert why(world, "harp", "msg_99") == ("unknown", None)
    assert why(world, "watermelon", "msg_1") == ("not_a_candidate", None)
    assert why(world, "harp", "msg_5", thread="main") == ("in_the_open_tail", None)
    assert why(world, "harp", "msg_1", metadata={"a": 1}) == ("filtered_out", None)
    assert why(world, "harp", "msg_1", scope="session") == ("filtered_out", None)
    assert raw(world, "harp").about is None


def test_weights_are_settings() -> None:
    """With all weights but that of the text at 0 the order is that of BM25."""
    silent = dict.fromkeys(Ranking.model_fields, 0.0)
    world = World(ranking=Ranking(**{**silent, "text": 1.0}))
    world.say("Which wood is the harp made of?", "Maple, I think.")
    hits = raw(world, "wood of the harp", explain=True).hits
    assert [(hit.item["id"], dict(hit.signals)) for hit in hits] == [
        ("msg_1", {"text": 1.0}),
        ("msg_2", {}),
    ]


@pytest.mark.parametrize(
    "query",
    [
        'harp" OR NEAR(1)',
        "-harp * ^ : AND NOT (",
        "harp\x00harp",
        "harp 👍🏽🎻",
        "harp\ud800",
        "harp " * 20_000,
        "拉" * 60_000 + " harp",
        "when what who harp on 2024-13-45 last week",
    ],
)
def test_odd_queries_are_answered(world: World, query: str) -> None:
    """Operators, quotes, emoji, NUL, lone surrogates and 100 KB are data."""
    world.say("I bought a harp.", "Fine.")
    assert ids(raw(world, query)) == ["msg_1"]


def test_events_rank_by_day_and_person(world: World) -> None:
    """The day asked for and the participants named raise a card; names are no filter."""

    def times(day: int, name: str) -> Temporal:
        at = datetime(2024, 3, day, tzinfo=UTC)
        return Temporal(happened_start=at, precision="day", basis="explicit", participants=(name,))

    world.happen(
        event("evt_a", "Harp sold", temporal=times(1, "Ana")),
        event("evt_b", "Harp sold", temporal=times(2, "Ben")),
    )

    def found(query: str) -> list[str]:
        with world.read() as work:
            return ids(search_events(work, query))

    assert found("harp sold on 2 March 2024") == ["evt_b", "evt_a"]
    assert found("harp sold on 1 March 2024") == ["evt_a", "evt_b"]
    assert found("Did Ben sell a harp?") == ["evt_b", "evt_a"]
    assert found("Did Ana sell a harp?") == ["evt_a", "evt_b"]
