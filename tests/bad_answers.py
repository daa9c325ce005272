"""Answers as models really give them, whatever the task: usable ones, and others."""

import json
from collections.abc import Callable
from typing import Any

from stratagate_core import Reply, Request
from stratagate_core.llm.port import ToolCall
from stratagate_core.testing import Answer

#: what a model says to a request
Said = Callable[[Request], Answer]
SUMMARISE, EXTRACT, PROJECT = "summarise_block", "extract_events", "project_graph"
FILE, TIDY = "project_topics", "tidy_topics"
DECIDE = "decide_memory"
JOB_OF = {
    SUMMARISE: "block_summary",
    EXTRACT: "event_extraction",
    PROJECT: "graph_projection",
    FILE: "topic_projection",
}
SUMMARY = {
    "l0_title": "Harbour walk",
    "l0_tags": ["harbour"],
    "l1_summary": "They walked along the harbour {at dusk}.",
    "l2_keypoints": ["a walk"],
    "should_extract": True,
}


def good(request: Request) -> dict[str, Any]:
    """The right answer to any task."""
    return _GOOD[request.task](json.loads(request.messages[1]["content"]))


def _events(payload: dict[str, Any]) -> dict[str, Any]:
    card = {
        "title": "Walk along the harbour",
        "summary": "Mara walked along the harbour.",
        "source_message_ids": payload["allowed_source_message_ids"][:1],
        "scope": "user",
    }
    return {"should_extract": True, "reason": "a walk", "events": [card]}


def _graph(payload: dict[str, Any]) -> dict[str, Any]:
    cited = [event["id"] for event in payload["events"]]
    node = {
        "ref": "mara",
        "name": "Mara",
        "type": "person",
        "source_event_ids": cited,
        "metadata_provenance": {"name": cited},
        "facts": [{"key": "walk", "value": "harbour", "source_event_ids": cited}],
    }
    return {"reason": "a walk", "nodes": [node], "edges": []}


def _topics(payload: dict[str, Any]) -> dict[str, Any]:
    ids = [event["id"] for event in payload["events"]]
    topic = {
        "title": "Walks",
        "description": "Walks of Mara.",
        "source_event_ids": ids,
        "sections": [{"title": "How it developed", "source_event_ids": ids}],
        "overview": [
            {
                "kind": "history",
                "title": "How it developed",
                "text": "Mara walked.",
                "source_event_ids": ids[:1],
            }
        ],
    }
    known = [shown for shown in payload["topics"] if shown["title"] == "Walks"]
    return {"topics": [topic | {"topic_id": known[0]["id"]} if known else topic]}


_GOOD: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    SUMMARISE: lambda _: SUMMARY,
    EXTRACT: _events,
    PROJECT: _graph,
    FILE: _topics,
    TIDY: lambda _: {"edits": [], "batch_done": True},
    DECIDE: lambda _: {"action": "ADD", "reason": "another subject", "confidence": 0.9},
}


def text(shape: str) -> Said:
    """The right answer as text, where `shape` says ANSWER."""
    return lambda request: shape.replace("ANSWER", json.dumps(good(request), ensure_ascii=False))


def call(*names: str, **parts: Any) -> Said:
    """The right answer as calls of these tools, with `parts` beside it."""
    return lambda request: Reply(
        tool_calls=tuple(
            ToolCall(name=name, arguments={**good(request), **parts}) for name in names
        )
    )


def cut(request: Request) -> Answer:
    """The right answer, marked as cut off."""
    return Reply(
        tool_calls=(ToolCall(name=request.task, arguments=good(request)),), finish_reason="length"
    )


USABLE: dict[str, Said] = {
    "fenced": text("```json\nANSWER\n```"),
    "explained": text('I looked {twice}. The answer: ANSWER That is "all" of it.'),
    "a sketch first": text('A sketch would be {"a": {}} but here it is: ANSWER'),
    "byte order mark": text("\ufeffANSWER"),
    "thinking": text('<think>{"a": 1} hm</think>ANSWER'),
    "arguments as text": lambda request: Reply(
        tool_calls=(ToolCall(name=request.task, arguments=json.dumps(good(request))),)
    ),
}
UNUSABLE: dict[str, Said] = {
    "prose": lambda _: "They walked along the harbour.",
    "nothing": lambda _: Reply(),
    "truncated": lambda request: json.dumps(good(request))[:-9],
    "truncated call": lambda request: Reply(
        tool_calls=(ToolCall(name=request.task, arguments=json.dumps(good(request))[:-9]),)
    ),
    "cut at the limit": cut,
    "the schema itself": lambda request: dict(request.schema),
    "the schema as text": lambda request: json.dumps(request.schema),
    "an empty object": lambda _: {},
    "an empty object as text": lambda _: "{}",
    "a list": lambda request: Reply(tool_calls=(ToolCall(name=request.task, arguments=[1]),)),
    "two objects": text("ANSWER ANSWER"),
    "two calls": lambda request: call(request.task, request.task)(request),
    "another tool": call("search_events"),
    "raises": lambda _: ConnectionError("the line is dead"),
    "times out": lambda _: TimeoutError(),
}
