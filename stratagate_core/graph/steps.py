"""What changes the graph: events are queued for it, an answer is stored, and it is folded anew."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from stratagate_core.engine import Work
from stratagate_core.graph.read import NOW, edges_from, load_answers, scene
from stratagate_core.graph.rules.fold import Ref, entities, fold_node, stated_nodes
from stratagate_core.graph.rules.match import node_tokens
from stratagate_core.graph.rules.statements import (
    Answer,
    answer_from_json,
    answer_to_json,
    visible_of,
    without_events,
)
from stratagate_core.graph.rules.view import other_end
from stratagate_core.model.graph import Edge, Node
from stratagate_core.store import events, graph, index, nodes

#: raised when prompt or rules of projection change what they produce
PROJECTOR_VERSION = 1
#: events that are asked about together: new ones, and older ones that were never asked about
NEW_BATCH, OLD_BATCH = 16, 8
NEW_PRIORITY = 1000
#: of events that were recorded on purpose or imported
WANTED_PRIORITY = 2000
_MOST_BACKLOG = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Events that wait to be asked about."""

    id: str
    priority: int


def queue_events(
    work: Work, event_ids: Sequence[str], *, wanted: bool = False
) -> tuple[Batch, ...]:
    """Batches for events that no batch of this projector version holds yet.

    The first time, older events that were never asked about are queued behind them.
    """
    known = graph.queued(work.tx, event_ids, version=PROJECTOR_VERSION)
    new = [key for key in dict.fromkeys(event_ids) if key not in known]
    priority = WANTED_PRIORITY if wanted else NEW_PRIORITY
    batches = [_batch(work, chunk, priority) for chunk in _chunks(new, NEW_BATCH)]
    return (*batches, *_backlog(work))


def _backlog(work: Work) -> list[Batch]:
    if graph.queued(work.tx, [""], version=PROJECTOR_VERSION):
        return []
    waiting = events.waiting_for_graph(work.tx, PROJECTOR_VERSION, limit=_MOST_BACKLOG)
    graph.queue(work.tx, "", [""], version=PROJECTOR_VERSION)
    batches, left = [], len(waiting)
    for chunk in _chunks(waiting, OLD_BATCH):
        batches.append(_batch(work, chunk, left))
        left -= len(chunk)
    return batches


def _batch(work: Work, event_ids: Sequence[str], priority: int) -> Batch:
    batch = Batch(id=work.new_id("graph"), priority=priority)
    graph.queue(work.tx, batch.id, event_ids, version=PROJECTOR_VERSION)
    return batch


def _chunks(ids: Sequence[str], size: int) -> list[Sequence[str]]:
    return [ids[at : at + size] for at in range(0, len(ids), size)]


def complete(work: Work, answer: Answer, *, reason: str, prompt_hash: str) -> None:
    """Store an admitted answer and fold what it touches; a known answer changes nothing."""
    if graph.answers(work.tx, [answer.id]):
        return
    for source in answer.sources.values():
        graph.put_source(
            work.tx,
            source.id,
            chronology=source.chronology,
            mentioned_at=source.mentioned_at,
            created_at=source.created_at,
            turn=source.turn,
            position=source.position,
            speaker=source.speaker,
        )
    stored = answer_to_json(answer)
    graph.put_answer(
        work.tx, answer.id, stored, reason=reason, prompt_hash=prompt_hash, now=work.now
    )
    _register(work, answer)
    refold(work, [(answer.id, node.ref) for node in answer.nodes])


def _register(work: Work, answer: Answer) -> None:
    graph.put_names(work.tx, answer.id, [(node.ref, node.type, node.keys) for node in answer.nodes])


def rebuild(work: Work) -> None:
    """Make the graph anew from the stored answers; it comes out the same."""
    for page in nodes.pages(work.tx):
        for key in page:
            index.remove(work.tx, index.GRAPH, key)
    nodes.clear(work.tx)
    graph.forget_names(work.tx)
    ids = graph.answer_ids(work.tx)
    for answer in load_answers(work, ids).values():
        _register(work, answer)
    left = dict.fromkeys(graph.members_of_answers(work.tx, ids))
    while left:
        done = refold(work, [next(iter(left))])
        for ref in done:
            left.pop(ref, None)


def events_changed(work: Work, event_ids: Sequence[str]) -> None:
    """Fold again what rests on events that were hidden, shown again or superseded."""
    batches = graph.batches_of(work.tx, event_ids)
    refold(work, list(graph.members_of_answers(work.tx, batches)))


def events_purged(work: Work, event_ids: Sequence[str]) -> None:
    """Take deleted events out of stored answers and fold again what they touched."""
    gone = frozenset(event_ids)
    held = graph.answers(work.tx, graph.batches_of(work.tx, event_ids))
    left = {key: without_events(raw, gone) for key, raw in held.items()}
    for key, raw in left.items():
        graph.put_statements(work.tx, key, raw)
    refold(work, list(graph.members_of_answers(work.tx, held)))
    for key, raw in left.items():
        kept = {node.ref: node.keys for node in answer_from_json(key, raw, {}).nodes}
        if raw["events"]:
            graph.keep_names(work.tx, key, kept)
        else:
            graph.delete_answer(work.tx, key)
    graph.forget_events(work.tx, event_ids)


def refold(work: Work, refs: Sequence[Ref]) -> frozenset[Ref]:
    """Fold the nodes that these parts of answers speak of, and what hangs on them."""
    if not refs:
        return frozenset()
    component = _component(work, refs)
    answers = load_answers(work, {answer for answer, _ in component})
    before = {
        ref: node
        for ref, node in graph.members_of_answers(work.tx, answers).items()
        if ref in component
    }
    groups = entities(stated_nodes(answers.values(), component))
    folded = [fold_node(group) for group in groups]
    after: dict[Ref, str | None] = dict.fromkeys(component)
    for group, node in zip(groups, folded, strict=True):
        after |= {one.ref: node.id for one in group}
    moved = {ref for ref in component if before.get(ref) != after[ref]}
    old = nodes.metadata(work.tx, {node for node in before.values() if node})
    graph.put_members(work.tx, {ref: after[ref] for ref in moved})
    nodes.put_nodes(work.tx, old, folded)
    ends = _refold_edges(
        work, {*old, *(node.id for node in folded)}, _leading_to(work, answers, moved)
    )
    _name_participants(work, answers, moved)
    _reindex(work, {*old, *(node.id for node in folded), *ends, *_renamed(work, old, folded)})
    return component


def _component(work: Work, refs: Iterable[Ref]) -> frozenset[Ref]:
    """The parts of answers that share names with these, directly or through others."""
    found: frozenset[Ref] = frozenset(refs)
    new = found
    known: frozenset[tuple[str, str]] = frozenset()
    while new:
        keys = graph.keys_of(work.tx, new) - known
        known |= keys
        new = graph.named(work.tx, keys) - found if keys else frozenset()
        found |= new
    return found


def _leading_to(work: Work, answers: Mapping[str, Answer], moved: Collection[Ref]) -> set[str]:
    """The nodes with edges to parts of answers that became another node."""
    members = graph.members_of_answers(work.tx, answers)
    starts = (
        members.get((answer.id, edge.from_ref))
        for answer in answers.values()
        for edge in answer.edges
        if (answer.id, edge.to_ref) in moved
    )
    return {node for node in starts if node}


def _refold_edges(work: Work, ids: set[str], leading: set[str]) -> set[str]:
    """Fold the edges that leave these nodes; the nodes at the ends of edges that changed."""
    starts = ids | leading
    known = nodes.edges_at(work.tx, starts)
    before = {edge for at in known.values() for edge in at if edge.from_node_id in starts}
    folded = edges_from(work, starts)
    if before == set(folded):
        return set()
    nodes.put_edges(work.tx, starts, folded)
    changed: set[Edge] = before ^ set(folded)
    return {end for edge in changed for end in (edge.from_node_id, edge.to_node_id)}


def _renamed(work: Work, old: Mapping[str, Node], folded: Sequence[Node]) -> set[str]:
    """The nodes around those whose name or aliases changed: these are found by them."""
    new = {node.id: (node.name, node.aliases) for node in folded}
    known = {key: (node.name, node.aliases) for key, node in old.items()}
    renamed = {key for key in {*new, *known} if new.get(key) != known.get(key)}
    around = nodes.edges_at(work.tx, renamed)
    return {other_end(edge, key) for key, at in around.items() for edge in at}


def _name_participants(work: Work, answers: Mapping[str, Answer], moved: Collection[Ref]) -> None:
    """Batch events name the nodes that cite them; nothing else of an event changes."""
    for answer in (answers[key] for key in sorted({key for key, _ in moved})):
        members = graph.members_of_answers(work.tx, [answer.id])
        citing: dict[str, list[str]] = {
            key: [] for key in visible_of(answer.sources, answer.sources)
        }
        for node in answer.nodes:
            became = members.get((answer.id, node.ref))
            for key in node.sources if became else ():
                if key in citing and became not in citing[key]:
                    citing[key].append(str(became))
        for key, ids in citing.items():
            events.put_participant_nodes(work.tx, key, sorted(ids))


def _reindex(work: Work, ids: Collection[str]) -> None:
    """Make nodes findable by what is visible of them now."""
    wanted = sorted(ids)
    views = scene(work, wanted, NOW).views
    known = nodes.metadata(work.tx, wanted)
    for key in wanted:
        if key in known:
            index.put(work.tx, index.GRAPH, key, node_tokens(views[key]) if key in views else ())
        else:
            index.remove(work.tx, index.GRAPH, key)
