"""The graph: nodes with facts, and the edges between them; every part names its events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

NodeType = Literal["person", "project", "organization", "tool", "place"]
RecordStatus = Literal["active", "superseded", "disputed", "archived", "stale"]
#: ``state``: one value holds; ``set``: values add up
Mode = Literal["state", "set"]
#: ``single``: a new target takes the place of the old one
Cardinality = Literal["many", "single"]
Trust = Literal["user", "assistant", "tool", "import"]

NODE_TYPES: tuple[str, ...] = get_args(NodeType)
#: what an answer may say; ``stale`` is worked out, never said
STATUSES: tuple[str, ...] = ("active", "superseded", "disputed", "archived")


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """A fact that another one depends on; without `node` one of the same node."""

    key: str
    node: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One value of one key of a node, with the time it was valid."""

    id: str
    node_id: str
    key: str
    value: str | tuple[str, ...]
    mode: Mode = "state"
    depends_on: tuple[Support, ...] = ()
    status: RecordStatus = "active"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confidence: float = 0.8
    source_event_ids: tuple[str, ...] = ()
    created_at: datetime | None = None
    updated_at: datetime | None = None
    #: why and since when the fact is stale
    stale_reason: str | None = None
    stale_since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A relation from one node to another."""

    id: str
    from_node_id: str
    to_node_id: str
    relation: str
    cardinality: Cardinality = "many"
    status: RecordStatus = "active"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confidence: float = 0.8
    source_event_ids: tuple[str, ...] = ()
    created_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The events that prove a node's name, each alias and each tag."""

    name: tuple[str, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A person, project, organisation, tool or place."""

    id: str
    name: str
    type: NodeType
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    #: None: what proves the metadata was not stored
    provenance: Provenance | None = None
    facts: tuple[Fact, ...] = ()
    status: RecordStatus = "active"
    confidence: float = 0.8
    source_event_ids: tuple[str, ...] = ()
    created_at: datetime | None = None
    updated_at: datetime | None = None
    #: one ``key: value`` line for each current fact, always computed
    current_state: str = ""
