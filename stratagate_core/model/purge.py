"""The value that a purge leaves behind: ids, counts and time, and no content (16 §7)."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeReceipt:
    """What was deleted for good."""

    id: str
    at: datetime
    #: ids of the deleted messages, blocks and events, those that went along counted in
    message_ids: tuple[str, ...] = ()
    block_ids: tuple[str, ...] = ()
    event_ids: tuple[str, ...] = ()
    #: blocks that kept other messages and are summarised again
    remade_block_ids: tuple[str, ...] = ()
    #: the whole namespace was emptied
    whole_namespace: bool = False
    #: no page of the database file and no journal holds the content any more; False while
    #: another reader holds the journal: purge the same again to finish
    files_clean: bool = False
