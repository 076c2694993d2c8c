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

from whydied.report.terminal.sentences import columns_of

if TYPE_CHECKING:
    from whydied.report.summary import Report
    from whydied.report.terminal.listing import Listing

WIDEST = 120
"""Longer lines of text are hard to read."""
_WITHOUT_TERMINAL, _UNBOUNDED = 100, 100_000


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


def console_on(stream: TextIO | None, widest: int | None = WIDEST) -> Console:
    """A console as wide as its terminal within reason; colour only on a terminal. A table may be wider than text."""
    # A closed stream is None in Python; rich would fall back to stdout, where the program's own output goes.
    file = stream if stream is not None else io.StringIO()
    width = columns_of(file) or _WITHOUT_TERMINAL
    width = min(width, widest) if widest is not None else width
    return _PatientConsole(file=file, width=width, highlight=False, markup=False, emoji=False)


def listed(listing: Listing, stream: TextIO | None, *after: RenderableType) -> None:
    """Prints a listing, and what follows it; in a pipe each row is one line."""
    console = console_on(stream, None)
    bounded = columns_of(console.file) is not None
    console.width = console.width if bounded else _UNBOUNDED
    write([*listing.drawn(console, bounded=bounded), *after], console)


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
