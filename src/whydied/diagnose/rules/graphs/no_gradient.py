"""The loss has no gradient with respect to what was to be trained.

## What it detects
"No gradients provided for any variable", of Keras' and v1's optimizers, and a `None` that `tape.gradient` gave and that
the program went on with.

## Why it happens
The loss was computed outside of the tape, or before it opened: for the tape that `minimize(lambda: cost)` opens, a
`cost` from the lines above is a constant. Or something between the variables and the loss has no gradient: `.numpy()`
and NumPy functions, `argmax`, `round`, a cast to whole numbers, a comparison, `stop_gradient`. Or the tensor was never
watched: a tape watches variables by itself, and constants only after `tape.watch`. Or the loss does not use the
variables at all.

## Evidence
The exception; the source between the tape and the loss: the line that computes the loss and the calls in it.

## How it is proved
That there is no gradient is in the exception. Where the source shows why, and what it shows is the only way to the
loss, that is likely; without a reason the finding says only what is certain.

## Fix
Compute the loss inside of `with tf.GradientTape()`, with operations that have a gradient.

## Known problems
The source is read, not run: a loss that comes out of several functions is followed through assignments of one function,
into the function that is given as a loss, and out to the line that passed the loss and the tape in.

## References
TensorFlow documentation: guide/autodiff, "Getting a gradient of None".
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.source.edits.edit import Change, Edit
from whydied.source.edits.programs.session_edits import computed_in_tape, into_tape, watch
from whydied.source.edits.tapes.early_losses import EarlyLoss, early_loss
from whydied.source.edits.tapes.late_tapes import late_tape
from whydied.source.edits.tapes.stepless_losses import Stepless, stepless
from whydied.source.edits.tapes.taped_numpy import InTensorFlow, in_tensorflow
from whydied.source.training import gradient_path
from whydied.source.trees import located
from whydied.texts import python_errors, tensors
from whydied.texts.entry import any_of

_NONE_AT_ALL = tensors.NO_GRADIENTS.pattern
_OP = any_of(tensors.OP_WITHOUT_GRADIENT, tensors.OP_NOT_REGISTERED)
_NONE = any_of(
    tensors.NONE_CONVERTED,
    tensors.NONE_UNSUPPORTED,
    python_errors.NONE_OPERAND,
    python_errors.NONE_ATTRIBUTE,
    python_errors.NONE_LOOKED_IN,
    python_errors.NONE_NEGATED,
    python_errors.NONE_IS_NOT,
)
_MOST_NAMED = 4
_NO_TENSOR = tensors.TARGET_IS_NO_TENSOR.pattern

ROLE = "explanation"
YIELDS_TO = ("uninitialised-variable", "variable-rebound")


def check(case: Case) -> Finding | None:
    said = quoted(case, _NONE_AT_ALL)
    if said is not None:
        return _finding(case, said, "no variable has a gradient")
    said = quoted(case, _OP)
    if said is not None:
        op = said.match["op"] or said.match["kind"]
        return _finding(case, said, f"{op} has no gradient")
    said = quoted(case, _NO_TENSOR)
    if said is not None and said.place is not None and ".gradient(" in (said.place.source or ""):
        return _finding(case, said, f"the target of the gradient is a {said.match['type']}, not a tensor")
    said = quoted(case, _NONE)
    if said is None or said.place is None:
        return None
    nones = [one.text for one in said.link.operands if one.value == "None"]
    name = gradient_path.gradient_on(case.sources, said.place, nones)
    if name is None:
        return None
    return _finding(case, said, f"the gradient `{name}` is None", name)


def _finding(case: Case, said: Quotation, fact: str, name: str | None = None) -> Finding:
    evidence = evidence_of(said.link, said.raised)
    callers = _callers(case, said)
    early = early_loss(case.sources, said.place, callers) if said.place else None
    if early is None and said.place is not None:
        early = late_tape(case.project, said.place)
    if early is not None:
        return _too_early(early, fact, evidence)
    reason = gradient_path.no_gradient(case.sources, said.place, callers) if said.place else None
    rewritten = in_tensorflow(case.project, said.place, callers) if said.place and _leaves(reason) else None
    steps = stepless(case.project, said.place, callers) if said.place and _leaves(reason) else None
    if reason is None and rewritten is not None:
        reason = _first(case, rewritten)
    if reason is None and steps is not None:
        first = min(steps.edits, key=lambda one: (one.file, one.start))
        reason = gradient_path.left_tensorflow(located(case.project, first.file, first.start[0]), steps.left[0])
    if reason is None:
        return Finding(
            message=f"{prefix(said.place)}{fact}: the loss does not depend differentiably on what is trained; "
            "expected a gradient",
            certainty="certain",
            location=said.place,
            culprit=Culprit(kind="gradient", name=name),
            evidence=evidence,
            advice=[
                "Compute the loss inside the tape, from the variables, with operations that have a gradient: no "
                "NumPy, no `argmax`, no cast to integers."
            ],
        )
    where = reason.place.whole
    evidence.append(Evidence(fact="shown by the source", value=f"{where}: {reason.words}", source="the source"))
    return Finding(
        message=f"{prefix(reason.place)}{reason.words}, so {fact}; expected {reason.expected}",
        certainty="likely",
        location=reason.place,
        culprit=Culprit(kind="gradient", name=reason.name),
        evidence=evidence,
        advice=[reason.advice],
        changes=[
            *_changes(case, reason),
            *(_without_steps(steps) if steps is not None else []),
            *(_in_tensorflow(rewritten) if rewritten is not None else []),
        ],
    )


def _leaves(reason: gradient_path.NoGradient | None) -> bool:
    """Whether the loss may go through something that is not TensorFlow's."""
    return reason is None or not reason.kind


def _first(case: Case, rewritten: InTensorFlow) -> gradient_path.NoGradient:
    """The first line that leaves TensorFlow, where the way to the loss goes through several functions."""
    place = located(case.project, rewritten.edits[0].file, rewritten.edits[0].start[0])
    return gradient_path.left_tensorflow(place, rewritten.replaced[0])


def _without_steps(found: Stepless) -> list[Change]:
    """Rounded and compared predictions as they are, or behind a sigmoid."""
    left = ", ".join(f"`{one}`" for one in found.left[:_MOST_NAMED])
    is_soft = any("sigmoid(" in one.text for one in found.edits)
    title = f"Leave out {left} on the way to the loss"
    if is_soft:
        title = f"Write a sigmoid for {left} on the way to the loss"
    return [Change(title=title, kind="expression", edits=found.edits)]


def _in_tensorflow(rewritten: InTensorFlow) -> list[Change]:
    left = ", ".join(f"`{one}`" for one in rewritten.replaced[:_MOST_NAMED])
    title = f"Compute the loss with TensorFlow operations, without {left}"
    found = [Change(title=title, kind="statement", edits=rewritten.edits)]
    if rewritten.with_casts:
        found.append(Change(title=f"{title}, in float32", kind="statement", edits=rewritten.with_casts))
    return found


def _too_early(early: EarlyLoss, fact: str, evidence: list[Evidence]) -> Finding:
    shown = f"{early.place.whole}: {early.words}"
    return Finding(
        message=f"{prefix(early.place)}{early.words}, so {fact}; expected {early.expected}",
        certainty="likely",
        location=early.place,
        culprit=Culprit(kind="gradient", name=early.name),
        evidence=[*evidence, Evidence(fact="shown by the source", value=shown, source="the source")],
        advice=[early.advice],
        changes=[Change(title=early.title, kind="statement", edits=early.edits)] if early.edits else [],
    )


def _changes(case: Case, reason: gradient_path.NoGradient) -> list[Change]:
    """What the tape misses, put into its block."""
    file, line = reason.place.file, reason.place.line
    source = case.project[file]
    edits: list[Edit] = []
    if reason.kind == "outside":
        edits = into_tape(source, file, line, reason.tape)
    elif reason.kind == "in call":
        edits = computed_in_tape(source, file, line, reason.tape)
    elif reason.kind == "unwatched" and reason.name:
        watched = watch(source, file, line, reason.tape, reason.name)
        edits = [watched] if watched is not None else []
    title = f"Compute `{reason.name}` inside the tape" if reason.kind != "unwatched" else f"Watch `{reason.name}`"
    return [Change(title=title, kind="statement", edits=edits)] if edits else []


def _callers(case: Case, said: Quotation) -> list[Location]:
    """The user's lines that led to the one at which there was no gradient, the nearest first."""
    mine = [frame for frame in said.link.frames if frame.user]
    return [case.locate(frame) for frame in reversed(mine[:-1])]
