"""The map of the system: which work follows a fact, and what does it. Nothing else knows."""

from stratagate_core.conversation.tasks import SUMMARISE
from stratagate_core.dreaming import steps as dreaming
from stratagate_core.dreaming.tasks import TIDY
from stratagate_core.engine import Task, Work
from stratagate_core.events.tasks import EXTRACT
from stratagate_core.graph import steps as graph
from stratagate_core.graph.tasks import PROJECT
from stratagate_core.jobs import steps as jobs
from stratagate_core.jobs.runner import Handlers
from stratagate_core.llm.offline import OfflineModel
from stratagate_core.model.facts import (
    BlockSealed,
    BlocksRemade,
    BlockSummarised,
    EventsAdded,
    EventsChanged,
    EventsPurged,
    Fact,
    FilingEmptied,
    FilingQueued,
    IndexStale,
    VectorsWaiting,
)
from stratagate_core.search.steps import rebuild_index
from stratagate_core.search.vectors import COLLECTIONS, EMBED, JOB
from stratagate_core.store import index
from stratagate_core.topics import steps as topics
from stratagate_core.topics.queue import KIND as FILING
from stratagate_core.topics.tasks import FILE

#: job kind -> the task or step that does it
HANDLERS: Handlers = {
    "block_summary": SUMMARISE,
    "event_extraction": EXTRACT,
    "graph_projection": PROJECT,
    FILING: FILE,
    "index_rebuild": rebuild_index,
    JOB: EMBED,
}

#: tasks that are asked for by hand, not by jobs
_BY_HAND = (TIDY,)

#: kinds of which a round runs one job, so that they hold up nothing else (12 §3)
ONE_PER_ROUND = frozenset({"graph_projection", FILING})

#: kinds that are only queued when they are retried by hand: the step gives the new subject
QUEUED_BY_HAND = {FILING: topics.retry}


def settle_older(work: Work) -> None:
    """Queue what was stored before a part that works on it."""
    topics.freeze(work)


def is_settled(work: Work) -> bool:
    """Whether nothing older waits to be queued."""
    return topics.is_settled(work)


def follow(work: Work, fact: Fact) -> None:
    """Enqueue what follows `fact`, in its transaction; what only folds anew is done at once."""
    match fact:
        case BlockSealed(block_id):
            jobs.enqueue(work, "block_summary", block_id)
            _embed(work, index.MESSAGES)
        case BlockSummarised(block_id, should_extract=True):
            jobs.enqueue(work, "event_extraction", block_id)
        case BlockSummarised(block_id, should_extract=False):
            jobs.record_skipped(work, "event_extraction", block_id)
        case IndexStale(name):
            jobs.enqueue(work, "index_rebuild", name)
        case EventsAdded() | EventsChanged() | EventsPurged():
            _follow_events(work, fact)
        case VectorsWaiting():
            _embed(work, *COLLECTIONS)
        case FilingQueued(batch_id, priority):
            jobs.enqueue(work, FILING, batch_id, priority=priority)
        case FilingEmptied(batch_id):
            jobs.close_failed(work, FILING, batch_id)
        case BlocksRemade(block_ids):
            for block_id in block_ids:
                jobs.begin_again(work, "event_extraction", block_id, queued=False)
                jobs.begin_again(work, "block_summary", block_id, queued=True)


def _follow_events(work: Work, fact: EventsAdded | EventsChanged | EventsPurged) -> None:
    match fact:
        case EventsAdded(event_ids, wanted):
            for batch in graph.queue_events(work, event_ids, wanted=wanted):
                jobs.enqueue(work, "graph_projection", batch.id, priority=batch.priority)
            topics.events_added(work, event_ids)
            _embed(work, index.PASSIVE, index.AGENT)
        case EventsChanged(event_ids):
            graph.events_changed(work, event_ids)
            topics.events_changed(work, event_ids)
            _embed(work, index.PASSIVE, index.AGENT)
        case EventsPurged(event_ids):
            graph.events_purged(work, event_ids)
            topics.events_changed(work, event_ids)
            dreaming.events_purged(work, event_ids)


def _embed(work: Work, *names: str) -> None:
    """Vectors come last: everything else is done before them."""
    if work.env.embedder is not None:
        for name in names:
            jobs.enqueue(work, JOB, name, priority=-1)


def offline_model() -> OfflineModel:
    """The model that answers every task by its own rules."""
    tasks = [handler for handler in HANDLERS.values() if isinstance(handler, Task)]
    tasks += _BY_HAND
    return OfflineModel({task.name: task.offline for task in tasks})
