"""Quotes are proof: only what stands in a cited message, letter by letter, is kept."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stratagate_core.conversation.rules.derivation import derivation_view
from stratagate_core.model.message import Message, trace_to_json
from stratagate_core.text.normalise import collapse
from stratagate_core.text.redact import redact

#: comparable texts by message id
Citable = Mapping[str, tuple[str, ...]]


def citable_texts(messages: Sequence[Message]) -> dict[str, tuple[str, ...]]:
    """What may be quoted from each message: its texts as stored and as a model sees them."""
    shown = redact(derivation_view(messages))
    return {
        str(message.id): _texts(_stored(message), seen["content"], seen.get("tool_calls"))
        for message, seen in zip(messages, shown, strict=True)
    }


def checked_quotes(
    quotes: Sequence[str], cited: Sequence[str], citable: Citable
) -> tuple[tuple[str, ...], int]:
    """The quotes that stand in a cited message, and how many do not.

    Width and whitespace may differ, nothing else.
    """
    said = [text for key in cited for text in citable.get(key, ())]
    kept = tuple(quote for quote in quotes if any(_comparable(quote) in text for text in said))
    return kept, len(quotes) - len(kept)


def _stored(message: Message) -> list[Any]:
    return [message.content, [trace_to_json(trace) for trace in message.tool_calls]]


def _texts(*values: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_comparable(text) for value in values for text in _leaves(value)))


def _leaves(value: Any) -> Iterator[str]:
    """The texts inside a JSON value; what is nested is what a tool was given or gave."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)


def _comparable(text: str) -> str:
    return collapse(unicodedata.normalize("NFKC", text))
