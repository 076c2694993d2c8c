"""A weight was not finite before the step began.

## What it detects
A step whose gradients or loss were NaN or infinite because a variable of the model was so at its start: loaded that
way, initialised that way, assigned by the program, or left so by the update of the step before. Also a weight that is
not finite at the end, where no step showed it: rows of an embedding that no batch asked for.

## Why it happens
A checkpoint of a run that had already diverged; weights converted with a mistake; an optimizer whose update divides by
zero (`epsilon=0`); a moving variance that became negative.

## Evidence
The variables of the captured step at its start. The norms of the gradients over the steps before: where they were
finite, it was the update that made the weight bad, or the program.

## How it is proved
Certain where the step was run again and the way back from the bad value ended at this variable. Likely where the line
that is named was found in the source: one that loads weights, or one that makes an optimizer with this learning rate.
Where the graph of the step computes a number from the counter of steps alone, such as a learning rate, it is computed
again with the counter set back: an op that is not finite there is named. Of weights that the program sets itself, the
line at which NumPy warned of such values is named, as for data.

## Fix
Load another checkpoint; for an update look at the optimizer's epsilon and learning rate.

## Known problems
The line is the last one that loads or sets weights where there is one, else the one that runs the step.
"""

from __future__ import annotations

import math

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.numerics import step_finding
from whydied.diagnose.numerics.bad_makers import Maker, maker_of
from whydied.diagnose.numerics.bad_steps import Story, bad_weights, norms_of, story
from whydied.diagnose.numerics.bad_value_place import loading_place, op_place, optimizer_place, passed_place
from whydied.diagnose.numerics.competing_causes import Rival, rivals
from whydied.diagnose.numerics.expected_nan import handles_divergence
from whydied.diagnose.numerics.gradient_norms import total
from whydied.diagnose.numerics.guarding_changes import as_change
from whydied.diagnose.numerics.nonfinite_end import came_before_exception, led_to_end
from whydied.diagnose.numerics.rate_changes import epsilon_set, slowed
from whydied.diagnose.numerics.symptom import number_in_words, op_words, value_word
from whydied.records import FoundOp, NormsSeen, Numbers, StateValue
from whydied.source.calls import called_names
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.op_guards import guarded_count
from whydied.source.edits.runs.weight_edits import cleaned
from whydied.source.training.data_way import names_passed

_SETTING = frozenset({"set_weights", "assign", "assign_add", "assign_sub"})

ROLE = "cause"
YIELDS_TO = ("exploding-gradients",)
explains_end = led_to_end
came_first = came_before_exception


def check(case: Case) -> Finding | None:
    told = story(case)
    if told is None:
        return None if handles_divergence(case.recording) else _at_the_end(case)
    if told.kind != "weight":
        return None
    if told.again is not None and told.again.before is not None:
        return _counted(case, told, told.again.before)
    state = _state(told)
    name = (told.blame.name if told.blame and told.blame.name else "") or (state.name if state else "a weight")
    numbers = state.numbers if state else None
    updated = _was_updated(told)
    place, direct = _place(case, told, updated)
    seen = norms_of(told.step)
    rate = seen.learning_rate if updated and seen is not None else None
    no_rate = rate is not None and not math.isfinite(rate)
    maker = None if updated else _maker(case, told, place, numbers)
    how = (
        "; the gradients before it were finite, so the optimizer's update did it" if updated else ", from the beginning"
    )
    if maker is not None:
        how = f", {maker.words}, before it was set"
    if rate is not None and no_rate:
        how = f"; the gradients before it were finite, and the learning rate was {number_in_words(rate)}"
    count = f" in {numbers.nonfinite:,} of {numbers.count:,} values" if numbers and numbers.nonfinite else ""
    return step_finding.finding(
        case,
        told,
        f"the {_noun(state)} {name} was already {value_word(numbers)}{count} at the start of the step{how}",
        place=maker.location if maker is not None else place,
        first=[Evidence(fact=maker.fact, value=maker.location.source or "", source=maker.source)] if maker else [],
        certainty="likely" if maker is not None or not direct else told.certainty,
        culprit=Culprit(
            kind="weight",
            name=name,
            shape=list(state.shape) if state else None,
            dtype=state.dtype if state else None,
        ),
        advice=[
            "Fix what computes the learning rate: it is not a finite number."
            if no_rate
            else "Check the optimizer: its epsilon must not be zero, nor its learning rate too large."
            if updated
            else maker.advice
            if maker is not None and maker.advice
            else "Load other weights, or put 0 in the place of those that are not finite: `np.nan_to_num(w)` for each."
        ],
        changes=(epsilon_set(case, place) or slowed(case, place, seen))
        if updated and not no_rate
        else [as_change(maker.guard)]
        if maker is not None and maker.guard is not None
        else _cleaned(case, place),
    )


def check_rivals(case: Case) -> list[Rival]:
    """The rate and the scale of the data, which make an update overflow."""
    told = story(case)
    return rivals(case, told, check(case)) if told is not None else []


def _cleaned(case: Case, place: Location | None) -> list[Change]:
    """What a line loads or sets, without what is not finite."""
    source = case.sources.get(place.file) if place is not None else None
    edit = cleaned(source, place.file, place.line) if source is not None and place is not None else None
    title = "Put 0 in the place of weights that are not finite"
    return [Change(title=title, kind="weights", value=0.0, edits=[edit])] if edit is not None else []


def _counted(case: Case, told: Story, op: FoundOp) -> Finding:
    """The update before was computed with a number that depends on the step alone, and was not finite."""
    place = op_place(case, told.step, op.line)
    source = case.sources.get(place.file) if place is not None else None
    guard = guarded_count(source, place.file, place.line) if source is not None and place is not None else None
    return step_finding.finding(
        case,
        told,
        f"the update of the step before had made the weights so: what it computes from the number of the step, such as "
        f"the learning rate, was not finite: {op_words(op)}",
        place=place,
        culprit=Culprit(kind="option", name="learning_rate"),
        advice=["Keep the step that goes into it at 1 or above: `tf.maximum(step, 1.0)`."],
        changes=[as_change(guard)] if guard is not None else [],
    )


def _maker(case: Case, told: Story, place: Location | None, numbers: Numbers | None) -> Maker | None:
    """The line that made the values bad that the program gave the weight."""
    called = {name.rpartition(".")[2] for name in called_names(place)} if place is not None else set()
    if place is None or not called & _SETTING:
        return None
    found = maker_of(case, told.step, numbers, names_passed(case.sources, place))
    # Only a warning speaks of the values; names alone do not tell weights from data.
    return found if found is not None and found.source == "WarningIssued" else None


def _at_the_end(case: Case) -> Finding | None:
    """No step was caught, and yet a weight is NaN now."""
    seen = case.records.all(NormsSeen)[-1:] if not case.is_child else []
    for norms in seen:
        pairs = zip(norms.names, norms.weights, strict=False)
        bad = [name for name, norm in pairs if norm is not None and math.isnan(norm)]
        if not bad or not all(math.isfinite(total(row)) for row in norms.norms):
            continue
        chosen = optimizer_place(case, norms)
        place = chosen.location if chosen else None
        return Finding(
            message=f"{prefix(place)}the weight {bad[0]} contains NaN at the end, but no gradient did: the "
            "optimizer's update did it",
            certainty="likely",
            location=place,
            culprit=Culprit(kind="weight", name=bad[0]),
            evidence=[
                Evidence(fact="weights with NaN", value=", ".join(bad), source="NormsSeen"),
                Evidence(fact="the gradients of the last steps", value="finite", source="NormsSeen"),
            ],
            advice=["Check the optimizer: its epsilon must not be zero, nor its learning rate too large."],
            changes=epsilon_set(case, place),
        )
    return None


def _state(told: Story) -> StateValue | None:
    capture = told.step.taken.capture
    wanted = told.blame.name if told.blame else ""
    named = [value for value in capture.state if wanted in (value.name, value.node)] if capture and wanted else []
    return next(iter(named or bad_weights(told.step)), None)


def _noun(state: StateValue | None) -> str:
    return {"slot": "optimizer's variable", "statistic": "statistic"}.get(state.role if state else "", "weight")


def _was_updated(told: Story) -> bool:
    """Whether there were steps before it whose gradients were finite."""
    seen = norms_of(told.step)
    before = [total(row) for row in seen.norms] if seen else []
    finite = [norm for norm in before if norm == norm and norm != float("inf")]
    return bool(told.step.captured.step) and bool(finite)


def _place(case: Case, told: Story, updated: bool) -> tuple[Location | None, bool]:
    """The line, and whether it was seen to be the one: a line that loads or assigns weights is found in the source."""
    chosen = optimizer_place(case, norms_of(told.step)) if updated else None
    if chosen is not None:
        return chosen.location, chosen.seen
    loaded = loading_place(case) if not updated else None
    return (loaded, False) if loaded is not None else (passed_place(case, told), True)
