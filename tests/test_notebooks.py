"""The notebooks run from top to bottom, offline."""

import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
#: how many pictures each draws
PICTURES = {"01_quickstart": 3}


class ThisInterpreter(AsyncKernelManager):
    """Starts kernels with the interpreter that runs the tests, whatever is installed elsewhere."""

    @property
    def kernel_spec(self) -> KernelSpec:
        """The kernel of the running interpreter."""
        return KernelSpec(
            argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            language="python",
            display_name="tests",
        )


def read(path: Path) -> Any:
    """The notebook in a file."""
    return nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]


def outputs(notebook: Any, kind: str) -> list[Any]:
    """The outputs of a kind, in order."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    return [output for cell in cells for output in cell.outputs if output.output_type == kind]


@pytest.mark.slow
@pytest.mark.allow_sockets
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, tmp_path: Path) -> None:
    """Every cell runs without an error or a warning, and the pictures are drawn."""
    notebook = read(path)
    client = NotebookClient(
        notebook,
        kernel_manager_class=ThisInterpreter,
        resources={"metadata": {"path": str(tmp_path)}},
        timeout=60,
    )
    client.execute()
    printed = outputs(notebook, "stream")

    assert [] == [output.text for output in printed if output.name == "stderr"]
    assert PICTURES[path.stem] == len(outputs(notebook, "display_data"))


def test_notebooks_hold_no_outputs() -> None:
    """Notebooks are kept without outputs, so that a change of text is a change of text."""
    found = [read(path) for path in NOTEBOOKS]

    assert found
    assert [[]] * len(found) == [
        [cell for cell in notebook.cells if cell.get("outputs")] for notebook in found
    ]
