"""Runs a program up to its first step and no further; runs in the parent.

Invariant: what the run recorded is gone when the context is left.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from whydied.graph import op_table, traced_step
from whydied.graph.op_table import Table
from whydied.graph.traced_step import TracedStep
from whydied.places import RunDirectory
from whydied.run.command import Command
from whydied.run.supervise import RunRequest, supervise

_OPTIONS = ("no-numerics", "estimate")


class FirstStep(NamedTuple):
    """`step` is None where the program ended before it made one; where there is no table, its `reason` says why."""

    directory: RunDirectory
    exit_status: int
    step: TracedStep | None
    table: Table | None

    @property
    def has_failed(self) -> bool:
        """Whether the program itself came to grief, before its step or while the step was traced."""
        return bool(self.exit_status) and self.table is None


class Loaded(NamedTuple):
    step: TracedStep | None
    table: Table | None


def loaded(folder: Path) -> Loaded:
    """What was written about a step: nothing where there was none, no table where it was not traced."""
    if not (folder / traced_step.STEP_FILE).exists():
        return Loaded(None, None)
    step = traced_step.decode((folder / traced_step.STEP_FILE).read_bytes())
    if step.reason or step.measured:
        return Loaded(step, None)
    return Loaded(step, op_table.decode((folder / traced_step.TABLE_FILE).read_bytes()))


@contextlib.contextmanager
def first_step(
    command: Command,
    *,
    calibrates: bool = False,
    timeout_s: float | None = None,
    enter: Callable[[], None] | None = None,
) -> Iterator[FirstStep]:
    folder = Path(tempfile.mkdtemp(prefix="whydied-estimate-"))
    try:
        options = (*_OPTIONS, *(("calibrate",) if calibrates else ()))
        outcome = supervise(RunRequest(command, runs=folder, options=options, timeout_s=timeout_s, enter=enter))
        if outcome.failure is not None:
            raise outcome.failure
        step, table = loaded(outcome.directory.path / traced_step.DIRECTORY)
        yield FirstStep(outcome.directory, outcome.exit_status or 0, step, table)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def output_to_stderr() -> None:
    """In the child, for who writes something else to stdout."""
    os.dup2(2, 1)
