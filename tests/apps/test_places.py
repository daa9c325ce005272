"""Where the command line finds a memory."""

from pathlib import Path

import pytest

from stratagate_core.apps.places import data_directory

HOME = Path("/home/mara")


@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("linux", {}, "/home/mara/.local/share/stratagate"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/stratagate"),
        ("linux", {"XDG_DATA_HOME": ""}, "/home/mara/.local/share/stratagate"),
        ("darwin", {}, "/home/mara/Library/Application Support/stratagate"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/stratagate"),
        ("win32", {}, "/home/mara/AppData/Local/stratagate"),
    ],
)
def test_data_directory(platform: str, environ: dict[str, str], expected: str) -> None:
    """Each platform keeps data where its users expect it; XDG_DATA_HOME wins."""
    assert data_directory(platform, environ, HOME) == Path(expected)
