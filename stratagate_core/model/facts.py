"""What a step says has happened. Only `pipeline.py` knows what follows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BlockSealed:
    """A pending block was created."""

    block_id: str


@dataclass(frozen=True, slots=True)
class BlockSummarised:
    """A block got its L0–L2; its events come next, or never."""

    block_id: str
    should_extract: bool


@dataclass(frozen=True, slots=True)
class EventsAdded:
    """Events were stored."""

    event_ids: tuple[str, ...]
    #: recorded on purpose or imported: what follows goes before what was extracted
    wanted: bool = False


@dataclass(frozen=True, slots=True)
class EventsChanged:
    """Events were hidden, shown again or superseded."""

    event_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EventsPurged:
    """Events were deleted for good."""

    event_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BlocksRemade:
    """Blocks lost messages and are summarised again."""

    block_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IndexStale:
    """An index is missing, incomplete or of another analyser."""

    name: str


@dataclass(frozen=True, slots=True)
class FilingQueued:
    """Events wait in a batch to be filed into topics."""

    batch_id: str
    priority: int


@dataclass(frozen=True, slots=True)
class FilingEmptied:
    """No event waits in a batch any more."""

    batch_id: str


@dataclass(frozen=True, slots=True)
class VectorsWaiting:
    """Documents were found without vectors of the embedder in use."""


Fact = (
    BlockSealed
    | BlockSummarised
    | BlocksRemade
    | EventsAdded
    | EventsChanged
    | EventsPurged
    | FilingEmptied
    | FilingQueued
    | IndexStale
    | VectorsWaiting
)
