"""What happens when a model stops while retrieval batches are unresolved (06 §7).

First it is asked to close each batch (*closing*), then, without tools, for its answer again
(*answering*). One pure step: `recover(state, happening)` gives the next state and what the
wrapper has to do. A state lives as long as its turn and is plain JSON between two steps.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from stratagate_core.errors import InvalidArgument
from stratagate_core.gate.instructions import close_batches, final_answer, repeat_answer
from stratagate_core.text.language import Language

Phase = Literal["open", "closing", "answering", "failed"]

NO_PROGRESS = "retrieval cleanup made no progress"
NO_ANSWER = "final answer recovery failed after 3 attempts"
NEW_BATCH = "a new retrieval batch was opened during the final answer"

_MOST_ATTEMPTS = 3
#: finish reasons, as the connectors map them, of a reply that is not a whole answer
_UNFINISHED = frozenset({"length", "content_filter", "error", "tool_use"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryState:
    """How far the recovery of one turn has come."""

    phase: Phase = "open"
    #: the batches the model was last told to close
    pending: tuple[str, ...] = ()
    remaining_stops: int = 0
    attempts: int = 0
    #: id of the request whose reply is awaited
    request: str | None = None
    confirmed: bool = False

    def to_json(self) -> dict[str, Any]:
        """The state as a JSON object."""
        return {**asdict(self), "pending": list(self.pending)}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "RecoveryState":
        """The state that `to_json` wrote.

        Raises:
            InvalidArgument: `raw` is no such object.

        """
        try:
            state = cls(**{**raw, "pending": tuple(raw.get("pending", ()))})
        except TypeError as error:
            raise InvalidArgument("not a recovery state") from error
        if state.phase not in get_args(Phase):
            raise InvalidArgument(f"not a recovery phase: {state.phase!r}")
        return state


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """The model answered without tool calls while these batches are unresolved."""

    unresolved: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NextRequest:
    """The next model request is being made; all tool calls of the last step have ended."""

    unresolved: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSent:
    """A model request with this id, unique among turns, was sent."""

    request: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """The model's reply to the request with this id."""

    request: str
    #: the text parts, without reasoning
    texts: tuple[str, ...] = ()
    tool_calls: int = 0
    finish_reason: str | None = None
    #: False if the reply was interrupted
    complete: bool = True

    @property
    def is_answer(self) -> bool:
        """Whether this is a whole answer in text."""
        return (
            self.complete
            and not self.tool_calls
            and self.finish_reason not in _UNFINISHED
            and any(text.strip() for text in self.texts)
        )


Happening = Stop | NextRequest | RequestSent | Received


@dataclass(frozen=True, slots=True, kw_only=True)
class Proceed:
    """Nothing to do: let the answer or the request through as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Withdraw the draft and call the model again with this instruction."""

    instruction: str = ""
    batch_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAnswer:
    """Send this request without tools, with this instruction as its last message."""

    instruction: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """Give up: release the last complete draft, or end the run with an error."""

    reason: str
    batch_ids: tuple[str, ...] = ()


Action = Proceed | Again | AskAnswer | Fail


def recover(
    state: RecoveryState,
    happening: Happening,
    *,
    language: Language = "en",
    record_use_tool: str = "memory_record_use",
) -> tuple[RecoveryState, Action]:
    """The state after `happening`, and what the wrapper has to do about it.

    Args:
        state: the state of this turn; a new turn starts with `RecoveryState()`.
        happening: what has just happened.
        language: the language of the instructions.
        record_use_tool: the name the tool that closes a batch has for the model.

    """
    match happening:
        case Stop(unresolved=unresolved):
            state, action = _stopped(state, unresolved)
        case NextRequest(unresolved=unresolved):
            state, action = _requesting(state, unresolved)
        case RequestSent(request=request):
            state, action = _sent(state, request), Proceed()
        case Received():
            state, action = _received(state, happening), Proceed()
    match action:
        case Again(batch_ids=ids) if state.phase == "closing":
            return state, replace(action, instruction=close_batches(ids, language, record_use_tool))
        case Again():
            return state, replace(action, instruction=repeat_answer(language))
        case AskAnswer():
            return state, replace(action, instruction=final_answer(language))
    return state, action


def _stopped(state: RecoveryState, unresolved: tuple[str, ...]) -> tuple[RecoveryState, Action]:
    match state.phase:
        case "open" if unresolved:
            return _close(state, unresolved, remaining_stops=len(unresolved))
        case "closing":
            if not state.remaining_stops or set(state.pending) <= set(unresolved):
                return _fail(state, NO_PROGRESS, unresolved)
            return _close(state, unresolved, remaining_stops=state.remaining_stops - 1)
        case "answering":
            return _answered(state, unresolved)
    return state, Proceed()


def _answered(state: RecoveryState, unresolved: tuple[str, ...]) -> tuple[RecoveryState, Action]:
    if unresolved:
        return _fail(state, NEW_BATCH, unresolved)
    if state.confirmed:
        return RecoveryState(), Proceed()
    if state.attempts >= _MOST_ATTEMPTS:
        return _fail(state, NO_ANSWER, unresolved)
    return state, Again()


def _requesting(state: RecoveryState, unresolved: tuple[str, ...]) -> tuple[RecoveryState, Action]:
    match state.phase:
        case "closing" if not unresolved:
            return RecoveryState(phase="answering"), AskAnswer()
        case "answering" if unresolved:
            return _fail(state, NEW_BATCH, unresolved)
        case "answering":
            return state, AskAnswer()
    return state, Proceed()


def _sent(state: RecoveryState, request: str) -> RecoveryState:
    if state.phase != "answering":
        return state
    return replace(state, attempts=state.attempts + 1, request=request, confirmed=False)


def _received(state: RecoveryState, reply: Received) -> RecoveryState:
    if state.phase != "answering" or reply.request != state.request:
        return state
    return replace(state, confirmed=reply.is_answer)


def _close(
    state: RecoveryState, unresolved: tuple[str, ...], *, remaining_stops: int
) -> tuple[RecoveryState, Action]:
    state = replace(state, phase="closing", pending=unresolved, remaining_stops=remaining_stops)
    return state, Again(batch_ids=unresolved)


def _fail(
    state: RecoveryState, reason: str, batch_ids: tuple[str, ...]
) -> tuple[RecoveryState, Action]:
    return replace(state, phase="failed"), Fail(reason=reason, batch_ids=batch_ids)
