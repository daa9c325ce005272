"""Plain text for a terminal: wrapped paragraphs, aligned tables and bars, in any script."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence

WIDTH = 96
INDENT = "   "

Print = Callable[[str], None]


def width(text: str) -> int:
    """How many columns `text` takes; a Chinese character takes two."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def clip(text: str, columns: int) -> str:
    """The text on one line, cut with an ellipsis where it is wider than `columns`."""
    line = " ".join(text.split())
    if width(line) <= columns:
        return line
    kept = ""
    for character in line:
        if width(kept) + _columns(character) > columns - 1:
            break
        kept += character
    return kept.rstrip() + "…"


def bar(share: float, columns: int = 10) -> str:
    """A bar for a share between 0 and 1; the smallest positive share still shows."""
    filled = round(min(1.0, max(0.0, share)) * columns)
    if share > 0:
        filled = max(1, filled)
    return "█" * filled + "·" * (columns - filled)


def wrap(text: str, *, indent: str = INDENT, columns: int = WIDTH) -> str:
    """The text as a paragraph, broken between words and, in Chinese, between characters."""
    lines = [indent]
    for piece in _pieces(text):
        if width(lines[-1]) + width(piece.rstrip()) > columns and lines[-1].strip():
            lines[-1] = lines[-1].rstrip()
            lines.append(indent + piece.lstrip())
        else:
            lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def _pieces(text: str) -> Iterable[str]:
    piece = ""
    for character in " ".join(text.split()):
        piece += character
        if character == " " or _columns(character) == 2:
            yield piece
            piece = ""
    yield piece


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Iterable[int] = ()) -> str:
    """Aligned columns under their heads; the columns named in `right` are set to the right."""
    to_right = set(right)
    widths = [max(width(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = [head, ["─" * size for size in widths], *rows]
    return "\n".join(_line(line, widths, to_right) for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int], to_right: set[int]) -> str:
    padded = []
    for column, (cell, size) in enumerate(zip(cells, widths, strict=True)):
        space = " " * (size - width(cell))
        padded.append(space + cell if column in to_right else cell + space)
    return (INDENT + "  ".join(padded)).rstrip()


def heading(number: int, text: str) -> str:
    """The title of a chapter."""
    title = f"{number}  {text}"
    return f"\n{title}\n{'─' * width(title)}"
