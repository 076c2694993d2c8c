"""Recordings of programs that are on the disk, without a run."""

from __future__ import annotations

from pathlib import Path

from tests.unit.diagnose.case_of import recording_of
from whydied.read.cells import CellSource
from whydied.read.recording import Recording
from whydied.source.text import Source, decoded


def recording_with(**sources: Source) -> Recording:
    """`recording_with(**{path: source})`."""
    recording = recording_of(process=[], exit_code=1)
    recording.sources.clear()
    recording.sources.update(sources)
    return recording


def recorded_file(path: Path, content: bytes) -> Recording:
    """A file that ran as it is now on the disk."""
    path.write_bytes(content)
    return recording_with(**{str(path): Source(decoded(content))})


def recorded_cells(notebook: Path, *texts: str) -> Recording:
    """The cells of a notebook that ran, the first as cell [1]."""
    return recording_with(
        **{f"{notebook}/cell [{number}]": CellSource(text, "", 0) for number, text in enumerate(texts, 1)}
    )
