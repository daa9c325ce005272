"""What leaves the directory when its sources change (08 §6)."""

from collections.abc import Callable

import pytest

from stratagate_core import NotFound, StrataGate
from tests.topics.world import TopicWorld, paragraph, topic

#: what hides an event
HIDINGS: dict[str, Callable[[StrataGate], object]] = {
    "forget": lambda memory: memory.forget("evt_1"),
    "archive": lambda memory: memory.archive("evt_1"),
    "purge": lambda memory: memory.purge(events=["evt_1"]),
    "purge of its source": lambda memory: memory.purge(
        messages=memory.event("evt_1").source_message_ids
    ),
}


def _told(world: TopicWorld) -> str:
    world.tell("Zanzibar is far", ids=("evt_1",))
    world.tell("Mara sails", ids=("evt_2",))
    prose = [paragraph("Zanzibar was the goal.", "evt_1")]
    told = topic("Zanzibar trip", "evt_1", "evt_2", overview=prose)
    world.answers.append({"topics": [told]})
    world.work()
    return world.topics["Zanzibar trip"].id


def _shown(memory: StrataGate, topic_id: str) -> str:
    shown = [memory.directory(), memory.topics(), memory.topic(topic_id)]
    shown += [memory.list_topics(), memory.expand_topic(topic_id), memory.recall("Mara")]
    return str(shown)


@pytest.mark.parametrize("how", sorted(HIDINGS))
def test_T_04_words_of_a_hidden_event_vanish_at_once(world: TopicWorld, how: str) -> None:
    """Title, description and overview go before anything is filed again."""
    topic_id = _told(world)
    assert "Zanzibar" in _shown(world.memory, topic_id)
    HIDINGS[how](world.memory)

    assert "Zanzibar" not in _shown(world.memory, topic_id)
    entry = world.memory.topic(topic_id)
    assert (True, ("evt_2",), ()) == (entry.is_fallback, entry.source_event_ids, entry.overview)
    rows = world.rows("messages", "events", "postings", "documents", "blocks", "turns", "jobs")
    assert "Zanzibar" not in str({k: v for k, v in rows.items() if k.startswith("topic")})
    world.memory.purge(events=["evt_2"])
    with pytest.raises(NotFound):
        world.memory.topic(topic_id)
    assert "" == world.memory.directory()


@pytest.mark.one_database
def test_T_04_also_through_another_connection(tmp_path: object) -> None:
    """What one opening forgets another one does not show."""
    path = f"{tmp_path}/memory.db"
    world = TopicWorld(path)
    topic_id = _told(world)
    with StrataGate.open(path) as other:
        other.forget("evt_1")
    assert "Zanzibar" not in _shown(world.memory, topic_id)
    world.memory.close()


def test_restoring_files_again(world: TopicWorld) -> None:
    """An event that comes back has an entry at once and a topic after the next round."""
    _told(world)
    world.memory.forget("evt_1")
    world.work()
    world.memory.restore("evt_1")
    assert "fallback:evt_1" in [one.id for one in world.memory.topics().items]
    world.work()

    assert {"evt_1", "evt_2"} == {
        key for one in world.memory.topics().items for key in one.source_event_ids
    }
    assert not [one for one in world.memory.topics().items if one.is_fallback]


def test_a_topic_in_which_the_event_was_only_read_loses_its_words(world: TopicWorld) -> None:
    """Whatever was read may have left words: it need not be a member or be cited."""
    world.tell("Zanzibar is far", "Mara sails", ids=("evt_1", "evt_2"))
    world.answers.append({"topics": [topic("Far", "evt_1"), topic("Mara and Zanzibar", "evt_2")]})
    world.work()
    topic_id = world.topics["Mara and Zanzibar"].id
    world.memory.forget("evt_1")

    assert "Zanzibar" not in _shown(world.memory, topic_id)
    assert ("evt_2",) == world.memory.topic(topic_id).source_event_ids


def test_superseding_takes_the_words_too(world: TopicWorld) -> None:
    """A topic written before an event was superseded is written again."""
    topic_id = _told(world)
    world.tell("Lisbon instead", ids=("evt_3",), temporal={"supersedes_event_ids": ["evt_1"]})
    assert "Zanzibar was the goal" not in _shown(world.memory, topic_id)
    world.work()

    assert {"evt_1", "evt_2", "evt_3"} == {
        key for one in world.memory.topics().items for key in one.source_event_ids
    }


def test_a_purged_namespace_has_no_directory(world: TopicWorld) -> None:
    """Nothing of the directory is left, and it begins anew."""
    _told(world)
    world.memory.purge(namespace=True)
    assert not any(rows for name, rows in world.rows().items() if name.startswith("topic"))
    world.tell("A gull", ids=("evt_9",))
    world.work()
    assert [("evt_9",)] == [one.source_event_ids for one in world.memory.topics().items]
