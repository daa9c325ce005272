"""Raw search, the two rankings in one, and what happens while an index must be rebuilt."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagate_core.errors import InvalidArgument
from stratagate_core.model.facts import IndexStale
from stratagate_core.model.message import ToolTrace
from stratagate_core.model.search import Card, Results
from stratagate_core.search.both import search as search_both
from stratagate_core.search.candidates import candidates
from stratagate_core.search.events import search_events
from stratagate_core.search.raw import find_messages, search_raw
from stratagate_core.search.steps import note_stale, rebuild_index
from stratagate_core.store import index
from stratagate_core.store.scoring import Within
from stratagate_core.text.tokens import query_tokens
from tests.search.world import World, event


@pytest.fixture
def world(quick_database: str) -> Iterator[World]:
    """An empty memory with blocks of two turns."""
    opened = World(quick_database, block_turn_size=2)
    yield opened
    opened.env.store.close()


def raw(world: World, query: str, **arguments: Any) -> Results[Card]:
    """A raw search by a thread that said nothing itself."""
    with world.read() as work:
        return search_raw(work, query, **{"thread": "asking", **arguments})


def refs(results: Results[Card]) -> list[str]:
    """The refs of the hits, in order."""
    return [hit.ref for hit in results.hits]


def test_L_04_raw_hits(world: World) -> None:
    """A card names block and message and shows no neighbours; the ref has the place."""
    world.say("Good morning", "Tea at the harbour", "Milk is unsealed")
    hit = raw(world, "harbour").hits[0]
    assert hit.ref == "raw:blk_1:msg_2:1"
    assert hit.item == {
        "id": "msg_2",
        "block_id": "blk_1",
        "turn_range": [1, 2],
        "message": {
            "id": "msg_2",
            "role": "user",
            "content": "Tea at the harbour",
            "created_at": "2026-05-01T00:00:00.000+00:00",
            "thread_id": "main",
        },
        "source_time": "2026-05-01T00:00:00.000+00:00",
        "thread_id": "main",
        "detail_hint": "expand_block with id blk_1 shows the conversation around it in full",
    }


def test_unsealed_messages_are_found_by_other_threads(world: World) -> None:
    """The open tail of another thread is searched; its ref has no block."""
    world.say("Milk is unsealed")
    found = raw(world, "milk")
    assert refs(found) == ["raw:-:msg_1:0"]
    assert "block_id" not in found.hits[0].item
    assert "turn_range" not in found.hits[0].item


def test_the_own_open_tail_is_left_out(world: World) -> None:
    """What stands in the request already is found only when it is asked for."""
    world.say("Tea one", "Tea two", "Tea three")
    assert refs(raw(world, "tea", thread="main")) == ["raw:blk_1:msg_1:0", "raw:blk_1:msg_2:1"]
    assert raw(world, "three", thread="main") == Results(reason="filtered_out")
    assert refs(raw(world, "three", thread="main", include_tail=True)) == ["raw:-:msg_3:0"]


def test_S_01_only_matching_messages(world: World) -> None:
    """No match and no words: nothing, with the reason."""
    assert raw(world, "tea") == Results(reason="no_data")
    world.say("PostgreSQL is the database", "Tea time")
    assert refs(raw(world, "PostgreSQL database")) == ["raw:blk_1:msg_1:0"]
    assert raw(world, "watermelon") == Results(reason="no_match")
    assert raw(world, " \n") == Results(reason="no_match")


def test_S_09_the_scope_is_applied_before_any_limit(world: World) -> None:
    """One match of this thread is found behind many better ones of others."""
    world.say(*["Tea tea"] * 240, thread="other")
    world.say("Tea and many other words besides", "Filler", thread="mine")
    mine = raw(world, "tea", scope="session", thread="mine", limit=1)
    assert refs(mine) == ["raw:blk_121:msg_241:0"]
    assert raw(world, "tea", scope="session") == Results(reason="other_thread")
    with pytest.raises(InvalidArgument, match="scope"):
        raw(world, "tea", scope="everything")


def test_ties_are_broken_by_time(world: World) -> None:
    """Of equal scores the newest comes first."""
    for thread in ("a", "b", "c"):
        world.say("Tea", thread=thread)
        world.clock.advance(hours=1)
    assert [hit.item["id"] for hit in raw(world, "tea").hits] == ["msg_3", "msg_2", "msg_1"]


def test_limits_are_clamped(world: World) -> None:
    """At most fifty messages come back."""
    world.say(*["Tea"] * 60)
    assert len(raw(world, "tea", limit=1000).hits) == 50
    assert len(raw(world, "tea", limit=0).hits) == 1


def test_speaker_and_tools_are_searched(world: World) -> None:
    """The speaker's name, the names of tools and what they returned find a message."""
    trace = ToolTrace(name="weather_report", arguments={"q": "hidden"}, result="sunny in Oslo")
    world.say("Look", name="Priya", tool_calls=(trace,))
    world.change_index(index.MESSAGES)  # a rebuild reads the results of tools as well
    with world.write() as work:
        rebuild_index(work, index.MESSAGES)
    found = [refs(raw(world, word)) for word in ("priya", "weather", "oslo", "hidden")]
    assert found == [["raw:-:msg_1:0"]] * 3 + [[]]


def test_metadata_of_the_message(world: World) -> None:
    """A metadata filter reaches matches far down the ranking."""
    world.say(*["Tea tea"] * 250, seal=False)
    world.say("Tea among other words", metadata={"user": "7"})
    assert refs(raw(world, "tea", metadata={"user": "7"})) == ["raw:-:msg_251:0"]
    assert raw(world, "tea", metadata={"user": "8"}) == Results(reason="filtered_out")


def test_cards_are_short_and_redacted(world: World) -> None:
    """An excerpt has at most 500 characters and no secrets."""
    world.say("tea\n\npassword: hunter2 " + "word " * 300)
    content = raw(world, "tea").hits[0].item["message"]["content"]
    assert (len(content), content[:26]) == (500, "tea password: [REDACTED] w")


def test_scores_are_shares_of_the_best(world: World) -> None:
    """The best has 1; what each signal adds is listed when asked for."""
    world.say("Tea", "Tea and many other words besides")
    hits = raw(world, "tea", explain=True).hits
    assert (hits[0].score, 0 < hits[1].score < 1) == (1.0, True)
    for hit in hits:
        assert hit.score == pytest.approx(sum(hit.signals.values()))
        assert hit.signals["text"] > 0
    assert raw(world, "tea").hits[0].signals == {}


def test_replaced_messages_are_never_found(world: World) -> None:
    """What a later version of a turn replaced leaves the index with it."""
    world.say("Harbour")
    with world.write() as work:
        index.unindex_message(work.tx, "msg_1")
    assert raw(world, "harbour").hits == ()


def test_found_messages_come_whole(world: World) -> None:
    """Other parts get the messages themselves."""
    world.say("Tea " + "word " * 300)
    with world.read() as work:
        match = find_messages(work, "tea", limit=3, thread="asking").matches[0]
    assert len(match.message.content) == 1504


def test_events_and_messages_in_one_ranking(world: World) -> None:
    """An event stands for its messages, where the best of them stands."""
    world.say("Tea", "Harbour tea", "Milk and tea and many other words besides")
    world.happen(
        event("evt_1", "Tea", sources=("msg_2",)),
        event("evt_2", "Tea", "with a lot of words", sources=("msg_2",)),
    )
    with world.read() as work:
        found = search_both(work, "tea", limit=3, thread="asking")
        nothing = search_both(work, "watermelon", thread="asking")
        listed = search_both(work, "", thread="asking")
    assert sorted(refs(found)) == ["event:evt_1", "raw:-:msg_3:0", "raw:blk_1:msg_1:0"]
    assert [hit.score for hit in found.hits] == sorted((h.score for h in found.hits), reverse=True)
    assert nothing == Results(reason="no_match")
    assert refs(listed) == ["event:evt_2", "event:evt_1"]


@pytest.mark.parametrize("name", [index.MESSAGES, index.PASSIVE, index.AGENT])
@pytest.mark.parametrize("analyser", [None, "another-analyser"])
def test_S_10_S_11_search_answers_while_an_index_is_rebuilt(
    world: World, name: str, analyser: str | None
) -> None:
    """With a dropped or foreign index the answer is the same and says so, until it is rebuilt."""
    world.say("Tea at the harbour", "Tea", "Milk")
    world.happen(event("evt_1", "Tea"), event("evt_2", "Tea tea", pool="agent"))
    before = everything(world)
    world.change_index(name, analyser=analyser)
    meanwhile = everything(world)
    assert [found.hits for found in meanwhile] == [found.hits for found in before]
    assert {found.reason for found in meanwhile} == {None, "index_rebuilding"}
    note_stale(world.env, "n")
    assert world.facts[-1] == IndexStale(name)
    with world.write() as work:
        rebuild_index(work, name)
        rebuild_index(work, name)
    assert everything(world) == before


def everything(world: World) -> list[Results[Card]]:
    """What the searches answer."""
    with world.read() as work:
        messages = [search_raw(work, "tea", thread=thread) for thread in ("main", "asking")]
        return [search_events(work, "tea"), *messages]


def test_S_10_writing_into_a_dropped_index_does_not_make_it_whole(world: World) -> None:
    """After the loss of an index new messages are found, and the old ones too."""
    world.say("Tea at the harbour")
    world.change_index(index.MESSAGES)
    world.say("Harbour again")
    found = raw(world, "harbour")
    assert sorted(refs(found)) == ["raw:blk_1:msg_1:0", "raw:blk_1:msg_2:1"]
    assert found.reason == "index_rebuilding"


def test_S_10_a_thousand_turns(world: World) -> None:
    """The one specific message among a thousand is found within six."""
    world.say(*(f"Notes of day {number} about tea" for number in range(120)), seal=False)
    world.say("The ferry to Ærøskøbing leaves at noon", seal=False)
    assert refs(raw(world, "when does the ferry leave")) == ["raw:-:msg_121:0"]


def test_nothing_is_stale_in_a_new_memory(world: World) -> None:
    """Where nothing was written no index is missed."""
    note_stale(world.env, "n")
    assert world.facts == []


WORDS = st.sampled_from(["tea", "harbour", "pnpm", "部署数据库", "年", "v0.3.2", "мир", "the"])
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


@settings(max_examples=15, deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=8), query=TEXTS, tail=st.booleans())
def test_the_scan_finds_what_the_index_finds(texts: list[str], query: str, *, tail: bool) -> None:
    """Both ways give the same documents with the same scores, narrowed or not."""
    world = World(block_turn_size=3)
    for place, text in enumerate(texts):
        world.say(text, thread=f"t{place % 2}")
    narrowings = [Within(), Within(thread="t0"), Within(ids=("msg_1", "msg_4"))]
    narrowings += [Within(without_tail="t1")] * tail
    ready = [listed(world, query, within) for within in narrowings]
    world.change_index(index.MESSAGES)
    assert [listed(world, query, within) for within in narrowings] == ready


def listed(world: World, query: str, within: Within) -> list[tuple[str, float]]:
    """All candidates for a query."""
    with world.read() as work:
        terms = query_tokens(query)
        pages = list(candidates(work, index.MESSAGES, terms, within=within))
    return [(key, round(score, 11)) for page in pages for key, score in page]
