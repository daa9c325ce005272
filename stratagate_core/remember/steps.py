"""Recording one fact: what says the same already counts once more, else one event is added.

The model is asked between two short transactions. The second one looks for duplicates again, so
of many callers at once exactly one adds the event.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from stratagate_core.engine import Env, Work
from stratagate_core.errors import Conflict, ModelError
from stratagate_core.events import writes
from stratagate_core.events.rules.weight import new_weight
from stratagate_core.llm.ask import Asked, ask
from stratagate_core.llm.offline import is_offline
from stratagate_core.llm.port import is_ready
from stratagate_core.model.event import Event, Temporal
from stratagate_core.model.remembered import Remembered
from stratagate_core.rank.weight import weight_at
from stratagate_core.remember import rules
from stratagate_core.remember.decision import TASK, Decision, question
from stratagate_core.remember.provenance import Origin, origin_of
from stratagate_core.remember.read import known_duplicate, unclear
from stratagate_core.remember.rules import Candidate, Verdict
from stratagate_core.store import events, jobs, records
from stratagate_core.store.records import RecordRow
from stratagate_core.text.redact import redact

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of an agent: what to record, where, and under which key."""

    namespace: str
    owner: str
    thread: str
    candidate: Candidate
    #: None: this call has no key of its own and cannot be repeated
    receipt: str | None = None


def remember(env: Env, call: Call) -> Remembered:
    """Record a fact.

    Raises:
        Conflict: the receipt stands for another content.

    """
    if env.settings.redact_on_write:
        bare = redact({"title": call.candidate.title, "summary": call.candidate.summary})
        call = replace(call, candidate=replace(call.candidate, **bare))
    may_ask = not is_offline(env.model) and is_ready(env.model)
    with env.write(call.namespace, owner=call.owner) as work:
        done = _at_once(work, call, may_ask=may_ask)
        matches = () if done else unclear(work, call.candidate)
    if done is not None:
        return done
    asked = _decision(env, call.candidate, matches)
    with env.write(call.namespace, owner=call.owner) as work:
        return _after_asking(work, call, matches, asked)


def _at_once(work: Work, call: Call, *, may_ask: bool) -> Remembered | None:
    """The outcome, unless a model is to decide."""
    if replayed := _replayed(work, call):
        return replayed
    if known := known_duplicate(work, call.candidate):
        return _apply(work, call, known)
    open_ones = unclear(work, call.candidate)
    if not open_ones:
        return _apply(work, call, rules.clearly_new(call.candidate))
    if may_ask:
        return None
    return _apply(work, call, rules.undecided(call.candidate, open_ones, failed=False))


def _decision(env: Env, candidate: Candidate, matches: Sequence[Event]) -> Asked[Decision] | None:
    """The model's answer; None if none came. A failing model costs no fact."""
    try:
        return ask(env.model, question(env, candidate, matches))
    except ModelError as error:
        _log.warning("%s failed: %s; both facts are kept", TASK, type(error).__name__)
        return None


def _after_asking(
    work: Work, call: Call, matches: Sequence[Event], asked: Asked[Decision] | None
) -> Remembered:
    """What was true before the model was asked may have changed meanwhile."""
    if replayed := _replayed(work, call):
        return replayed
    if known := known_duplicate(work, call.candidate):
        return _apply(work, call, known)
    now = events.by_ids(work.tx, [event.id for event in matches])
    still = [event for event in now.values() if event.status == "active"]
    if asked is None:
        return _apply(work, call, rules.undecided(call.candidate, still, failed=True))
    jobs.keep_answer(
        work.tx, answer_id=work.new_id("ans"), kind=TASK, text=asked.text, now=work.now
    )
    return _apply(work, call, rules.decided(call.candidate, still, dict(asked.answer)))


def _replayed(work: Work, call: Call) -> Remembered | None:
    """What this call gave before."""
    known = records.get(work.tx, call.thread, call.receipt) if call.receipt else None
    if known is None:
        return None
    if known.body_hash not in ("", rules.body_hash(call.candidate)):
        raise Conflict(
            f"the receipt {call.receipt!r} already recorded something else; a repeated call needs "
            "the same content, a new one needs a receipt of its own",
            event_id=known.event_id,
        )
    return _from_json(known.result)


def _apply(work: Work, call: Call, verdict: Verdict) -> Remembered:
    """Write what was decided, with the record of this call."""
    key = call.receipt or work.new_id("rec")
    if verdict.action == "IGNORED":
        event = None
    elif verdict.known is not None:
        receipt = f"{call.thread}/remember/{key}"
        writes.reinforce(work, [verdict.known.id], receipt=receipt)
        event = events.get(work.tx, verdict.known.id)
    else:
        event = _add(work, call, verdict)
    done = _outcome(work, verdict, event)
    records.insert(
        work.tx,
        RecordRow(
            thread=call.thread,
            key=key,
            body_hash=rules.body_hash(call.candidate),
            event_id=done.event_id,
            result=asdict(done),
            at=work.now,
        ),
    )
    return done


def _add(work: Work, call: Call, verdict: Verdict) -> Event:
    origin = origin_of(work, call.thread, verdict.candidate)
    card = _card(work, call.thread, verdict, origin)
    added = writes.add(work, [card], block_sequence=origin.sequence)
    writes.link_back(work, added[0])
    writes.announce(work, added, wanted=True)
    return added[0]


def _card(work: Work, thread: str, verdict: Verdict, origin: Origin) -> Event:
    candidate, turn = verdict.candidate, work.current_turn()
    return Event(
        id=work.new_id("evt"),
        pool="agent",
        title=candidate.title,
        summary=candidate.summary,
        source_message_ids=origin.message_ids,
        source_block_id=origin.block_id,
        tags=candidate.tags,
        scope="user",
        criticality=candidate.criticality,
        temporal=Temporal(
            mentioned_at=work.now,
            thread_id=thread,
            event_type=candidate.event_type,
            supersedes_event_ids=verdict.targets,
            conflicts_with_event_ids=verdict.conflicts,
        ),
        weight=new_weight(candidate.criticality, turn),
        formed_turn=turn,
        created_at=work.now,
        updated_at=work.now,
    )


def _outcome(work: Work, verdict: Verdict, event: Event | None) -> Remembered:
    known = verdict.known
    others = (*verdict.targets, *verdict.conflicts, *((known.id,) if known else ()))
    done = Remembered(
        recorded=event is not None,
        action=verdict.action,
        gate=verdict.gate,
        namespace=work.namespace,
        existing_event_ids=others,
        confidence=verdict.confidence,
        downgraded_from=verdict.downgraded_from,
        reason=verdict.reason,
    )
    if event is None:
        return done
    weight = weight_at(event.weight, event.status, work.current_turn())
    return replace(
        done,
        event_id=event.id,
        reinforced_event_id=known.id if known else None,
        source_block_id=event.source_block_id,
        weight=round(weight, 3),
        detail_hint=f"{work.settings.tool_prefix}expand_event with id {event.id} shows it in full",
    )


def _from_json(row: Mapping[str, Any]) -> Remembered:
    listed = tuple(row.get("existing_event_ids", ()))
    return Remembered(**{**row, "existing_event_ids": listed})
