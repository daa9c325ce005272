"""Which topics a batch is shown (08 §4)."""

import pytest
import sqlalchemy as sa

from tests.topics.world import TopicWorld, one_topic


def test_topics_that_fit_come_first(world: TopicWorld) -> None:
    """Of more than twelve topics those whose words the events share."""
    for number in range(14):
        world.tell(f"about subject {number}")
        world.answers.append(one_topic(f"Subject{number}", description="x"))
        world.work()
    world.tell("News of Subject3 and Subject7")
    world.work()

    shown = [one["title"] for one in world.asked[-1]["topics"]]
    assert {"Subject3", "Subject7"} == set(shown[:2])
    assert (12, 2) == (len(shown), world.asked[-1]["omitted_topics"])


@pytest.mark.slow
@pytest.mark.one_database
def test_of_many_topics_only_near_ones_are_weighed(world: TopicWorld) -> None:
    """The statements for a batch do not grow with the topics, and the right one is shown."""
    counted = []
    for size in (80, 160):
        for number in range(len(world.topics), size):
            world.tell(f"a boat of harbour{number}")
            world.answers.append(one_topic(f"Harbour{number}", description="x"))
            world.work()
        seen: list[str] = []

        def note(_c: object, _cursor: object, text: str, *_rest: object) -> None:
            seen.append(text)  # noqa: B023

        world.tell("another sail for harbour5")
        engine = world.memory._core.env.store.engine
        sa.event.listen(engine, "before_cursor_execute", note)
        world.memory.run_pending()
        sa.event.remove(engine, "before_cursor_execute", note)
        counted.append(len([text for text in seen if "topic" in text]))
        assert "Harbour5" in [one["title"] for one in world.asked[-1]["topics"]]
        world.work()

    assert counted[1] <= counted[0] + 5
