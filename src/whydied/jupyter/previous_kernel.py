"""A kernel that was killed with its supervisor: its report is made when the next kernel of the notebook starts. Runs in
that one's supervisor, on a thread of its own.

Invariant: an end that only says that both are gone is not spoken of. Jupyter itself ends kernels in that way
when a user asks for it.
"""

from __future__ import annotations

import contextlib
import os

from whydied.jupyter import death_message
from whydied.jupyter.unseen_reports import Place
from whydied.places import RunDirectory
from whydied.read.reader import read_streams
from whydied.read.recording import Recording
from whydied.report.finish import finish
from whydied.run.supervise import RunOutcome

_SAYS_NOTHING = ("whole-group-died", "terminated", "interrupted")


def show_again(gone: RunDirectory, run: RunDirectory, place: Place) -> None:
    """Have the kernel of a run show why an earlier one died, where that is known, and tidy up after that one."""
    report = finish(gone, replay=False, quiet=True)
    _remove_group(gone)
    if report.death is None or report.death.name in _SAYS_NOTHING:
        return
    place.keep(run, death_message.for_next_kernel(death_message.said(report, RunOutcome(gone, 0), "")))
    place.hand_on(run)


def _remove_group(gone: RunDirectory) -> None:
    """The control group that was made for it; nobody was left to do that. One that is still in use stays."""
    limit = Recording(gone, read_streams(gone.streams)).limit
    if limit is not None and limit.ours and limit.path:
        with contextlib.suppress(OSError):
            os.rmdir(limit.path)
