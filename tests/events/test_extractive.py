"""The offline extractor: quotes only, in English and Chinese (02 §4)."""

from typing import Any

import pytest
from hypothesis import given

from stratagate_core import Message, Settings, StrataGate
from stratagate_core.conversation.rules.derivation import derivation_view
from stratagate_core.events.answer import ExtractedEvents
from stratagate_core.events.rules.extractive import MOST_PER_SPEAKER, extract
from tests.conftest import START
from tests.strategies import conversations

AT = START.isoformat()


def _message(text: str, *, key: str = "m1", role: str = "user", **parts: Any) -> dict[str, Any]:
    return {"id": key, "role": role, "content": text, "created_at": AT, **parts}


def _cards(*messages: dict[str, Any], timeline: Any = (), zone: str = "UTC") -> list[Any]:
    answer = extract({"timezone": zone, "messages": messages, "timeline": list(timeline)})
    assert bool(answer["events"]) == answer["should_extract"]
    return list(answer["events"])


def _card(text: str, **parts: Any) -> Any:
    (card,) = _cards(_message(text, **parts))
    return card


def _old(key: str, title: str, *people: str, status: str = "active") -> dict[str, Any]:
    return {"id": key, "title": title, "status": status, "temporal": {"participants": [*people]}}


@pytest.mark.parametrize(
    "text",
    [
        "Could you help me with my garden?",
        "What should I cook tonight?",
        "If it rains I will stay at home.",
        "I would love to visit Rome.",
        "Hello, good morning!",
        "ok",
        "Please align the arrows in this image.",
        "Translate my letter into French.",
        "你喜欢什么？",
        "如果下雨我们就不去了。",
        "帮我把这段话翻译成英文。",
        "谢谢！",
        "🙂",
        "",
        "```\nI moved to Lyon last week.\n```",
    ],
)
def test_what_makes_no_card(text: str) -> None:
    """Questions, suppositions, greetings, one-off requests and code yield no event."""
    assert [] == _cards(_message(text))


def test_a_card_quotes_and_names_the_speaker() -> None:
    """Title and summary are the sentence with its speaker; the quote is exact."""
    text = "I adopted a cat named Miso."
    card = _card(text, name="Ana")

    assert f"Ana: {text}" == card["title"]
    assert f'Ana: "{text}"' == card["summary"]
    assert ([text], ["m1"]) == (card["quotes"], card["source_message_ids"])
    assert ["Ana", "Miso"] == card["temporal"]["participants"]


def test_an_answer_comes_with_its_question() -> None:
    """The question it answers is quoted before it and cited after it."""
    question = _message("How long have you painted?", key="m1", name="Bo")
    answer = _message("I have painted for seven years.", key="m2", role="assistant", name="Ana")
    (card,) = _cards(question, answer)

    expected = 'Bo: "How long have you painted?" Ana: "I have painted for seven years."'
    assert expected == card["summary"]
    assert ["m2", "m1"] == card["source_message_ids"]


def test_the_sentence_before_makes_a_card_understandable() -> None:
    """A sentence that leans on the one before is stored behind it."""
    card = _cards(_message("My bike is a red Hercules. I bought it in Bonn last year."))[-1]

    assert card["summary"].startswith('User: "My bike is a red Hercules." User: "I bought it')


@pytest.mark.parametrize(
    ("text", "status", "kind"),
    [
        ("I moved to Lyon last week.", "occurred", "change"),
        ("We will finish the prototype next week.", "planned", "plan"),
        ("We plan to ship version 2.1 on Friday.", "planned", "plan"),
        ("The launch of our site was cancelled.", "cancelled", "cancellation"),
        ("I have been learning the piano.", "ongoing", "other"),
        ("I decided to use SQLite for our project.", "occurred", "decision"),
        ("我们昨天把数据库从 MySQL 迁移到 PostgreSQL。", "occurred", "migration"),
        ("我打算下周去上海参加会议。", "planned", "meeting"),
        ("我们取消了周五的聚餐。", "cancelled", "cancellation"),
        ("我上周完成了设计稿。", "occurred", "task_completed"),
        ("我对花生过敏。", "unknown", "other"),
    ],
)
def test_state_and_kind(text: str, status: str, kind: str) -> None:
    """Told by the words; what is intended or lies ahead never counts as having happened."""
    times = _card(text)["temporal"]

    assert (status, kind) == (times["status"], times["event_type"])


@pytest.mark.parametrize(
    ("text", "scope", "criticality"),
    [
        ("My sister Ana is allergic to nuts.", "user", "safety"),
        ("I prefer green tea.", "user", "preference"),
        ("My name is Mara and I live in Ghent.", "user", "identity"),
        ("From now on always answer in French.", "user", "preference"),
        ("We moved the staging server to Hetzner.", "project", "routine"),
        ("I bought a bike in Bonn.", "user", "routine"),
        ("我对花生过敏。", "user", "safety"),
        ("我喜欢绿茶。", "user", "preference"),
        ("我叫李雷，我是一名医生。", "user", "identity"),
        ("以后请默认用中文回答。", "user", "preference"),
        ("我们的项目改用 pnpm 了。", "project", "routine"),
        ("会议改到下周三。", "project", "routine"),
    ],
)
def test_scope_and_criticality(text: str, scope: str, criticality: str) -> None:
    """The first person is of the user, what is impersonal of the project."""
    card = _card(text)

    assert (scope, criticality) == (card["scope"], card["criticality"])


@pytest.mark.parametrize(
    ("text", "start", "precision"),
    [
        ("I met Ana yesterday.", "2026-05-05T00:00:00+00:00", "day"),
        ("我昨天见到了李雷。", "2026-05-05T00:00:00+00:00", "day"),
        ("We will launch the site in June 2026.", "2026-06-01T00:00:00+00:00", "month"),
    ],
)
def test_times_are_worked_out(text: str, start: str, precision: str) -> None:
    """Seen from the moment of the message; the wording is kept."""
    times = _card(text)["temporal"]

    assert (start, precision) == (times["happened_start"], times["precision"])
    assert times["original_text"] in text


def test_times_are_those_of_the_display_timezone() -> None:
    """At 23:30 UTC it is tomorrow in Shanghai already."""
    said = _message("I met Ana yesterday.", created_at="2026-05-06T23:30:00+00:00")
    (card,) = _cards(said, zone="Asia/Shanghai")

    assert "2026-05-06T00:00:00+08:00" == card["temporal"]["happened_start"]


def test_assistants_without_a_name_meet_a_high_bar() -> None:
    """Advice makes no card, a confirmed cause does; an assistant with a name is a person."""
    advice = "I recommend you visited the museum in Lyon last week."
    cause = "The root cause was a stale cache on the build server."

    assert [] == _cards(_message(advice, role="assistant"))
    assert [cause] == [card["title"] for card in _cards(_message(cause, role="assistant"))]
    assert 1 == len(_cards(_message("I moved to Lyon.", role="assistant", name="Bo")))
    assert [] == _cards(_message(cause, role="tool"))


def test_at_most_two_cards_of_a_speaker_in_a_turn() -> None:
    """The most telling ones, in reading order."""
    text = " ".join(f"I visited my friend Number{n} in Lyon on May {n}." for n in range(1, 9))

    assert MOST_PER_SPEAKER == len(_cards(_message(text)))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The launch of the beta moved to June 12.", "We plan the launch of the beta on June 3."),
        ("I no longer drink black coffee.", "I drink black coffee every morning."),
        ("产品评审会改到下周三了。", "产品评审会定在下周一。"),
        ("我们取消了去杭州的团建。", "我们计划去杭州团建。"),
    ],
)
def test_a_change_supersedes_what_it_is_about(text: str, title: str) -> None:
    """An active event of the same subject; a supplement or another subject changes nothing."""
    timeline = [_old("evt_1", "Granite quarry opens"), _old("evt_2", title)]
    (card,) = _cards(_message(text), timeline=timeline)

    assert ["evt_2"] == card["temporal"]["supersedes_event_ids"]


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("The launch of the beta is on June 3, our CI check is pending.", _old("e", "beta launch")),
        ("I moved to Lyon last week.", _old("e", "The beta launch on June 3")),
        ("I no longer drink black coffee.", _old("e", "I drink black coffee", status="superseded")),
    ],
)
def test_what_supersedes_nothing(text: str, old: dict[str, Any]) -> None:
    """A supplement, another subject, and what is superseded already."""
    (card,) = _cards(_message(text), timeline=[old])

    assert "supersedes_event_ids" not in card["temporal"]


def test_nobody_changes_what_another_said_of_themselves() -> None:
    """The change of a named person supersedes events they take part in only."""
    old = _old("evt_1", "Bo: I drink black coffee every morning.", "Bo")
    said = _message("I no longer drink black coffee.", name="Ana")

    assert "supersedes_event_ids" not in _cards(said, timeline=[old])[0]["temporal"]
    said["name"] = "Bo"
    assert ["evt_1"] == _cards(said, timeline=[old])[0]["temporal"]["supersedes_event_ids"]


@given(conversations())
def test_every_answer_fits_the_schema_and_quotes_exactly(messages: tuple[Message, ...]) -> None:
    """Whatever was said: the answer is valid, each quote stands in its first source."""
    placed = [
        Message(
            role=one.role,
            content=one.content,
            name=one.name,
            id=f"m{n}",
            created_at=START,
            tool_calls=one.tool_calls,
        )
        for n, one in enumerate(messages)
    ]
    view = derivation_view(placed)
    answer = extract({"timezone": "UTC", "messages": view, "timeline": []})
    said = {row["id"]: row["content"] for row in view}
    for card in ExtractedEvents.model_validate(answer).events:
        assert all(quote in said[card.source_message_ids[0]] for quote in card.quotes)
        assert set(card.source_message_ids) <= said.keys()


def test_offline_memory_extracts_through_the_same_pipeline() -> None:
    """Without a model: said, sealed, extracted, superseded and found."""
    memory = StrataGate.open(":memory:", settings=Settings(block_turn_size=1), clock=lambda: START)
    memory.add_turn("We plan the launch of the beta on June 3.", "Noted.")
    memory.add_turn("The launch of the beta moved to June 12.", "Noted.")
    found = {hit.item["title"]: hit.item for hit in memory.search_events("beta launch").hits}
    memory.close()

    assert ["active", "superseded"] == sorted(item["status"] for item in found.values())
    moved = found["The launch of the beta moved to June 12."]
    assert "2026-06-12T00:00:00.000+00:00" == moved["temporal"]["happened_start"]
