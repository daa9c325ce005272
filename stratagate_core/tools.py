"""The memory tools of an agent, defined once for every framework.

A `ToolSpec` holds what the model sees and what the tool does; `call` runs it and gives errors
back as values, so that a failing tool never ends a run.
"""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from stratagate_core.errors import InvalidArgument, StrataGateError
from stratagate_core.gate.envelope import search_envelope
from stratagate_core.gate.receipts import plain, receipt_to_json
from stratagate_core.gate.rules import strict_json
from stratagate_core.llm.prompts import load_prompt
from stratagate_core.model.evidence import Verdict
from stratagate_core.settings import Settings
from stratagate_core.text.language import Language, choose_language
from stratagate_core.text.redact import redact

if TYPE_CHECKING:
    from stratagate_core.memory import StrataGate

_log = logging.getLogger(__name__)

T = TypeVar("T")
#: values under these keys name something and stay as they are
_NAMING_KEYS = ("id", "ref", "retrieved_memories")
#: what `next_strategy` may name while these are the tools there are
_STRATEGIES = ("answer", "search_events", "expand_event", "search_raw", "expand_block")


# --- arguments ------------------------------------------------------------------------------------


def _clamped(value: int) -> int:
    return max(1, min(20, value))


def _blank_is_none(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


def _as_list(value: object) -> object:
    """A lone text where a list was asked for: a list written as JSON, or its only item."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
    except ValueError:
        read = None
    if isinstance(read, list):
        return read
    return [value] if value.strip() else []


Maybe = Annotated[T | SkipJsonSchema[None], BeforeValidator(_blank_is_none)]
Limit = Annotated[
    int,
    AfterValidator(_clamped),
    Field(description="how many results", json_schema_extra={"minimum": 1, "maximum": 20}),
]
Texts = Annotated[list[str], BeforeValidator(_as_list)]
#: what is faulty in these is told or put right by the gate
Refs = Annotated[
    list[Any],
    BeforeValidator(_as_list),
    WithJsonSchema({"type": "array", "items": {"type": "string"}}),
]
Note = Annotated[Any, WithJsonSchema({"type": "string"})]
BatchId = Annotated[
    Maybe[str],
    Field(description="the batch meant; leave it out only in strictly sequential work"),
]


def _choice(*values: str) -> Any:
    return WithJsonSchema({"type": "string", "enum": list(values)})


class Arguments(BaseModel):
    """What a model may pass; unknown arguments are ignored, null means not given."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _without_null(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        return {key: value for key, value in given.items() if value is not None}


class SearchEvents(Arguments):
    """Arguments of search_events."""

    query: str = Field(description="a few distinctive words; blank lists by filters and time")
    limit: Limit = 6
    offset: int = Field(default=0, description="how many results to skip")
    temporal_intent: Maybe[Literal["first", "latest"]] = Field(
        default=None, description="put the earliest or the latest matching events first"
    )
    event_type: Maybe[str] = Field(
        default=None, description="kind of event, for example decision, plan, change, meeting"
    )
    participants: Texts = Field(default=[], description="people or things that took part")
    happened_from: Maybe[str] = Field(
        default=None, description="start of the time of occurrence: ISO 8601 day or instant"
    )
    happened_to: Maybe[str] = Field(
        default=None, description="end of the time of occurrence: ISO 8601; a day counts whole"
    )


class ExpandEvent(Arguments):
    """Arguments of expand_event."""

    id: str = Field(description="event id from a search result")


class SearchRaw(Arguments):
    """Arguments of search_raw."""

    query: str = Field(description="words that were probably said; names, dates, terms")
    limit: Limit = 6
    scope: Literal["namespace", "session"] = Field(
        default="namespace", description="all conversations, or only this one (session)"
    )


class GetBlocks(Arguments):
    """Arguments of get_blocks."""

    scope: Literal["session", "namespace"] = Field(
        default="session", description="this conversation, or all of them (namespace)"
    )


class ExpandBlock(Arguments):
    """Arguments of expand_block."""

    id: str = Field(description="block id")
    target: Annotated[Any, WithJsonSchema({"type": "string"})] = Field(
        default="next", description="next for one level more, raw, or L0 to L5"
    )


class Assess(Arguments):
    """Arguments of assess."""

    model_config = ConfigDict(
        json_schema_extra={
            "required": ["verdict", "evidence_refs", "fit", "missing", "next_strategy"]
        }
    )

    batch_id: BatchId = None
    verdict: Annotated[Any, _choice(*get_args(Verdict))] = Field(
        description="sufficient answers the actual question; partial lacks something; wrong is "
        "about another subject or state"
    )
    evidence_refs: Refs = Field(description="refs of this batch that carry the verdict")
    fit: Note = Field(default="", description="in one sentence, how the evidence fits")
    missing: Note = Field(default="", description="what is still missing; empty if nothing is")
    next_strategy: Annotated[Any, _choice(*_STRATEGIES)] = Field(
        default="", description="answer if the verdict is sufficient, else what to try next"
    )


class RecordUse(Arguments):
    """Arguments of record_use."""

    batch_id: BatchId = None
    evidence_refs: Refs = Field(
        description="exactly the refs that the answer uses, or [] if it uses none"
    )


# --- what the tools do ----------------------------------------------------------------------------

Effect = Callable[["StrataGate", str, Any, str | None], Any]


def _search_events(
    memory: "StrataGate", thread: str, given: SearchEvents, receipt: str | None
) -> Any:
    found = memory.search_events(
        given.query,
        limit=given.limit,
        offset=given.offset,
        participants=tuple(given.participants),
        event_type=given.event_type,
        happened_from=given.happened_from,
        happened_to=given.happened_to,
        temporal_intent=given.temporal_intent,
        thread=thread,
        open_batch=True,
    )
    return search_envelope(found, next_offset=found.next_offset)


def _expand_event(
    memory: "StrataGate", thread: str, given: ExpandEvent, receipt: str | None
) -> Any:
    return memory.expand_event(given.id, thread=thread, open_batch=True)


def _search_raw(memory: "StrataGate", thread: str, given: SearchRaw, receipt: str | None) -> Any:
    found = memory.search_raw(
        given.query, limit=given.limit, scope=given.scope, thread=thread, open_batch=True
    )
    return search_envelope(found, scope=given.scope, namespace=memory.namespace, thread_id=thread)


def _get_blocks(memory: "StrataGate", thread: str, given: GetBlocks, receipt: str | None) -> Any:
    return memory.get_blocks(scope=given.scope, thread=thread, open_batch=True)


def _expand_block(
    memory: "StrataGate", thread: str, given: ExpandBlock, receipt: str | None
) -> Any:
    return memory.expand_block(given.id, given.target, by="agent", thread=thread, open_batch=True)


def _assess(memory: "StrataGate", thread: str, given: Assess, receipt: str | None) -> Any:
    judged = memory.assess(
        given.verdict,
        given.evidence_refs,
        fit=given.fit,
        missing=given.missing,
        next_strategy=given.next_strategy,
        batch_id=given.batch_id,
        thread=thread,
    )
    return plain(asdict(judged))


def _record_use(memory: "StrataGate", thread: str, given: RecordUse, receipt: str | None) -> Any:
    used = memory.record_use(
        tuple(given.evidence_refs), batch_id=given.batch_id, receipt=receipt, thread=thread
    )
    return receipt_to_json(used)


# --- specs ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """One tool: what a model sees of it, and what it does."""

    #: with the prefix of the settings
    name: str
    operation: str
    description: str
    #: the arguments; `model_json_schema` is what the model sees
    parameters: type[BaseModel]
    effect: Effect

    def run(
        self,
        memory: "StrataGate",
        thread: str | None,
        arguments: Mapping[str, Any],
        *,
        receipt: str | None = None,
    ) -> Any:
        """The result as plain JSON, secrets redacted.

        Args:
            memory: the memory to work on.
            thread: the conversation the call belongs to.
            arguments: as the model gave them.
            receipt: the id of the tool call, unique in its thread.

        Raises:
            StrataGateError: the call was refused; `call` turns this into a value.

        """
        if not (thread or "").strip():
            raise InvalidArgument(f"{self.name} needs a thread: the run has no conversation id")
        try:
            given = self.parameters.model_validate(arguments)
        except ValidationError as error:
            raise _unfit(self.name, error) from error
        return _redacted(strict_json(self.effect(memory, str(thread), given, receipt)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool call gave: a JSON value, or an error as one."""

    value: Any
    is_error: bool = False

    @property
    def text(self) -> str:
        """The value as the JSON text a model reads."""
        return json.dumps(self.value, ensure_ascii=False, indent=2)


def call(
    spec: ToolSpec,
    memory: "StrataGate",
    thread: str | None,
    arguments: Mapping[str, Any],
    *,
    receipt: str | None = None,
) -> ToolResult:
    """Run a tool; whatever goes wrong is a value that says what to do next."""
    try:
        return ToolResult(value=spec.run(memory, thread, arguments, receipt=receipt))
    except StrataGateError as error:
        return error_result(error)
    except Exception as error:
        # messages of foreign errors may hold content: only their type is told
        _log.warning("%s failed: %s", spec.name, type(error).__name__)
        return error_result(StrataGateError("the memory is not available now; go on without it"))


def error_result(error: StrataGateError) -> ToolResult:
    """An error as the value a model sees (13 §1)."""
    told = {"code": error.code, "message": redact(error.message), **_redacted(plain(error.details))}
    return ToolResult(value={"error": told}, is_error=True)


def _unfit(name: str, error: ValidationError) -> InvalidArgument:
    faults = {
        str(fault["loc"][0] if fault["loc"] else "arguments"): fault["msg"]
        for fault in reversed(error.errors(include_url=False, include_input=False))
    }
    told = "; ".join(f"{argument}: {faults[argument]}" for argument in reversed(faults))
    return InvalidArgument(f"{name}: {told}")


def _redacted(value: Any) -> Any:
    """`value` without secrets; ids and refs stay intact, or nothing could be looked up by them."""
    if isinstance(value, Mapping):
        return {key: item if _names(key) else _redacted(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_redacted(item) for item in value]
    return redact(value)


def _names(key: str) -> bool:
    return key in _NAMING_KEYS or key.endswith(("_id", "_ids", "_ref", "_refs"))


_TOOLS: tuple[tuple[str, type[BaseModel], Effect, str], ...] = (
    (
        "search_events",
        SearchEvents,
        _search_events,
        "StrataGate long-term memory: find what happened earlier: facts, decisions, plans, "
        "changes, preferences, results and when they were. Use a short query of distinctive "
        "names, versions, tools or dates. Filters only narrow; a blank query lists by filters "
        "and time; temporal_intent puts the first or the latest first. Results are candidates, "
        "not answers: rank_score is order only, never confidence. Expand an event if its card "
        "is not enough. Opens an evidence batch: judge it with {p}assess.",
    ),
    (
        "expand_event",
        ExpandEvent,
        _expand_event,
        "StrataGate long-term memory: read one event in full, with its quotes, times, relations "
        "and source message ids, when the card of a search is not enough. Opens a new evidence "
        "batch of its own: judge it with {p}assess.",
    ),
    (
        "search_raw",
        SearchRaw,
        _search_raw,
        "StrataGate conversation record: find what was literally said, when summarised memory "
        "does not suffice, for example for exact words, numbers or dates. Returns short "
        "excerpts of messages; expand the block of a hit for the full text. Results are "
        "candidates: rank_score is order only. Opens an evidence batch: judge it with {p}assess.",
    ),
    (
        "get_blocks",
        GetBlocks,
        _get_blocks,
        "StrataGate conversation record: list earlier conversation as blocks, each at its "
        "present level, from L0 (title and tags) to L5 (raw transcript). Older blocks are "
        "shorter; nothing is lost. scope=namespace also shows other conversations. If the list "
        "is empty, empty_reason says why. Opens an evidence batch: judge it with {p}assess.",
    ),
    (
        "expand_block",
        ExpandBlock,
        _expand_block,
        "StrataGate conversation record: show a block of earlier conversation one level deeper, "
        "or jump to a level (L0 to L5, raw), when its shorter view leaves out what you need. It "
        "stays at that level for a while. Opens a new evidence batch: judge it with {p}assess.",
    ),
    (
        "assess",
        Assess,
        _assess,
        "StrataGate evidence gate: judge what a retrieval returned, before the final answer. "
        "sufficient: it answers the actual question (right subject, time, completeness), with "
        "the refs that carry it and next_strategy answer. partial: name what is missing and "
        "what to try next. wrong: another subject or state. Being relevant is not being "
        "sufficient. Leave out batch_id only in strictly sequential work. Refs that are not of "
        "this batch come back as rejected.",
    ),
    (
        "record_use",
        RecordUse,
        _record_use,
        "StrataGate evidence gate: close one evidence batch before the final answer. Give "
        "exactly the refs your answer uses, or [] if it uses none. Refs need a sufficient "
        "assessment of this batch that accepted them. Close every batch; never answer first. "
        "Only this makes a memory stronger. The receipt is not the answer: afterwards answer "
        "the user in full, without a hand-made list of citations.",
    ),
)


def tool_specs(settings: Settings) -> tuple[ToolSpec, ...]:
    """The tools that exist with these settings, in a stable order."""
    prefix = settings.tool_prefix
    return tuple(
        ToolSpec(
            name=f"{prefix}{operation}",
            operation=operation,
            description=description.format(p=prefix),
            parameters=parameters,
            effect=effect,
        )
        for operation, parameters, effect, description in _TOOLS
    )


#: the memory protocol for a system prompt; ``{p}`` stands for the prefix of the tool names
PROTOCOL: Mapping[Language, str] = {
    language: load_prompt(f"memory_protocol.{language}.md").text for language in get_args(Language)
}


def protocol(settings: Settings, text: str = "") -> str:
    """The memory protocol with the names of the tools; `text` decides an `auto` language."""
    language = choose_language(settings.language, text)
    return PROTOCOL[language].replace("{p}", settings.tool_prefix)
