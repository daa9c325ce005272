"""One purge: sources, cards and every row that held their words leave in one transaction."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from stratagate_core.conversation.rules.capture import text_hash
from stratagate_core.conversation.rules.render import layers
from stratagate_core.engine import Work
from stratagate_core.errors import InvalidArgument, NotFound
from stratagate_core.events.rules.relations import permitted
from stratagate_core.model.facts import BlocksRemade, EventsChanged, EventsPurged
from stratagate_core.model.purge import PurgeReceipt
from stratagate_core.purge.rules import is_gone, left_of, points_at
from stratagate_core.store import (
    batches,
    blocks,
    events,
    graph,
    index,
    jobs,
    namespaces,
    nodes,
    purges,
    records,
    turns,
    uses,
)


@dataclass(slots=True)
class _Chosen:
    """What goes, found out before anything is changed."""

    messages: set[str] = field(default_factory=set)
    blocks: set[str] = field(default_factory=set)
    events: set[str] = field(default_factory=set)


def purge(
    work: Work,
    *,
    messages: Sequence[str] = (),
    blocks_: Sequence[str] = (),
    event_ids: Sequence[str] = (),
    thread: str | None = None,
) -> PurgeReceipt:
    """Delete the chosen messages, blocks, events or thread with all that rested on them alone.

    Raises:
        InvalidArgument: nothing was chosen.
        NotFound: an id is unknown and was never purged; nothing is changed.

    """
    if not (messages or blocks_ or event_ids or thread is not None):
        raise InvalidArgument("name messages, blocks, events, a thread or namespace=True to purge")
    chosen = _chosen(work, messages, blocks_, event_ids, thread)
    remade = _delete_messages(work, chosen)
    _delete_events(work, chosen.events)
    _scrub(work, chosen.messages | chosen.blocks | chosen.events, remade)
    receipt = PurgeReceipt(
        id=work.new_id("purge"),
        at=work.now,
        message_ids=tuple(sorted(chosen.messages)),
        block_ids=tuple(sorted(chosen.blocks)),
        event_ids=tuple(sorted(chosen.events)),
        remade_block_ids=tuple(sorted(remade)),
    )
    purges.insert(work.tx, receipt)
    return receipt


def purge_namespace(work: Work) -> PurgeReceipt:
    """Empty the namespace; its counters go on, so that no number is given twice."""
    receipt = PurgeReceipt(id=work.new_id("purge"), at=work.now, whole_namespace=True)
    purges.empty_namespace(work.tx)
    purges.insert(work.tx, receipt)
    return receipt


def _chosen(
    work: Work,
    messages: Sequence[str],
    blocks_: Sequence[str],
    event_ids: Sequence[str],
    thread: str | None,
) -> _Chosen:
    known_messages = turns.existing_ids(work.tx, messages)
    known_blocks = frozenset(blocks.by_ids(work.tx, blocks_))
    known_events = events.existing(work.tx, event_ids)
    asked = {*messages, *blocks_, *event_ids}
    missing = asked - known_messages - known_blocks - known_events
    if missing:
        gone = {
            key
            for receipt in purges.receipts(work.tx)
            for key in (*receipt.message_ids, *receipt.block_ids, *receipt.event_ids)
        }
        if unknown := sorted(missing - gone):
            raise NotFound(f"nothing was purged: nothing is stored under {', '.join(unknown)}")
    found = _Chosen(messages=set(known_messages), events=set(known_events))
    for block_id in sorted(known_blocks):
        found.messages.update(str(said.id) for said in turns.block_messages(work.tx, block_id))
        found.blocks.add(block_id)
    if thread is not None:
        found.messages.update(turns.ids_of_thread(work.tx, thread))
    # an earlier version of a deleted message goes with it
    found.messages.update(turns.replaced_with(work.tx, sorted(found.messages)))
    found.events.update(events.citing(work.tx, sorted(found.messages)))
    return found


# --- sources ----------------------------------------------------------------------------------


def _delete_messages(work: Work, chosen: _Chosen) -> set[str]:
    """Delete messages; the blocks that are left with others, made anew."""
    rows = turns.messages_by_id(work.tx, sorted(chosen.messages))
    touched = {said.block_id for said in rows.values() if said.block_id} | chosen.blocks
    numbers = sorted({said.turn for said in rows.values() if said.turn is not None})
    turns.delete_messages(work.tx, sorted(rows))
    for key in sorted(rows):
        index.unindex_message(work.tx, key)
    _mark_turns(work, numbers)
    left = {key: turns.block_messages(work.tx, key) for key in sorted(touched)}
    empty = {key for key, said in left.items() if not said}
    chosen.blocks |= empty
    remade = touched - empty
    again = _to_read_again(work, chosen.events, remade)
    for key in sorted(remade):
        l3, l4 = layers(left[key], work.env.count_tokens)
        blocks.remake(work.tx, key, l3=l3, l4=l4, reread=again[key])
    blocks.delete(work.tx, sorted(empty))
    turns.leave_blocks(work.tx, sorted(empty))
    jobs.delete_of(work.tx, sorted(empty))
    if remade:
        work.emit(BlocksRemade(tuple(sorted(remade))))
    return remade


def _mark_turns(work: Work, numbers: Sequence[int]) -> None:
    """Tombstones: a turn that lost words knows its receipt, so that nothing brings them back."""
    for row in turns.by_numbers(work.tx, numbers):
        left = turns.turn_messages(work.tx, [row.number])
        gone = not left and row.state != "superseded"
        turns.update_turn(
            work.tx,
            row.number,
            purged=True,
            body_hash="",
            text_hash=text_hash(left) if left else "",
            **({"state": "superseded"} if gone else {}),
        )
        counters = namespaces.thread(work.tx, row.thread)
        if gone and row.block_id is None and row.epoch == counters.epoch:
            namespaces.drop_from_tail(work.tx, counters)


def _to_read_again(
    work: Work, event_ids: Iterable[str], remade: Iterable[str]
) -> dict[str, list[str] | None]:
    """The messages whose cards go although they themselves stay, by block.

    None for a block that was never read for events: it is read whole.
    """
    gone = events.by_ids(work.tx, sorted(event_ids))
    again: dict[str, list[str] | None] = {}
    for key in remade:
        row = blocks.get(work.tx, key)
        read_already = row is not None and row.status == "ready"
        again[key] = list(row.reread or ()) if row and (read_already or row.reread) else None
    for event in gone.values():
        kept = again.get(event.source_block_id or "")
        # what an agent recorded was not read out of its sources, so nothing is read again for it
        if kept is not None and event.pool == "passive":
            stay = turns.existing_ids(work.tx, event.source_message_ids)
            kept += [one for one in event.source_message_ids if one in stay and one not in kept]
    return again


# --- cards ------------------------------------------------------------------------------------


def _delete_events(work: Work, ids: set[str]) -> None:
    if not ids:
        return
    gone = sorted(ids)
    for event in events.by_ids(work.tx, gone).values():
        index.unindex_event(work.tx, event)
    freed = events.superseded_by(work.tx, gone)
    related = events.naming(work.tx, ids)
    uses.delete_reinforcements(work.tx, gone)
    events.delete(work.tx, gone)
    for event in related:
        named = set(event.temporal.all_related_ids) - ids
        events.put_temporal(work.tx, event.id, permitted(event.temporal, named))
    work.emit(EventsPurged(tuple(gone)))
    changed = []
    for key in freed:
        if key not in ids:
            by = next(iter(events.superseders(work.tx, key)), None)
            status = "superseded" if by else "active"
            events.put_superseder(work.tx, key, status=status, by=by, now=work.now)
            changed.append(key)
    if changed:
        work.emit(EventsChanged(tuple(changed)))


# --- words elsewhere --------------------------------------------------------------------------


def _scrub(work: Work, gone: set[str], remade: set[str]) -> None:
    """Take the words out of batches, receipts, answers, jobs and kept texts of models."""
    touched = []
    for batch in batches.all_of(work.tx):
        shown = {item.id for item in batch.evidence if item.kind == "graph"}
        present = nodes.metadata(work.tx, shown).keys()
        left = [left_of(item, gone, present) for item in batch.evidence]
        lost = [is_gone(item, gone, present) for item in batch.evidence]
        told_of = any(points_at(item, gone | remade) for item in batch.evidence)
        if not (told_of or any(lost) or tuple(left) != batch.evidence):
            continue
        over = batch.status == "unresolved" and all(lost)
        batches.scrub(work.tx, batch, left, expired_at=work.now if over else None)
        touched.append(batch.id)
    uses.scrub(work.tx, touched, gone=frozenset(gone))
    records.scrub(work.tx, gone=gone)
    graph.forget_reasons(work.tx)
    jobs.scrub(work.tx)
    jobs.forget_answers(work.tx)
