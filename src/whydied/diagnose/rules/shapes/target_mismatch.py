"""The targets do not fit what the model gives, or what the loss wants.

## What it detects
Targets and outputs of different widths or ranks, class numbers for a loss that wants one-hot rows and the reverse, a
model that gives maps where the targets are single classes, one target for several outputs, validation targets unlike
those of the training, a loss of the program's own that loses the rows, and inputs and targets of different lengths.

## Why it happens
The last layer has the width of another data set; the loss was chosen for another form of labels; a Flatten or a pooling
is missing; x and y were filtered differently.

## Evidence
The target and the output as they entered the loss, the labels that were passed, or that an iterator, a generator or a
data set holds, with their lowest and highest value, the last layer and the line that made it.

## How it is proved
That they do not fit is read from the objects. Which of both is to be changed is an inference: likely. x and y of
different lengths are certain where a change of one of them was found that makes them fit.

## Fix
The change that makes both fit is named in the advice, after it was tried on the recorded layers: the units of the last
layer, the setting of another one, every step or the last one of a recurrent layer, sizes that come out as they went in.

## Known problems
The line of `compile` is found by the name of the model in the source. Labels that a function computes for each batch
are known by their shape alone.
"""

from __future__ import annotations

import ast

import msgspec

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data.label_encoders import encoder_of
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, advised, capital, changes_of, nothing, source_at
from whydied.diagnose.errors.error_edits import Edits
from whydied.diagnose.errors.framework_error import culprit_of, evidence_of, layer_words, name_of, shape_words
from whydied.diagnose.errors.misfit import Misfit, is_sparse, misfit
from whydied.diagnose.errors.model_ends import input_layer, last_layer
from whydied.diagnose.errors.ops.unpacked_order import unpacked_order
from whydied.diagnose.errors.shape_advice import sizes_that_return
from whydied.diagnose.errors.target_causes import (
    Meeting,
    Verdict,
    listed_verdict,
    of_metric,
    other_cause,
    span,
    weight_verdict,
)
from whydied.diagnose.errors.targets import label_modes
from whydied.diagnose.errors.targets.class_numbers import (
    are_numbers,
    for_numbers,
    for_one_number,
    for_rows,
    for_several_at_once,
    held,
)
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import Frame, LayerFacts, Party
from whydied.shapes import losses
from whydied.shapes.changes import changes
from whydied.shapes.plan import replaced, setting, through, with_setting
from whydied.shapes.settings import other_settings
from whydied.shapes.shape import Shape, conforms
from whydied.source.assignments import last_assignment
from whydied.source.edits.edit import over
from whydied.source.edits.shapes.loss_edits import DENSE, SPARSE, called_name
from whydied.source.trees import across, scope_at

_UP = (
    "The output is {factor} times too small: let the model upsample by {factor} more (`UpSampling2D({factor})`, or "
    "`strides={factor}` in a transposed convolution) to {size}, or make the targets smaller."
)
_NUMBERS = "np.argmax({x}, axis=-1)"
_IN_GRAPH = "tf.argmax({x}, axis=-1)"
_OP = "softmax_cross_entropy_with_logits"
_DOWN = "The output is {factor} times too large: let the model downsample by {factor} more, to {size}."


ROLE = "explanation"
YIELDS_TO = ("uneven-batch", "partial-batch")


def check(case: Case) -> Finding | None:
    found = misfit(case)
    if found is None or found.kind != "target" or found.first is None or found.second is None:
        return None
    if found.first.role == "x":
        verdict = _lengths(found)
    elif found.first.role == "weight":
        verdict = weight_verdict(found.error, found.first, found.second.shape or [])
    elif found.first is found.second:
        verdict = listed_verdict(found.error, found.first)
    else:
        labels = _labels(found, found.first)
        meeting = Meeting(found, labels, found.first.shape or [], found.second.shape or [], last_layer(found.error))
        verdict = other_cause(case, meeting) or _judged(meeting)
    frame = verdict.frame or found.error.facts.place
    place = case.locate(frame) if frame else case.locate_exception([found.error.link])
    return Finding(
        message=f"{prefix(place)}{verdict.words}",
        certainty="certain" if found.first.role == "x" and verdict.advice.changes else "likely",
        location=place,
        culprit=verdict.culprit,
        evidence=evidence_of(found.error),
        advice=verdict.advice.sentences,
        changes=verdict.advice.changes,
    )


def _labels(found: Misfit, target: Party) -> Party:
    """The labels as the program passed them; else the target, with what is known of the labels that a data set or an
    iterator gives."""
    passed = found.error.of_role("y")
    labels = next((party for party in (*passed, target) if party.text), None)
    labels = labels or next((party for party in passed if party.shape is not None), None)
    given = found.error.of_role("label")
    if labels is None and len(given) == 1 and (given[0].lowest is not None or given[0].one_hot):
        return msgspec.structs.replace(given[0], text="", shape=target.shape)
    return labels or target


def _read_as_numbers(met: Meeting) -> Way | None:
    """Labels that are read as one-hot rows, read as class numbers."""
    return label_modes.as_numbers(met.found.error.sources) if not met.labels.text else None


def _lengths(found: Misfit) -> Verdict:
    """Rows of x and y, or of two inputs, that differ in number."""
    x, y = found.first, found.second
    assert x is not None
    assert y is not None
    rows = [(party.shape or [0])[0] or 0 for party in (x, y)]
    needs = "each sample needs one target" if y.role == "y" else "each sample needs a row of every input"
    words = f"{name_of(y, 'y')} has {rows[1]:,} rows and {name_of(x, 'x')} has {rows[0]:,}: {needs}"
    if _is_list_of_samples(found, x):
        whole = x.text.removesuffix("[0]")
        words = (
            f"`{whole}` is a list of arrays {shape_words(x.shape)}, which Keras takes for as many inputs of the model"
        )
        edits = error_edits.passed(found.error, Party(role="x", text=whole), "np.array({x})")
        advice = advised(f"Make one array of the list: `np.array({whole})`.", "data", edits)
        return Verdict(words, None, Culprit(kind="data", name=whole), advice)
    turned = _turned(found, x, rows[1])
    if turned:
        edits = error_edits.passed(found.error, x, "{x}.T")
        return Verdict(words, None, culprit_of(x, "data"), advised(turned, "data", edits))
    order = unpacked_order(found.error, x, y) if y.role == "y" else None
    if order is not None:
        return Verdict(order.words, order.frame, culprit_of(y, "data"), Advice([order.advice], []))
    look = "Look for what drops or repeats rows of only one of them."
    if y.role == "x":
        look = f"Pass as many rows of each input, such as the first {min(rows):,}, with their targets."
    return Verdict(words, None, culprit_of(y, "data"), Advice([look], []))


def _is_list_of_samples(found: Misfit, x: Party) -> bool:
    """Whether several arrays were passed to a model with one Input, each like one of its samples."""
    entrance, shape = input_layer(found.error), x.shape or []
    asked = entrance.output_shape if entrance is not None else None
    several = len(found.error.of_role("x")) > 1 and x.text.endswith("[0]")
    return several and asked is not None and conforms(shape, asked[1:])


def _turned(found: Misfit, x: Party, rows: int) -> str:
    """The axis of the rows, where it is another one of x: the model then gets what its Input asks for."""
    entrance, shape = input_layer(found.error), x.shape or []
    asked = entrance.output_shape if entrance is not None else None
    for change in changes(shape):
        fits = change.kind == "transpose" and change.shape[0] == rows and (not asked or conforms(change.shape, asked))
        if fits and len(shape) == 2:
            turned = f"`{x.text or 'x'}.T` makes it {shape_words(change.shape)}"
            return f"The samples are the columns of {name_of(x, 'x')} {shape_words(shape)}: {turned}."
    return ""


def _judged(met: Meeting) -> Verdict:
    if met.found.error.facts.metric:
        return of_metric(met)
    sparse = is_sparse(met.found.error)
    # What is evaluated in the middle of a training must be like what is trained on: the loss is right.
    compiled = error_edits.loss_frame(met.found.error) if not met.is_evaluated else None
    shown = f"{met.name} {shape_words(met.labels.shape)}"
    if not sparse and are_numbers(met):
        words = f"{shown} {held(met, span(met.labels))}, but the loss {met.loss} expects rows as wide as "
        words += f"{met.gives} {shape_words(met.output)}"
        return Verdict(words, compiled, culprit_of(met.labels, "target"), for_numbers(met))
    if _are_quantities(met):
        told = f" from {met.labels.lowest} to {met.labels.highest}" if met.labels.highest is not None else ""
        words = f"{shown} holds numbers{told} and not classes, but the loss {met.loss} compares classes"
        told = "Use a loss for numbers, such as `mse`; for values from 0 to 1 also `binary_crossentropy`."
        advice = advised(told, "loss", Way("use a loss for numbers, `mse`", _for_quantities(met)))
        return Verdict(words, compiled, culprit_of(met.labels, "target"), advice)
    if sparse and _are_rows(met):
        coded = _one_hot_line(met.found)
        rows = "one-hot rows" if met.labels.one_hot or coded else f"rows of {met.target[-1]}"
        rows += f" ({coded})" if coded else ""
        words = f"{shown} holds {rows}, but the loss {met.loss} expects one integer class label per sample"
        if (several := for_several_at_once(met)) is not None:
            return Verdict(words, compiled, culprit_of(met.labels, "target"), several)
        name = met.labels.text or "y"
        code = _NUMBERS if met.found.error.facts.call else _IN_GRAPH
        numbers = (
            f"drop the one-hot encoding on {coded}"
            if coded
            else (f"pass integer labels: `{code.format(x=name)}`{error_edits.beside(met.found.error, met.labels)}")
        )
        other = "categorical_crossentropy" if met.found.error.facts.call else "softmax_cross_entropy_with_logits"
        encoder = None if coded else encoder_of(met.found.error, met.labels)
        own = _is_own_loss(met)
        way = [] if met.is_evaluated or own else [Way(f"use `{other}`", _for_rows(met))]
        if encoder is not None:
            numbers = f"leave out the one-hot encoding on {line_words(encoder.frame)}: `{encoder.numbers}`"
            way.append(Way(numbers, encoder.left_out(met.found.error)))
        elif not coded and (read := _read_as_numbers(met)) is not None:
            numbers = read.words
            way.append(read)
        elif not coded:
            way.append(Way(numbers, error_edits.passed(met.found.error, met.labels, code)))
        whole = numbers if met.is_evaluated or own else f"use `{other}`, or {numbers}"
        advice = Advice([f"{capital(whole)}."], changes_of("loss", way))
        place = encoder.frame if own and encoder is not None else compiled
        return Verdict(words, place, culprit_of(met.labels, "target"), advice)
    shifted = _not_from_zero(met)
    if shifted is not None:
        return shifted
    made = met.layer.made if met.layer is not None else None
    layer = met.layer
    culprit = Culprit(kind="layer", name=layer.name, shape=met.output) if layer else culprit_of(met.labels, "target")
    gives = f"{met.gives} is {shape_words(met.output)}"
    if len(met.output) > len(met.target) + (1 if sparse else 0) and len(met.output) > 2:
        words = f"{gives}, but {met.shown}: the loss {met.loss} expects one row per sample"
        steps = _recurrent(met, "True")
        if steps is not None:
            told = (
                f"Without `return_sequences=True` {layer_words(steps)} returns only its last step: one row per sample."
            )
            edits = error_edits.setting(met.found.error, steps, "return_sequences", "False")
            return Verdict(words, steps.made, culprit, advised(told, "layer", edits))
        if layer is not None and "units" not in layer.settings:
            return Verdict(words, _made_model(met) or made, culprit, _topped(met))
        if not losses.fits("sparse" if sparse else "", [None, *met.target[1:]], [None, met.output[-1]]):
            words = f"{gives}, but {met.shown}{span(met.labels)}: {_axes(met.found)}"
            return Verdict(words, made, culprit, nothing())
        told = "A `Flatten` or a global pooling before the last layer gives one row per sample."
        flat = Way("A `Flatten` before the last layer gives one row per sample", _flattened(met))
        return Verdict(words, made, culprit, advised(told, "layer", flat))
    words = f"{gives}, but {met.shown}{span(met.labels)}: {_axes(met.found)}"
    lasts = _recurrent(met, "False") if len(met.target) > len(met.output) else None
    if lasts is not None:
        told = f"`return_sequences=True` in {layer_words(lasts)} returns every step: one row per target."
        edits = error_edits.setting(met.found.error, lasts, "return_sequences", "True")
        return Verdict(words, lasts.made, culprit, advised(told, "layer", edits))
    advice = _for_width(met)
    return Verdict(words, advice.frame or made, culprit, advice)


def _is_own_loss(met: Meeting) -> bool:
    """Whether the loss is a function of the program's, which no name of Keras' stands for."""
    functions = {one.name for _, one in across(met.found.error.sources, ast.FunctionDef)}
    return met.loss.rpartition(".")[2] in functions


def _made_model(met: Meeting) -> Frame | None:
    """The line that gave the model its name."""
    facts = met.found.error.facts
    source = source_at(met.found.error.sources, facts.place)
    if source is None or facts.place is None or not facts.receiver.isidentifier():
        return None
    made = last_assignment(facts.receiver, scope_at(source.tree, facts.place.line), facts.place.line)
    frame = facts.place
    return Frame(file=frame.file, line=made.lineno, function=frame.function, user=True) if made is not None else None


def _topped(met: Meeting) -> Advice:
    """A model that ends in feature maps, with layers behind it that give what the targets ask for."""
    sparse, width = is_sparse(met.found.error), met.target[-1] if len(met.target) > 1 else 1
    classes = (met.labels.highest or 0) + 1 if sparse else width
    activation = "sigmoid" if "binary" in met.loss.lower() else "softmax" if "categorical" in met.loss.lower() else None
    word = f', activation="{activation}"' if activation else ""
    told = f"It ends in feature maps: add a `Flatten()` (or a global pooling) and a `Dense({classes}{word})` behind it."
    return Advice([told], [])


def _for_quantities(met: Meeting) -> Edits:
    name = SPARSE if is_sparse(met.found.error) else DENSE
    return error_edits.loss(met.found.error, name, "mse")


def _for_rows(met: Meeting) -> Edits:
    """The loss for one-hot rows: of a model that was compiled, or the op of the program's own loop."""
    error = met.found.error
    if error.facts.call:
        return error_edits.loss(error, SPARSE, DENSE)
    source, place = source_at(error.sources, error.facts.place), error.facts.place
    if source is None or place is None or not (met.labels.dtype or "").startswith("float"):
        return None
    return called_name(source, place.file, place.line, f"sparse_{_OP}", _OP)


def _flattened(met: Meeting) -> Edits:
    """A Flatten before a last Dense, where what comes out then fits."""
    layer, width = met.layer, met.output[-1]
    loss = "sparse" if is_sparse(met.found.error) else ""
    if layer is None or layer.type != "Dense" or not losses.fits(loss, [None, *met.target[1:]], [None, width]):
        return None
    return error_edits.inserted(met.found.error, layer, "Flatten()")


def _recurrent(met: Meeting, now: str) -> LayerFacts | None:
    """The last recurrent layer that gives every step ("True") or its last one, where the other makes the output fit."""
    facts = met.found.error.facts
    listed = [one for one in facts.layers if setting(one, "return_sequences") == now]
    if not listed:
        return None
    other = with_setting(listed[-1], "return_sequences", "False" if now == "True" else "True")
    passage = through(replaced(facts.layers, other), {}, facts.model in ("", "Sequential"))
    made = passage.outputs.get(facts.layers[-1].name)
    if passage.refused is not None:
        return None
    if made is None:
        # A plan that is not known as a whole refuses nothing.
        return listed[-1] if now == "True" and len(met.output) == 3 > len(met.target) else None
    fits = losses.fits("sparse" if is_sparse(met.found.error) else "", [None, *met.target[1:]], [None, *made[1:]])
    return listed[-1] if fits else None


def _are_quantities(met: Meeting) -> bool:
    """Whether targets as large as the output are neither classes nor one-hot rows: an array with values of which each
    row has several."""
    labels, output = met.labels, met.output
    known = bool(labels.text) and labels.type.endswith(("ndarray", "EagerTensor")) and labels.shape is not None
    alike = len(labels.shape or []) == len(output) > 1 and (labels.shape or [])[1:] == output[1:]
    same = any(party.text == labels.text for party in met.found.error.of_role("x"))
    many = same or (labels.highest or 0) > 1
    return known and alike and many and not labels.one_hot and output[-1] != 1 and "categorical" in met.loss.lower()


def _are_rows(met: Meeting) -> bool:
    same = len(met.target) == len(met.output) > 1 and met.target[-1] == met.output[-1] != 1
    return met.labels.one_hot or same


def _one_hot_line(found: Misfit) -> str:
    """`line 12`, where a function of the data set made one-hot rows of the labels."""
    for party in found.error.of_role("label"):
        made = next((one.frame for one in party.sources if one.kind == "op" and one.name == "OneHot"), None)
        if made is not None:
            return line_words(made)
    return ""


def _for_width(met: Meeting) -> Advice:
    maps = _for_maps(met)
    if maps:
        return maps
    width = met.target[-1] if len(met.target) > 1 else 1
    units = met.layer.settings.get("units") if met.layer is not None else None
    if met.layer is None or width is None or units is None:
        return _for_setting(met) or Advice(
            ["Make the model's output as wide as the targets, or the targets as wide as it."], []
        )
    kind, activation = met.layer.type, met.layer.settings.get("activation", "")
    binary = "binary" in met.loss.lower()
    if units == str(width) or not losses.fits(met.loss, met.target, [*met.output[:-1], width]):
        return _for_setting(met)
    if width == 1 and (binary or activation == "softmax"):
        # A softmax over one unit is always 1: nothing would be learnt.
        return for_one_number(met, int(units))
    encoder = encoder_of(met.found.error, met.labels)
    left_out = f"leave out the one-hot encoding: `{encoder.numbers}`" if encoder is not None else ""
    way = Way(left_out, encoder.left_out(met.found.error)) if encoder is not None else None
    if (coded := for_rows(met, width, way)) is not None:
        return coded
    words = f"`{kind}({width}, …)` as the last layer would be as wide as {met.name}."
    return advised(words, "layer", error_edits.setting(met.found.error, met.layer, "units", str(width)))


def _for_setting(met: Meeting) -> Advice:
    """The setting of one layer with which the output fits."""
    facts, loss = met.found.error.facts, "sparse" if is_sparse(met.found.error) else ""

    def fits(made: Shape) -> bool:
        return losses.fits(loss, [None, *met.target[1:]], [None, *made[1:]])

    other = next(other_settings(facts.layers, met.target[1:], fits, facts.model in ("", "Sequential")), None)
    if other is None:
        return nothing()
    made = shape_words(other.output)
    value = other.value if other.value.isdigit() else f'"{other.value}"'
    words = f"`{other.name}={value}` in {layer_words(other.layer)} makes the output {made}, as {met.name} asks."
    edits = error_edits.setting(met.found.error, other.layer, other.name, value)
    return advised(words, "layer", Way(words, edits, other.layer.made))


def _not_from_zero(met: Meeting) -> Verdict | None:
    """One-hot rows that begin with columns which nothing uses, and use no more of them than the output has."""
    labels, width, columns = met.labels, met.output[-1] or 0, met.target[-1] or 0
    if labels.role != "y" or not labels.one_hot or not labels.first_class or labels.classes is None:
        return None
    # A batch need not have all classes; but columns that are as many as the output has, from the first used one on, are
    # no chance.
    rows, is_exact = (labels.shape or [0])[0] or 0, columns - labels.first_class == width
    if labels.classes > width or (rows < 2 * columns and not is_exact):
        return None
    first, encoder = labels.first_class, encoder_of(met.found.error, labels)
    words = (
        f"{met.name} {shape_words(labels.shape)} uses {labels.classes} of its {met.target[-1]} columns, from column "
        f"{first} on: the class numbers do not count from 0, and {met.gives} is {shape_words(met.output)}"
    )
    numbers = encoder.numbers if encoder is not None else "the class numbers"
    told = f"Subtract {first} before they become one-hot rows: `{numbers} - {first}`."
    edits = None
    if encoder is not None:
        source, given = met.found.error.sources[encoder.file], encoder.call.args[0]
        simple = isinstance(given, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        right = f"{numbers} - {first}" if simple else f"({numbers}) - {first}"
        edits = [over(source, encoder.file, given, right)]
    advice = advised(told, "labels", edits)
    return Verdict(words, encoder.frame if encoder is not None else None, culprit_of(labels, "target"), advice)


def _for_maps(met: Meeting) -> Advice:
    """Maps of the same sort in two sizes: the steps up and down by which they differ."""
    inner = range(1, len(met.output) - 1)
    sparse = is_sparse(met.found.error)
    maps = len(met.output) > 3 and len(met.target) in (len(met.output), len(met.output) - sparse)
    pairs = [(met.target[at], met.output[at]) for at in inner] if maps else []
    sizes = [(one, other) for one, other in pairs if one and other and one != other]
    if not sizes or (not sparse and met.target[-1] != met.output[-1]):
        return nothing()
    again = sizes_that_return(met.found.error, [at for at in inner if met.target[at] != met.output[at]], met.target)
    if again:
        other = _for_setting(met)
        return other._replace(sentences=[*other.sentences, *again.sentences]) if other else again
    for large, small, words in ((0, 1, _UP), (1, 0, _DOWN)):
        factors = {one[large] / one[small] for one in sizes}
        if len(factors) == 1 and (factor := factors.pop()) > 1 and factor == int(factor):
            return Advice([words.format(factor=int(factor), size=sizes[0][0])], [])
    words = f"The output is {sizes[0][1]} but the targets are {sizes[0][0]}: pad, crop or resize one of them."
    return Advice([words], [])


def _axes(found: Misfit) -> str:
    if not found.axes:
        return "they have different numbers of axes"
    at, _, one, other = found.axes[0]
    return f"axis {at} is {other} vs {one}"
