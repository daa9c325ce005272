"""What changes status and weight of an event (03 §2, §3)."""

from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from stratagate_core import Conflict, NotFound, StrataGate
from stratagate_core.events.writes import reinforce
from stratagate_core.model.event import Event
from stratagate_core.rank.weight import weight_at
from stratagate_core.store import uses
from tests.events.talk import Talk, card


def _effective(talk: Talk, event: Event) -> float:
    return round(weight_at(event.weight, event.status, talk.memory.stats()["current_turn"]), 4)


def _use(memory: StrataGate, query: str, *, receipt: str | None = None) -> int:
    found = memory.search_events(query, open_batch=True)
    refs = [hit.ref for hit in found.hits]
    memory.assess("sufficient", refs, batch_id=found.batch_id)
    return memory.record_use(refs, batch_id=found.batch_id, receipt=receipt).incremented


def _reinforce(talk: Talk, *event_ids: str, receipt: str) -> tuple[str, ...]:
    with talk.memory._write() as work:
        return reinforce(work, event_ids, receipt=receipt)


def test_W_02_only_recorded_use_strengthens(talk: Talk) -> None:
    """Searching leaves the count at 1; recorded use makes it 2 and the weight 1."""
    (key,) = talk.add("m1", card("m1", title="Tea"))
    for number in range(5):
        talk.add(f"n{number}", card(f"n{number}", title="Granite"))
        talk.memory.search_events("tea")
    assert (1, 0.4724) == (
        talk.memory.event(key).weight.mention_count,
        _effective(talk, talk.memory.event(key)),
    )
    _use(talk.memory, "tea")
    event = talk.memory.event(key)

    assert (2, 1.0, talk.clock()) == (
        event.weight.mention_count,
        _effective(talk, event),
        event.updated_at,
    )


def test_W_03_hidden_beats_pinned_and_cap_beats_floor(talk: Talk) -> None:
    """A pinned forgotten event weighs 0, a superseded identity 0.1."""
    pinned, me = talk.add("m1", card("m1"), card("m1", title="Me", criticality="identity"))
    talk.memory.pin(pinned)
    talk.memory.forget(pinned)
    talk.add("m2", card("m2", title="b", temporal={"supersedes_event_ids": [me]}))

    assert (0.0, 0.1) == (
        _effective(talk, talk.memory.event(pinned)),
        _effective(talk, talk.memory.event(me)),
    )


def test_W_04_one_receipt_strengthens_once(each_database: Path | str) -> None:
    """Also after a restart; the same key with other content is an error."""
    talk = Talk(each_database)
    (key,) = talk.add("m1", card("m1", title="Tea"))
    found = talk.memory.search_events("tea", open_batch=True)
    refs = [hit.ref for hit in found.hits]
    talk.memory.assess("sufficient", refs, batch_id=found.batch_id)
    first = talk.memory.record_use(refs, batch_id=found.batch_id, receipt="r")
    talk.memory.close()
    again = Talk(each_database).memory

    assert first == again.record_use(refs, batch_id=found.batch_id, receipt="r")
    assert 2 == again.event(key).weight.mention_count
    assert 1 == again.usage().total
    with pytest.raises(Conflict):
        again.record_use([], batch_id=found.batch_id, receipt="r")
    again.close()


def test_W_06_two_batches_count_twice(talk: Talk) -> None:
    """An event adopted through two batches gains two; twice in one receipt gains one."""
    (key,) = talk.add("m1", card("m1", title="Tea"))

    assert [1, 1] == [_use(talk.memory, "tea"), _use(talk.memory, "tea")]
    assert 3 == talk.memory.event(key).weight.mention_count
    assert (key,) == _reinforce(talk, key, key, receipt="x")
    assert 4 == talk.memory.event(key).weight.mention_count


def test_hidden_and_unknown_events_are_not_strengthened(talk: Talk) -> None:
    """Superseded ones are; missing, forgotten and archived ones are skipped."""
    a, b, c = talk.add("m1", *[card("m1", title=name) for name in "abc"])
    talk.memory.forget(a)
    talk.memory.archive(b)
    talk.add("m2", card("m2", title="d", temporal={"supersedes_event_ids": [c]}))

    assert (c,) == _reinforce(talk, a, b, c, "evt_99", receipt="x")


@pytest.mark.parametrize("hide", ["forget", "archive"])
def test_W_05_restored_after_its_superseder_is_hidden(talk: Talk, hide: str) -> None:
    """Active, without mark and cap; with a visible superseder it stays superseded."""
    (old,) = talk.add("m1", card("m1", title="Tea"))
    (new,) = talk.add("m2", card("m2", title="b", temporal={"supersedes_event_ids": [old]}))
    talk.memory.forget(old)

    kept = talk.memory.restore(old)
    assert ("superseded", new, 0.1) == (kept.status, kept.superseded_by, kept.weight.forced_cap)

    getattr(talk.memory, hide)(new)
    free = talk.memory.restore(old)
    assert ("active", None, None) == (free.status, free.superseded_by, free.weight.forced_cap)


def test_pinning_changes_nothing_else(talk: Talk) -> None:
    """Pin and unpin set one flag."""
    (key,) = talk.add("m1", card("m1"))
    before = talk.memory.event(key)
    talk.clock.advance(hours=1)
    pinned = talk.memory.pin(key)

    assert replace(before, weight=replace(before.weight, pinned=True)) == pinned
    assert before == talk.memory.unpin(key)


@pytest.mark.parametrize("status", ["forgotten", "archived"])
def test_hidden_events_leave_every_read_and_come_back(talk: Talk, status: str) -> None:
    """They leave search and timeline; sources and relations stay; restoring brings them back."""
    (old,) = talk.add("m1", card("m1", title="Tea"))
    relation = {"related_event_ids": [old]}
    (key,) = talk.add("m2", card("m2", title="Tea too", temporal=relation))
    before = talk.memory.event(key)
    hide = talk.memory.forget if status == "forgotten" else talk.memory.archive
    hidden = hide(key)

    assert [old] == [hit.item["id"] for hit in talk.memory.search_events("tea").hits]
    assert (status, before.temporal) == (hidden.status, hidden.temporal)
    assert ["m2"] == [message.id for message in talk.memory.sources(key)]
    assert replace(before, updated_at=talk.clock()) == talk.memory.restore(key)
    assert 2 == len(talk.memory.search_events("tea").hits)


@pytest.mark.parametrize("action", ["pin", "unpin", "forget", "archive", "restore"])
def test_unknown_ids_are_errors(talk: Talk, action: str) -> None:
    """Every change of state names the id it does not know."""
    with pytest.raises(NotFound, match="evt_9"):
        getattr(talk.memory, action)("evt_9")


@settings(max_examples=8)
@given(st.lists(st.tuples(st.integers(1, 2), st.sampled_from("abc"), st.booleans()), max_size=12))
def test_the_card_is_the_fold_of_its_receipts(steps: list[tuple[int, str, bool]]) -> None:
    """Whatever receipts come in whatever order: count and anchor equal the stored rows."""
    talk = Talk()
    ids = dict(enumerate(talk.add("m1", card("m1", title="a"), card("m1", title="b")), start=1))
    for number, (which, receipt, new_turn) in enumerate(steps):
        if new_turn:
            talk.memory.add_turn("x", "y", work="append", receipt=str(number))
        _reinforce(talk, ids[which], receipt=receipt)
    with talk.memory._read() as work:
        folds = {key: uses.fold(work.tx, key) for key in ids.values()}
    for key, (count, turn) in folds.items():
        event = talk.memory.event(key)
        assert 1 + count == event.weight.mention_count
        assert (turn or event.formed_turn) == event.weight.last_adopted_turn
    talk.memory.close()
