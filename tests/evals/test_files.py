"""Reading files that may be anything."""

from pathlib import Path

import pytest

from stratagate_core import InvalidArgument, NotFound
from stratagate_core.evals.files import load_json


def test_a_missing_file(tmp_path: Path) -> None:
    """What does not exist is not found."""
    with pytest.raises(NotFound, match="no file"):
        load_json(tmp_path / "nothing.json", "LoCoMo")


def test_a_folder(tmp_path: Path) -> None:
    """A folder is no file."""
    with pytest.raises(InvalidArgument, match="is a folder, not a LoCoMo file"):
        load_json(tmp_path, "LoCoMo")


def test_a_path_through_a_file(tmp_path: Path) -> None:
    """Whatever else keeps a path from being read is said."""
    (tmp_path / "file").write_text("[]")
    with pytest.raises(InvalidArgument, match="cannot be read: Not a directory"):
        load_json(tmp_path / "file" / "inside.json", "LoCoMo")


@pytest.mark.parametrize("content", [b"", b"not json", b'{"a":', b"\xff\xfe[]", b"[" * 100_000])
def test_what_is_not_json(tmp_path: Path, content: bytes) -> None:
    """Empty, cut, undecodable and endlessly nested files are not JSON."""
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(InvalidArgument, match="is not JSON"):
        load_json(path, "LoCoMo")
