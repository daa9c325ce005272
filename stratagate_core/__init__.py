"""StrataGate: memory that keeps every source, fades by view and grows stronger only by use.

Everything public is named here; other modules may change without notice.
"""

from stratagate_core.aio import AsyncStrataGate
from stratagate_core.conversation.rules.capture import ended_text, parse_arguments
from stratagate_core.embedding.port import Embedder
from stratagate_core.errors import (
    BatchError,
    Conflict,
    Disabled,
    EvidenceError,
    GateError,
    InvalidArgument,
    MissingExtra,
    ModelError,
    ModelUnavailable,
    NewerSchema,
    NotFound,
    StorageError,
    StrataGateError,
)
from stratagate_core.llm.offline import OfflineModel
from stratagate_core.llm.port import Model, Reply, Request, ToolCall
from stratagate_core.memory import StrataGate
from stratagate_core.model.block import Block, BlockTurn
from stratagate_core.model.dream import DreamRun, DreamStep
from stratagate_core.model.event import Event, Temporal, Weight
from stratagate_core.model.evidence import Assessment, BatchInfo, Citation, Rejection, UseReceipt
from stratagate_core.model.graph import Edge, Fact, Node, Provenance, Support
from stratagate_core.model.job import Job
from stratagate_core.model.message import UNSET, Message, ToolTrace
from stratagate_core.model.purge import PurgeReceipt
from stratagate_core.model.recall import Recall
from stratagate_core.model.remembered import Remembered
from stratagate_core.model.search import Card, Hit, Page, Results
from stratagate_core.model.topic import Coverage, Experience, Overview, Section, Topic
from stratagate_core.model.turn import Added, Turn
from stratagate_core.naming import namespace_for
from stratagate_core.settings import Settings
from stratagate_core.tools import ToolSpec, tool_specs

__version__ = "0.1.0.dev0"

__all__ = [
    "UNSET",
    "Added",
    "Assessment",
    "AsyncStrataGate",
    "BatchError",
    "BatchInfo",
    "Block",
    "BlockTurn",
    "Card",
    "Citation",
    "Conflict",
    "Coverage",
    "Disabled",
    "DreamRun",
    "DreamStep",
    "Edge",
    "Embedder",
    "Event",
    "EvidenceError",
    "Experience",
    "Fact",
    "GateError",
    "Hit",
    "InvalidArgument",
    "Job",
    "Message",
    "MissingExtra",
    "Model",
    "ModelError",
    "ModelUnavailable",
    "NewerSchema",
    "Node",
    "NotFound",
    "OfflineModel",
    "Overview",
    "Page",
    "Provenance",
    "PurgeReceipt",
    "Recall",
    "Rejection",
    "Remembered",
    "Reply",
    "Request",
    "Results",
    "Section",
    "Settings",
    "StorageError",
    "StrataGate",
    "StrataGateError",
    "Support",
    "Temporal",
    "ToolCall",
    "ToolSpec",
    "ToolTrace",
    "Topic",
    "Turn",
    "UseReceipt",
    "Weight",
    "__version__",
    "ended_text",
    "namespace_for",
    "parse_arguments",
    "tool_specs",
]
