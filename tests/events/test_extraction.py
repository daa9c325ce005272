"""Extraction: what becomes of an extractor's answer (02 §4, §6)."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stratagate_core import Message, ToolTrace
from tests.events.talk import NOTHING, Talk, card, found

Payload = Mapping[str, Any]


def test_E_03_promise_without_events_fails_with_the_reason(talk: Talk) -> None:
    """Nothing is stored, the block stays pending, the model's reason is in the job."""
    talk.say("m1", "hello", {"should_extract": True, "reason": "looked promising", "events": []})

    assert ("failed", "extract_events: no valid events: looked promising") == (
        talk.job().status,
        talk.job().error,
    )
    assert [] == talk.ids()
    assert ["pending"] == [block.status for block in talk.memory.blocks()]


def test_E_03_skipped_is_final(talk: Talk) -> None:
    """A validly declined block is ready, its events are ignored, it is never asked again."""
    talk.say("m1", "hello", {**NOTHING, "events": [card("m1")]})
    talk.memory.run_pending(retry_failed=True)

    assert ("skipped", 1, []) == (talk.job().status, len(talk.payloads), talk.ids())
    assert ["ready"] == [block.status for block in talk.memory.blocks()]


def test_payload_holds_all_an_extractor_needs(talk: Talk) -> None:
    """Block, messages, neighbours by key points only, allowed sources and timeline."""
    first = talk.say("m1", "one", NOTHING)
    second = talk.say("m2", "two", NOTHING)
    payload = talk.payloads[1]

    assert [second, ["m2"]] == [payload["block"]["id"], payload["allowed_source_message_ids"]]
    assert ["two"] == [message["content"] for message in payload["messages"]]
    points = ["tea grows in the hills"]
    assert [{"id": first, "place": "earlier", "key_points": points}] == payload["neighbours"]
    assert ("UTC", []) == (payload["timezone"], payload["timeline"])


def test_E_05_relations_are_kept_and_supersedes_takes_effect(talk: Talk) -> None:
    """A related card stays identical; a superseded one changes status, mark and cap alone."""
    kept, gone = talk.add("m1", card("m1", title="tea one"), card("m1", title="tea two"))
    before = {key: talk.memory.event(key) for key in (kept, gone)}
    relations = {"related_event_ids": [kept], "supersedes_event_ids": [gone]}
    (new,) = talk.add("m2", card("m2", title="tea three", temporal=relations))

    stored = talk.memory.event(new).temporal
    assert ((kept,), (gone,)) == (stored.related_event_ids, stored.supersedes_event_ids)
    assert before[kept] == talk.memory.event(kept)
    after = talk.memory.event(gone)
    expected = replace(
        before[gone],
        status="superseded",
        superseded_by=new,
        weight=replace(before[gone].weight, forced_cap=0.1),
        updated_at=talk.clock(),
    )
    assert expected == after


def test_E_06_relations_outside_the_timeline_are_removed(talk: Talk) -> None:
    """Of [r, outside, missing, self, r] only r is left; what stands outside is untouched."""
    old = [talk.add(f"m{n}", card(f"m{n}", title=f"tea {n}"))[0] for n in range(14)]
    shown: list[str] = []

    def answer(payload: Payload) -> Payload:
        shown.extend(event["id"] for event in payload["timeline"])
        outside = next(key for key in old if key not in shown)
        ids = [shown[0], outside, "evt_999", "evt_15", shown[0]]
        times = {"supersedes_event_ids": ids, "same_event_id": outside}
        return found(card("m99", title="new", temporal=times))

    talk.say("m99", "said", answer)
    new = talk.memory.event(talk.ids()[-1])

    assert "evt_15" == new.id
    assert ((shown[0],), None) == (
        new.temporal.supersedes_event_ids,
        new.temporal.same_event_id,
    )
    others = [talk.memory.event(key).status for key in old if key != shown[0]]
    assert ["active"] * 13 == others


@pytest.mark.parametrize("shape", ["evt_1", {"evt_1": 1}, ["evt_1", 3], 7, None])
def test_E_07_malformed_relations_are_dropped(talk: Talk, shape: object) -> None:
    """A relation that is no list of texts is dropped; the card is stored."""
    (old,) = talk.add("m1", card("m1"))
    (new,) = talk.add("m2", card("m2", title="b", temporal={"supersedes_event_ids": shape}))

    assert () == talk.memory.event(new).temporal.supersedes_event_ids
    assert "active" == talk.memory.event(old).status


def test_E_08_forgotten_while_the_model_thinks(talk: Talk) -> None:
    """It is neither superseded nor capped, and the link is removed."""
    (old,) = talk.add("m1", card("m1"))

    def answer(payload: Payload) -> Payload:
        talk.memory.forget(old)
        return found(card("m2", title="b", temporal={"supersedes_event_ids": [old]}))

    talk.say("m2", "said", answer)
    event = talk.memory.event(old)

    assert ("forgotten", None, None) == (
        event.status,
        event.superseded_by,
        event.weight.forced_cap,
    )
    assert () == talk.memory.event(talk.ids()[-1]).temporal.supersedes_event_ids


@pytest.mark.parametrize("scope", [None, "world", ""])
def test_E_14_scope_is_asked_again_then_fails(talk: Talk, scope: str | None) -> None:
    """After two answers without a valid scope the attempt fails naming it; the source stays."""
    bad = card("m1")
    del bad["scope"]
    talk.say("m1", "hello", *[found(bad if scope is None else card("m1", scope=scope))] * 2)

    assert ("failed", 2, []) == (talk.job().status, len(talk.payloads), talk.ids())
    assert "scope" in str(talk.job().error)
    assert ["hello"] == [message.content for message in talk.memory.sources("m1")]


def test_E_14_repaired_scope_is_used(talk: Talk) -> None:
    """The second answer is stored when it is sound."""
    talk.say("m1", "hello", found(card("m1", scope="all")), found(card("m1", scope="project")))

    assert ["project"] == [talk.memory.event(key).scope for key in talk.ids()]


def test_E_15_equal_cards_become_one(talk: Talk) -> None:
    """Two equal of six are merged, one with a foreign source is rejected: four events."""
    talk.memory.save_settings(block_turn_size=2)
    talk.memory.add_messages([Message(role="user", content="one", id="m1")])
    base = card("m1", title="Same", summary="Text", catalog_hints=["first"], tags=["x"])
    cards = [
        base,
        {**base, "source_message_ids": ["m2"], "catalog_hints": ["second"], "tags": ["y"]},
        {**base, "summary": "Other"},
        {**base, "scope": "project"},
        {**base, "temporal": {"status": "planned"}},
        {**base, "title": "Foreign", "source_message_ids": ["m1", "m77"]},
    ]
    talk.say("m2", "two", found(*cards))
    events = [talk.memory.event(key) for key in talk.ids()]

    assert 4 == len(events)
    first = events[0]
    assert (("m1", "m2"), ("x", "y"), ("first",)) == (
        first.source_message_ids,
        first.tags,
        first.catalog_hints,
    )
    assert 1 == talk.job().diagnostics["rejected_cards"]


def test_E_15_texts_that_differ_beyond_the_limit_stay_apart(talk: Talk) -> None:
    """Equality is of the uncut texts, what is stored is cut."""
    long = "t" * 200
    ids = talk.add("m1", card("m1", title=long + "a"), card("m1", title=long + "b"))

    assert [long, long] == [talk.memory.event(key).title for key in ids]


@pytest.mark.parametrize("sources", [[], ["m0"], ["m1", "m0"], "m1", None, [1]])
def test_E_16_bad_sources_reject_the_card(talk: Talk, sources: object) -> None:
    """No source, a foreign one or a malformed list: rejected, never pointed elsewhere."""
    talk.say("m0", "earlier", NOTHING)
    talk.say("m1", "hello", found({**card("m1"), "source_message_ids": sources}))

    assert ("failed", []) == (talk.job().status, talk.ids())
    assert "no valid events" in str(talk.job().error)


def test_one_bad_card_costs_itself_only(talk: Talk) -> None:
    """A blank title is rejected, the sound card beside it is stored."""
    ids = talk.add("m1", card("m1", title=" "), card("m1", title="Sound"))

    assert ["Sound"] == [talk.memory.event(key).title for key in ids]


def test_E_17_quotes_are_checked(talk: Talk) -> None:
    """Other white space and width are the same words; an invented quote is dropped, counted."""
    quotes = ["installation is  faster", "ＰＮＰＭ", "never said"]
    talk.say("m1", "We use PNPM,\ninstallation\n is faster", found(card("m1", quotes=quotes)))

    assert tuple(quotes[:2]) == talk.memory.event(talk.ids()[0]).quotes
    assert 1 == talk.job().diagnostics["dropped_quotes"]


def test_E_17_quotes_of_tools_and_of_redacted_text_count(talk: Talk) -> None:
    """What a tool returned, and a text as the model saw it, may be quoted."""
    trace = ToolTrace(name="grep", result={"lines": ["root cause: stale cache"]})
    said = Message(
        role="user", content="the key is sk-abcdefghijklmnop1234", id="m1", tool_calls=(trace,)
    )
    quotes = ["root cause: stale cache", "the key is [REDACTED_TOKEN]"]
    talk.answers.append(found(card("m1", quotes=quotes)))
    talk.memory.add_messages([said])

    assert tuple(quotes) == talk.memory.event(talk.ids()[0]).quotes


def test_E_18_invalid_enums_become_neutral(talk: Talk) -> None:
    """Criticality routine; precision and status unknown."""
    times = {"precision": "fuzzy", "status": "done", "basis": "guess"}
    (key,) = talk.add("m1", card("m1", criticality="vital", temporal=times))
    event = talk.memory.event(key)

    assert ("routine", "unknown", "unknown") == (
        event.criticality,
        event.temporal.precision,
        event.temporal.status,
    )


def test_E_12_malformed_parts_cost_only_themselves(talk: Talk) -> None:
    """Participants that are no list of texts are dropped, an empty list is kept."""
    shapes: list[object] = [{"a": 1}, "Ana", 3, None, ["Ana", 4], [], ["Ana"]]
    cards = [card("m1", title=f"t{n}", temporal={"participants": s}) for n, s in enumerate(shapes)]
    ids = talk.add("m1", *cards, card("m1", title="x", temporal="soon", tags="a", quotes=5))
    got = [talk.memory.event(key).temporal.participants for key in ids]

    assert [None] * 5 + [(), ("Ana",), None] == got


def test_E_20_a_plan_is_no_outcome(talk: Talk) -> None:
    """`next week` said on Wednesday May 6: mention that day, occurrence May 11 to 17, planned."""
    times = {"original_text": "next week", "status": "planned"}
    talk.say("m1", "Finish the prototype next week", found(card("m1", temporal=times)))
    stored = talk.memory.event(talk.ids()[0]).temporal

    assert "planned" == stored.status
    assert talk.clock() == stored.mentioned_at
    assert (datetime(2026, 5, 11, tzinfo=UTC), datetime(2026, 5, 17, tzinfo=UTC)) == (
        stored.happened_start,
        stored.happened_end,
    )


@pytest.mark.parametrize("status", ["occurred", "unknown"])
def test_E_20_what_lies_ahead_is_never_stored_as_occurred(talk: Talk, status: str) -> None:
    """A model that calls next month's launch done is corrected."""
    times = {"original_text": "on June 20, 2026", "status": status}
    talk.say("m1", "The launch is on June 20, 2026", found(card("m1", temporal=times)))

    assert "planned" == talk.memory.event(talk.ids()[0]).temporal.status


def test_formed_turn_is_that_of_the_block(talk: Talk) -> None:
    """E-19: events that come late are formed by the block's last turn."""
    talk.say("m1", "one", NOTHING | {"should_extract": True})

    def answer(payload: Payload) -> Payload:
        late = "m1" in payload["allowed_source_message_ids"]
        return found(card("m1", criticality="identity")) if late else NOTHING

    talk.say("m2", "two", answer, answer)
    event = talk.memory.event(talk.ids()[0])

    assert (1, 1, 0.9) == (
        event.formed_turn,
        event.weight.last_adopted_turn,
        event.weight.floor_weight,
    )
    assert 2 == talk.memory.stats()["current_turn"]


def test_a_later_card_relates_to_an_earlier_one_by_its_place(talk: Talk) -> None:
    """`#2` is the second card; a rejected, later or own place is removed; equal cards are one."""
    first, again = (card("m1", title="Tea on June 3") for _ in range(2))
    later = card(
        "m1",
        title="Tea moved to June 10",
        temporal={"supersedes_event_ids": ["#3", "#1", "#4", "#5", "#9"], "same_event_id": "#2"},
    )
    talk.say("m1", "said in m1", found(first, card("m9"), again, later))
    old, new = (talk.memory.event(key) for key in talk.ids())

    assert ("superseded", new.id, 0.1) == (old.status, old.superseded_by, old.weight.forced_cap)
    assert (old.id,) == new.temporal.supersedes_event_ids
    assert new.temporal.same_event_id is None


def test_code_sets_version_and_thread(talk: Talk) -> None:
    """Extractor version and thread come from code; nodes of the graph are not the model's."""
    times = {"thread_id": "elsewhere", "participant_node_ids": ["nod_1"]}
    (key,) = talk.add("m1", card("m1", temporal=times), thread="side")
    event = talk.memory.event(key)

    assert (1, "side", ()) == (
        event.extractor_version,
        event.temporal.thread_id,
        event.temporal.participant_node_ids,
    )


def test_extra_keys_violate_the_schema(talk: Talk) -> None:
    """A card that brings its own id is asked again."""
    talk.say("m1", "hello", found(card("m1", id="evt_9")), found(card("m1")))

    assert (2, ["evt_1"]) == (len(talk.payloads), talk.ids())


def test_updated_at_is_the_time_of_writing(talk: Talk) -> None:
    """Created and updated at are those of the transaction, not of the question."""

    def answer(payload: Payload) -> Payload:
        talk.clock.advance(seconds=30)
        return found(card("m1"))

    talk.say("m1", "hello", answer)
    event = talk.memory.event(talk.ids()[0])

    assert event.created_at == event.updated_at == talk.clock()
    assert talk.clock() - timedelta(seconds=30) == event.temporal.mentioned_at
