"""The graph without a model: plain facts from plain sentences, in English and Chinese."""

from typing import Any

import pytest

from stratagate_core import StrataGate
from stratagate_core.graph.rules.extractive import project
from stratagate_core.graph.rules.fold import node_id
from stratagate_core.graph.rules.patterns import read_sentence
from stratagate_core.testing import ManualClock
from tests.conftest import Opener

USER = node_id("person", "User")


def told(sentence: str, speaker: str = "User", *people: str) -> list[tuple[str, str, str]]:
    """What a sentence tells, as (subject, key, value)."""
    found = read_sentence(sentence, speaker, dict.fromkeys(people, "person"))
    return [
        (one.subject, "alias" if one.alias else one.key, one.alias or one.value) for one in found
    ]


@pytest.mark.parametrize(
    ("sentence", "key", "value"),
    [
        ("I live in Berlin.", "home", "Berlin"),
        ("I moved to Tokyo last month.", "home", "Tokyo"),
        ("I've moved from Porto to San Francisco.", "home", "San Francisco"),
        ("I work at Acme.", "employer", "Acme"),
        ("I started a new job at Acme Robotics last week.", "employer", "Acme Robotics"),
        ("I'm a software engineer.", "occupation", "software engineer"),
        ("I love hiking.", "likes", "hiking"),
        ("I prefer tea over coffee.", "likes", "tea"),
        ("I'm allergic to peanuts.", "allergic to", "peanuts"),
        ("I am severely allergic to nuts.", "allergic to", "nuts"),
        ("I'm Anna Lee.", "alias", "Anna Lee"),
        ("We use Postgres for storage.", "uses", "Postgres"),
        ("My dog is named Rex.", "dog", "Rex"),
        ("I adopted a cat named Miso.", "cat", "Miso"),
        ("My sister Anna visited.", "sister", "Anna"),
        ("My name is Anna Lee.", "alias", "Anna Lee"),
        ("My commute takes 25 minutes.", "commute", "25 minutes"),
        ("我住在柏林。", "住处", "柏林"),
        ("我上个月从柏林搬到了上海。", "住处", "上海"),
        ("我在腾讯工作。", "工作单位", "腾讯"),
        ("我喜欢绿茶。", "喜欢", "绿茶"),
        ("我对花生过敏。", "过敏", "花生"),
        ("我养了一只猫，叫咪咪。", "猫", "咪咪"),
        ("我叫小明。", "alias", "小明"),
        ("我的通勤需要25分钟。", "通勤", "25分钟"),
    ],
)
def test_plain_sentences_state_a_fact(sentence: str, key: str, value: str) -> None:
    """One sentence, one fact about the speaker."""
    assert [("User", key, value)] == told(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I don't live in Berlin.",
        "I used to live in Rome.",
        "I live in a small town.",
        "I love it when you sing.",
        "I like your idea.",
        "I love my job.",
        "It moved to Berlin.",
        "Acme moved to Berlin.",
        "The deadline moved to March.",
        "I work at a hospital.",
        "I was born in May.",
        "We're family and love helping.",
        "My daughter Sara's room is blue.",
        "I like the way you think.",
        "I'm Dutch.",
        "I'm Team Lead.",
        "I am South Korean.",
        "I'm Senior Software Engineer.",
        "We moved Grandma from Ghent to Antwerp.",
        "Acme uses Redis.",
        "My friend says I live in Rome.",
        "In the novel I live in Rome.",
        "I live in Rome, just kidding.",
        "Anna asked whether I live in Rome.",
        "I live in Rome or Paris.",
        "I moved from Rome to Paris and back to Rome.",
        "We migrated from MySQL to PostgreSQL but rolled back to MySQL.",
        "I moved to Marketing.",
        "I moved to Team Blue.",
        "I work at Home.",
        "The Apollo project was cancelled in 1972.",
        "I'm a doctor's daughter.",
        "I'm Kind Of Tired.",
        "I'm Going Home.",
        "Call me Monday.",
        "我朋友说我住在柏林。",
        "我梦见我住在柏林。",
        "我叫了外卖。",
        "我在医院工作。",
        "我住在朋友家。",
        "我不喜欢绿茶。",
        "我喜欢你的想法。",
        "我在家工作。",
    ],
)
def test_in_doubt_nothing_is_stated(sentence: str) -> None:
    """What points elsewhere, is denied or has no clear subject states nothing."""
    assert [] == told(sentence)


def test_others_are_named() -> None:
    """A sentence may speak of somebody by name; `moved to` only of a known person."""
    assert [("Mira", "home", "Paris")] == told("Mira lives in Paris.")
    assert [("Mira", "home", "Paris")] == told("Mira moved to Paris.", "User", "mira")
    assert [("Caroline", "likes", "painting")] == told("I love painting!", "Caroline")
    assert [("Mira", "likes", "green tea")] == told("Mira likes green tea.", "User", "mira")
    assert [("Atlas", "state", "on hold")] == told("The Atlas project is on hold.")
    assert [("Atlas", "状态", "完成")] == told("项目Atlas已经完成。")


def test_projects_and_their_tools() -> None:
    """What is worked on has tools of its own, and may leave one for another."""
    known = {"atlas": "project"}

    def read(sentence: str) -> list[tuple[str, str, str, bool]]:
        return [
            (one.subject, one.subject_type, one.value, one.ended)
            for one in read_sentence(sentence, "User", known)
        ]

    assert [("Kestrel", "project", "", False)] == read("We build a small app called Kestrel.")
    assert [("Atlas", "project", "Flask", False), ("Atlas", "project", "SQLite", False)] == read(
        "Atlas uses Flask and SQLite."
    )
    assert [("Atlas", "project", "Redis", True), ("Atlas", "project", "Valkey", False)] == read(
        "We moved Atlas from Redis to Valkey."
    )
    assert [
        ("Kestrel", "project", "SQLite", True),
        ("Kestrel", "project", "PostgreSQL", False),
    ] == read("I ported Kestrel from SQLite to PostgreSQL this evening.")


def event(event_id: str, text: str, **parts: Any) -> dict[str, Any]:
    """An event as the projector is shown it."""
    base = {"title": text, "summary": f'User: "{text}"', "status": "active", "temporal": {}}
    return {"id": event_id, **base, **parts}


def keys(*events: dict[str, Any]) -> list[str]:
    """The fact keys that events give."""
    answer = project({"events": list(events), "nodes": [], "edges": []})
    return [one["key"] for node in answer["nodes"] for one in node["facts"]]


def test_only_what_is_so_counts() -> None:
    """Plans, cancelled and superseded events, questions and assistants state nothing."""
    home = "I live in Lyon."
    assert ["home"] == keys(event("evt_1", home))
    for status in ("planned", "cancelled"):
        assert [] == keys(event("evt_1", home, temporal={"status": status}))
    assert [] == keys(event("evt_1", home, status="superseded"))
    assert [] == keys(event("evt_1", "Do I live in Lyon?"))
    assert [] == keys(event("evt_1", "I will move to Lyon, I live in Porto if I must."))
    assert [] == keys(event("evt_1", home, summary='Assistant: "I live in Lyon."'))


def test_a_name_is_known_from_the_sentence_before() -> None:
    """A card quotes what led to its statement: names count there, facts do not."""
    told = event("evt_1", "I love hiking.")
    quoted = 'User: "I\'m Anna Lee." User: "I live in Rome." User: "I love hiking."'
    answer = project({"events": [told | {"summary": quoted}], "nodes": [], "edges": []})
    (user,) = answer["nodes"]

    assert (["Anna Lee"], ["likes"]) == (user["aliases"], [one["key"] for one in user["facts"]])


@pytest.fixture
def memory(open_memory: Opener) -> StrataGate:
    """An offline memory that makes a block of every turn."""
    return open_memory(settings={"block_turn_size": 1})


def test_a_conversation_becomes_a_graph(memory: StrataGate, clock: ManualClock) -> None:
    """Moves, jobs and tools: one present each, the former labelled, the commute stale."""
    for text in (
        "I live in Berlin and work at Acme.",
        "My commute takes 25 minutes.",
        "We use npm in our builds.",
        "We switched from npm to pnpm.",
        "I moved to Tokyo.",
        "My name is Anna.",
    ):
        memory.add_turn(text, "Good to know.")
        clock.advance(days=10)

    user = memory.node(USER)
    assert ("Anna",) == user.aliases
    state = set(user.current_state.splitlines())
    assert {"home: Tokyo", "employer: Acme", "uses: pnpm"} == state
    assert {"commute"} == {one.key for one in user.facts if one.status == "stale"}
    hits = memory.search_graph("Berlin").hits
    assert ["Berlin", "User"] == [hit.item["name"] for hit in hits]
    assert "historical" == hits[1].item["match_type"]
    then = memory.node(USER, as_of="2026-05-10T00:00:00+00:00")
    assert "home: Berlin" in then.current_state
    assert "pnpm" in memory.recall("Which tool does Anna use?").text
    memory.forget(memory.search_events("Tokyo").hits[0].item["id"])
    assert "home: Tokyo" not in memory.node(USER).current_state


def test_a_chinese_conversation_becomes_a_graph(memory: StrataGate, clock: ManualClock) -> None:
    """The same in Chinese, with Chinese keys."""
    for text in ("我住在柏林。", "我搬到了上海。", "我在腾讯工作。"):
        memory.add_turn(text, "好的。")
        clock.advance(days=10)

    state = set(memory.node(USER).current_state.splitlines())
    assert {"住处: 上海", "工作单位: 腾讯"} == state
    assert "historical" == memory.search_graph("柏林").hits[1].item["match_type"]


def test_a_node_keeps_the_key_it_has(memory: StrataGate, clock: ManualClock) -> None:
    """Said in another language, a fact takes the place of the one under the known key."""
    memory.add_turn("I live in Berlin.", "ok")
    clock.advance(days=10)
    memory.add_turn("我搬到了上海。", "好的。")

    assert "home: 上海" == memory.node(USER).current_state
