"""The entry point of the watcher that `whydied.start()` leaves beside a program; runs in the watcher process.

Invariant: the JSON file is written whole or not at all, before the report is printed; the report goes to the
standard error that the program had; an error of ours is one line there. No other descriptor of the program's stays
open here.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from whydied import config
from whydied.run.watch import WatchRequest, decode, let_go_of_descriptors, watch


def main(text: str) -> None:
    """Watch the program that the text describes, then report."""
    let_go_of_descriptors()
    request = decode(text)
    try:
        watch(request)
        _report(request)
    except Exception as error:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"whydied: the report could not be made: {error!r}\n")


def _report(request: WatchRequest) -> None:
    from whydied.places import RunDirectory
    from whydied.report.finish import finish, write_whole
    from whydied.report.summary import as_json
    from whydied.report.terminal.console import render

    directory, cwd = RunDirectory(Path(os.fsdecode(request.run))), Path(os.fsdecode(request.cwd) or "/")
    report = finish(directory, silence=config.load(cwd).silence)
    if request.json:
        write_whole(Path(os.fsdecode(request.json)), as_json(report))
    if not request.quiet:
        render(report)
