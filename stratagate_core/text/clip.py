"""Cutting texts to a length. A length counts Unicode code points."""

from stratagate_core.text.normalise import collapse


def clip(text: str, limit: int) -> str:
    """The first `limit` characters of `text`."""
    return text[: max(0, limit)]


def clip_line(text: str, limit: int) -> str:
    """`text` on one line (whitespace collapsed), cut to `limit` characters."""
    return clip(collapse(text), limit)


def clip_words(text: str, limit: int) -> str:
    """`text` cut to `limit` characters, at a space where one is near, with ``…`` at the cut."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ", limit // 2)
    return (cut[:space] if space > 0 else cut).rstrip() + "…"
