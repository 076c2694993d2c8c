"""The data have another shape than the model was told to expect.

## What it detects
Data passed to `fit`, `evaluate`, `predict` or to a model itself whose sizes differ from those of its Input, also where
only the axes differ and the number of values is the same.

## Why it happens
`Input` or `input_shape` was written for other data; a column was added or dropped; images were not flattened; channels
come first.

## Evidence
The shape that was passed, with its words in the source and the line that made it, the shape that the model wants, and
the line of the Input.

## How it is proved
Both shapes are read from the objects. Which of both is to be changed is an inference: likely the Input where the model
never ran, the data where it was trained before.

## Fix
The change of the data, or the shape to write into the Input, is named in the advice, where the layers behind accept it;
of a model that was trained only the data are changed.
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, advised, nothing
from whydied.diagnose.errors.framework_error import (
    FrameworkError,
    Shape,
    culprit_of,
    evidence_of,
    layer_words,
    name_of,
    shape_words,
)
from whydied.diagnose.errors.layer_changes import layer_changes
from whydied.diagnose.errors.misfit import Misfit, misfit
from whydied.diagnose.errors.model_ends import data_behind, input_layer, input_layers
from whydied.diagnose.errors.ops.misplaced_axis import misplaced_axis
from whydied.diagnose.errors.ops.same_columns import same_columns
from whydied.diagnose.errors.shape_advice import other_order
from whydied.diagnose.errors.target_causes import trained_shape
from whydied.diagnose.errors.trained_data import as_trained, was_trained
from whydied.diagnose.finding import Finding
from whydied.records import CallBegan, Frame, LayerFacts, ModelSeen, Party
from whydied.shapes.shape import conforms
from whydied.source.calls import calls_of
from whydied.source.edits.edit import Change, Edit
from whydied.source.edits.shapes.declared_sizes import declared_sizes
from whydied.source.trees import enclosing

ROLE = "explanation"
YIELDS_TO = ("uneven-batch", "partial-batch", "picture-channels-differ")


def check(case: Case) -> Finding | None:
    found = misfit(case)
    if found is not None and found.kind == "inputs" and found.first is not None:
        return _count(case, found, found.first)
    if found is None or found.kind != "input" or found.first is None:
        return None
    facts = found.error.facts
    party = data_behind(found.error, found.first)
    fresh = _untrained_input(case, found.error, party)
    trained = was_trained(case) and fresh is None
    entrance = fresh or _refusing(found, input_layer(found.error))
    advice = (
        other_order(found, party)
        or misplaced_axis(case, found.error, party)
        or (as_trained(case, found.error, party) if trained else nothing())
        or layer_changes(found.error, party, found.first.shape or [], trained)
    )
    like = _like_training(case, found, party) if trained and not advice else nothing()
    source = None if trained else entrance
    # What is changed in the data is changed where they are passed: an Input of their shape would take them wrongly.
    frame = advice.frame or (source.made if source is not None and not advice else facts.place)
    frame = like.frame or (_written_at(found, party) if trained and not advice else None) or frame
    place = case.locate(frame) if frame else case.locate_exception([found.error.link])
    taker = source or facts.layer
    by = layer_words(taker) if taker is not None else "the model"
    why = ", as it was trained" if trained else ""
    return Finding(
        message=(
            f"{prefix(place)}{name_of(party, 'the input')} {shape_words(party.shape)} does not match {by}, which "
            "expects "
            f"{_wanted(found, entrance)}{why}{_axes(found)}"
        ),
        certainty="certain" if source is None and (trained or input_layer(found.error) is None) else "likely",
        location=place,
        culprit=culprit_of(party, "data"),
        evidence=evidence_of(found.error),
        advice=advice.sentences or (like.sentences if trained else _declared_as(fresh, party)),
        changes=[*advice.changes, *like.changes] or _declared_anew(case, found.error, fresh),
    )


def _refusing(found: Misfit, entrance: LayerFacts | None) -> LayerFacts | None:
    """An Input that is not as the data are; one that Keras made of the data is not what refuses them."""
    shape, given = entrance.output_shape if entrance is not None else None, found.first
    return None if shape and given is not None and given.shape and conforms(given.shape, shape) else entrance


def _written_at(found: Misfit, party: Party) -> Frame | None:
    """The line that made the data with the size that does not fit, where it writes that size."""
    size = found.axes[0][3] if len(found.axes) == 1 else None
    made = next((one for one in party.sources if one.frame is not None), None)
    if size is None or made is None or made.kind != "variable":
        return None
    return made.frame if re.search(rf"(?<![\w.]){size}(?![\w.])", made.text) else None


def _untrained_input(case: Case, error: FrameworkError, party: Party) -> LayerFacts | None:
    """The Input that declares another size than the data have, of a model that is put together of trained layers with
    Inputs that no training went through: nothing speaks for its size but the line that wrote it."""
    if case.principal is None:
        return None
    fits = {call.call for call in case.principal.all(CallBegan) if call.kind == "fit"}
    models = [one for one in case.principal.all(ModelSeen) if one.call in fits]
    known = {layer.name for one in models for layer in one.layers}
    if not models or not any(one.name in known for one in error.facts.layers):
        return None
    for one in input_layers(error):
        declared = one.output_shape or one.input_shape
        unlike = declared is not None and party.shape is not None and declared[1:] != party.shape[1:]
        if one.name not in known and one.made is not None and unlike and len(declared or []) == len(party.shape or []):
            return one
    return None


def _declared_as(entrance: LayerFacts | None, party: Party) -> list[str]:
    if entrance is None or party.shape is None:
        return []
    return [
        f'Declare the Input "{entrance.name}" with the size of what it gets: {shape_words([None, *party.shape[1:]])}.'
    ]


def _declared_anew(case: Case, error: FrameworkError, entrance: LayerFacts | None) -> list[Change]:
    """All Inputs of that model that declare other sizes than they get, with those."""
    edits: list[Edit] = []
    names: list[str] = []
    for one, party in zip(input_layers(error), error.of_role("x"), strict=False):
        was, wanted = one.output_shape or one.input_shape or [], party.shape or []
        source = case.project.get(one.made.file) if one.made is not None else None
        if entrance is None or source is None or one.made is None or was[1:] == wanted[1:] or len(was) != len(wanted):
            continue
        if all(size in (None, given) for size, given in zip(was[1:], wanted[1:], strict=True)):
            continue
        own = declared_sizes(source, one.made.file, one.made.line, was[1:], wanted[1:])
        if own is None:
            return []
        edits += own
        names.append(one.name)
    if not edits or entrance is None or entrance.name not in names:
        return []
    what = f"{len(names)} Inputs with the sizes of what they get" if len(names) > 1 else "Input with the size it gets"
    return [Change(title=f"Declare the {what}", kind="layer", edits=edits)]


def _count(case: Case, found: Misfit, party: Party) -> Finding:
    """One array for several Inputs, or the reverse."""
    error, entrances = found.error, input_layers(found.error)
    place = case.locate(error.facts.place) if error.facts.place else case.locate_exception([error.link])
    given = len([one for one in error.of_role("x") if one.shape])
    named = ", ".join(f"{layer_words(one)} {shape_words(one.output_shape)}" for one in entrances)
    arrays = "1 array was" if given == 1 else f"{given} arrays were"
    advice = _parts(error, party, entrances) if given == 1 else nothing()
    return Finding(
        message=f"{prefix(place)}the model has {len(entrances)} inputs ({named}), and {arrays} passed",
        certainty="certain",
        location=place,
        culprit=culprit_of(party, "data"),
        evidence=evidence_of(error),
        advice=advice.sentences,
        changes=advice.changes,
    )


def _parts(error: FrameworkError, party: Party, entrances: list[LayerFacts]) -> Advice:
    """The columns of a table, split between the Inputs in their order, where they are as many."""
    shapes = [one.output_shape or [] for one in entrances]
    widths = [shape[1] for shape in shapes if len(shape) == 2 and shape[1]]
    whole = party.shape or []
    if len(widths) < len(shapes) or len(whole) != 2 or sum(widths) != whole[1]:
        return Advice([f"Pass a list with one array for each: `[{', '.join(one.name for one in entrances)}]`."], [])
    at, parts = 0, []
    for width in widths:
        parts.append(f"{{x}}[:, {at or ''}:{at + width if at + width < sum(widths) else ''}]")
        at += width
    code = f"[{', '.join(parts)}]"
    told = code.format(x=party.text or "x")
    words = f"Its {whole[1]} columns are as many as those of all inputs: `{told}` passes each its own."
    return advised(words, "data", error_edits.passed(error, party, code))


def _like_training(case: Case, found: Misfit, party: Party) -> Advice:
    """What was trained on had the columns that are missing, or lacked those that are too many."""
    shape = trained_shape(case, "x")
    if shape is None or not party.shape or len(shape) != 2 or len(party.shape) != 2 or shape[1] == party.shape[1]:
        return nothing()
    name = party.text or "x"
    told = f"The model was trained on {shape[1]} columns, and {name_of(party, 'x')} has {party.shape[1]}"
    if "get_dummies" in {one.name for one in calls_of(case.sources, lambda name: name == "get_dummies")}:
        changes = same_columns(case, party, found.error.facts.place)
        how = changes[0].edits[0].text.strip() if changes else ".reindex(columns=trained.columns, fill_value=0)"
        sentence = (
            f"{told}: `get_dummies` makes columns only for the values that occur in a table. Give the second table the "
            f"columns of the first, as data frames: `{how}`."
        )
        return Advice([sentence], changes, _line_of(case, changes[0]) if changes else None)
    return Advice([f"{told}: prepare `{name}` with the same columns, in the same order."], [])


def _line_of(case: Case, change: Change) -> Frame:
    file, line = change.edits[0].file, change.edits[0].start[0]
    return Frame(file=file, line=line, function=enclosing(case.sources[file].tree, line), user=True)


def _expected(found: Misfit, entrance: LayerFacts | None) -> Shape:
    wanted, layer = found.error.facts.wanted, found.error.facts.layer
    if wanted is not None and wanted.shape is not None:
        return wanted.shape
    if entrance is None and layer is not None:
        return layer.input_shape or []
    return (entrance.output_shape if entrance is not None else None) or []


def _wanted(found: Misfit, entrance: LayerFacts | None) -> str:
    wanted = found.error.facts.wanted
    if wanted is None or wanted.shape is None:
        shape = _expected(found, entrance)
        if len(shape) == len((found.first.shape if found.first else None) or []):
            # The rows of the batch that it was built with are not asked for.
            return shape_words([None, *shape[1:]])
        sizes = wanted.axes.items() if wanted is not None else ()
        return " and ".join(f"{size} on axis {axis}" for axis, size in sizes) or "another shape"
    return shape_words(wanted.shape)


def _axes(found: Misfit) -> str:
    if not found.axes:
        return ""
    at, _, wanted, given = found.axes[0]
    return f": axis {at} is {given}, expected {wanted}"
