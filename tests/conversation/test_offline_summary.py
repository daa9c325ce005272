"""L0–L2 without a model: titles, tags and points are pieces of what was said."""

from typing import Any

import pytest
from hypothesis import given

from stratagate_core import Message
from stratagate_core.conversation.rules.derivation import derivation_view
from stratagate_core.conversation.rules.extractive import POINTS, TAGS, TITLE, summarise
from stratagate_core.conversation.tasks import BlockSummary
from stratagate_core.text.normalise import collapse
from tests.strategies import conversations

BACKUP = (
    ("user", "The nightly backup fails since Monday, it says `disk quota exceeded`."),
    ("assistant", "Let me look.\n```bash\n$ du -sh /var\n412G /var\n```\nOld snapshots are kept."),
    ("user", "Then delete snapshots older than 30 days."),
    ("assistant", "Done. Shall I do the same for staging?"),
)
MARATHON = (
    ("user", "我最近在准备马拉松，每周跑三次，周末跑长距离。"),
    ("assistant", "真棒！你的目标成绩是多少？"),
    ("user", "我想在上海马拉松跑进四小时。膝盖有旧伤，不能做深蹲。"),
    ("assistant", "好的。那就用臀桥代替深蹲。"),
)


def _summary(*said: tuple[str, str], **parts: Any) -> BlockSummary:
    messages = [{"role": role, "content": text, **parts} for role, text in said]
    return BlockSummary.model_validate(summarise({"messages": messages}))


def test_the_title_is_the_subject_a_person_named() -> None:
    """The first telling sentence of a person, without its full stop."""
    assert "The nightly backup fails since Monday…" == _summary(*BACKUP).l0_title
    assert "How do I centre a div?" == _summary(("user", "How do I centre a div?")).l0_title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "I am planning a trip to Portugal in September with my sister and my brother.",
            "I am planning a trip to Portugal in September…",
        ),
        (
            "We want to visit the old harbour of Hamburg, the fish market and then the town hall.",
            "We want to visit the old harbour of Hamburg…",
        ),
        (
            "我们打算九月去葡萄牙旅行，先去里斯本，再去波尔图，最后去杜罗河谷，" * 2,
            "我们打算九月去葡萄牙旅行，先去里斯本，再去波尔图，最后去杜罗河谷，我们打算九月去葡萄牙旅行，先去里斯本，再去波尔图…",
        ),
    ],
)
def test_a_long_title_ends_between_words(text: str, title: str) -> None:
    """It is cut behind a clause, else behind a word that does not lead on."""
    cut = _summary(("user", text)).l0_title

    assert (title, True) == (cut, len(cut) <= TITLE)


def test_points_leave_out_what_says_nothing() -> None:
    """No code, no courtesy, no filler, no question of the assistant."""
    assert [
        "User: The nightly backup fails since Monday, it says `disk quota exceeded`.",
        "Assistant: Old snapshots are kept.",
        "User: Then delete snapshots older than 30 days.",
    ] == [point for point in _summary(*BACKUP).l2_keypoints if "look" not in point]
    points = _summary(*MARATHON).l2_keypoints
    assert "User: 我最近在准备马拉松，每周跑三次，周末跑长距离。" in points
    assert not [point for point in points if "真棒" in point or "好的" in point or "？" in point]


def test_names_are_tags() -> None:
    """The names that come up, the most frequent first."""
    said = "Yesterday Anna met Bo in Lisbon. Later Anna flew to Porto."

    assert ["Anna", "Bo", "Lisbon", "Porto"] == _summary(("user", said)).l0_tags


def test_without_names_telling_words_are_tags() -> None:
    """Words that come up again, as they were written; a Chinese one is a run that repeats."""
    assert {"nightly", "backup"} <= set(_summary(*BACKUP).l0_tags)
    assert ["马拉松", "深蹲"] == _summary(*MARATHON).l0_tags
    assert [] == _summary(("user", "https://example.com/a/b is what it is.")).l0_tags


def test_small_talk_has_a_title_and_nothing_to_extract() -> None:
    """A block in which nothing was said is summarised all the same."""
    summary = _summary(("user", "hi"), ("assistant", "hello"), ("user", "ok"))

    assert ("hi", False) == (summary.l0_title, summary.should_extract)
    assert "Conversation" == _summary().l0_title


@given(conversations())
def test_everything_is_quoted(messages: tuple[Message, ...]) -> None:
    """Whatever was said: the answer fits the schema and its points are pieces of one speaker's."""
    seen = derivation_view(messages)
    summary = BlockSummary.model_validate(summarise({"messages": seen}))

    assert summary.l0_title.strip()
    assert summary.l1_summary.strip()
    assert len(summary.l0_tags) <= TAGS
    assert len(summary.l2_keypoints) <= POINTS
    spoken = [
        (str(one.get("name") or one["role"].capitalize()), collapse(one["content"]))
        for one in seen
        if one["role"] in ("user", "assistant")
    ]
    for point in summary.l2_keypoints:
        assert any(
            point.removesuffix("…").startswith(f"{speaker}: ")
            and point.removesuffix("…").removeprefix(f"{speaker}: ") in text
            for speaker, text in spoken
        )
