"""When it was that a finding speaks of. Pure.

A finding has no time, but its evidence names the records that it comes from, and those have one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.records import StepCaptured
from whydied.report.tensorboard.step_clock import StepClock

_KIND = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")
_CAPTURE = re.compile(r"\bnumerics/[\w.-]+")


class Moment(NamedTuple):
    """`at_s` is on the clock of the recording, `step` that of the training, from zero."""

    at_s: float
    step: int


def moment_of(finding: Finding, case: Case, clock: StepClock) -> Moment:
    """The step that was captured, of a finding about one; else the last moment of which its evidence tells, and the end
    of the run where nothing in it has a time."""
    views = [case.records, case.recording.supervisor, *case.recording.processes]
    sources = [piece.source for piece in finding.evidence]
    captured = {step.directory: (at_s, step) for view in views for at_s, step in view.timed(StepCaptured)}
    for name in (name for source in sources for name in _CAPTURE.findall(source)):
        if name in captured:
            at_s, taken = captured[name]
            return Moment(at_s, taken.step if taken.step is not None else clock.step_at(at_s))
    last: dict[str, float] = {}
    for view in views:
        for entry in view.entries:
            kind = type(entry.record).__name__
            last[kind] = max(last.get(kind, 0.0), entry.at_ns / 1e9)
    times = [last[kind] for source in sources for kind in _KIND.findall(source) if kind in last]
    at_s = max(times, default=max((view.last_at_s for view in views), default=0.0))
    return Moment(at_s, clock.step_at(at_s))
