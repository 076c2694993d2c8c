"""What is known of a run now, with a remark where that is not the whole story. Runs in the parent."""

from __future__ import annotations

import os
from typing import NamedTuple

from whydied.cli import catalogue
from whydied.places import RunDirectory
from whydied.read import life
from whydied.report.finish import finish, stored_report
from whydied.report.summary import Report


class Known(NamedTuple):
    report: Report
    remark: str | None


def known(directory: RunDirectory) -> Known:
    """The report of a run; of one whose supervisor died too, finished now and stored."""
    stored = stored_report(directory)
    if stored is not None and not os.path.isdir(directory.streams):
        return Known(stored, None)
    state = life.life(directory)
    report = finish(directory, silence=catalogue.settings().silence)
    if state == "going":
        return Known(report, f"run {directory.id} is still running; this is what is known so far.")
    if state == "abandoned" and stored is None:
        return Known(
            report,
            f"nobody lived to finish the report of run {directory.id} (its supervisor died too); "
            "it was finished now from the recording.",
        )
    return Known(report, None)
