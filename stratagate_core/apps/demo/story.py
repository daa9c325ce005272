"""The conversation that the project ships: what is said when, which tools run, what is asked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """A tool that the assistant calls before it answers, and what the tool gives back."""

    name: str
    arguments: Mapping[str, Any]
    result: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One turn of the conversation."""

    thread: str
    at: datetime
    user: str
    assistant: str
    tools: tuple[ToolRun, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something to ask the memory, and the words that evidence must hold to answer it."""

    thread: str
    asked: str
    #: the words to search for, as an agent would choose them
    search: str
    needs: tuple[str, ...]
    #: a day (ISO) that was the answer before the plan changed
    earlier: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """The whole conversation; `follow_ups` are told one by one when the demo is run again."""

    title: str
    turns: tuple[Said, ...]
    follow_ups: tuple[Said, ...]
    open_day: Question
    arrival: Question


@cache
def load_story() -> Story:
    """The shipped conversation."""
    text = files(__package__).joinpath("conversation.json").read_text(encoding="utf-8")
    told = json.loads(text)
    asked = {name: _question(row) for name, row in told["questions"].items()}
    return Story(
        title=told["title"],
        turns=tuple(_said(row) for row in told["turns"]),
        follow_ups=tuple(_said(row) for row in told["follow_ups"]),
        **asked,
    )


def _said(row: Mapping[str, Any]) -> Said:
    return Said(
        thread=row["thread"],
        at=datetime.fromisoformat(row["at"]),
        user=row["user"],
        assistant=row["assistant"],
        tools=tuple(ToolRun(**run) for run in row.get("tools", ())),
    )


def _question(row: Mapping[str, Any]) -> Question:
    return Question(**{**row, "needs": tuple(row["needs"])})
