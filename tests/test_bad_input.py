"""Whatever is handed to a public method, it works or is refused by name: no foreign error."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from stratagate_core import InvalidArgument, StrataGate, StrataGateError

BAD: tuple[Any, ...] = (None, 3, b"x", ["a"], {}, float("nan"), True, "", "\ud800", "a\x00b")

CALLS: dict[str, Callable[[StrataGate, Any], object]] = {
    "user": lambda m, v: m.add_turn(v, "x"),
    "assistant": lambda m, v: m.add_turn("x", v),
    "thread": lambda m, v: m.add_turn("a", "x", thread=v),
    "receipt": lambda m, v: m.add_turn("a", "x", receipt=v),
    "at": lambda m, v: m.add_turn("a", "x", at=v),
    "metadata": lambda m, v: m.add_turn("a", "x", metadata=v),
    "tool_calls": lambda m, v: m.add_turn("a", "x", tool_calls=v),
    "messages": lambda m, v: m.add_messages(v),
    "query of events": lambda m, v: m.search_events(v),
    "query of messages": lambda m, v: m.search_raw(v),
    "query of both": lambda m, v: m.search(v),
    "limit": lambda m, v: m.search_raw("tea", limit=v),
    "offset": lambda m, v: m.search_events("tea", offset=v),
    "participants": lambda m, v: m.search_events("tea", participants=v),
    "event_type": lambda m, v: m.search_events("tea", event_type=v),
    "happened_from": lambda m, v: m.search_events("tea", happened_from=v),
    "event_ids": lambda m, v: m.search_events("tea", event_ids=v),
    "filter": lambda m, v: m.search_events("tea", metadata=v),
    "session": lambda m, v: m.search_raw("tea", thread=v, scope="session"),
    "event": lambda m, v: m.event(v),
    "sources": lambda m, v: m.sources(v),
    "expand_event": lambda m, v: m.expand_event(v),
    "query of the graph": lambda m, v: m.search_graph(v),
    "as_of": lambda m, v: m.search_graph("tea", as_of=v, known_at=v),
    "node": lambda m, v: m.node(v),
    "nodes": lambda m, v: m.nodes(limit=v, offset=v),
    "expand_graph_node": lambda m, v: m.expand_graph_node(v),
    "purged messages": lambda m, v: m.purge(messages=v),
    "purged events": lambda m, v: m.purge(events=v, blocks=v),
    "purged thread": lambda m, v: m.purge(thread=v),
    "expand_block": lambda m, v: m.expand_block(v),
    "pin": lambda m, v: m.pin(v),
    "forget": lambda m, v: m.forget(v),
    "retry": lambda m, v: m.retry(v),
    "blocks": lambda m, v: m.blocks(v),
    "latest": lambda m, v: m.blocks(latest=v),
    "since": lambda m, v: m.thread_messages(since=v),
    "open_tail": lambda m, v: m.open_tail(v),
    "assess": lambda m, v: m.assess(v, v),
    "record_use": lambda m, v: m.record_use(v),
    "batch_id": lambda m, v: m.record_use([], batch_id=v),
    "recall": lambda m, v: m.recall(v),
    "present": lambda m, v: m.recall("tea", present=v),
    "view": lambda m, v: m.pick_view(v, native_tokens=100),
    "native_tokens": lambda m, v: m.pick_view("blk", native_tokens=v),
    "drafts": lambda m, v: m.ingest_events(v),
    "draft": lambda m, v: m.ingest_events([v]),
    "jobs": lambda m, v: m.jobs(limit=v),
    "kind": lambda m, v: m.jobs(kind=v),
    "usage": lambda m, v: m.usage(limit=v, offset=v),
    "namespace": lambda m, v: m.for_namespace(v),
    "reset": lambda m, v: m.reset_thread(v),
    "rebase": lambda m, v: m.rebase_thread("main", v),
    "run": lambda m, v: m.run_pending(v),
    "setting": lambda m, v: m.save_settings(block_decay_lambda=v),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_bad_input_is_refused_by_name(memory: StrataGate, name: str) -> None:
    """Every bad value is refused with an error of the library, or is good enough to work."""
    memory.add_turn("I like tea", "ok")
    for value in BAD:
        with contextlib.suppress(StrataGateError):
            CALLS[name](memory, value)
    assert memory.add_turn("still here", "ok").turn >= 2


def test_one_text_is_no_list(memory: StrataGate) -> None:
    """A single text is not read letter by letter."""
    with pytest.raises(InvalidArgument, match="participants must be a list"):
        memory.search_events("tea", participants="Ann")


def test_no_number_is_too_large(memory: StrataGate) -> None:
    """A number beyond what a database can count to means everything, or nothing."""
    memory.add_turn("I like tea", "ok")
    memory.add_turn("I like rain", "ok")
    for number in (2**31, 2**70):
        assert 4 == len(memory.jobs(limit=number))
        assert 1 == len(memory.blocks(latest=number))
        assert () == memory.thread_messages(since=number)
        assert 0 == memory.usage(limit=number, offset=number).total
        memory.save_settings(block_turn_size=number)
        assert 0 == memory.run_pending(number)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("yes", []), "verdict must be one of sufficient, partial, wrong, not 'yes'"),
        ((None, []), "verdict must be one of"),
        (("sufficient", "event:evt_1"), "evidence_refs must be a list, got str"),
        (("sufficient", None), "evidence_refs must be a list"),
    ],
)
def test_assess_refuses_what_it_cannot_mean(
    memory: StrataGate, given: tuple[Any, Any], told: str
) -> None:
    """Code that judges is told of its slip; only a model's answer is put right (06 §3)."""
    memory.search_events("tea", open_batch=True)
    with pytest.raises(InvalidArgument, match=told):
        memory.assess(*given)
    with pytest.raises(InvalidArgument, match="next_strategy must be one of answer"):
        memory.assess("partial", [], next_strategy="look again")
    assert "partial" == memory.assess("partial", []).verdict
