"""How a run ended, for the view: its report, once there is one. Runs in the process of `whydied top`.

The supervisor makes the report after the program's end. Where it died too, `whydied show` makes it, in a process of its
own: it may replay a step, which takes signals and the main thread.
"""

from __future__ import annotations

import io
import subprocess
import sys
import threading

from rich.console import Console
from rich.text import Text

from whydied.places import RunDirectory
from whydied.read import life
from whydied.records import RunStarted
from whydied.report.finish import stored_report
from whydied.report.summary import Report
from whydied.report.terminal.console import is_healthy
from whydied.report.terminal.pages import death_page, healthy_page

_PATIENCE_S = 180


class Ending:
    """Asked by a thread; `stop` may be called by another, which then need not wait."""

    def __init__(self, directory: RunDirectory) -> None:
        self._directory = directory
        self._lock = threading.Lock()
        self._making: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def report(self, started: RunStarted | None) -> Report | None:
        """Of a run that is over; None while its supervisor is at work on it. May take a while."""
        found = stored_report(self._directory)
        if found is not None or (started is not None and life.is_supervised(started)):
            return found
        self._make()
        return stored_report(self._directory)

    def stop(self) -> None:
        with self._lock:
            self._is_stopped = True
            if self._making is not None:
                self._making.terminate()

    def _make(self) -> None:
        directory = self._directory
        command = [
            sys.executable,
            "-m",
            "whydied",
            "show",
            directory.id,
            "--json",
            "--runs",
            str(directory.path.parent),
        ]
        nothing = subprocess.DEVNULL
        with self._lock:
            if self._is_stopped:
                return
            self._making = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)
        with self._making as making:
            try:
                making.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                making.kill()


def page(report: Report, width: int) -> Text:
    """What `whydied show` prints."""
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    if is_healthy(report):
        return Text("\n").join(healthy_page(report, console).lines())
    return Text("\n").join(death_page(report, console, everything=False).lines())
