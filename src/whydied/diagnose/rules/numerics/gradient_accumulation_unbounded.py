"""Gradients that are accumulated by hand are never reset, or never divided, and the training diverged.

## What it detects
A loop that adds gradients up and applies the sum, in which nothing sets the sum back to zero, or nothing divides it by
the number of batches in it, in a run whose gradients grew without bound.

## Why it happens
A sum that is never reset is a momentum of one: each update carries all gradients since the beginning, and the training
swings further and further. A sum that is not divided is a learning rate as many times too large as batches are in it.

## Evidence
The source: the line that adds, the line that applies, and no line that resets or divides. The norms of what the
optimizer was given over the last steps, which grew at least fivefold (without end where the sum is only not divided),
or a step that was no longer finite.

## How it is proved
Likely: the growth is measured, and that the accumulation is its reason is read from the source.

## Fix
Divide by the number of batches, and reset after each update; or `whydied.accumulate(optimizer, steps)`, or Keras' own
`gradient_accumulation_steps`, which do both.

## Known problems
Accumulation through containers that are passed between files is not followed. A loop that is written so and has not
diverged is not reported.
"""

from __future__ import annotations

import math
import statistics

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.numerics import step_finding
from whydied.diagnose.numerics.bad_steps import norms_of, story
from whydied.diagnose.numerics.gradient_norms import divergence, total
from whydied.diagnose.numerics.nonfinite_end import came_before_exception, led_to_end
from whydied.diagnose.numerics.symptom import number_in_words, turned, when
from whydied.records import Frame, NormsSeen
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.accumulation_edits import reset_after
from whydied.source.training.accumulation import Accumulator, accumulators

LEAST_FACTOR = 5.0
FEWEST_STEPS = 8

ROLE = "cause"
explains_end = led_to_end
came_first = came_before_exception


def check(case: Case) -> Finding | None:
    told = story(case)
    if told is not None and told.kind != "explosion":
        return None
    seen = norms_of(told.step) if told is not None else _last(case)
    grown = _grown(seen)
    if told is None and grown is None:
        return None
    found = _found(case)
    if found is None or (told is None and found[1].is_reset and divergence(seen) is None):
        return None
    file, one = found
    line = one.applied if one.is_reset else one.added
    place = case.locate(Frame(file=file, line=line, function="", user=True))
    lacking = "is applied as a sum and never divided" if one.is_reset else "is never reset to zero"
    after = f", and {turned(told.step)}{when(told.step)}" if told is not None else ""
    growth = f"; what is passed to the optimizer grew from {grown}" if grown is not None else ""
    return Finding(
        message=f"{prefix(place)}`{one.name}` accumulates the gradients of each batch and {lacking}{growth}{after}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="variable", name=one.name),
        evidence=[
            Evidence(fact="accumulated at", value=_line(case, file, one.added), source="source"),
            Evidence(fact="applied at", value=_line(case, file, one.applied), source="source"),
            *(step_finding.evidence(told) if told is not None else []),
        ],
        advice=[
            f"Divide `{one.name}` by the number of batches in it when it is applied, and set it to zero afterwards.",
            "Or let `whydied.accumulate(optimizer, steps)` or Keras's `gradient_accumulation_steps` do both.",
        ],
        changes=_changes(case, file, one),
    )


def _changes(case: Case, file: str, one: Accumulator) -> list[Change]:
    edits = reset_after(case.sources[file], file, one)
    title = f"Set `{one.name}` to zero once it is applied"
    return [Change(title=title, kind="accumulation", edits=edits)] if edits else []


def _found(case: Case) -> tuple[str, Accumulator] | None:
    found = [
        (file, one)
        for file, source in case.recording.sources.items()
        for one in accumulators(source.tree)
        if not (one.is_reset and one.is_divided)
    ]
    return min(found, key=lambda pair: pair[1].is_reset, default=None)


def _last(case: Case) -> NormsSeen | None:
    seen = [norms for norms in case.records.all(NormsSeen) if norms.moment == "end"]
    return seen[-1] if seen else None


def _grown(seen: NormsSeen | None) -> str | None:
    """From where to where the norms grew, where they did."""
    norms = [norm for norm in map(total, seen.norms) if math.isfinite(norm)] if seen else []
    if len(norms) < FEWEST_STEPS:
        return None
    early = statistics.median(norms[: len(norms) // 4])
    late = max(norms[len(norms) // 2 :])
    return (
        f"{number_in_words(early)} to {number_in_words(late)}" if early > 0 and late >= LEAST_FACTOR * early else None
    )


def _line(case: Case, file: str, line: int) -> str:
    source = case.recording.sources[file].statement(line)
    return f"{line}: {' '.join(source.source.split())}" if source else str(line)
