"""What changes an index as a whole: it is found stale, and it is made anew."""

from stratagate_core.engine import Env, Work
from stratagate_core.model.facts import IndexStale, VectorsWaiting
from stratagate_core.search import sources
from stratagate_core.search.candidates import is_stale
from stratagate_core.store import index


def note_stale(env: Env, namespace: str) -> None:
    """Have the stale indexes of a namespace rebuilt: after a search said `index_rebuilding`.

    Opens a short write transaction, so it must not be called inside another one. Does nothing
    in a memory that is opened read-only.
    """
    if env.store.read_only:
        return
    with env.write(namespace) as work:
        emit_stale(work)


def emit_stale(work: Work) -> None:
    """As `note_stale`, inside a write transaction."""
    for name in index.COLLECTIONS:
        if is_stale(work, name):
            work.emit(IndexStale(name))


def note_waiting(env: Env, namespace: str) -> None:
    """Have documents embedded that no job was queued for, as after a change of the embedder.

    As `note_stale`, and with its conditions.
    """
    if env.store.read_only:
        return
    with env.write(namespace) as work:
        work.emit(VectorsWaiting())


def rebuild_index(work: Work, name: str) -> None:
    """Make a collection anew from its sources; doing it again gives the same index."""
    index.begin(work.tx, name)
    for page in sources.pages(work, name):
        index.add(work.tx, name, [(source.id, source.tokens) for source in page])
