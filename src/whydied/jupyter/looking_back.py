"""A kernel that was killed with its supervisor: its report is made when the next kernel of the notebook starts. Runs in
that one's supervisor, on a thread of its own.

What always holds: an end that only says that both are gone is not spoken of. Jupyter itself ends kernels in that way
when a user asks for it.
"""

from __future__ import annotations

from whydied.jupyter import saying
from whydied.jupyter.unseen import Place
from whydied.places import RunDirectory
from whydied.report.finish import finish
from whydied.run.supervise import RunOutcome

_SAYS_NOTHING = ("whole-group-died", "terminated", "interrupted")


def show_again(gone: RunDirectory, run: RunDirectory, place: Place) -> None:
    """Have the kernel of a run show why an earlier one died, where that is known."""
    report = finish(gone, replay=False, quiet=True)
    if report.death is None or report.death.name in _SAYS_NOTHING:
        return
    place.keep(run, saying.told_later(saying.said(report, RunOutcome(gone, 0), "")))
    place.hand_on(run)
