"""What is put before a model call."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stratagate_core.model.event import Event
from stratagate_core.model.graph import Node
from stratagate_core.model.message import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Activated memory for one user message; `text` is ready to be injected."""

    text: str
    events: tuple[Event, ...] = ()
    nodes: tuple[Node, ...] = ()
    messages: tuple[Message, ...] = ()
    profile_text: str = ""
    directory_text: str = ""
    #: estimated tokens of `text`
    tokens: int = 0
    #: what was left out or found nothing, by part
    reasons: Mapping[str, str] = field(default_factory=dict)
