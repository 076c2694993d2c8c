"""The code cells of the notebook that a kernel ran, as its file has them: also those that did not run. Runs in the
parent, when the report is made."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from whydied import redact
from whydied.read.recording import Recording
from whydied.records import CellStarted

LARGEST_BYTES = 16 << 20
LARGEST_CELL = 20_000
MOST = 500


def cells_of(recording: Recording) -> list[str]:
    """Their texts in the order of the notebook; empty where there is no such file."""
    named = [cell.notebook for process in recording.processes for cell in process.all(CellStarted) if cell.notebook]
    try:
        if not named or os.path.getsize(named[-1]) > LARGEST_BYTES:
            return []
        with open(named[-1], "rb") as stream:
            notebook: Any = msgspec.json.decode(stream.read())
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        return [redact.text("".join(cell["source"])[:LARGEST_CELL]) for cell in cells[:MOST]]
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return []
