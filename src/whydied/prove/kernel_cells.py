"""The cells that a kernel ran, as a notebook that runs them again in the same order. Pure.

Cells that raised before the one that counts are marked, so that the notebook goes on after them as the kernel did. A
cell is named in the recording by the number of its run, and gets the same number again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from whydied.read.recording import ProcessView, Recording
from whydied.records import CellEnded, CellStarted

NOTEBOOK = "kernel.ipynb"
"""The key, among the files of a trial, of the notebook that stands for a kernel."""
_RAISES = "raises-exception"
_MAGIC = re.compile(r"^([ \t]*)%whydied\b.*$", re.MULTILINE)


def ran_cells(recording: Recording) -> list[CellStarted]:
    """In the order in which they ran."""
    kernel = _kernel(recording)
    return kernel.all(CellStarted) if kernel is not None else []


def as_notebook(recording: Recording, texts: Mapping[str, str]) -> bytes:
    """A notebook of these cells, some of them with another text; `texts` are by the names that cells have as files."""
    cells = ran_cells(recording)
    kernel = _kernel(recording)
    raised = {one.number for one in kernel.all(CellEnded) if not one.ok} if kernel is not None else set()
    names = {name.rpartition("/")[2]: text for name, text in texts.items()}
    last = cells[-1].number if cells else 0
    found = [
        _cell(names.get(f"cell [{cell.number}]", cell.source), raises=cell.number in raised and cell.number != last)
        for cell in cells
    ]
    kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return msgspec.json.encode(
        {"cells": found, "metadata": {"kernelspec": kernelspec}, "nbformat": 4, "nbformat_minor": 4}
    )


def _cell(text: str, *, raises: bool) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"tags": [_RAISES]} if raises else {},
        "outputs": [],
        # Our own magics would ask for trials within the trial.
        "source": _MAGIC.sub(r"\1pass", text),
    }


def _kernel(recording: Recording) -> ProcessView | None:
    return next((one for one in recording.processes if one.first(CellStarted) is not None), None)
