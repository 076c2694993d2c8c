"""Runs a program up to its first step under a limit, and real steps of a chosen batch there; runs in the parent.

Invariant: what a trial recorded is gone when it has ended.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from whydied.errors import WhydiedError
from whydied.graph import traced_step
from whydied.run.command import Command
from whydied.run.supervise import RunRequest, supervise
from whydied.sizing.crossing import Trial
from whydied.sizing.first_step import output_to_stderr


class TrialFailed(WhydiedError):
    """A trial ended for another reason than memory, and says nothing about it."""


def trial(command: Command, rows: int, limit_bytes: int, output_apart: bool) -> Trial:
    """Whether real steps of so many rows come to their end under the limit. Raises TrialFailed."""
    folder = Path(tempfile.mkdtemp(prefix="whydied-estimate-"))
    try:
        outcome = supervise(
            RunRequest(
                command,
                runs=folder,
                options=("no-numerics", "estimate", f"{traced_step.TRIAL_WORD}{rows}"),
                memory_limit_bytes=limit_bytes,
                enter=output_to_stderr if output_apart else None,
            )
        )
        if outcome.failure is not None:
            raise outcome.failure
        file = outcome.directory.path / traced_step.DIRECTORY / traced_step.TRIAL_FILE
        if not file.exists():
            # Killed, or refused memory where nothing could be written any more.
            return Trial(False)
        found = traced_step.decode_trial(file.read_bytes())
        if found.reason:
            raise TrialFailed(found.reason)
        return Trial(found.ran, found.peak_bytes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
