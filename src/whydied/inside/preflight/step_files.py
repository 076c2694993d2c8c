"""Writes what was found about the first step into the run's directory, whole; runs in the user's process."""

from __future__ import annotations

import os

from whydied.graph import traced_step
from whydied.graph.traced_step import Place, TracedStep
from whydied.inside import journal


def write_reason(reason: str, place: Place | None = None, kind: str = "") -> None:
    write_file(traced_step.STEP_FILE, traced_step.encode(TracedStep(reason=reason, place=place, kind=kind)))


def write_file(name: str, data: bytes) -> None:
    owner = journal.current()
    if owner is None:
        return
    folder = os.path.join(owner.run, traced_step.DIRECTORY)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, name)
    with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        stream.write(data)
    os.replace(path + ".new", path)
