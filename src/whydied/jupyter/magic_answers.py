"""Answers for the magics of a notebook, as text and HTML; runs in a process of its own, beside the kernel.

`last [RUN]` is the report of the last kernel that died, of the same directory where there is one. `why RUN PID` says
why the last cell that raised did so, or why its training turned NaN, `fix RUN PID` which change of its cells answers
that, `estimate FOLDER BATCHES LIMIT DEVICE` what a model of the kernel takes, and `prove RUN PID` tries such changes on
the cells that ran, and says on standard error what it does: the recording of the living kernel is read as if that cell
had ended it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from whydied import config, places
from whydied.errors import WhydiedError
from whydied.places import RunDirectory
from whydied.prove import proof as proofs
from whydied.read.reader import StreamRead
from whydied.read.recording import Recording, load
from whydied.records import (
    CellStarted,
    ExceptionRaised,
    Record,
    StepCaptured,
)
from whydied.report import claims, estimate_page
from whydied.report.cell import as_html, as_text
from whydied.report.finish import compose, finish, replayed
from whydied.report.imagined_end import as_if_ended, without_end
from whydied.report.notebook_cells import cells_of
from whydied.report.proving import ProofWish, proven, trials
from whydied.report.summary import Report
from whydied.report.terminal import fix_page
from whydied.report.terminal.proof_display import ProofDisplay, display_on
from whydied.report.views.run_views import views_of
from whydied.sizing.answer import answer as sizing
from whydied.sizing.first_step import loaded
from whydied.wire import Entry

LOOKED_AT = 30
_QUIET = ("finished", "running")
_NONE = "whydied: no cell has raised an exception or trained with NaN in this kernel so far."


def main(arguments: Sequence[str]) -> None:
    what, *words = arguments
    if what == "last":
        answer = last(words[0] if words else "")
    elif what == "estimate":
        answer = estimate(*words)
    else:
        answer = {"why": why, "fix": fix, "prove": prove}[what](words[0], int(words[1]))
    sys.stdout.write(json.dumps(answer))


def last(current: str) -> dict[str, str]:
    """The newest report of a notebook that did not end well, before the current run."""
    newest: tuple[Report, Recording] | None = None
    cwd = os.getcwd()
    for found in _earlier(Path(current) if current else None):
        if found[0].run.cwd == cwd:
            return _answer(*found)
        newest = newest or found
    if newest is None:
        return {"text": "whydied: no recorded kernel has died so far."}
    return _answer(*newest)


def _earlier(current: Path | None) -> Iterator[tuple[Report, Recording]]:
    runs = current.parent if current is not None else places.default_runs()
    for directory in places.list_runs(runs)[::-1][:LOOKED_AT]:
        if current is not None and directory.path == current:
            continue
        try:
            recording = load(directory)
            if not any(process.first(CellStarted) for process in recording.processes):
                continue
            report = finish(directory, silence=_silence(), replay=False)
        except (OSError, WhydiedError):
            # A recording that cannot be read is none that can be shown.
            continue
        if report.outcome not in _QUIET:
            yield report, recording


def estimate(folder: str, batches: str, limit: str, device: str) -> dict[str, str]:
    """What a model takes whose step was traced into a folder; sizes are bytes, those of a device perhaps "0"."""
    found = loaded(Path(folder))
    told = sizing(found.step, found.table, tuple(map(int, batches.split(","))), int(limit), int(device) or None)
    return {"text": estimate_page.as_text(told), "html": estimate_page.as_html(told)}


def why(run: str, pid: int) -> dict[str, str]:
    found = _of_last_cell(run, pid)
    return {"text": _NONE} if found is None else _answer(found[1], found[0])


def fix(run: str, pid: int) -> dict[str, str]:
    """The best fix as a diff of the cells: in a notebook that is open it is for its owner to write."""
    found = _of_last_cell(run, pid)
    if found is None:
        return {"text": _NONE}
    recording, report, _ = found
    fixes = claims.offered(report)
    if not fixes:
        return {"text": "\n".join(fix_page.without_fix(report))}
    told, diff = fix_page.head(fixes[0], 1, len(fixes)), fix_page.readable(recording, fixes[0])
    return {"text": f"{told}\n{diff}", "html": fix_page.as_html(told, diff)}


def prove(run: str, pid: int) -> dict[str, str]:
    """What would mend the last cell that failed, tried on the cells that ran, in their order; where none failed, what
    would mend the last kernel that died."""
    directory = RunDirectory(Path(run))
    found = _of_last_cell(run, pid)
    with display_on(sys.stderr) as display:
        try:
            if found is None:
                return _prove_last(directory, display)
            file = places.cell_proof(directory, found[2])
            with contextlib.suppress(KeyboardInterrupt):
                proof = trials(found[0], ProofWish(), display, lambda known: proofs.write(file, known), _silence())
                display.concludes(None, proof)
        except WhydiedError as error:
            return {"text": f"whydied: {error}" + (f"\nhint: {error.hint}" if error.hint else "")}
    proved = _of_last_cell(run, pid)
    return {"text": _NONE} if proved is None else _answer(proved[1], proved[0])


def _prove_last(current: RunDirectory, display: ProofDisplay) -> dict[str, str]:
    found = next(_earlier(current.path), None)
    if found is None:
        return {"text": _NONE}
    report, recording = found
    directory = RunDirectory(Path(report.run.directory))
    with contextlib.suppress(KeyboardInterrupt):
        display.concludes(None, proven(directory, ProofWish(), display, _silence()).proof)
    return _answer(finish(directory, silence=_silence(), replay=False), recording)


def _of_last_cell(run: str, pid: int) -> tuple[Recording, Report, int] | None:
    recording = replayed(load(RunDirectory(Path(run))), quiet=True)
    recording.aftermath = msgspec.structs.replace(recording.aftermath, cells=cells_of(recording))
    found = _as_if_ended(recording, pid)
    if found is None:
        return None
    ended, cell = found
    report = compose(ended, _silence(), proofs.read(places.cell_proof(recording.directory, cell)))
    run_facts = msgspec.structs.replace(report.run, argv=[f"cell [{cell}]"], exit_code=None, wall_s=None)
    report = msgspec.structs.replace(report, run=run_facts)
    told = {finding.id: without_end(finding) for finding in report.findings}
    cause, death = (told.get(one.id) if one is not None else None for one in (report.cause, report.death))
    return ended, msgspec.structs.replace(report, cause=cause, death=death, findings=list(told.values())), cell


def _as_if_ended(recording: Recording, pid: int) -> tuple[Recording, int] | None:
    """The recording up to the last exception that left a cell or step that was not finite, as if that had ended the
    program; the cell's number."""
    streams: list[StreamRead] = []
    cell = 0
    found: Entry | None = None
    for stream in recording.streams:
        if stream.pid != pid or not stream.name.startswith("process-"):
            continue
        number = 0
        for entry in stream.entries:
            if isinstance(entry.record, CellStarted):
                number = entry.record.number
            elif _may_end(entry.record):
                found, cell = entry, number
        if found is not None:
            streams.append(_until(stream, found))
    if found is None:
        return None
    return as_if_ended(recording, streams, pid, found), cell


def _may_end(record: Record) -> bool:
    return isinstance(record, StepCaptured) or (
        isinstance(record, ExceptionRaised) and record.where in ("cell", "main")
    )


def _until(stream: StreamRead, last_entry: Entry) -> StreamRead:
    raised = last_entry.record
    if not isinstance(raised, ExceptionRaised):
        # More is told of a step after it, up to the cell that asks.
        asks = max((entry.number for entry in stream.entries if isinstance(entry.record, CellStarted)), default=0)
        return stream._replace(entries=[entry for entry in stream.entries if entry.number < asks])
    kept = [entry for entry in stream.entries if entry.number <= last_entry.number]
    kept[-1] = last_entry._replace(record=msgspec.structs.replace(raised, where="main"))
    return stream._replace(entries=kept)


def _answer(report: Report, recording: Recording | None = None) -> dict[str, str]:
    """A report in two forms; of an earlier run its recording is read for the pictures."""
    views = views_of(recording, report) if recording is not None else None
    return {"text": as_text(report), "html": as_html(report, views)}


def _silence() -> tuple[str, ...]:
    try:
        return config.load(Path.cwd()).silence
    except (OSError, WhydiedError):
        return ()
