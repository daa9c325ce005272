"""Reading the directory: entries, pages, text and the events behind it (07 §4, 08 §3)."""

from typing import Any

import pytest

from stratagate_core import InvalidArgument, NotFound
from stratagate_core.text.estimate import estimate_tokens
from tests.topics.world import TopicWorld, one_topic, paragraph, section, topic


def _topics(world: TopicWorld, number: int, length: int = 1) -> None:
    for at in range(number):
        title = f"Topic {at} {'long ' * length}".strip()
        world.tell(f"thing {at}")
        world.answers.append(one_topic(title, description="A long description. " * 3))
        world.work()


def test_R_06_many_topics_stay_within_the_budget(world: TopicWorld) -> None:
    """35 long topics fit 400 tokens, and paging by 7 meets each entry once."""
    _topics(world, 35, length=15)
    text = world.memory.directory()
    assert estimate_tokens(text) <= 400
    assert "35 entries" in text
    assert "other (Other experiences, 35)" in text
    assert text.startswith("[Memory directory]\n")

    met: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = world.memory.topics(offset=offset, limit=7)
        met += [one.id for one in page.items]
        assert 35 == page.total
        offset = page.next_offset
    assert 35 == len(met) == len(set(met))
    assert met == [f"topic_{at}" for at in range(1, 36)]


def test_a_small_directory_is_shown_whole(world: TopicWorld) -> None:
    """One line for each entry, in directory order; an imitated marker is broken."""
    world.tell("The harbour is blue", "x [Memory directory] y", ids=("evt_1", "evt_2"))
    world.answers.append({"topics": [topic("Harbour", "evt_1", "evt_2")]})
    world.work()
    world.tell("[Memory directory] of thieves", ids=("evt_3",))

    lines = world.memory.directory().splitlines()
    assert "- topic_1: Harbour; About Harbour." == lines[2]
    assert lines[3].startswith("- fallback:evt_3: [\u200dMemory directory] of thieves; Not yet")
    assert 4 == len(lines)
    found = world.memory.recall("anything")
    assert world.memory.directory() == found.directory_text
    assert "" == world.memory.for_namespace("empty").directory()


def test_categories_and_pages(world: TopicWorld) -> None:
    """A category narrows the list; an unknown one is refused with those that there are."""
    world.tell("We chose Postgres", temporal={"event_type": "decision"}, ids=("evt_1",))
    world.tell("I like tea", criticality="preference", ids=("evt_2",))
    world.tell("Met Mara", temporal={"event_type": "meeting"}, ids=("evt_3",))
    listed = world.memory.list_topics()

    assert ["preferences", "decisions", "relationships"] == [
        one["id"] for one in listed["categories"]
    ]
    assert [("fallback:evt_1", "decisions")] == [
        (one.id, one.category) for one in world.memory.topics(category="decisions").items
    ]
    with pytest.raises(InvalidArgument, match="preferences, decisions, work"):
        world.memory.topics(category="cheese")
    with pytest.raises(InvalidArgument, match="offset"):
        world.memory.topics(offset=-1)
    assert (3, ()) == (world.memory.topics(offset=9).total, world.memory.topics(offset=9).items)


def test_a_topic_is_found_by_name(world: TopicWorld) -> None:
    """Titles count more than descriptions; what does not match is not listed."""
    for title, description in (("Boats", "All about the harbour."), ("Harbour", "The quay.")):
        world.tell(f"about {title}")
        world.answers.append(one_topic(title, description=description))
        world.work()
    world.tell("A gull at the harbour", ids=("evt_9",))

    page = world.memory.topics("harbour")
    assert {"Boats", "Harbour", "A gull at the harbour"} == {one.title for one in page.items}
    assert "Harbour" == page.items[0].title
    assert 0 == world.memory.topics("cheese").total


def test_T_16_without_the_agent_lane_its_topics_are_hidden(world: TopicWorld) -> None:
    """A topic that rests on what an agent recorded goes whole; its other events have entries."""
    world.tell("The harbour is blue", "Mara sails", "A gull", ids=("evt_1", "evt_2", "evt_3"))
    with world.memory._write() as work:
        from stratagate_core.store import schema

        table = schema.events
        where = (work.tx.of(table), table.c.id == "evt_2")
        work.tx.change(table.update().where(*where).values(pool="agent"))
    world.answers.append({"topics": [topic("Harbour", "evt_1", "evt_2"), topic("Gull", "evt_3")]})
    world.work()
    assert {"Harbour", "Gull"} == set(world.topics)
    hidden = world.topics["Harbour"].id

    world.memory.save_settings(agent_memory_retrieval_weight=0.0)
    entries = {one.id for one in world.memory.topics().items}
    # the answer was read as a whole, so both topics rest on the agent's event
    assert {"fallback:evt_1", "fallback:evt_3"} == entries
    assert "Harbour" not in world.memory.directory()
    with pytest.raises(NotFound):
        world.memory.topic(hidden)
    assert "The harbour is blue" == world.memory.topic("fallback:evt_1").title


def test_T_21_an_expansion_stays_within_its_budget(world: TopicWorld) -> None:
    """What is shown and what is left out add up."""
    ids = [f"evt_{at}" for at in range(12)]
    world.tell(*(f"thing {at}" for at in range(12)), ids=ids)
    sections = [section(f"{'A section ' * 7}{key}", key) for key in ids]
    prose = [paragraph("word " * 190, key, title=f"{'A section ' * 7}{key}") for key in ids[:8]]
    world.answers.append({"topics": [topic("A", *ids, sections=sections, overview=prose)]})
    world.work()
    (one,) = world.memory.topics().items
    card = world.memory.expand_topic(one.id)
    body = card["topic"]

    assert world.memory.count_tokens(str(card)) <= 2400
    assert 0 < body["omitted_overview_paragraphs"] < 8
    assert 8 == len(body["overview"]) + body["omitted_overview_paragraphs"]
    assert 12 == len(body["sections"]) + body["omitted_sections"] == body["total_sections"]
    assert 12 == len(body["source_event_ids"]) + body["omitted_source_events"]
    assert "memory_search_events" == card["event_retrieval"]["tool"]


def _many_in_one_topic(world: TopicWorld, number: int) -> str:
    world.many(number)
    world.work()
    (one,) = world.memory.topics().items
    return one.id


def test_S_13_the_events_of_a_topic_are_paged(world: TopicWorld) -> None:
    """25 events come as 20 and 5, in an order that use does not change."""
    topic_id = _many_in_one_topic(world, 25)
    other = world.memory.for_namespace("other")
    first = world.memory.search_events("", topic_id=topic_id, limit=20)
    second = world.memory.search_events("", topic_id=topic_id, limit=20, offset=20)
    assert (25, 20, 25, None) == (first.total, first.next_offset, second.total, second.next_offset)
    order = [hit.item["id"] for hit in (*first.hits, *second.hits)]
    assert 25 == len(set(order))

    world.memory.search_events("", topic_id=topic_id, open_batch=True)
    world.memory.assess("sufficient", [f"event:{order[3]}"])
    world.memory.record_use([f"event:{order[3]}"])
    again = world.memory.search_events("", topic_id=topic_id, limit=20)
    assert order[:20] == [hit.item["id"] for hit in again.hits]
    with pytest.raises(NotFound):
        other.search_events("", topic_id=topic_id)
    with pytest.raises(NotFound):
        world.memory.search_events("", topic_id="topic_99")


def test_a_topic_narrows_a_search(world: TopicWorld) -> None:
    """Only members are found; other filters narrow further."""
    world.tell("The harbour is blue", "The harbour is red", ids=("evt_1", "evt_2"))
    world.answers.append({"topics": [topic("A", "evt_1"), topic("B", "evt_2")]})
    world.work()
    ids = {title: one.id for title, one in world.topics.items()}

    found = world.memory.search_events("harbour", topic_id=ids["A"])
    assert ["evt_1"] == [hit.item["id"] for hit in found.hits]
    assert None is found.total
    both = world.memory.search_events("", topic_id=ids["A"], event_ids=["evt_2"])
    assert ((), 0) == (both.hits, both.total)
    filtered = world.memory.search_events("", topic_id=ids["A"], event_type="meeting")
    assert ((), None) == (filtered.hits, filtered.total)
    unfiled = world.tell("A gull", ids=("evt_3",))
    alone = world.memory.search_events("", topic_id=f"fallback:{unfiled[0].id}")
    assert ["evt_3"] == [hit.item["id"] for hit in alone.hits]


def test_switched_off_nothing_is_filed() -> None:
    """Without topics no model is asked and no text is made; events are found as ever."""
    world = TopicWorld(topics_enabled=False)
    world.tell("The harbour is blue", ids=("evt_1",))
    world.work()

    assert ([], "", ()) == (world.asked, world.memory.directory(), world.jobs)
    assert 1 == len(world.memory.search_events("harbour").hits)
    world.memory.close()


def test_stock_words_are_chinese_where_it_is_wanted() -> None:
    """Labels, headings and stock texts exist in both languages."""
    world = TopicWorld(language="zh")
    world.tell("港口是蓝色的", ids=("evt_1",))
    text: Any = world.memory.directory()

    assert text.startswith("[记忆目录]")
    assert "尚未整理，请查看事件" in text
    assert ["其他经历"] == [one["label"] for one in world.memory.list_topics()["categories"]]
    world.memory.close()
