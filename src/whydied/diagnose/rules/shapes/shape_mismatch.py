"""Two values whose shapes do not fit each other went into one op or layer.

## What it detects
A TensorFlow op (eager, in a traced function, in a v1 graph) or a Keras layer that takes two or more values, or one
value that comes out of another layer, and finds sizes that differ where they must be equal. A picture with more
channels than NumPy is asked to reshape it to.

## Why it happens
An operand that was not transposed, a constant that was changed in one place only, a batch of another size, two models
that were built for different widths.

## Evidence
The operands themselves, read from the frames of the library before it cut them off, each with its words in the source
and the line that made it. The axis that differs follows from the rule of the op.

## How it is proved
That the shapes cannot fit is the op's own rule; which side is wrong is another question.
Certain where a line is known to be the wrong one, or the only change that was tried and passes is of the line that is
told; likely where a change on either side would do.

## Fix
Changes that were checked against the rule of the op, or the layers before it, are named in the advice; they are not
run. Samples of several axes for a matrix product are laid out as rows. Of a reshape the size that would have to be
another, with the line of its number; of feeds those whose rows differ; of two branches the sizes of the Input with
which they meet.

## Known problems
For an op whose rule is not known here the axis is not named.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.advice import Advice, certainty_of
from whydied.diagnose.errors.framework_error import (
    culprit_of,
    evidence_of,
    framework_error,
    layer_words,
    name_of,
    output_words,
    shape_words,
)
from whydied.diagnose.errors.misfit import Misfit, misfit
from whydied.diagnose.errors.model_ends import input_layer
from whydied.diagnose.errors.ops.channels import KIND as CHANNELS
from whydied.diagnose.errors.ops.channels import picture_words, reshaped_picture
from whydied.diagnose.errors.ops.given_states import given_states, states_advice
from whydied.diagnose.errors.ops.layer_arguments import layer_argument
from whydied.diagnose.errors.ops.loop_shapes import ARRAY, LOOP, loop_words
from whydied.diagnose.errors.ops.per_axis import per_axis_words
from whydied.diagnose.errors.shape_advice import changes, wrong_size
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import Frame, LayerFacts, Party
from whydied.shapes.keras_layers import numbers_of
from whydied.shapes.op_words import ELEMENTWISE
from whydied.shapes.ops import PRODUCTS
from whydied.shapes.shape import count
from whydied.source.container_parts import expression
from whydied.source.numbers import evaluate
from whydied.texts import shapes_and_types

_RESHAPED = shapes_and_types.VALUES_TO_RESHAPE.pattern

ROLE = "explanation"
YIELDS_TO = ("uneven-batch", "partial-batch", "unknown-size", "axis-mismatch", "record-mismatch")


def check(case: Case) -> Finding | None:
    found = misfit(case)
    if found is None:
        return _states(case) or _picture(case)
    if found.kind != "shape" or found.first is None or _is_inside_own_layer(found):
        return None
    facts = found.error.facts
    argument = layer_argument(case, found)
    if argument is not None:
        called = case.locate(argument.frame)
        return Finding(
            message=f"{prefix(called)}{argument.words}",
            certainty=argument.certainty,
            location=called,
            culprit=argument.culprit,
            evidence=evidence_of(found.error),
            advice=argument.advice.sentences,
            changes=argument.advice.changes,
        )
    advice = changes(found)
    frame = advice.frame or _of_layer(found) or _of_number(found) or _of_unknown(found) or facts.place
    place = case.locate(frame) if frame else case.locate_exception([found.error.link])
    return Finding(
        message=f"{prefix(place)}{_words(found, found.first)}",
        # A reshape is of what it is given: another number in it is only one side.
        # Channels are read off how many times one side is as large as the other.
        certainty=certainty_of(advice, place) if _is_told(found, advice) else "likely",
        location=place,
        culprit=culprit_of(_named(found.first, found.second)),
        evidence=evidence_of(found.error),
        advice=advice.sentences,
        changes=advice.changes,
    )


def _is_told(found: Misfit, advice: Advice) -> bool:
    channels = any(one.kind == CHANNELS for one in advice.changes)
    return not channels and bool(found.axes or advice.frame or found.error.facts.op in (LOOP, ARRAY))


def _states(case: Case) -> Finding | None:
    """A recurrent layer that was given other states than it has."""
    error = framework_error(case)
    found = given_states(error) if error is not None else None
    if error is None or found is None:
        return None
    advice = states_advice(error, found)
    place = case.locate(error.facts.place) if error.facts.place else case.locate_exception([error.link])
    return Finding(
        message=f"{prefix(place)}{found.words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="layer", name=found.layer.name),
        evidence=evidence_of(error),
        advice=advice.sentences,
        changes=advice.changes,
    )


def _picture(case: Case) -> Finding | None:
    """A picture with more channels than NumPy was asked to reshape it to."""
    found = reshaped_picture(case)
    if found is None:
        return None
    place = case.locate(found.frame)
    return Finding(
        message=f"{prefix(place)}{picture_words(found)}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="array", name=found.operand.text, shape=found.operand.shape),
        advice=found.advice.sentences,
        changes=found.advice.changes,
    )


def _is_inside_own_layer(found: Misfit) -> bool:
    """Whether all that is known is what a layer was given in whose own `call` another value did not fit (an op of JAX
    or PyTorch says nothing of its operands): its input is not at fault by that."""
    facts = found.error.facts
    bare = found.second is None and not facts.op and facts.wanted is None
    return bare and facts.place is not None and facts.place.user and facts.place.function == "call"


def _of_layer(found: Misfit) -> Frame | None:
    """The line of the layer at work, where nothing that the user wrote names the operands: the line that raised only
    called the model."""
    facts = found.error.facts
    named = any(party.text for party in (found.first, found.second) if party is not None)
    inner = facts.layer is not None and not facts.layer.is_model and facts.wanted is None
    return facts.layer.made if facts.call and facts.layer is not None and inner and not named else None


def _of_unknown(found: Misfit) -> Frame | None:
    """The line of the Input that leaves open a size which a layer needs."""
    opened = _opened(found)
    return opened.made if opened is not None else None


def _opened(found: Misfit) -> LayerFacts | None:
    """The Input, where it is the only one, whose shape has an open size beside the batch, and a layer needs it."""
    first, entrance = found.first, input_layer(found.error)
    asked = found.second is None and found.error.facts.layer is not None
    if not asked or first is None or not first.shape or first.shape[-1] is not None or entrance is None:
        return None
    return entrance if None in (entrance.output_shape or [])[1:] else None


def _of_number(found: Misfit) -> Frame | None:
    """The line of the number that a reshape would need to be another, where it is written out there."""
    wrong = wrong_size(found) if found.error.facts.op == "Reshape" else None
    source = wrong[0].sources[-1] if wrong is not None and wrong[0].sources else None
    return source.frame if source is not None and evaluate(expression(source.text), {}) is not None else None


def _named(first: Party, second: Party | None) -> Party:
    """Of two the one that has a name in the source."""
    return second if not first.text and second is not None and second.text else first


def _words(found: Misfit, first: Party) -> str:
    facts, second = found.error.facts, found.second
    if facts.op in (LOOP, ARRAY):
        return loop_words(found)
    if told := per_axis_words(found):
        return told
    if facts.wanted is not None and facts.layer is not None and found.axes:
        return _into_layer(found, first)
    if facts.op == "Reshape" and second is not None:
        return _reshaped(found, first, second)
    if second is None and facts.layer is not None and facts.layer.type == "Reshape" and first.shape:
        each, asked = count(first.shape[1:]), numbers_of(facts.layer, "target_shape")
        needs = count(asked) if -1 not in asked else None
        has = f"{name_of(first, 'the input')} {shape_words(first.shape)} has {each} values per row"
        return f"{has}, and {layer_words(facts.layer)} takes {needs or 'a multiple'}: {shape_words([*asked])}"
    if second is None and facts.layer is not None and first.shape and first.shape[-1] is None:
        has = f"the last size of {name_of(first, 'the input')} {shape_words(first.shape)} is not known"
        opened = _opened(found)
        why = f", as {layer_words(opened)} {shape_words(opened.output_shape)} leaves sizes open" if opened else ""
        return f"{has}{why}, and {layer_words(facts.layer)} makes its weights by it"
    if second is None:
        return f"{name_of(first, 'the tensor')} {shape_words(first.shape)} has the wrong shape for {_taker(found)}"
    both = (
        f"{name_of(first, 'the first operand')} {shape_words(first.shape)} and "
        f"{name_of(second, 'the second')} {shape_words(second.shape)}"
    )
    within = f" in {layer_words(facts.layer)}" if facts.layer is not None and _of_layer(found) is not None else ""
    if facts.op in PRODUCTS and found.axes:
        left, right, one, other = found.axes[0]
        return (
            f"incompatible shapes for a matrix product{within}: {both}; axis {left} of the first is {one}, axis "
            f"{right} "
            f"of the second is {other} (they must be equal)"
        )
    words = f"incompatible shapes for {ELEMENTWISE.get(facts.op, _taker(found))}{within}: {both}"
    return f"{words}; {_axes(found)}" if found.axes else words


def _reshaped(found: Misfit, first: Party, second: Party) -> str:
    told = _RESHAPED.search(found.error.message)
    known = count(first.shape) if first.shape is not None else None
    each = count(first.shape[1:]) if first.shape else None
    values = known or (told[1] if told else None)
    has = f"{values} values" if values else f"{each} values per row" if each else "another number of values"
    takes = f", which needs {told[2]}" if told else ""
    shape = f" {shape_words(first.shape)}" if first.shape is not None else ""
    asked = name_of(second, "the shape that was asked for")
    return f"{name_of(first, 'the tensor')}{shape} has {has} and cannot be reshaped to {asked}{takes}"


def _taker(found: Misfit) -> str:
    facts = found.error.facts
    return facts.op or (layer_words(facts.layer) if facts.layer else facts.raiser)


def _axes(found: Misfit) -> str:
    parts = [
        f"axis {left} is {one} vs {other}"
        if left == right
        else f"axis {left} of the first is {one}, axis {right} of the second is {other}"
        for left, right, one, other in found.axes
    ]
    wanted = "must be equal or 1" if found.error.facts.op in ELEMENTWISE else "must be equal"
    return f"{', '.join(parts)} (they {wanted})"


def _into_layer(found: Misfit, first: Party) -> str:
    """A value out of one layer that another one does not take."""
    facts = found.error.facts
    assert facts.layer is not None
    by = output_words(facts) or "the input"
    at, _, wanted, given = found.axes[0]
    shown = f"{name_of(first, by)} {shape_words(first.shape)}"
    return f"{shown} does not match {layer_words(facts.layer)}: axis {at} is {given}, expected {wanted}"
