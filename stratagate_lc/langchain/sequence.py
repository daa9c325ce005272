"""A list of messages that every provider accepts, whatever it was cut from."""

from collections.abc import Sequence, Set
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from stratagate_lc.langchain.text import text_of


def valid_sequence(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages as every provider accepts them.

    Each call keeps its result and each result its call, directly after it; system messages stand
    first or go; messages left empty go, except the last user message.
    """
    valid: list[BaseMessage] = []
    last_user = max((i for i, m in enumerate(messages) if isinstance(m, HumanMessage)), default=-1)
    position = 0
    while position < len(messages):
        message = messages[position]
        position += 1
        if isinstance(message, AIMessage):
            results = _following_results(messages, position)
            position += len(results)
            valid += _answered(message, results)
        elif position - 1 == last_user or _stands_alone(message, valid):
            valid.append(message)
    return valid


def _stands_alone(message: BaseMessage, before: list[BaseMessage]) -> bool:
    if isinstance(message, ToolMessage):
        return False
    if message.type == "system":
        return all(m.type == "system" for m in before)
    return not _is_empty(message)


def _following_results(messages: Sequence[BaseMessage], position: int) -> list[ToolMessage]:
    results: list[ToolMessage] = []
    for message in messages[position:]:
        if not isinstance(message, ToolMessage):
            break
        results.append(message)
    return results


def _answered(message: AIMessage, results: list[ToolMessage]) -> list[BaseMessage]:
    """The message with only its answered calls, and their results in the order they came."""
    first = {result.tool_call_id: result for result in reversed(results)}
    called = {call["id"] for call in (*message.tool_calls, *message.invalid_tool_calls)}
    kept = {call_id for call_id in called if call_id and call_id in first}
    answer = message if kept == called else _with_calls(message, kept)
    if not kept and _is_empty(answer):
        return []
    return [answer, *(r for r in results if r.tool_call_id in kept and first[r.tool_call_id] is r)]


def _with_calls(message: AIMessage, kept: Set[str | None]) -> AIMessage:
    """A copy with only these calls, wherever a provider writes them down."""
    extra = dict(message.additional_kwargs)
    if "tool_calls" in extra:
        extra["tool_calls"] = [c for c in extra["tool_calls"] if c.get("id") in kept]
    content = message.content
    if not isinstance(content, str):
        content = [block for block in content if _block_stays(block, kept)]
    return message.model_copy(
        update={
            "content": content,
            "tool_calls": [c for c in message.tool_calls if c["id"] in kept],
            "invalid_tool_calls": [c for c in message.invalid_tool_calls if c["id"] in kept],
            "additional_kwargs": extra,
        }
    )


def _block_stays(block: Any, kept: Set[str | None]) -> bool:
    if not isinstance(block, dict):
        return True
    if block.get("type") not in {"tool_use", "tool_call", "function_call"}:
        return True
    return block.get("call_id", block.get("id")) in kept


def _is_empty(message: BaseMessage) -> bool:
    return not text_of(message).strip()
