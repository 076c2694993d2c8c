"""Where a run's report goes besides the terminal and the JSON file: the check before the start, and the delivery at the
end. Runs in the parent.

Invariant: what cannot be delivered is found out before the program starts, where that can be known; a failure
afterwards is one sentence on standard error and never changes the exit status.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from whydied.errors import NoRoom, NotStarted, WhydiedError
from whydied.places import RunDirectory

if TYPE_CHECKING:
    from whydied.report.summary import Report

Say = Callable[[str], None]


class Outlets(NamedTuple):
    """`github` asks for annotations and a summary of the job that runs us, `note` for a note on the program's own run
    of a tracker; `word` is what that run is found by."""

    logdir: Path | None = None
    github: bool = False
    note: str | None = None
    word: str = ""


def prepare(outlets: Outlets) -> Outlets:
    """What will be delivered. Raises where something could not be."""
    try:
        if outlets.logdir is not None:
            from whydied.report.tensorboard import requirement

            requirement.prepare(outlets.logdir)
        if outlets.note is not None:
            from whydied.report import mlflow_note

            outlets = outlets._replace(word=mlflow_note.prepare())
        return outlets
    except WhydiedError as error:
        raise NotStarted(str(error), error.hint) from error


def deliver(outlets: Outlets, directory: RunDirectory, say: Say, *, quiet: bool) -> None:
    """To everywhere that was asked for, the report as it is stored now."""
    if outlets == Outlets():
        return
    from whydied.report.finish import stored_report

    report = stored_report(directory)
    if report is None:
        say(f"whydied: run {directory.id} has no report to deliver")
        return
    if outlets.logdir is not None:
        with _telling(say, f"writing to {outlets.logdir}"):
            _to_tensorboard(outlets.logdir, directory, report)
            if not quiet:
                say(f"whydied: for TensorBoard: tensorboard --logdir {shlex.quote(str(outlets.logdir))}")
    if outlets.github:
        with _telling(say, "annotating the job"):
            to_github(report, say)
    if outlets.note is not None:
        with _telling(say, "noting it in MLflow"):
            _to_mlflow(report, outlets.word, say, quiet=quiet)


def _to_mlflow(report: Report, word: str, say: Say, *, quiet: bool) -> None:
    from whydied.report import mlflow_note

    noted = mlflow_note.deliver(report, word)
    if noted and not quiet:
        say(f"whydied: noted on the MLflow run {', '.join(noted)}")


def to_github(report: Report, say: Say) -> None:
    """Annotations line by line, and the report at the end of the job's summary, where GitHub gives one a file."""
    from whydied.report.github_annotations import annotations_of
    from whydied.report.markdown.document import report_document

    for line in annotations_of(report, os.environ.get("GITHUB_WORKSPACE", "")):
        say(line)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        try:
            with open(summary, "a", encoding="utf-8") as file:
                file.write(f"{report_document(report)}\n")
        except OSError as error:
            raise NoRoom(f"cannot write {summary}: {error.strerror or error}") from error


def _to_tensorboard(logdir: Path, directory: RunDirectory, report: Report) -> None:
    from whydied.report.tensorboard.logdir import write

    write(directory, report, logdir)


@contextlib.contextmanager
def _telling(say: Say, what: str) -> Iterator[None]:
    """What fails in here is said and goes no further."""
    try:
        yield
    except WhydiedError as error:
        say(f"whydied: {error}")
    except Exception as error:
        say(f"whydied: internal error while {what}: {error!r}")
