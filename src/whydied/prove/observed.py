"""What a run showed, in the few facts that two runs of one program are compared by. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis
from whydied.diagnose.finding import Finding, Location, Outcome
from whydied.diagnose.hangs.stalls import hung
from whydied.diagnose.memory.memory_over_time import WARM_UP, own_series, sustained_growth
from whydied.diagnose.registry import find_rule
from whydied.diagnose.step_times import step_seconds, step_times
from whydied.prove.loss_courses import Course, courses, ended
from whydied.records import LossesSeen, NormsSeen, StepBegan
from whydied.source.bindings import cell_number

TIME_LIMIT = "PRC003"
LOSSES = 20
FEW_LOSSES, LARGE_LOSS, MOST_RISE = 5, 1e4, 0.8
LOST = 1000
"""A training whose last losses are all so many times the first has not been saved by what keeps them finite."""


class Call(NamedTuple):
    """Where one frame of the user's stood when the program failed."""

    file: str
    function: str
    line: int


class Observed(NamedTuple):
    """`code`, `name` and `said` are those of the cause; `raised` is the type of the exception that ended the program,
    `stack` its frames of the user's, the outermost first. `at_limit` says that our own time limit ended the run,
    `stalled` that nothing moved any more. Rates are of the process's own memory, after its warm-up."""

    outcome: Outcome
    code: str
    name: str
    family: str
    said: str
    raised: str
    stack: tuple[Call, ...]
    of_memory: bool
    grows: bool
    at_limit: bool
    stalled: bool
    wall_s: float
    peak_bytes: int | None
    growth_bytes_s: float
    steps: dict[str, int]
    step_s: float | None
    losses: tuple[tuple[int, float], ...] = ()
    """The last losses of a training, each with its step."""
    courses: Mapping[str, Course] = {}
    """The first losses of each training."""

    @property
    def is_well(self) -> bool:
        return self.outcome == "finished" and not self.code

    @property
    def runs_away(self) -> bool:
        """Whether the loss is large and still growing at the end, or far above that of the first step: finite, and no
        training."""
        sizes = [abs(loss) for _, loss in self.losses]
        if len(sizes) < FEW_LOSSES or sizes[-1] <= LARGE_LOSS:
            return False
        rises = sum(later > earlier for earlier, later in pairwise(sizes))
        firsts = [abs(course.losses[0]) for course in self.courses.values() if course.losses]
        lost = bool(firsts) and min(sizes) > LOST * max(firsts)
        return lost or rises >= MOST_RISE * (len(sizes) - 1)

    @property
    def words(self) -> str:
        """The end in short: `finished in 12 s, peak 700 MiB`."""
        parts = [self._end, *self._figures]
        return ", ".join(part for part in parts if part)

    @property
    def facts(self) -> dict[str, object]:
        """The same for other programs."""
        found: dict[str, object] = {"words": self.words, "outcome": self.outcome, "wall_s": round(self.wall_s, 2)}
        if self.code:
            found["cause"] = self.code
        if self.peak_bytes is not None:
            found["peak_rss_bytes"] = self.peak_bytes
        if self.growth_bytes_s:
            found["growth_bytes_per_s"] = round(self.growth_bytes_s)
        if self.step_s is not None:
            found["step_s"] = self.step_s
        if self.losses:
            found["losses"] = [list(pair) for pair in self.losses]
        return found

    @property
    def _end(self) -> str:
        taken = words.duration(self.wall_s)
        if self.at_limit and (not self.code or self.code == TIME_LIMIT):
            return f"still running after {taken}"
        if self.is_well:
            return f"finished in {taken}"
        if self.grows:
            return f"{self.name} after {taken}, growing by {words.size(self.growth_bytes_s)} a second"
        return f"{self.raised or self.name or self.outcome} after {taken}"

    @property
    def _figures(self) -> list[str]:
        peak = [f"peak {words.size(self.peak_bytes)}"] if self.peak_bytes and (self.of_memory or self.is_well) else []
        return peak + ([f"loss {self.losses[-1][1]:.3g} at step {self.losses[-1][0]}"] if self.losses else [])


def observed(case: Case, diagnosis: Diagnosis) -> Observed:
    cause, death = diagnosis.cause, diagnosis.death
    recording = case.recording
    raised = case.uncaught
    return Observed(
        outcome=diagnosis.outcome,
        code=cause.code if cause else "",
        name=cause.name if cause else "",
        family=cause.code[:3] if cause else "",
        said=cause.message if cause else "",
        raised=raised.chain[0].type if raised and raised.chain else "",
        stack=_stack(case),
        of_memory=any(_role_of(one).startswith("memory") for one in (cause, death) if one),
        grows=bool(cause and _role_of(cause) == "memory" and not _at_once(cause)),
        at_limit=any(sent.why == "time limit" for sent in recording.signals_sent),
        stalled=hung(case),
        wall_s=recording.ended.wall_s if recording.ended else 0.0,
        peak_bytes=recording.peak_rss_bytes,
        growth_bytes_s=_growth(case),
        steps={unit: len(times) for unit, times in step_times(case).items()} | _counts(case),
        step_s=step_seconds(case),
        losses=_losses(case),
        courses=courses(case),
    )


def _role_of(finding: Finding) -> str:
    rule = find_rule(finding.code)
    return rule.role if rule is not None else ""


def _at_once(finding: Finding) -> bool:
    rule = find_rule(finding.code)
    return rule is not None and rule.at_once


def _stack(case: Case) -> tuple[Call, ...]:
    raised = case.uncaught
    if raised is None:
        return ()
    frames = next((link.frames for link in raised.chain if any(one.user for one in link.frames)), [])
    return tuple(_call(case.locate(one)) for one in frames if one.user)


def _call(place: Location) -> Call:
    return Call(short_name(place.file), place.function or "", place.line)


def short_name(file: str) -> str:
    """A cell by its number alone: the notebook of a second run may be another file."""
    number = cell_number(file)
    return file if number is None else f"cell [{number}]"


def ran_cell(name: str) -> int | None:
    """The number of a cell by its short name."""
    return cell_number(f"/{name}")


def _growth(case: Case) -> float:
    series = own_series(case)
    if len(series) < 2 or series[-1][0] <= series[0][0]:
        return 0.0
    return sustained_growth(series) / ((1 - WARM_UP) * (series[-1][0] - series[0][0]))


def _counts(case: Case) -> dict[str, int]:
    """How often each kind of step was done: records come at a bounded rate, and each has the count so far."""
    found: dict[str, int] = {}
    for step in case.records.all(StepBegan):
        found[step.unit] = max(found.get(step.unit, 0), step.count)
    return found


def _losses(case: Case) -> tuple[tuple[int, float], ...]:
    seen = [norms for norms in case.records.all(NormsSeen) if norms.losses and norms.steps]
    if not seen:
        return _at_end(case)
    last = seen[-1]
    losses = [loss for loss, _ in ended(last.losses, [sum(row) for row in last.norms])]
    return tuple((step, loss) for step, loss in zip(last.steps, losses, strict=False) if math.isfinite(loss))[-LOSSES:]


def _at_end(case: Case) -> tuple[tuple[int, float], ...]:
    """The last losses of what a session ran, which are told when it is closed."""
    found = [one for one in case.records.all(LossesSeen) if one.latest]
    pairs = zip(found[-1].latest_steps, found[-1].latest, strict=False) if found else ()
    return tuple((step, loss) for step, loss in pairs if math.isfinite(loss))[-LOSSES:]
