"""The report on a console. Runs in the parent, after the program's last byte.

Invariant: the first two sentences say what happened and why; without `everything` it fits one
screen; no line is wider than the console; recorded text is printed as text, never as markup or terminal
control; a reader that has gone away is not an error, because the exit status belongs to the program.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from rich.console import Console, RenderableType

if TYPE_CHECKING:
    from whydied.report.summary import Report

_WIDEST, _NARROWEST, _WITHOUT_TERMINAL = 120, 40, 100


class _PatientConsole(Console):
    def on_broken_pipe(self) -> None:
        # rich would point stdout at nothing and leave with a status of its own, in the place of the program's.
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def render(report: Report, *, everything: bool = False, console: Console | None = None) -> None:
    """Prints the report, to stderr unless told otherwise. Never raises for a stream that cannot be written."""
    # The doctor prints through this module too, also where nothing can be recorded.
    from whydied.report.terminal.pages import death_page, healthy_page

    target = console or console_on(sys.stderr)
    if is_healthy(report) and not everything:
        page = healthy_page(report, target)
    else:
        page = death_page(report, target, everything=everything)
    with contextlib.suppress(OSError, ValueError):
        write(page.lines(), target)


def is_healthy(report: Report) -> bool:
    return report.outcome in ("finished", "running") and not report.findings and report.cause is None


def console_on(stream: TextIO | None) -> Console:
    """A console as wide as its terminal within reason; colour only on a terminal."""
    # A closed stream is None in Python; rich would fall back to stdout, where the program's own output goes.
    file = stream if stream is not None else io.StringIO()
    return _PatientConsole(file=file, width=_width(file), highlight=False, markup=False, emoji=False)


def write(renderables: Iterable[RenderableType], console: Console) -> None:
    """Prints; raises BrokenPipeError for a reader that has gone away, which the command line turns into silence."""
    console.file.write(_drawn(renderables, console))
    console.file.flush()


def _drawn(renderables: Iterable[RenderableType], console: Console) -> str:
    with console.capture() as captured:
        for renderable in renderables:
            console.print(renderable)
    # Tables are padded to the right edge, which shows in a file and when a terminal is made narrower.
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def _width(file: TextIO) -> int:
    with contextlib.suppress(ValueError):
        chosen = int(os.environ.get("COLUMNS", ""))
        if chosen > 0:
            return max(_NARROWEST, min(chosen, _WIDEST))
    with contextlib.suppress(OSError, ValueError, AttributeError):
        columns = os.get_terminal_size(file.fileno()).columns
        if columns > 0:
            return max(_NARROWEST, min(columns, _WIDEST))
    return _WITHOUT_TERMINAL
