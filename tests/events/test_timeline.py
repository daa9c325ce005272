"""The timeline an extractor is shown (02 §5)."""

from typing import Any

from tests.events.talk import NOTHING, Talk, card

KEYS = ["id", "title", "summary", "scope", "criticality", "status", "superseded_by", "temporal"]


def _shown(talk: Talk, message_id: str = "last") -> list[dict[str, Any]]:
    talk.say(message_id, "and now?", NOTHING)
    shown: list[dict[str, Any]] = talk.payloads[-1]["timeline"]
    return shown


def _fill(talk: Talk, relevant: int, fillers: int) -> tuple[list[str], list[str]]:
    """Events about tea, then others; all of one kind come from one block."""
    tea = [card("tea", title=f"Tea harvest {n}") for n in range(relevant)]
    other = [card("other", title=f"Concrete mixer {n}") for n in range(fillers)]
    return talk.add("tea", *tea), talk.add("other", *other)


def test_E_04_keys_of_an_entry(talk: Talk) -> None:
    """Id, title, summary up to 400, scope, criticality, status, superseded_by, temporal."""
    talk.add("m1", card("m1", summary="s" * 1000, temporal={"status": "planned"}))
    (entry,) = _shown(talk)

    assert KEYS == list(entry)
    assert 400 == len(entry["summary"])
    assert "planned" == entry["temporal"]["status"]


def test_E_09_related_then_newest(talk: Talk) -> None:
    """The 8 related ones, then the 4 newest fillers."""
    related, fillers = _fill(talk, 8, 36)
    shown = [entry["id"] for entry in _shown(talk)]

    assert set(related) == set(shown[:8])
    assert sorted(fillers, reverse=True)[:4] == shown[8:]


def test_E_09_stays_at_twelve_with_many_events(talk: Talk) -> None:
    """84 events make the timeline no longer."""
    _fill(talk, 24, 60)

    assert 12 == len(_shown(talk))


def test_E_10_overlap_is_not_back_filled(talk: Talk) -> None:
    """When the newest are related ones already, the timeline is shorter."""
    related = talk.add("tea", *[card("tea", title=f"Tea harvest {n}") for n in range(6)])
    shown = [entry["id"] for entry in _shown(talk)]

    assert sorted(related) == sorted(shown)


def test_E_10_hidden_leave_superseded_stay_pinned_gain_nothing(talk: Talk) -> None:
    """Forgotten events are not shown; superseded are; pinning makes nothing recent or lighter."""
    old = talk.add("old", *[card("old", title=f"Granite quarry {n}") for n in range(6)])
    talk.memory.pin(old[0])
    talk.memory.forget(old[5])
    change = {"supersedes_event_ids": [old[4]]}
    (new,) = talk.add("new", card("new", title="Marble quarry", temporal=change))
    before = [talk.memory.event(key) for key in old]
    shown = {entry["id"]: entry["status"] for entry in _shown(talk)}

    assert {new: "active", old[4]: "superseded", old[3]: "active", old[2]: "active"} == shown
    assert before == [talk.memory.event(key) for key in old]


def test_E_11_late_events_of_an_old_block_are_not_recent(talk: Talk) -> None:
    """The order follows the sequence of the source blocks, across threads."""
    first = talk.say("a", "one", NOTHING)
    for number in range(4):
        thread = f"t{number % 2}"
        talk.add(f"b{number}", card(f"b{number}", title=f"Granite {number}"), thread=thread)
    late = card("a", title="Basalt", id="late", source_block_id=first)
    talk.memory.ingest_events([late])
    titles = [entry["title"] for entry in _shown(talk)]

    assert ["Granite 3", "Granite 2", "Granite 1", "Granite 0"] == titles


def test_agent_records_are_related_but_never_recent(talk: Talk) -> None:
    """Both pools are searched; only passive events fill up the newest."""
    talk.add("m1", card("m1", title="Granite"), card("m1", title="Tea of the agent"))
    talk.damage("evt_1", pool="agent")
    shown = [entry["id"] for entry in _shown(talk)]

    assert ["evt_2"] == shown


def test_newest_must_do_while_the_index_is_rebuilt(talk: Talk) -> None:
    """A stale index adds nothing wrong: the four newest are shown."""
    ids = talk.add("tea", *[card("tea", title=f"Tea harvest {n}") for n in range(6)])
    talk.drop_index("events.passive")
    shown = [entry["id"] for entry in _shown(talk)]

    assert sorted(ids)[-4:] == sorted(shown)
