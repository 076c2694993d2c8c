"""Why a test failed, or killed its process, from the recording; runs in the process that shows the results.

Invariant: a plain failure (an assertion, an exception that explains itself) is not explained again; what cannot be told
is None, never an error.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from whydied import config
from whydied.places import RunDirectory
from whydied.read import life
from whydied.read.reader import StreamRead
from whydied.read.recording import Recording, load
from whydied.records import (
    AssertionFailed,
    ExceptionRaised,
    ExitRequested,
    LossesSeen,
    NormsSeen,
    Record,
    StepCaptured,
    WarningIssued,
)
from whydied.report import headline, plain
from whydied.report.cell import as_text
from whydied.report.finish import compose, finish, replayed, stored_report
from whydied.report.imagined_end import as_if_ended, without_end
from whydied.report.summary import Report
from whydied.wire import Entry

PATIENCE_S = 120.0
"""For the watcher of a process that died: it may run a training step again."""
_ENDINGS = (StepCaptured, NormsSeen, LossesSeen, ExceptionRaised, ExitRequested, AssertionFailed, WarningIssued)
_FOOTER = re.compile(r"\n+(?:More|\d+ more): .*\Z", re.DOTALL)
_FACTS_OF_ERRORS = ("errors", "framework", "sessions", "ranges", "crashes")
"""Modules of `whydied.records` whose facts belong to one exception."""


class Explanation(NamedTuple):
    """`line` says it in one line, `text` is the report as the console shows it; `run` is the id of a run that has the
    same report, and empty for one failure of several."""

    line: str
    text: str
    run: str


def of_death(run: str) -> Explanation | None:
    """Of a process that died, once its watcher has written the report; where that died too, it is written now."""
    directory = RunDirectory(Path(run))
    until = time.monotonic() + PATIENCE_S
    report = stored_report(directory)
    while report is None and time.monotonic() < until:
        if life.life(directory) == "abandoned":
            report = finish(directory, silence=_silence())
            break
        time.sleep(0.05)
        report = stored_report(directory)
    return _explained(report, directory.id) if report is not None and report.outcome != "finished" else None


def of_failure(run: str, pid: int, began_ns: int, ended_ns: int) -> Explanation | None:
    """Of a test that failed in a process that lives on."""
    directory = RunDirectory(Path(run))
    ended = _as_if_ended(replayed(load(directory), quiet=True), pid, began_ns, ended_ns)
    if ended is None:
        return None
    report = compose(ended, _silence())
    if report.cause is None or report.cause.name == "uncaught-exception":
        return None
    told = {finding.id: without_end(finding) for finding in report.findings}
    cause, death = (told.get(one.id) if one is not None else None for one in (report.cause, report.death))
    facts = msgspec.structs.replace(report.run, argv=["the test"], exit_code=None, wall_s=(ended_ns - began_ns) / 1e9)
    return _explained(
        msgspec.structs.replace(report, run=facts, cause=cause, death=death, findings=list(told.values()))
    )


def _explained(report: Report, run: str = "") -> Explanation:
    line = " ".join(filter(None, (headline.happened(report), headline.why(report))))
    text = as_text(report).rstrip("\n")
    # The commands of the last lines are about the whole run.
    return Explanation(plain.line(line), text if run else _FOOTER.sub("", text), run)


def _as_if_ended(recording: Recording, pid: int, began_ns: int, ended_ns: int) -> Recording | None:
    """The recording up to the exception of the test, without what other tests before it ended with."""
    streams: list[StreamRead] = []
    found: Entry | None = None
    for stream in recording.streams:
        if stream.pid != pid or not stream.name.startswith("process-"):
            continue
        raised = [
            entry for entry in stream.entries if began_ns <= entry.at_ns <= ended_ns and _is_failure(entry.record)
        ]
        if not raised:
            streams.append(stream)
            continue
        found = raised[-1]
        kept = [
            entry
            for entry in stream.entries
            if entry.number < found.number and (entry.at_ns >= began_ns or not _is_of_a_test(entry.record))
        ]
        # What is known of an exception is partly written after it, about the same one.
        after = [entry for entry in stream.entries if found.number < entry.number and entry.at_ns <= ended_ns]
        end = found._replace(record=msgspec.structs.replace(found.record, where="main"))
        streams.append(stream._replace(entries=[*kept, *after, end]))
    return as_if_ended(recording, streams, pid, found) if found is not None else None


def _is_failure(record: Record) -> bool:
    return isinstance(record, ExceptionRaised) and record.where == "test"


def _is_of_a_test(record: Record) -> bool:
    return isinstance(record, _ENDINGS) or type(record).__module__.rpartition(".")[2] in _FACTS_OF_ERRORS


def _silence() -> tuple[str, ...]:
    return config.of_working_directory().silence
