"""The entry point of the watcher that `whydied.start()` leaves beside a program; runs in the watcher process.

What always holds: the JSON file is written whole or not at all, before the report is printed; the report goes to the
standard error that the program had; an error of ours is one line there.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from whydied import config
from whydied.run.watch import WatchRequest, decode, watch


def main(text: str) -> None:
    """Watch the program that the text describes, then report."""
    request = decode(text)
    try:
        watch(request)
        _report(request)
    except Exception as error:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"whydied: the report could not be made: {error!r}\n")


def _report(request: WatchRequest) -> None:
    from whydied.places import RunDirectory
    from whydied.report.console import render
    from whydied.report.finish import finish, write_whole
    from whydied.report.summary import as_json

    report = finish(RunDirectory(Path(request.run)), silence=config.load(Path(request.cwd or "/")).silence)
    if request.json:
        write_whole(Path(request.json), as_json(report))
    if not request.quiet:
        render(report)
