"""Where a run's report goes besides the terminal and the JSON file: the check before the start, and the delivery at the
end. Runs in the parent.

Invariant: what cannot be delivered is found out before the program starts, where that can be known; a failure
afterwards is one sentence on standard error and never changes the exit status.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from whydied.errors import NotStarted, WhydiedError
from whydied.places import RunDirectory

Say = Callable[[str], None]


class Outlets(NamedTuple):
    logdir: Path | None = None

    @property
    def wanted(self) -> bool:
        return self.logdir is not None


def prepare(outlets: Outlets) -> None:
    """Raises where something could not be delivered at the end."""
    try:
        if outlets.logdir is not None:
            from whydied.report.tensorboard import requirement

            requirement.prepare(outlets.logdir)
    except WhydiedError as error:
        raise NotStarted(str(error), error.hint) from error


def deliver(outlets: Outlets, directory: RunDirectory, say: Say, *, quiet: bool) -> None:
    """To everywhere that was asked for, the report as it is stored now."""
    if not outlets.wanted:
        return
    from whydied.report.finish import stored_report

    report = stored_report(directory)
    if report is None:
        say(f"whydied: run {directory.id} has no report to deliver")
        return
    if outlets.logdir is not None:
        try:
            from whydied.report.tensorboard import logdir

            logdir.write(directory, report, outlets.logdir)
            if not quiet:
                say(f"whydied: for TensorBoard: tensorboard --logdir {outlets.logdir}")
        except WhydiedError as error:
            say(f"whydied: {error}")
        except Exception as error:
            say(f"whydied: internal error while writing to {outlets.logdir}: {error!r}")
