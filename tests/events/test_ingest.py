"""Adding events of one's own extraction (02 §6), and reading what is damaged (02 §3)."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from stratagate_core import Conflict, InvalidArgument, NotFound
from tests.events.talk import NOTHING, Talk, card


def _draft(talk: Talk, **parts: Any) -> dict[str, Any]:
    """A draft on a first block with one message."""
    talk.say("m1", "We use pnpm now", NOTHING)
    return {"title": "T", "summary": "S", "source_message_ids": ["m1"], **parts}


def test_defaults_of_a_draft(talk: Talk) -> None:
    """Scope user, criticality routine, a fresh weight, its block, the time it was said."""
    (event,) = talk.memory.ingest_events([_draft(talk)])

    assert ("user", "routine", "active", "passive") == (
        event.scope,
        event.criticality,
        event.status,
        event.pool,
    )
    assert (1, 1, False, 0.0, None) == (
        event.weight.mention_count,
        event.weight.last_adopted_turn,
        event.weight.pinned,
        event.weight.floor_weight,
        event.weight.forced_cap,
    )
    assert (talk.memory.blocks()[0].id, talk.clock()) == (
        event.source_block_id,
        event.temporal.mentioned_at,
    )
    assert event == talk.memory.event(event.id)


def test_texts_are_trimmed_and_cut(talk: Talk) -> None:
    """Titles to 200, summaries to 1000, tags and quotes to the first 12."""
    draft = _draft(talk, title=" t" * 200, summary="s" * 2000, tags=[f"t{n}" for n in range(20)])
    (event,) = talk.memory.ingest_events([draft])

    assert (200, 1000, 12) == (len(event.title), len(event.summary), len(event.tags))
    assert event.title.startswith("t")


@pytest.mark.parametrize(
    "change",
    [
        {"title": " "},
        {"summary": ""},
        {"source_message_ids": []},
        {"source_message_ids": ["m1", "m9"], "source_block_id": "blk_1"},
        {"source_message_ids": "m1", "source_block_id": "blk_1"},
        {"scope": "world"},
        {"scope": None},
    ],
)
def test_an_unsound_draft_is_refused(talk: Talk, change: dict[str, Any]) -> None:
    """Nothing is written, the error names the draft."""
    draft = _draft(talk, source_block_id="blk_1") | change
    with pytest.raises(InvalidArgument, match="event 1"):
        talk.memory.ingest_events([card("m1"), draft])

    assert [] == talk.ids()


def test_an_unknown_block_is_an_error(talk: Talk) -> None:
    """Neither a block that does not exist nor messages of no block will do."""
    draft = _draft(talk)
    for change in ({"source_block_id": "blk_9"}, {"source_message_ids": ["m9"]}):
        with pytest.raises(NotFound, match="event 0"):
            talk.memory.ingest_events([draft | change])


def test_a_taken_id_is_an_error_in_either_pool(talk: Talk) -> None:
    """Also an id of an agent record, and one given twice."""
    draft = _draft(talk, id="mine")
    talk.memory.ingest_events([draft])
    talk.damage("mine", pool="agent")
    with pytest.raises(Conflict, match="mine"):
        talk.memory.ingest_events([draft])
    with pytest.raises(Conflict, match="other"):
        talk.memory.ingest_events([draft | {"id": "other"}] * 2)

    assert ["mine"] == talk.ids()


def test_invented_quotes_are_dropped(talk: Talk) -> None:
    """Quotes are checked as in extraction."""
    (event,) = talk.memory.ingest_events([_draft(talk, quotes=["use  pnpm", "use npm"])])

    assert ("use  pnpm",) == event.quotes


def test_relations_to_known_events_take_effect(talk: Talk) -> None:
    """A draft may supersede a stored event, also one of the same call; the unknown is removed."""
    draft = _draft(talk)
    times = {"supersedes_event_ids": ["a", "nowhere", "b"]}
    _, new = talk.memory.ingest_events(
        [draft | {"id": "a"}, draft | {"id": "b", "temporal": times}]
    )

    assert ("a",) == new.temporal.supersedes_event_ids
    assert ("superseded", "b", 0.1) == (
        talk.memory.event("a").status,
        talk.memory.event("a").superseded_by,
        talk.memory.event("a").weight.forced_cap,
    )


def test_E_19_late_event_is_formed_by_its_block(each_database: Path | str) -> None:
    """Added at turn 2 from block 1: formed turn and anchor are 1, also after reopening."""
    talk = Talk(each_database)
    draft = _draft(talk)
    talk.say("m2", "more", NOTHING)
    (event,) = talk.memory.ingest_events([draft])
    talk.memory.close()
    again = Talk(each_database).memory
    stored = again.event(event.id)
    again.close()

    assert ((1, 1), event) == ((stored.formed_turn, stored.weight.last_adopted_turn), stored)


def test_E_21_instants_are_kept_in_utc(talk: Talk) -> None:
    """The same instant; a naive datetime is refused."""
    tokyo = datetime(2026, 5, 6, 9, tzinfo=timezone(timedelta(hours=9)))
    exact = {"precision": "instant", "basis": "explicit"}
    draft = _draft(talk, temporal={"happened_start": tokyo, **exact})
    (event,) = talk.memory.ingest_events([draft])

    assert datetime(2026, 5, 6, 0, tzinfo=UTC) == event.temporal.happened_start
    assert UTC == event.temporal.happened_start.tzinfo
    naive = {"happened_start": datetime(2026, 5, 6), **exact}
    with pytest.raises(InvalidArgument, match="timezone"):
        talk.memory.ingest_events([draft | {"temporal": naive}])


def test_E_22_hints_and_versions_round_trip(talk: Talk) -> None:
    """Sound ones are stored and read again, in both pools."""
    (event,) = talk.memory.ingest_events(
        [_draft(talk, catalog_hints=["UI/UX", "other"], extractor_version=3)]
    )
    talk.damage(event.id, pool="agent")
    stored = talk.memory.event(event.id)

    assert (("UI/UX",), 3, "agent") == (
        stored.catalog_hints,
        stored.extractor_version,
        stored.pool,
    )


@pytest.mark.parametrize("version", [0, -1, 1.5, "2", True])
def test_E_13_unsound_versions_are_dropped(talk: Talk, version: object) -> None:
    """Only a positive integer is a version."""
    (event,) = talk.memory.ingest_events([_draft(talk, extractor_version=version)])

    assert event.extractor_version is None


def test_E_12_damaged_values_never_break_a_read(talk: Talk) -> None:
    """What is damaged in the store is dropped on reading; search and timeline work over it."""
    ids = talk.add("m1", *[card("m1", title=f"Tea {n}") for n in range(4)])
    damage: list[dict[str, Any]] = [
        {"temporal": {"participants": {"a": 1}, "happened_start": "soon"}},
        {"temporal": ["a"], "tags": {"a": 1}, "quotes": 3},
        {"catalog_hints": "x", "extractor_version": -4},
        {"criticality": "vital", "temporal": {"participants": ["Ana"]}},
    ]
    for event_id, values in zip(ids, damage, strict=True):
        talk.damage(event_id, **values)
    read = [talk.memory.event(key) for key in ids]

    assert [None, None, None, ("Ana",)] == [event.temporal.participants for event in read]
    assert ((), ()) == (read[1].tags, read[1].quotes)
    assert (None, None) == (read[2].catalog_hints, read[2].extractor_version)
    assert "routine" == read[3].criticality
    assert 4 == len(talk.memory.search_events("tea").hits)
    with_ana = talk.memory.search_events("", participants=["Ana"]).hits
    assert [ids[3]] == [hit.item["id"] for hit in with_ana]
    talk.say("m2", "more", NOTHING)
    assert 4 == len(talk.payloads[-1]["timeline"])
