"""What holds whatever a model, a file or time does to events."""

from collections.abc import Mapping
from typing import Any

import pytest

from stratagate_core.llm.offline import OfflineModel
from tests.conftest import Opener, RunSql
from tests.events.talk import NOTHING, Talk, card, found

pytestmark = pytest.mark.slow

Payload = Mapping[str, Any]


def _mutating(payload: Any) -> Payload:
    """An extractor that permits itself foreign relations and sources, then uses them."""
    payload["timeline"] += [{"id": "evt_1"}, {"id": "evt_77"}]
    payload["allowed_source_message_ids"].append("foreign")
    for event in payload["timeline"]:
        event["title"] = "rewritten"
    related = {"supersedes_event_ids": ["evt_1", "evt_77"], "same_event_id": "evt_1"}
    own, foreign = payload["allowed_source_message_ids"][0], "foreign"
    return found(card(own, temporal=related), card(foreign, title="stolen"))


def test_E_07_permissions_are_frozen_before_the_question(open_memory: Opener) -> None:
    """An extractor that mutates its payload gains nothing and changes no stored event."""
    talk = Talk()
    talk.memory.close()
    model = OfflineModel({"summarise_block": lambda _: talk.title, "extract_events": _mutating})
    memory = open_memory(model=model, settings={"block_turn_size": 1, "processing": "inline"})
    memory.add_turn("Mara grows tea.", "Good.")
    memory.forget("evt_1")
    before = memory.event("evt_1")
    memory.add_turn("Mara sells tea.", "Good.")

    assert before == memory.event("evt_1")
    assert {"active": 1, "superseded": 0, "forgotten": 1, "archived": 0} == memory.stats()["events"]
    times = memory.event("evt_2").temporal
    assert ((), None) == (times.supersedes_event_ids, times.same_event_id)


BROKEN = ("{broken", "", "null", "7", '"text"', "[[1], null]", '{"a": ')


@pytest.mark.one_database
@pytest.mark.parametrize("column", ["temporal", "tags", "catalog_hints", "source_message_ids"])
@pytest.mark.parametrize("text", BROKEN)
def test_E_12_broken_text_in_a_row_costs_its_field_alone(
    open_memory: Opener, run_sql: RunSql, column: str, text: str
) -> None:
    """Search, reading, recall and the next extraction work over a row that is no JSON."""
    talk = Talk()
    talk.memory.close()
    answers = {"summarise_block": lambda _: talk.title, "extract_events": _plain}
    options: dict[str, Any] = {
        "model": OfflineModel(answers),
        "settings": {"block_turn_size": 1, "processing": "inline"},
    }
    memory = open_memory(**options)
    memory.add_turn("Mara grows tea.", "Good.")
    run_sql(f"UPDATE events SET {column} = '{text}'")

    assert ["evt_1"] == [hit.item["id"] for hit in memory.search_events("tea").hits]
    assert () == memory.search_events("", participants=["Mara"]).hits
    assert "A title" == memory.event("evt_1").title
    assert memory.expand_event("evt_1")["results"]
    assert memory.recall("Does Mara grow tea?")
    memory.add_turn("Mara sells tea.", "Good.")
    assert 2 == memory.stats()["events"]["active"]


def _plain(payload: Payload) -> Payload:
    return found(card(payload["allowed_source_message_ids"][0], summary="Mara grows tea."))


@pytest.mark.parametrize("sources", [7, "msg", {"a": 1}, [1, None]])
def test_damaged_sources_never_break_a_read(talk: Talk, sources: object) -> None:
    """A card whose sources are lost is still read and found; it just leads nowhere."""
    (key,) = talk.add("m1", card("m1", title="Tea"))
    talk.damage(key, source_message_ids=sources)

    assert () == talk.memory.event(key).source_message_ids
    assert () == talk.memory.sources(key)
    assert [key] == [hit.item["id"] for hit in talk.memory.search_events("tea").hits]


@pytest.mark.parametrize(
    ("criticality", "turns", "expected"),
    [
        ("routine", 0, 1.0),
        ("routine", 1, 0.8607),
        ("routine", 5, 0.4724),
        ("preference", 20, 0.3),
        ("identity", 3, 0.9),
        ("safety", 3, 1.0),
    ],
)
def test_W_01_weights_fade_with_turns(
    talk: Talk, criticality: str, turns: int, expected: float
) -> None:
    """Turns of the namespace make an event fade down to its floor; days do not."""
    (key,) = talk.add("m1", card("m1", title="Tea", criticality=criticality))
    talk.clock.advance(days=400)
    for number in range(turns):
        talk.memory.add_turn("more", "yes", thread=f"t{number}", work="append")

    shown = talk.memory.expand_event(key)["results"][0]["weight"]
    assert expected == shown["effective"]


def test_declining_wins_over_the_cards_beside_it(talk: Talk) -> None:
    """When an answer says that nothing is to be kept its cards are ignored."""
    talk.say("m1", "tea", {**found(card("m1")), "should_extract": False})
    talk.say("m2", "tea", NOTHING)

    assert [] == talk.ids()
    assert ["skipped"] * 2 == [job.status for job in talk.memory.jobs(kind="event_extraction")]
