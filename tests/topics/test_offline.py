"""The directory without a model: filed by hint, by name and by kind."""

import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from stratagate_core import Settings, StrataGate
from stratagate_core.store import schema
from stratagate_core.text.normalise import label_identity
from stratagate_core.topics.rules.extractive import project
from stratagate_core.topics.rules.projection import Candidate, Scope, admitted, faults
from tests.topics.world import Json, TopicWorld

_NAMES = st.sampled_from(["Lyon", "lyon", "Kiln", "Miso", "港口", "User", "", "x" * 70])
_EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "title": st.text(max_size=20),
            "summary": st.sampled_from(["Miso sleeps.", "we ship Kiln", "in Lyon"]),
            "tags": st.lists(_NAMES, max_size=3),
            "criticality": st.sampled_from(["routine", "preference"]),
            "temporal": st.fixed_dictionaries(
                {
                    "event_type": st.sampled_from(["decision", "plan", "meeting", "other"]),
                    "participants": st.lists(_NAMES, max_size=2),
                }
            ),
            "status": st.just("active"),
            "catalog_hints": st.lists(_NAMES, max_size=2),
        }
    ),
    min_size=1,
    max_size=12,
)
_KNOWN = st.lists(st.sampled_from(["Lyon", "Miso", "Other experiences"]), unique=True)


@given(events=_EVENTS, known=_KNOWN, language=st.sampled_from(["en", "zh"]))
def test_the_offline_answer_keeps_the_contract(
    events: list[Json], known: list[str], language: str
) -> None:
    """Whatever the events are, the rules give an answer without faults, and always the same."""
    batch = [{**event, "id": f"evt_{at}"} for at, event in enumerate(events)]
    topics = [
        {"id": f"topic_{name}", "title": name, "description": "d", "sections": [], "total": 3}
        for name in known
    ]
    payload = {"events": batch, "topics": topics, "language": language}
    scope = Scope(
        events=tuple(event["id"] for event in batch),
        candidates={
            one["id"]: Candidate(id=one["id"], title=one["title"], description="d")
            for one in topics
        },
        labels={label_identity(one["title"]): one["id"] for one in topics},
    )
    answer = [{"topic_id": None, **topic} for topic in project(payload)["topics"]]

    assert () == faults(answer, scope)
    filed = admitted(answer, scope, {})
    assert set(scope.events) == {key for one in filed for key in one.events}
    assert answer == [{"topic_id": None, **topic} for topic in project(payload)["topics"]]


def test_events_are_filed_by_name_and_by_kind() -> None:
    """What a batch names twice gets a topic, later events join it, the rest goes by its kind."""
    world = TopicWorld(model=None)
    world.tell("We chose Kiln", tags=["Kiln"], temporal={"event_type": "decision"}, ids=("evt_1",))
    world.tell("Kiln is out", tags=["Kiln"], temporal={"event_type": "release"}, ids=("evt_2",))
    world.tell("I like green tea", criticality="preference", ids=("evt_3",))
    world.work()
    world.tell("Then Kiln broke", temporal={"event_type": "incident"}, ids=("evt_4",))
    world.work()

    topics = {title: one.source_event_ids for title, one in world.topics.items()}
    assert {
        "Kiln": ("evt_1", "evt_2", "evt_4"),
        "Preferences and requirements": ("evt_3",),
    } == topics
    assert ["Key decisions", "Results"] == [s.title for s in world.topics["Kiln"].sections]
    world.memory.close()


def test_a_name_stands_as_long_as_a_member_carries_it() -> None:
    """Forgetting one of two events keeps the topic; forgetting both ends it at once."""
    world = TopicWorld(model=None)
    world.tell("Zanzibar is far", tags=["Zanzibar"], ids=("evt_1",))
    world.tell("Zanzibar is hot", tags=["Zanzibar"], ids=("evt_2",))
    world.tell("Zanzibar is gone", tags=["Zanzibar"], ids=("evt_3",))
    world.work()
    world.memory.forget("evt_1")
    assert ("evt_2", "evt_3") == world.topics["Zanzibar"].source_event_ids
    world.memory.forget("evt_2")
    world.memory.purge(events=["evt_3"])

    assert "Zanzibar" not in f"{world.memory.directory()}{world.memory.topics()}"
    assert "" == world.memory.directory()
    world.memory.close()


def test_a_superseded_event_is_filed_again_alone() -> None:
    """A topic of rules keeps its words; only the changed event is filed anew."""
    world = TopicWorld(model=None)
    world.tell("Kiln is blue", tags=["Kiln"], ids=("evt_1",))
    world.tell("Kiln is small", tags=["Kiln"], ids=("evt_2",))
    world.work()
    kept = world.topics["Kiln"]
    world.tell(
        "Kiln is red", tags=["Kiln"], ids=("evt_3",), temporal={"supersedes_event_ids": ["evt_1"]}
    )
    assert ("evt_2",) == world.memory.topic(kept.id).source_event_ids
    world.work()

    after = world.memory.topic(kept.id)
    assert {"evt_1", "evt_2", "evt_3"} == set(after.source_event_ids)
    assert kept.title == after.title
    world.memory.close()


def test_quoting_the_directory_back_makes_no_event() -> None:
    """What we put before a model is no source: said back to us it is no new memory."""
    with StrataGate.open(":memory:", settings=Settings(block_turn_size=1)) as memory:
        memory.add_turn("I moved to Lyon. I adopted a cat named Miso in Lyon.", "Congratulations!")
        memory.drain()
        known = memory.stats()["events"]
        text = memory.directory()
        assert "[Memory directory]" in text
        memory.add_turn(text, "I see.")
        memory.add_turn("What is in there?", text)
        memory.drain()

        assert known == memory.stats()["events"]


def test_filing_costs_the_same_however_much_is_filed() -> None:
    """The statements for one more event do not grow, and none reads a whole topic."""
    world = TopicWorld(model=None)
    counted: list[int] = []

    def statements(number: int) -> int:
        seen: list[str] = []

        def note(_c: object, _cursor: object, text: str, *_rest: object) -> None:
            seen.append(text)

        engine = world.memory._core.env.store.engine
        world.tell(f"thing of Kiln {number}", tags=["Kiln"])
        sa.event.listen(engine, "before_cursor_execute", note)
        world.memory.run_pending()
        sa.event.remove(engine, "before_cursor_execute", note)
        return len([text for text in seen if "topic" in text])

    for size in (24, 240):
        world.tell(*(f"Kiln {size} {at}" for at in range(size)), tags=["Kiln"])
        world.work()
        counted.append(statements(size))
    assert counted[0] == counted[1]
    with world.memory._read() as work:
        number = work.tx.scalar(sa.select(sa.func.count()).select_from(schema.topic_queue))
    assert 0 == number
    world.memory.close()
