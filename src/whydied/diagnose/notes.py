"""What is worth knowing and is not a fault. Pure."""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.errors.exception_words import describe
from whydied.diagnose.finding import Finding
from whydied.diagnose.hangs import starvation
from whydied.records import ExceptionRaised

_MOST = 12


def notes_of(case: Case) -> list[str]:
    notes = [*_not_inside(case), *_fallbacks(case), *_limits(case), *_threads(case), *starvation.notes_of(case)]
    notes += [*_cells(case), *_torn(case)]
    return notes[:_MOST]


def edited_notes(case: Case, findings: list[Finding]) -> list[str]:
    """That quoted lines may not be those that ran."""
    places = {finding.location.file for finding in findings if finding.location}
    return [
        f"{file.rsplit('/', 1)[-1]} was changed after the program began: the lines quoted from it may not be what ran"
        for file in sorted(places & case.recording.edited)
    ]


def _not_inside(case: Case) -> list[str]:
    recording = case.recording
    if recording.not_started or recording.program is None:
        return []
    reasons = [f"process {pid}: {reason}" for pid, reason in recording.not_inside.items()]
    if not recording.processes:
        return [
            "whydied could not record inside the program (python -I, -E or -S, another language, or an environment "
            "without whydied), so this report is only from outside" + (f" ({'; '.join(reasons)})" if reasons else "")
        ]
    return [f"no recorder in {reason}" for reason in reasons]


def _fallbacks(case: Case) -> list[str]:
    started = case.recording.started
    if started and started.runs_fallback:
        return [f"{started.runs_fallback}; the recording is in {case.recording.directory.path}"]
    return []


def _limits(case: Case) -> list[str]:
    limit = case.recording.limit
    notes = []
    if limit and limit.ours and limit.kind == "watched":
        notes.append(f"the memory limit was enforced by whydied, not by the kernel: {limit.reason}")
    notes += [f"{limited.what}: {limited.reason}" for limited in case.recording.limitations]
    return list(dict.fromkeys(notes))


def _threads(case: Case) -> list[str]:
    return [
        f"thread {raised.thread} died{_at(case, raised)} of {describe(raised.chain[0])}"[:300]
        for raised in case.records.all(ExceptionRaised)
        if raised.where == "thread" and raised.chain
    ]


def _cells(case: Case) -> list[str]:
    """What cells of a notebook raised, where that did not end it."""
    raised = case.records.all(ExceptionRaised)
    found = [one for one in raised if one.where == "cell" and one.chain and one is not case.uncaught]
    if not found:
        return []
    place = case.locate_exception(found[-1].chain)
    last = f"{describe(found[-1].chain[0])}{f' ({place.spelled})' if place else ''}"
    if len(found) == 1:
        return [f"a cell raised {last}, and the notebook continued"[:300]]
    return [f"{len(found)} cells raised an exception, and the notebook continued; the last was {last}"[:300]]


def _at(case: Case, raised: ExceptionRaised) -> str:
    place = case.locate_exception(raised.chain)
    return f" on line {place.line} of {place.file.rsplit('/', 1)[-1]}" if place else ""


def _torn(case: Case) -> list[str]:
    missing = sum(stream.missing for stream in case.recording.streams)
    unknown = sum(stream.unknown for stream in case.recording.streams)
    notes = []
    if missing:
        notes.append(f"{missing:,} records from the middle of the run were dropped to keep the recording small")
    if unknown:
        notes.append(f"{unknown:,} records are of a kind unknown to this whydied: a newer one wrote them")
    return notes
