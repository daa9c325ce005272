"""What a classic chain was asked and what it answered, whatever its keys are called."""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import Any

from langchain_core.agents import AgentAction
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from stratagate_core import Message, ToolTrace, ended_text, parse_arguments
from stratagate_lc.langchain.convert import text_of, to_core_messages
from stratagate_lc.langchain.native import as_text

_ANSWER_KEYS = ("output", "answer", "response", "text", "result")
#: outputs that tell how an answer came about
_WORK_KEYS = ("intermediate_steps", "messages")


def asked(inputs: Mapping[str, Any], input_key: str | None, own: Collection[str]) -> str:
    """The user's text: under `input_key`, else the only input that is not `own`, else the first."""
    if input_key is not None and input_key in inputs:
        return _text(inputs[input_key], HumanMessage)
    others = [value for key, value in inputs.items() if key not in own and key != "stop"]
    if len(others) == 1:
        return _text(others[0], HumanMessage)
    return next((value for value in others if isinstance(value, str)), _text(others, HumanMessage))


def answered(outputs: Mapping[str, Any], output_key: str | None) -> str:
    """The answer: under `output_key`, else a usual key, else the only text, else all as JSON."""
    for key in (output_key, *_ANSWER_KEYS):
        if key is not None and key in outputs:
            return _text(outputs[key], AIMessage)
    texts = [value for value in outputs.values() if isinstance(value, str)]
    if len(texts) == 1:
        return texts[0]
    if len(outputs) == 1:
        return _text(next(iter(outputs.values())), AIMessage)
    return as_text({key: value for key, value in outputs.items() if key not in _WORK_KEYS})


def turn_of(user: str, outputs: Mapping[str, Any], answer: str, tools: Set[str]) -> list[Message]:
    """One complete turn: the user's text and the answer, with what the tools did for it."""
    traces = tuple(_traces(outputs, tools))
    content = answer if answer.strip() else ended_text()
    return [
        Message(role="user", content=user),
        Message(role="assistant", content=content, tool_calls=traces),
    ]


def _text(value: Any, speaker: type[BaseMessage]) -> str:
    """A value as text; of several messages the last of this speaker."""
    if isinstance(value, BaseMessage):
        return text_of(value)
    if _are_messages(value):
        spoken = [message for message in value if isinstance(message, speaker)]
        return text_of((spoken or value)[-1])
    if isinstance(value, Sequence) and not value:
        return ""
    return as_text(value)


def _are_messages(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and bool(value)
        and all(isinstance(item, BaseMessage) for item in value)
    )


def _traces(outputs: Mapping[str, Any], tools: Set[str]) -> Iterator[ToolTrace]:
    """One trace for each call: of the steps, then of messages that tell of further calls."""
    seen = set()
    for trace in (*_steps(outputs.get("intermediate_steps")), *_told(outputs.get("messages"))):
        if trace.name in tools or (trace.call_id and trace.call_id in seen):
            continue
        seen.add(trace.call_id)
        yield trace


def _steps(steps: Any) -> Iterator[ToolTrace]:
    if not isinstance(steps, Sequence):
        return
    for step in steps:
        if isinstance(step, Sequence) and len(step) == 2 and isinstance(step[0], AgentAction):
            action, observation = step
            yield ToolTrace(
                name=action.tool,
                arguments=parse_arguments(action.tool_input),
                result=as_text(observation),
                call_id=getattr(action, "tool_call_id", None),
            )


def _told(messages: Any) -> Iterator[ToolTrace]:
    if _are_messages(messages):
        for message in to_core_messages(messages, tool_names=frozenset()):
            yield from message.tool_calls
