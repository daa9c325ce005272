"""The normal forms in which texts are compared.

Two texts that differ only in width, case or spacing are the same text wherever the library
compares them.
"""

import unicodedata


def collapse(text: str) -> str:
    """`text` with every run of whitespace made one space, trimmed."""
    return " ".join(text.split())


def normalise(text: str) -> str:
    """Normalised text: NFKC, case-folded, whitespace collapsed, trimmed."""
    if text.isascii():
        return collapse(text.lower())
    return collapse(unicodedata.normalize("NFKC", text).casefold())


def label_identity(text: str) -> str:
    """What makes two labels one: equal but for width, case or any spacing."""
    return normalise(text).replace(" ", "")
