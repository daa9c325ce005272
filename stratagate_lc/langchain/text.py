"""What a message says: its text, a placeholder for each medium, no reasoning and no calls."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from langchain_core.messages import BaseMessage

#: part of a block's type -> what stands for it
_MEDIA = {"image": "image", "audio": "audio", "video": "video", "file": "file", "document": "file"}
_CAPTION_KEYS = ("caption", "alt", "alt_text")


def text_of(message: BaseMessage) -> str:
    """The text of a message; an image reads ``[image]`` or ``[image: caption]``, and so on."""
    if isinstance(message.content, str):
        return message.content
    parts = list(_parts(message))
    lines = []
    for is_text, run in groupby(parts, key=lambda part: part[0]):
        texts = [text for _, text in run]
        lines += ["".join(texts)] if is_text else texts
    return "\n".join(line for line in lines if line)


def _parts(message: BaseMessage) -> Iterator[tuple[bool, str]]:
    """Each readable part, and whether it is text; texts in a row belong together."""
    for block in message.content_blocks:
        found: Mapping[str, Any] = block
        if found["type"] == "non_standard":
            found = found["value"]
        kind = str(found.get("type", ""))
        if kind in {"text", "text-plain"}:
            yield True, str(found.get("text", ""))
        elif kind == "refusal":
            yield True, str(found.get("refusal", ""))
        elif medium := next((name for part, name in _MEDIA.items() if part in kind), None):
            yield False, _placeholder(medium, found)


def _placeholder(medium: str, block: Mapping[str, Any]) -> str:
    extras = block.get("extras")
    known = {**extras, **block} if isinstance(extras, Mapping) else block
    caption = next((known[key] for key in _CAPTION_KEYS if known.get(key)), None)
    return f"[{medium}: {caption}]" if caption else f"[{medium}]"
