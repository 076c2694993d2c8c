"""The gradients grew from step to step until they were no longer finite.

## What it detects
A training that diverges: the norm of all gradients together multiplied over the last steps, at least a thousandfold,
up to the step that was not finite; or weights that an update has made larger than 1e12; or gradients that were finite
and so large in one step that the update of the weights overflowed.

## Why it happens
A learning rate that is too large for the loss, data or targets that are not scaled, a loss without a lower bound (a
minus sign too many), recurrent layers over long sequences without clipping. A recurrent layer whose activation has no
bound (relu) can multiply its state in each time step.

## Evidence
The norms of the gradients of each variable over the last steps, the learning rate, the variable whose gradient grew
first, the weights at the start of the bad step, and the rates at which the loss of its batch falls.

## How it is proved
Certain where the captured step was run again and gave the bad values, the optimizer was seen to be made at the line
that is named, and the growth was measured or the loss was shown not to fall at this rate on the captured batch. Likely
by the norms alone, where the batch bears the rate, and where the line was found in the source by its learning rate. The
line is that of a recurrent layer where the gradients grew first in its variables and its own line gives it such an
activation; likely then. A growth counts where at least 80 % of the steps rose by 10 % or more: noise and single spikes
do not.

The replay takes a few steps from weights of ordinary size on the captured batch, at one rate after the other and with
the batch scaled. Where a rate of up to 0.1 works with scaled data, and the data as it is needs one more than a thousand
times smaller, the data is named. A loss that fell below -1e6 and still falls is named as one without a lower bound.

## Fix
A smaller learning rate, tanh in a recurrent layer, `clipnorm` or `global_clipnorm` of the optimizer, data and targets
scaled to about one.

## Known problems
Norms of the last 64 steps are kept. A divergence that is slower is not seen as one before it ends.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Certainty, Culprit, Finding, Location
from whydied.diagnose.numerics import step_finding
from whydied.diagnose.numerics.bad_steps import Story, bad_weights, extent, norms_of, story
from whydied.diagnose.numerics.bad_value_place import RatePlace, optimizer_place, update_place
from whydied.diagnose.numerics.competing_causes import (
    Rival,
    bears_rate,
    blames_data,
    descent_of,
    fallen_loss,
    rivals,
    scale_of_data,
    tried_rates,
)
from whydied.diagnose.numerics.data_changes import UNSCALED
from whydied.diagnose.numerics.expected_nan import handles_divergence
from whydied.diagnose.numerics.gradient_norms import Burst, Growth, burst, divergence
from whydied.diagnose.numerics.nonfinite_end import came_before_exception, led_to_end
from whydied.diagnose.numerics.rate_changes import kept_positive, lowered, slowed, times_smaller
from whydied.diagnose.numerics.symptom import number_in_words
from whydied.diagnose.numerics.unbounded_recurrence import Recurrence, unbounded
from whydied.records import DataSeen, Descent, NormsSeen
from whydied.source.calls import places_of
from whydied.source.edits.edit import Change
from whydied.source.training.optimizer_rates import schedule

RISEN = 2.0
"""From this factor on a schedule that raises the learning rate is named. A warm-up begins near zero, and its end is the
rate that was meant; it is told apart by nothing, and naming its line is right too."""

ROLE = "cause"
YIELDS_TO = ("gradient-accumulation-unbounded",)
explains_end = led_to_end
came_first = came_before_exception


def check(case: Case) -> Finding | None:
    told = story(case)
    if told is not None:
        return _captured(case, told) if told.kind == "explosion" else None
    return None if handles_divergence(case.recording) else _still_finite(case)


def _captured(case: Case, told: Story) -> Finding:
    seen = norms_of(told.step)
    rate = seen.learning_rate if seen else None
    chosen = optimizer_place(case, seen)
    borne = bears_rate(told)
    # A batch that bears the rate leaves it open whether another does not.
    measured = told.again is not None and (borne is False or (told.growth is not None and borne is None))
    certainty: Certainty = "certain" if measured and (chosen is None or chosen.seen) else "likely"
    spoiled = told.growth is None and bool(bad_weights(told.step))
    once = burst(seen, told.step.captured.step) if spoiled else None
    first = told.growth.first if told.growth is not None else once.first if once is not None else ""
    recurrence = unbounded(case, first) if first else None
    words = (
        _words(told.growth, _rate_words(seen))
        if told.growth
        else _burst(once, _rate_words(seen))
        if once is not None
        else _blown(told, _rate_words(seen))
    )
    if recurrence is not None:
        return _recurrent(case, told, recurrence, words)
    other = fallen_loss(case, told) or (scale_of_data(case, told) if blames_data(told) else None)
    if other is not None:
        return other
    return step_finding.finding(
        case,
        told,
        words,
        place=_place(case, seen, chosen) or update_place(case, told.step),
        culprit=_culprit(told.growth, rate, chosen),
        certainty=certainty,
        first=tried_rates(told) if not _rose(seen) and not _negative(seen) else [],
        advice=_advice(case, seen, chosen, told),
        changes=_changes(case, seen, chosen, update_place(case, told.step), descent_of(told)),
    )


def check_rivals(case: Case) -> list[Rival]:
    """What else may have made the values grow."""
    told = story(case)
    return rivals(case, told, check(case)) if told is not None else []


def _recurrent(case: Case, told: Story, found: Recurrence, words: str) -> Finding:
    """The explosion begins in a recurrent layer that nothing bounds: the rate only decides when."""
    return step_finding.finding(
        case,
        told,
        f"{words}; {found.type} {found.layer} has the activation {found.activation}, which does not bound its state",
        place=found.location,
        culprit=Culprit(kind="layer", name=found.layer, value=found.activation),
        certainty="likely",
        advice=[
            f"Leave out `activation` (tanh bounds the state of {found.type}), or clip the gradients: `clipnorm=1.0` in "
            "the optimizer."
        ],
        changes=found.changes,
    )


def _burst(once: Burst, with_rate: str) -> str:
    size = number_in_words(once.norm) if once.norm != float("inf") else "more than 1e+19"
    first = f", nearest to the loss in {once.first}" if once.first else ""
    return f"the gradients reached {size} at step {once.step}{first}, and the update overflowed{with_rate}"


def _still_finite(case: Case) -> Finding | None:
    """A divergence that the run ended in, before it overflowed."""
    for seen in reversed(case.records.all(NormsSeen)):
        rise = divergence(seen) if seen.moment == "end" else None
        if rise is None:
            continue
        chosen = optimizer_place(case, seen)
        place = _place(case, seen, chosen) or case.locate_user(seen.frames)
        return Finding(
            message=f"{prefix(place)}the training diverged, although its values were still finite at the end: "
            f"{_words(rise, _rate_words(seen))}",
            certainty="likely",
            location=place,
            culprit=_culprit(rise, seen.learning_rate, chosen),
            evidence=[step_finding.norms(rise)],
            advice=_advice(case, seen, chosen),
            changes=_changes(case, seen, chosen, place),
        )
    return None


def _changes(
    case: Case,
    seen: NormsSeen | None,
    chosen: RatePlace | None,
    updated: Location | None,
    descent: Descent | None = None,
) -> list[Change]:
    if _negative(seen):
        return kept_positive(case, _place(case, seen, chosen))
    if _rose(seen) and seen is not None:
        at = chosen.location if chosen is not None else None
        return lowered(case, _place(case, seen, chosen), at, seen.first_learning_rate)
    return slowed(case, chosen.location if chosen is not None else updated, seen, descent)


def _advice(case: Case, seen: NormsSeen | None, chosen: RatePlace | None, told: Story | None = None) -> list[str]:
    if _negative(seen):
        return [
            "A negative rate walks away from the minimum: keep what the schedule returns above 0 (`max(rate, 1e-6)`)."
        ]
    found = descent_of(told) if told is not None else None
    by = times_smaller(case, chosen.location if chosen is not None else None, seen, found) if not _rose(seen) else 10.0
    times = {10.0: "ten", 100.0: "a hundred"}.get(by, f"{by:,.0f}")
    smaller = f"Try a learning rate {times} times smaller"
    by_hand = chosen is None and bool(places_of(case.sources, ("assign_sub",)))
    of_keras = chosen is None or "Optimizer(" not in (chosen.location.source or "")
    if not by_hand and of_keras:
        smaller += ", or clip the gradients: `clipnorm=1.0` in the optimizer."
    else:
        smaller += "." if by_hand else ", or clip the gradients between `compute_gradients` and `apply_gradients`."
    if _rose(seen):
        made = _place(case, seen, chosen)
        decays = made is not None and "decay_rate" in (made.source or "")
        raises = ": a `decay_rate` above 1 raises it" if decays else ", or raise it less"
        return [f"Make the schedule lower the rate{raises}.", smaller]
    # What a later call was given can have been computed with weights that had grown already.
    first = {one.name: one for one in reversed(case.principal.all(DataSeen) if case.principal else [])}
    unscaled = _fed_unscaled(told) or [
        f"`{one.name}` ({number_in_words(one.numbers.least)} to {number_in_words(one.numbers.greatest)})"
        for one in reversed(first.values())
        if one.numbers is not None and one.numbers.least is not None and one.numbers.greatest is not None
        if one.dtype.startswith("float") and max(abs(one.numbers.least), abs(one.numbers.greatest)) >= UNSCALED
    ]
    if unscaled:
        return [f"Scale data and targets to around 1: {' and '.join(unscaled)}.", smaller]
    return [smaller] if _is_scaled(told) else [smaller, "Scale data and targets to around 1."]


def _is_scaled(told: Story | None) -> bool:
    """Whether all numbers that the captured step was given are known, and none is far from one."""
    capture = told.step.taken.capture if told is not None else None
    batch = [one for one in (capture.fed if capture is not None else []) if one.role == "batch"]
    numbers = [one.numbers for one in batch if one.dtype.startswith("float")]
    return bool(numbers) and all(
        one is not None and one.least is not None and extent(one) < UNSCALED for one in numbers
    )


def _fed_unscaled(told: Story | None) -> list[str]:
    """The values that the captured step was given and that are far from one."""
    capture = told.step.taken.capture if told is not None and told.step.captured.kind != "traced" else None
    return [
        f"`{one.name}` ({number_in_words(one.numbers.least)} to {number_in_words(one.numbers.greatest)})"
        for one in (capture.fed if capture is not None else [])
        if one.role == "batch" and one.name and one.numbers is not None and one.dtype.startswith("float")
        if one.numbers.least is not None and one.numbers.greatest is not None and extent(one.numbers) >= UNSCALED
    ]


def _place(case: Case, seen: NormsSeen | None, chosen: RatePlace | None) -> Location | None:
    """The line that made the optimizer; where a schedule has raised its rate, the one that made the schedule."""
    if chosen is None:
        return None
    return (schedule(case.sources, chosen.location, chosen.rate) if _rose(seen) else None) or chosen.location


def _rose(seen: NormsSeen | None) -> bool:
    first, now = (seen.first_learning_rate, seen.learning_rate) if seen is not None else (None, None)
    return first is not None and now is not None and now >= RISEN * first > 0


def _negative(seen: NormsSeen | None) -> bool:
    return seen is not None and seen.learning_rate is not None and seen.learning_rate < 0


def _rate_words(seen: NormsSeen | None) -> str:
    if seen is None or seen.learning_rate is None:
        return ""
    now = number_in_words(seen.learning_rate)
    if _negative(seen):
        return f", with a learning rate that is negative ({now})"
    if _rose(seen) and seen.first_learning_rate is not None:
        first = number_in_words(seen.first_learning_rate)
        return f", with a learning rate that its schedule had raised from {first} to {now}"
    return f", with a learning rate of {now}"


def _words(rise: Growth, with_rate: str) -> str:
    first = f", first in {rise.first}" if rise.first else ""
    return (
        f"the {rise.of}s grew from {number_in_words(rise.low)} to {number_in_words(rise.high)} "
        f"in {rise.steps} steps{first}{with_rate}"
    )


def _blown(told: Story, with_rate: str) -> str:
    capture = told.step.taken.capture
    sizes = {
        value.name: extent(value.numbers)
        for value in (capture.state if capture else [])
        if value.role == "weight" and value.numbers is not None
    }
    name = max(sizes, key=lambda one: sizes[one], default="a weight")
    return f"the updates grew {name} to {number_in_words(sizes.get(name, 0.0))}{with_rate}"


def _culprit(rise: Growth | None, rate: float | None, chosen: RatePlace | None) -> Culprit:
    if chosen is not None and chosen.rate:
        return Culprit(kind="option", name="learning_rate", value=number_in_words(rate) if rate else chosen.rate)
    return Culprit(kind="weight", name=rise.first if rise and rise.first else None)
