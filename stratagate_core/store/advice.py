"""What a failure of the database means: the file it happened to, and what to do about it."""

import os
from pathlib import Path

#: words of the driver -> what is wrong and what helps; the first that fits
_MEANINGS: tuple[tuple[str, str], ...] = (
    ("not a database", "it is no SQLite file; give the path of a StrataGate memory, or a new one"),
    ("malformed", "it is damaged; see `stratagate doctor`, and restore it from a copy"),
    ("readonly", "it may not be written; allow it, or open it with read_only=True"),
    ("disk is full", "there is no space left; free some and repeat, nothing was written"),
    ("locked", "another process keeps writing to it; end that process or try later"),
    ("disk i/o error", "the disk failed; check it, and its free space and permissions"),
)


def explained(error: BaseException, place: str) -> str:
    """An error of the driver as a sentence: the database, what is wrong with it, the remedy.

    Of the error only the driver's own words are repeated; they hold no text of users.
    """
    words = str(error)
    if "unable to open" in words:
        return f"the database {place} cannot be opened: {_why_closed(Path(place))}"
    lowered = words.lower()
    meaning = next((told for cue, told in _MEANINGS if cue in lowered), None)
    return f"the database {place} failed: {words}" + (f"; {meaning}" if meaning else "")


def _why_closed(path: Path) -> str:
    if path.is_dir():
        return "it is a folder; give the path of a file in it"
    if not path.parent.is_dir():
        return f"the folder {path.parent} does not exist; make it first"
    if path.exists() and not os.access(path, os.R_OK):
        return "it may not be read; check its permissions"
    return f"check the permissions of the folder {path.parent}"
