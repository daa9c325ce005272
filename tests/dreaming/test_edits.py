"""Each edit: what it writes, and what is refused (08 §5, §8, §9)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import bad_answers
from tests.dreaming.world import DreamWorld, edits
from tests.topics.world import one_topic, paragraph, section, topic

Json = dict[str, Any]


def _told(world: DreamWorld) -> tuple[str, str]:
    world.tell("one", "two", "three", ids=("evt_1", "evt_2", "evt_3"))
    first = topic(
        "A",
        "evt_1",
        "evt_2",
        sections=[section("Old", "evt_1"), section("New", "evt_2")],
        overview=[paragraph("Once.", "evt_1", title="Old")],
    )
    world.answers.append({"topics": [first, topic("B", "evt_3")]})
    world.work()
    return world.topics["A"].id, world.topics["B"].id


def _run(world: DreamWorld, *given: Json) -> None:
    world.tidying.append(edits(*given))
    world.memory.dream()


def test_events_move_between_topics_and_sections(world: DreamWorld) -> None:
    """Prose and lessons that rest on an event do not stay behind it; an empty topic ends."""
    a, b = _told(world)
    _run(
        world,
        {
            "op": "move_events",
            "topic_id": a,
            "event_ids": ["evt_1"],
            "to_topic_id": b,
            "section": "How it developed",
        },
        {
            "op": "move_events",
            "topic_id": b,
            "event_ids": ["evt_3"],
            "to_title": "C",
            "description": "New.",
            "section": "Start",
        },
        {
            "op": "move_events",
            "topic_id": a,
            "event_ids": ["evt_2"],
            "to_topic_id": a,
            "section": "Newer",
        },
    )
    found = world.topics

    assert {"A": ("evt_2",), "B": ("evt_1",), "C": ("evt_3",)} == {
        title: one.source_event_ids for title, one in found.items()
    }
    assert () == found["A"].overview
    assert ["Newer"] == [one.title for one in found["A"].sections]
    assert "New." == found["C"].description
    _run(
        world,
        {
            "op": "move_events",
            "topic_id": a,
            "event_ids": ["evt_2"],
            "to_title": "C",
            "section": "Start",
        },
    )
    assert {"B", "C"} == set(world.topics)


def test_sections_are_renamed_and_merged(world: DreamWorld) -> None:
    """A section takes its paragraphs along, also into one that is there."""
    a, _ = _told(world)
    _run(world, {"op": "rename_section", "topic_id": a, "section": "Old", "title": "Early"})
    assert [("Early", "Early")] == [
        (one.title, str(one.title)) for one in world.topics["A"].overview
    ]
    assert ["Early", "New"] == [one.title for one in world.topics["A"].sections]
    _run(world, {"op": "rename_section", "topic_id": a, "section": "Early", "title": "ＮＥＷ"})

    (only,) = world.topics["A"].sections
    assert ("New", ("evt_1", "evt_2")) == (only.title, only.source_event_ids)
    assert ["New"] == [one.title for one in world.topics["A"].overview]


def test_overviews_and_lessons_are_written_and_dropped(world: DreamWorld) -> None:
    """With their sources; what is dropped is gone."""
    a, _ = _told(world)
    prose = {
        "op": "write_overview",
        "topic_id": a,
        "kind": "decision",
        "title": "New",
        "text": "Then.",
        "source_event_ids": ["evt_2"],
    }
    lesson = {
        "op": "write_experience",
        "topic_id": a,
        "title": "L",
        "text": "Look twice.",
        "source_event_ids": ["evt_1", "evt_2"],
    }
    _run(world, prose, lesson, {"op": "drop_overview", "topic_id": a, "text": "Once."})
    found = world.topics["A"]
    assert ["Then."] == [one.text for one in found.overview]
    assert ["Look twice."] == [one.text for one in found.experiences]
    _run(world, {"op": "drop_experience", "topic_id": a, "experience_id": found.experiences[0].id})

    assert () == world.topics["A"].experiences
    world.memory.forget("evt_1")
    assert "Then." not in str(world.memory.topic(a))


REFUSED: dict[str, Json] = {
    "an unknown operation": {"op": "delete_topic"},
    "nothing to rename": {"op": "rename_topic"},
    "a title of another topic": {"op": "rename_topic", "title": "Ｂ"},
    "too long a title": {"op": "rename_topic", "title": "x" * 121},
    "a merge with itself": {"op": "merge_topics", "other_topic_ids": ["A"]},
    "a merge with nothing": {"op": "merge_topics", "other_topic_ids": ["topic_9"]},
    "foreign events": {
        "op": "move_events",
        "event_ids": ["evt_3"],
        "to_title": "C",
        "section": "S",
    },
    "no target": {"op": "move_events", "event_ids": ["evt_1"], "section": "S"},
    "two targets": {
        "op": "move_events",
        "event_ids": ["evt_1"],
        "section": "S",
        "to_title": "C",
        "to_topic_id": "B",
    },
    "an unknown target": {
        "op": "move_events",
        "event_ids": ["evt_1"],
        "section": "S",
        "to_topic_id": "topic_9",
    },
    "an unknown section": {"op": "rename_section", "section": "X", "title": "Y"},
    "a paragraph of no section": {
        "op": "write_overview",
        "kind": "history",
        "title": "X",
        "text": "t",
        "source_event_ids": ["evt_1"],
    },
    "an unknown kind": {
        "op": "write_overview",
        "kind": "poem",
        "title": "Old",
        "text": "t",
        "source_event_ids": ["evt_1"],
    },
    "foreign sources": {
        "op": "write_overview",
        "kind": "history",
        "title": "Old",
        "text": "t",
        "source_event_ids": ["evt_3"],
    },
    "too long a text": {
        "op": "write_overview",
        "kind": "history",
        "title": "Old",
        "text": "t" * 1001,
        "source_event_ids": ["evt_1"],
    },
    "too long a lesson": {
        "op": "write_experience",
        "title": "L",
        "text": "t" * 601,
        "source_event_ids": ["evt_1"],
    },
    "an unknown paragraph": {"op": "drop_overview", "text": "Never."},
    "an unknown lesson": {"op": "drop_experience", "experience_id": "exp_9"},
}


@pytest.mark.one_database
@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_faulty_edit_is_refused_alone(name: str) -> None:
    """Nothing of it is written, the reason is told, and the next edit is."""
    world = DreamWorld()
    a, b = _told(world)
    ids = {"A": a, "B": b}
    edit = {"topic_id": a, **REFUSED[name]}
    for key in ("to_topic_id", "topic_id"):
        edit[key] = ids.get(edit.get(key, ""), edit.get(key, ""))
    edit = {key: value for key, value in edit.items() if value}
    if "other_topic_ids" in edit:
        edit["other_topic_ids"] = [ids.get(key, key) for key in edit["other_topic_ids"]]
    before = world.rows("dream", "namespaces")
    world.tidying.append(edits(edit, done=False))
    world.memory.dream(limit=2)

    (refused,) = [step for step in world.done if step.kind == "refused"]
    assert refused.content["why"]
    assert before == world.rows("dream", "namespaces")
    world.memory.close()


_IDS = st.sampled_from(["topic_1", "topic_2", "topic_3", "topic_9"])
_EVENTS = st.lists(st.sampled_from(["evt_1", "evt_2", "evt_3", "evt_9"]), max_size=3)
_TITLES = st.sampled_from(["A", "B", "C", "Old", "New", " "])
_EDITS = st.lists(
    st.fixed_dictionaries(
        {
            "op": st.sampled_from(
                [
                    "rename_topic",
                    "merge_topics",
                    "move_events",
                    "rename_section",
                    "write_experience",
                    "drop_overview",
                ]
            ),
            "topic_id": _IDS,
        },
        optional={
            "title": _TITLES,
            "other_topic_ids": st.lists(_IDS, max_size=2),
            "event_ids": _EVENTS,
            "to_topic_id": _IDS,
            "to_title": _TITLES,
            "section": _TITLES,
            "text": _TITLES,
            "source_event_ids": _EVENTS,
        },
    ),
    max_size=6,
)


@pytest.mark.slow
@pytest.mark.one_database
@given(given=_EDITS)
def test_no_event_loses_its_last_place(given: list[Json]) -> None:
    """Whatever a model asks for, every event stands in a topic and in a section of it."""
    world = DreamWorld()
    _told(world)
    world.tidying.append(edits(*given))
    world.memory.dream()
    entries = world.memory.topics().items

    assert {"evt_1", "evt_2", "evt_3"} == {key for one in entries for key in one.source_event_ids}
    for one in entries:
        placed = {key for part in one.sections for key in part.source_event_ids}
        assert (False, set(one.source_event_ids)) == (one.is_fallback, placed)
        for part in (*one.overview, *one.experiences):
            assert set(part.source_event_ids) <= set(one.source_event_ids)
    assert len(entries) == len({one.title.casefold() for one in entries})
    world.memory.close()


@pytest.mark.slow
@pytest.mark.one_database
@pytest.mark.parametrize("name", sorted(bad_answers.UNUSABLE))
def test_an_unusable_answer_holds_the_run(name: str) -> None:
    """Again and again: the run is paused, nothing is written, and it can go on."""
    world = DreamWorld()
    world.tell("one", ids=("evt_1",))
    world.answers.append(one_topic("A"))
    world.work()
    before = world.rows("dream", "namespaces")
    world.tidying += [bad_answers.UNUSABLE[name]] * 3
    run = world.memory.dream()

    assert "paused" == run.status
    assert before == world.rows("dream", "namespaces")
    world.tidying.clear()
    assert "completed" == world.memory.dream(resume=True).status
    world.memory.close()
