"""What else may have made the values of a step too large: the rate, the scale of the data, the first weights, the sign
of the loss, the op at which it ended. Pure.

Each is a finding with its own place and changes. The rules of the family NUM print the one that the recording points
at, and offer the others as rivals: a trial on the program decides between them.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.numerics import step_finding
from whydied.diagnose.numerics.bad_steps import Story, largest_weight, norms_of
from whydied.diagnose.numerics.bad_value_place import loading_place, op_place, optimizer_place, update_place
from whydied.diagnose.numerics.data_changes import Unscaled, rows_left_out, unscaled
from whydied.diagnose.numerics.guarding_changes import bounded_of, guards_of
from whydied.diagnose.numerics.rate_changes import slowed
from whydied.diagnose.numerics.symptom import number_in_words, op_words
from whydied.records import Descent
from whydied.source.calls import called_names
from whydied.source.edits.edit import Change, statement
from whydied.source.edits.runs.loss_signs import without_minus
from whydied.source.edits.runs.weight_edits import drawn_wide
from whydied.source.trees import located

ORDINARY_RATE = 0.1
"""Rates up to this are what people use for data that is scaled."""
UNUSABLE = 1e3
"""Where a rate would have to be smaller by more than this, what it multiplies is what is too large."""
EXPLODED = 1e4
"""First weights of this size are no initializer's of Keras."""
FURTHER = 1e3
FEW_OF_BATCH = 4
SMALLEST_TRIED = 1e-10
"""Below this rate nothing is learnt, and a trial shows nothing."""
FELL_TO = -1e6
"""A loss below this, and falling from step to step, has no lower bound."""
FEWEST_LOSSES = 4

_LEFT_OUT = frozenset({"set_weights", "load_weights", "restore", "assign"})
"""Calls that change weights which are there already."""

Rival = tuple[str, Finding]


class Start(NamedTuple):
    """Where weights come from that were too large before the first update."""

    location: Location
    words: str
    advice: str
    changes: list[Change]


def descent_of(told: Story) -> Descent | None:
    return told.again.descent if told.again is not None else None


def tried_rates(told: Story) -> list[Evidence]:
    """What the replay found about rates on the captured batch."""
    found = descent_of(told)
    if found is None or (found.rate is None and found.scaled_rate is None):
        return []
    words = f"up to a learning rate of {found.rate:g}" if found.rate else "at no learning rate"
    if found.scaled_rate:
        words += f"; with {' and '.join(found.scaled)} scaled up to {found.scaled_rate:g}"
    fact = "tried from ordinary weights: on this batch the loss falls"
    return [Evidence(fact=fact, value=words, source=f"{told.step.captured.directory}/replay.json")]


def scale_of_data(case: Case, told: Story) -> Finding | None:
    """Data far from one, where its changes are known."""
    found = unscaled(case, told)
    if not found:
        return None
    return step_finding.finding(
        case,
        told,
        _scale_words(told, found),
        place=found[0].location,
        culprit=Culprit(kind="data", name=found[0].name, value=number_in_words(found[0].largest)),
        first=tried_rates(told),
        certainty="likely",
        advice=[f"Scale {' and '.join(one.name for one in found)} to around 1 before the training."],
        changes=_together(found),
    )


def _together(found: list[Unscaled]) -> list[Change]:
    """All that is far from one scaled at once; where that is more than one thing, the largest alone too."""
    changes = [change for one in found for change in one.changes]
    if len(changes) < 2:
        return changes
    names = " and ".join(one.name for one in found if one.changes)
    edits = [edit for change in changes for edit in change.edits]
    return [Change(title=f"Scale {names} to around 1", kind="data-scale", edits=edits), changes[0]]


def _scale_words(told: Story, found: list[Unscaled]) -> str:
    sizes = " and ".join(f"{one.name} reaches {number_in_words(one.largest)}" for one in found)
    descent = descent_of(told)
    if descent is None or not descent.scaled_rate:
        return f"{sizes}, far from 1"
    bears = f"only up to a learning rate of {descent.rate:g}" if descent.rate else "at no learning rate"
    return f"{sizes}: as it is the loss falls {bears}, and with scaled data up to {descent.scaled_rate:g}"


def blames_data(told: Story) -> bool:
    """Whether the trials say that an ordinary rate fails for the scale of the data alone."""
    descent, seen = descent_of(told), norms_of(told.step)
    rate = seen.learning_rate if seen is not None else None
    if descent is None or rate is None or not 0 < rate <= 1.01 * ORDINARY_RATE or not descent.tried:
        return False
    bears = descent.rate or 0.0
    return bool(descent.scaled_rate) and (descent.scaled_rate or 0.0) >= 0.99 * rate > UNUSABLE * bears


def bears_rate(told: Story) -> bool | None:
    """Whether the loss of the captured batch falls at the rate of the step; None where that was not tried."""
    descent, seen = descent_of(told), norms_of(told.step)
    rate = seen.learning_rate if seen is not None else None
    if descent is None or rate is None or rate <= 0 or not (descent.rate or descent.tried):
        return None
    return rate <= 1.01 * (descent.rate or 0.0)


def fallen_loss(case: Case, told: Story) -> Finding | None:
    """A loss that fell and fell: it is not the rate that is too large, the loss has no lower bound."""
    seen = norms_of(told.step)
    losses = [loss for loss in (seen.losses if seen is not None else []) if math.isfinite(loss)]
    falling = all(later < earlier for earlier, later in itertools.pairwise(losses[-FEWEST_LOSSES:]))
    if len(losses) < FEWEST_LOSSES or not falling or losses[-1] > FELL_TO or (seen is not None and _negative(seen)):
        return None
    op = told.again.first if told.again is not None else None
    frames = [frame for frame in op.line.frames if frame.user] if op is not None and op.line is not None else []
    for frame in reversed(frames):
        source = case.sources.get(frame.file)
        edit = without_minus(source, frame.file, frame.line) if source is not None else None
        if edit is not None:
            change = Change(title="Take the minus sign off the loss", kind="loss-sign", edits=[edit])
            return _fallen(case, told, losses, case.locate(frame), [change])
    place = case.locate(frames[-1]) if frames else update_place(case, told.step)
    return _fallen(case, told, losses, place, [])


def _negative(seen: object) -> bool:
    rate = getattr(seen, "learning_rate", None)
    return rate is not None and rate < 0


def _fallen(case: Case, told: Story, losses: list[float], place: Location | None, changes: list[Change]) -> Finding:
    return step_finding.finding(
        case,
        told,
        f"the loss fell from {number_in_words(losses[0])} to {number_in_words(losses[-1])} in {len(losses)} steps: it "
        "has no lower bound, and the training makes it as small as it can",
        place=place,
        culprit=Culprit(kind="loss", value=number_in_words(losses[-1])),
        first=tried_rates(told),
        certainty="likely",
        advice=[
            "Check the sign of the loss: what is to become small must not be negated. A smaller rate only delays it."
        ],
        changes=changes,
    )


def first_weights(case: Case, told: Story) -> Start | None:
    """Of a first step whose weights were too large: the line that draws them so wide, or that loads them."""
    if told.step.captured.step != 0 or largest_weight(told.step) < EXPLODED:
        return None
    size = number_in_words(largest_weight(told.step))
    drawn = drawn_wide(case.sources)
    if drawn is not None:
        change = Change(
            title="Draw the first weights as small as usual", kind="initializer", value=0.05, edits=[drawn.edit]
        )
        place = located(case.sources, drawn.file, drawn.line)
        words = f"the first weights reach {size}, drawn with a spread of {number_in_words(drawn.spread)}"
        return Start(place, words, "Draw the first weights smaller, with a spread of about 0.05.", [change])
    loaded = loading_place(case)
    source = case.sources.get(loaded.file) if loaded is not None else None
    if loaded is None or source is None:
        return None
    edit = statement(source, loaded.file, loaded.line, "pass")
    change = Change(title="Begin with fresh weights instead of the loaded ones", kind="weights", edits=[edit])
    # What makes a model cannot be left out.
    alone = bool({name.rpartition(".")[2] for name in called_names(loaded)} & _LEFT_OUT) and " = " not in (
        loaded.source or ""
    )
    words = f"the weights that are loaded reach {size}"
    advice = "Load weights of this model at their own scale, or begin with fresh ones."
    return Start(loaded, words, advice, [change] if alone else [])


def rivals(case: Case, told: Story, printed: Finding | None) -> list[Rival]:
    """The other causes, each with changes that were not offered yet."""
    known = [change.edits for change in (printed.changes or [] if printed is not None else [])]
    blame = told.blame
    if (
        blame is not None
        and blame.kind == "rows"
        and blame.tried
        and FEW_OF_BATCH * blame.row_count <= blame.batch_rows
    ):
        # A few rows were shown to bring it alone, whatever the rate.
        found: list[tuple[str, Finding | None]] = [("nonfinite-from-op", _op(case, told))]
    else:
        found = _all(case, told)
    rest = []
    for name, finding in found:
        changes = [
            change for change in (finding.changes or [] if finding is not None else []) if change.edits not in known
        ]
        known += [change.edits for change in changes]
        if finding is not None and changes:
            rest.append((name, step_finding.with_changes(finding, changes)))
    return rest


def _all(case: Case, told: Story) -> list[tuple[str, Finding | None]]:
    return [
        ("exploding-gradients", _rate(case, told, 1.0)),
        ("exploding-gradients", scale_of_data(case, told)),
        ("exploding-gradients", fallen_loss(case, told)),
        ("nonfinite-from-op", _op(case, told)),
        ("nonfinite-from-op", _weights(case, told)),
        ("exploding-gradients", _rate(case, told, FURTHER)),
    ]


def _rate(case: Case, told: Story, further: float) -> Finding | None:
    seen = norms_of(told.step)
    if not told.step.captured.step:
        return None
    chosen = optimizer_place(case, seen)
    place = chosen.location if chosen is not None else update_place(case, told.step)
    changes = slowed(case, place, seen, descent_of(told), further)
    if not changes or (further > 1 and isinstance(changes[0].value, float) and changes[0].value < SMALLEST_TRIED):
        return None
    rate = number_in_words(seen.learning_rate) if seen is not None and seen.learning_rate is not None else "this"
    return step_finding.finding(
        case,
        told,
        f"the steps at a learning rate of {rate} are too large",
        place=place,
        culprit=Culprit(kind="option", name="learning_rate", value=rate),
        first=tried_rates(told),
        certainty="likely",
        advice=[f"{changes[0].title}."],
        changes=changes,
    )


def _op(case: Case, told: Story) -> Finding | None:
    op = told.again.first if told.again is not None else None
    if op is None:
        return None
    changes = guards_of(case, told.step, op) or bounded_of(case, told.step, op)
    return step_finding.finding(
        case,
        told,
        op_words(op),
        place=op_place(case, told.step, op.line),
        culprit=Culprit(kind="op", name=op.op),
        advice=[f"{change.title}." for change in changes],
        changes=[*changes, *rows_left_out(case, told)],
    )


def _weights(case: Case, told: Story) -> Finding | None:
    start = first_weights(case, told)
    if start is None:
        return None
    return step_finding.finding(
        case,
        told,
        start.words,
        place=start.location,
        culprit=Culprit(kind="weight"),
        certainty="likely",
        advice=[start.advice],
        changes=start.changes,
    )
