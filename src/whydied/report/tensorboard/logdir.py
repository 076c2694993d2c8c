"""Writes a run into a directory of TensorBoard's, beside the user's own curves. Runs in the parent, after the end of a
run or, of one that goes on, with what is known so far.

Invariant: the event file of a run is written whole or not at all, below `DIR/whydied/RUN`, and written again it
replaces the one before; nothing else in DIR is touched. TensorFlow is not imported.
"""

from __future__ import annotations

import io
import os
import socket
from pathlib import Path
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.errors import NoRoom, UsageError
from whydied.places import RunDirectory
from whydied.read.recording import Recording, load
from whydied.records import TensorLogged
from whydied.report.finish import write_whole
from whydied.report.markdown import document
from whydied.report.summary import Report
from whydied.report.tensorboard.drawn_graph import nodes_of
from whydied.report.tensorboard.event_curves import Curve, Point, curves_of, start_s
from whydied.report.tensorboard.finding_moments import moment_of
from whydied.report.tensorboard.requirement import require
from whydied.report.tensorboard.step_clock import StepClock

MOST_HISTOGRAMS = 400
"""Of one tensor. TensorBoard keeps 500, chosen at random from more."""
MOST_TENSORS = 200


class Written(NamedTuple):
    """`unwatched` says that there is no histogram, because the run was not asked to watch a tensor."""

    file: Path
    unwatched: bool


def write(directory: RunDirectory, report: Report, logdir: Path) -> Written:
    """Write a run and its report."""
    require()
    if not os.path.isdir(directory.streams):
        raise UsageError(
            f"run {directory.id} has a report and no recording", "TensorBoard needs the recording of the run"
        )
    recording = load(directory)
    place = logdir / "whydied" / directory.id
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NoRoom(f"cannot write to {place}: {error.strerror or error}", "name another --logdir") from error
    file = place / _file_name(recording)
    logged = _logged(recording)
    write_whole(file, _events(recording, report, logged))
    return Written(file, not logged)


def _file_name(recording: Recording) -> str:
    """The same for the same run, so that it is replaced and not doubled."""
    started = recording.started
    began = int(started.wall_time_s) if started else 0
    return f"events.out.tfevents.{began:010}.{socket.gethostname()}.whydied"


def _events(recording: Recording, report: Report, logged: dict[str, list[tuple[float, TensorLogged]]]) -> bytes:
    from whydied.report.tensorboard.event_file import EventFile

    case = Case(recording)
    clock = StepClock(case.records)
    began_s = start_s(case)
    buffer = io.BytesIO()
    events = EventFile(buffer, recording.started.wall_time_s if recording.started else 0.0, began_s)
    nodes = nodes_of(case)
    if nodes:
        events.graph(nodes)
    for curve in [*curves_of(case), *_statistics(logged)]:
        events.curve(curve)
    for name, series in logged.items():
        for at_s, one in series:
            if one.counts:
                events.histogram(f"watched/{name}", at_s, one)
    end_s = max((view.last_at_s for view in [recording.supervisor, *recording.processes]), default=began_s)
    events.text("report", end_s, clock.step_at(end_s), document.report_document(report))
    times: dict[str, int] = {}
    for finding in report.findings:
        moment = moment_of(finding, case, clock)
        tag = f"findings/{finding.code} {finding.name}"
        times[tag] = times.get(tag, 0) + 1
        told = tag if times[tag] == 1 else f"{tag} ({times[tag]})"
        events.text(told, moment.at_s, moment.step, document.finding_document(finding))
    return buffer.getvalue()


def _logged(recording: Recording) -> dict[str, list[tuple[float, TensorLogged]]]:
    """The watched tensors by name. Of one that was logged often every Nth stays, and the last."""
    found: dict[str, list[tuple[float, TensorLogged]]] = {}
    for process in recording.processes:
        for at_s, one in process.timed(TensorLogged):
            if one.name in found or len(found) < MOST_TENSORS:
                found.setdefault(one.name, []).append((at_s, one))
    return {name: _some(series) for name, series in found.items()}


def _some(series: list[tuple[float, TensorLogged]]) -> list[tuple[float, TensorLogged]]:
    size = -(-len(series) // MOST_HISTOGRAMS)
    return series[::-1][::size][::-1]


def _statistics(logged: dict[str, list[tuple[float, TensorLogged]]]) -> list[Curve]:
    found = []
    for name, series in logged.items():
        for word in ("mean", "norm", "nonfinite"):
            values = [(at_s, one.step, getattr(one.numbers, word)) for at_s, one in series]
            points = [Point(at_s, step, float(value)) for at_s, step, value in values if value is not None]
            found.append(Curve(f"watched/{name}/{word}", "The step counts the uses of the tensor.", points))
    return [curve for curve in found if curve.points]
