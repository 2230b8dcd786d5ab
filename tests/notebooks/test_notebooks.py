"""The notebooks run as they are stored, and are stored executed, with their pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tables(notebook: Any) -> list[str]:
    """Printed numbers, from the cells that simulate nothing (those streams may differ by numpy version).

    What a cell prints may arrive in several pieces: they are one text here.
    """
    exact = [cell for cell in code(notebook) if "simulate(" not in cell.source]
    return [part for cell in exact for part in (printed(cell), *shown(cell))]


def printed(cell: Any) -> str:
    return "".join(output["text"] for output in cell.outputs if output.output_type == "stream")


def shown(cell: Any) -> list[str]:
    data = [output["data"] for output in cell.outputs if output.output_type != "stream"]
    return [part.get("text/plain", "") for part in data]


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_it_is_stored_executed_with_pictures(path: Path) -> None:
    cells = code(read(path))
    assert all(cell.execution_count for cell in cells)
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 2


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_it_runs_and_its_exact_numbers_are_those_stored(path: Path) -> None:
    stored, fresh = read(path), read(path)
    NotebookClient(
        fresh, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    ).execute()
    assert tables(fresh) == tables(stored)
