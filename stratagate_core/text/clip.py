"""Cutting texts to a length. A length counts Unicode code points."""

from stratagate_core.text.normalise import collapse


def clip(text: str, limit: int) -> str:
    """The first `limit` characters of `text`."""
    return text[: max(0, limit)]


def clip_line(text: str, limit: int) -> str:
    """`text` on one line (whitespace collapsed), cut to `limit` characters."""
    return clip(collapse(text), limit)
