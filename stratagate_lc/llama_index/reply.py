"""An LLM's chat response as the core's reply."""

from collections.abc import Iterator, Mapping
from typing import Any

from llama_index.core.base.llms.types import ChatResponse, ToolCallBlock
from llama_index.core.llms import LLM
from llama_index.core.llms.function_calling import FunctionCallingLLM

from stratagate_core.llm.port import Reply, ToolCall
from stratagate_lc.failures import declined, declines

_FINISH_KEYS = ("finish_reason", "stop_reason", "done_reason")
#: the core's name of a count -> the names providers give it
_USAGE_KEYS = {
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
}


def to_reply(response: ChatResponse, llm: LLM, task: str) -> Reply:
    """What the LLM gave: calls, text without thoughts, reason and tokens.

    Raises `ModelError` when the LLM declined to answer.
    """
    found = _first(_holders(response), _FINISH_KEYS)
    reason = None if found is None else str(found).lower()
    if declines(reason) or _first(_holders(response), ("refusal",)):
        raise declined(task)
    return Reply(
        text=response.message.content or "",
        tool_calls=tuple(_calls(response, llm)),
        finish_reason=reason,
        usage=_usage(response),
    )


def _calls(response: ChatResponse, llm: LLM) -> Iterator[ToolCall]:
    """The calls as blocks or, from older integrations, as the LLM itself finds them."""
    blocks = [block for block in response.message.blocks if isinstance(block, ToolCallBlock)]
    for block in blocks:
        yield ToolCall(name=block.tool_name, arguments=block.tool_kwargs)
    if blocks or not isinstance(llm, FunctionCallingLLM):
        return
    try:
        selected = llm.get_tool_calls_from_response(response, error_on_no_tool_call=False)
    except (ValueError, TypeError, KeyError, AssertionError, NotImplementedError):
        return  # it finds none in plain text
    for call in selected:
        yield ToolCall(name=call.tool_name, arguments=call.tool_kwargs)


def _holders(response: ChatResponse) -> Iterator[Any]:
    """Where integrations leave what the provider said besides the message."""
    yield response.additional_kwargs
    yield response.message.additional_kwargs
    yield response.raw
    choices = _get(response.raw, "choices")
    if choices:
        yield choices[0]
        yield _get(choices[0], "message")


def _usage(response: ChatResponse) -> dict[str, int]:
    holders = [response.additional_kwargs, _get(response.raw, "usage")]
    found = {name: _first(iter(holders), keys) for name, keys in _USAGE_KEYS.items()}
    return {name: count for name, count in found.items() if isinstance(count, int)}


def _first(holders: Iterator[Any], keys: tuple[str, ...]) -> Any:
    values = (_get(holder, key) for holder in holders for key in keys)
    return next((value for value in values if value is not None), None)


def _get(holder: Any, key: str) -> Any:
    return holder.get(key) if isinstance(holder, Mapping) else getattr(holder, key, None)
