"""Stored recordings of the corpus as runs that the commands find, for tests that need a real run and no TensorFlow."""

from __future__ import annotations

import shutil
from pathlib import Path

import recordings
from whydied.places import RunDirectory


def stored_run(runs: Path, name: str, run_id: str | None = None) -> RunDirectory:
    """The recording of a program of `tests/programs/`, such as "numerics/log_of_zero"."""
    runs.mkdir(parents=True, exist_ok=True)
    slug = name.rpartition("/")[2].replace("_", "-")[:32]
    target = runs / (run_id or f"20250110-101010-{slug}-ab12cd")
    place = runs / f".{target.name}"
    place.mkdir()
    stored = recordings.unpack(recordings.path_of(name).read_bytes(), place)
    stored.run.path.rename(target)
    shutil.rmtree(place)
    return RunDirectory(target)
