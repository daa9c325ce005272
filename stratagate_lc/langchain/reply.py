"""A chat model's message as the core's reply."""

from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessage

from stratagate_core.llm.port import Reply, ToolCall
from stratagate_lc.failures import declined, declines

#: where providers say why an answer ended
_FINISH_KEYS = ("finish_reason", "stop_reason", "stopReason", "done_reason")


def to_reply(message: AIMessage, task: str) -> Reply:
    """What the model gave: calls, also broken ones, text without reasoning, reason and tokens.

    Raises `ModelError` when the model declined to answer.
    """
    reason = _finish_reason(message)
    if _declined(message, reason):
        raise declined(task)
    return Reply(
        text=str(message.text),
        tool_calls=tuple(_calls(message)),
        finish_reason=reason,
        usage=_usage(message),
    )


def cut_reply(error: Exception) -> Reply | None:
    """What a client of OpenAI's kind kept of an answer that it refuses to parse because it is cut.

    Such clients raise this error only when they were asked for JSON.
    """
    if type(error).__name__ != "LengthFinishReasonError":
        return None
    refused: Any = error
    completion = refused.completion
    usage = completion.usage
    return Reply(
        text=completion.choices[0].message.content or "",
        finish_reason="length",
        usage={"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens}
        if usage
        else {},
    )


def _calls(message: AIMessage) -> Iterator[ToolCall]:
    for call in message.tool_calls:
        yield ToolCall(name=call["name"], arguments=call["args"])
    for broken in message.invalid_tool_calls:
        yield ToolCall(name=broken["name"] or "", arguments=broken["args"] or "")


def _finish_reason(message: AIMessage) -> str | None:
    metadata = message.response_metadata
    found = next((metadata[key] for key in _FINISH_KEYS if metadata.get(key)), None)
    return None if found is None else str(found).lower()


def _declined(message: AIMessage, reason: str | None) -> bool:
    return (
        declines(reason)
        or bool(message.additional_kwargs.get("refusal"))
        or any(block["type"] == "refusal" for block in message.content_blocks)
    )


def _usage(message: AIMessage) -> dict[str, int]:
    usage = message.usage_metadata
    if usage is None:
        return {}
    return {
        "input_tokens": usage["input_tokens"],
        "output_tokens": usage["output_tokens"],
    }
