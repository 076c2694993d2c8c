"""Weights were loaded or set that do not fit the model.

## What it detects
`load_weights`, `load_model`, `set_weights`, `tf.train.Checkpoint.restore` and a v1 `Saver` that meet a weight of
another shape, or another number of layers or weights, than the model has.

## Why it happens
The model was changed after the weights were saved: another width, another number of classes, a layer more or less,
another input; or the file belongs to another model.

## Evidence
Both shapes, from the library's message; the layer, and the line that made it, from the recorder; for HDF5 files of the
older form the list of layers in the file beside that of the model.

## How it is proved
Both shapes are direct evidence. Which of both sides is wrong is known only where the size is a setting that the
program writes: certain; else it is likely, and the line is that of the layer,
which is what the program can change. Where its size is a setting of the program (a constant, an attribute, a default,
an option, also in another file), and one line says it, the line is that one. The line that says the size of the
weights is shown beside it.

## Fix
Give the layer the width that was saved, or load into the other layers only (`skip_mismatch=True`).

## Known problems
A layer that comes from `keras.applications` or a loaded model has no line in the program: the line is then that of the
call. A `.weights.h5` file has no names of layers, so a layer more or less shows as the first one that does not fit.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix, root_of
from whydied.diagnose.errors.advice import Advice, Way, changes_of
from whydied.diagnose.errors.calls.other_builder import OtherBuilder, other_builder
from whydied.diagnose.errors.usage import place_of, root_link, said
from whydied.diagnose.errors.written_numbers import WrittenNumber, written_input, written_number
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import Frame, RaisedException, SavedWeight, WeightsCompared
from whydied.source.calls import callee
from whydied.source.edits.call_edits import add_argument, calls_at
from whydied.source.edits.edit import Edit
from whydied.source.edits.shapes import layer_edits
from whydied.source.trees import nodes_on
from whydied.texts import weights

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    link, raised = root_link(case), case.uncaught
    if link is None or raised is None or case.principal is None:
        return None
    root = root_of(raised.chain)
    found = [one for one in case.principal.all(WeightsCompared) if one.link <= root]
    if not found:
        return None
    compared = found[-1]
    call = place_of(case)
    other = other_builder(case, call)
    if other is not None and other.own.file != other.own.called_in:
        # A copy of the builder in the file itself was meant to be the same: there the layer says more.
        return _of_other(case, compared, link, call, other)
    if compared.expected is None or compared.received is None:
        return _count(case, compared, link, call)
    return _shape(case, compared, link, call)


def _of_other(
    case: Case, compared: WeightsCompared, link: RaisedException, call: Location | None, other: OtherBuilder
) -> Finding:
    """A model of another builder than the one whose weights were saved."""
    own, saved = other.own, other.saved
    function = (call.function if call is not None else None) or ""
    place = case.locate(Frame(file=own.called_in, line=own.line, function=function, user=True))
    wrote = f"{_base(other.saves[0])}:{other.saves[1]}"
    shapes = (_words(compared.expected or []), _words(compared.received or []))
    where = f" (layer {compared.layer} has {shapes[0]}, and {shapes[1]} was saved)"
    differ = where if compared.layer and compared.expected and compared.received else ""
    stored = _base(compared.path) or "the file"
    return Finding(
        message=(
            f"{prefix(place)}the model is made by `{own.name}` of {_base(own.file)}, and {stored} has the weights "
            f"of the one that `{saved.name}` of {_base(saved.file)} makes, saved at {wrote}{differ}"
        ),
        certainty="likely",
        location=place,
        culprit=Culprit(kind="function", name=own.name),
        evidence=[
            Evidence(fact="weights saved at", value=f"{other.saves[0]}:{other.saves[1]}", source="source"),
            Evidence(fact="model saved there is made at", value=f"{saved.called_in}:{saved.line}", source="source"),
            *([_at(call)] if call else []),
            said(link),
        ],
        advice=[f"Make the model with `{saved.name}` of {_base(saved.file)}, as the training does."],
        changes=other.changes,
    )


def _shape(case: Case, compared: WeightsCompared, link: RaisedException, call: Location | None) -> Finding:
    expected, received = compared.expected or [], compared.received or []
    made = case.locate(compared.frame) if compared.frame and compared.frame.user else call
    here, there = _written(case, compared, expected, received)
    place = here.place if here is not None and here.is_setting else made
    where = f"layer {compared.layer}" if compared.layer else "a variable"
    weight = (
        f"{where} has a {compared.weight} of shape {_words(expected)}"
        if compared.weight
        else (f"{where} has a weight of shape {_words(expected)}")
    )
    source = f" from {_base(compared.path)}" if compared.path else ""
    loaded = f"loaded at {prefix(call)[:-2]}" if call and call != place else "to load"
    set_to = f"`{here.name}` is {here.value}, so " if here is not None and here.is_setting else ""
    advice = _shape_advice(case, compared, call)
    return Finding(
        message=f"{prefix(place)}{set_to}{weight}, but the weights{source} {loaded} have {_words(received)}",
        # Both shapes are read; which side is wrong is told only by a setting that the program wrote.
        certainty="certain" if here is not None and here.is_setting else "likely",
        location=place,
        culprit=Culprit(kind="layer", name=compared.layer or compared.weight or None, shape=[*expected]),
        evidence=[
            Evidence(fact="shape in the model", value=_words(expected), source="WeightsCompared"),
            Evidence(fact="shape in the weights", value=_words(received), source="WeightsCompared"),
            *([_of_layer(made)] if made and made != place else []),
            *(one.evidence for one in (here, there) if one is not None and one.place != place),
            *([_at(call)] if call else []),
            said(link),
        ],
        advice=advice.sentences,
        changes=advice.changes,
    )


def _written(
    case: Case, compared: WeightsCompared, expected: list[int], received: list[int]
) -> tuple[WrittenNumber | None, WrittenNumber | None]:
    """Where the size that differs is written, for the model and, behind the same expression, for the weights."""
    pairs = list(zip(expected, received, strict=False))
    differing = [axis for axis, (size, other) in enumerate(pairs) if size != other]
    if len(expected) != len(received) or len(differing) != 1:
        return None, None
    size, other = pairs[differing[0]]
    if differing[0] == len(expected) - 1:
        frame = compared.frame if compared.frame and compared.frame.user else None
        return written_number(case, frame, size), written_number(case, frame, other)
    if differing[0] == len(expected) - 2 and compared.layers and compared.layers[0].layer == compared.layer:
        return written_input(case, size), written_input(case, other)
    return None, None


def _of_layer(made: Location) -> Evidence:
    return Evidence(fact="layer made at", value=f"{made.file}:{made.line}", source="WeightsCompared")


def _shape_advice(case: Case, compared: WeightsCompared, call: Location | None) -> Advice:
    expected, received = compared.expected or [], compared.received or []
    name = compared.layer or "the layer"
    words, ways = [], []
    differing = [axis for axis, pair in enumerate(zip(expected, received, strict=False)) if pair[0] != pair[1]]
    if len(expected) == len(received) and differing == [len(expected) - 1]:
        words.append(f"Make {name} {received[-1]:,} wide instead of {expected[-1]:,}, as it was when saved.")
        ways.append(Way(words[-1], _wide(case, compared, received[-1])))
    elif len(expected) == len(received) and len(expected) > 1 and differing == [len(expected) - 2]:
        words.append(
            f"The input of {name} has {expected[-2]:,} features, but had {received[-2]:,} when saved: fix the layer "
            "or the Input before it."
        )
    if compared.path:
        # What Keras reads from a file; a `tf.train.Checkpoint` restores all or nothing.
        words.append(
            f"If {name} is intentionally new, load the rest of a Keras file: `load_weights(…, skip_mismatch=True)`."
        )
        ways.append(Way(words[-1], _skipping(case, compared, call)))
    return Advice(words, changes_of("layer", ways))


def _wide(case: Case, compared: WeightsCompared, size: int) -> list[Edit] | None:
    """The units or filters of the layer: the call with its name, else the only one that the line makes with some."""
    frame = compared.frame
    source = case.sources.get(frame.file) if frame is not None else None
    if frame is None or source is None:
        return None
    calls = [node for node in nodes_on(source, frame.line) if isinstance(node, ast.Call)]
    named = [one for one in calls if _name_in(one) == compared.layer]
    sized = [one for one in named or calls if layer_edits.argument_of(one, callee(one), "units") is not None]
    sized = [one for one in sized if callee(one)[:1].isupper() and callee(one) not in ("Input", "Sequential", "Model")]
    if len(sized) != 1 or compared.weight not in ("kernel", "bias", ""):
        return None
    word = "filters" if "Conv" in callee(sized[0]) else "units"
    return layer_edits.set_setting(source, frame.file, sized[0], callee(sized[0]), word, str(size))


def _name_in(call: ast.Call) -> str:
    given = next((word.value for word in call.keywords if word.arg == "name"), None)
    return given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else ""


def _skipping(case: Case, compared: WeightsCompared, place: Location | None) -> list[Edit] | None:
    """`skip_mismatch=True` where a file of the present form is loaded; the older one wants names, too."""
    source = case.sources.get(place.file) if place is not None else None
    if place is None or source is None or not compared.path.endswith((".weights.h5", ".keras")):
        return None
    calls = calls_at(source, place.line, "load_weights")
    return [add_argument(source, place.file, calls[0], "skip_mismatch=True")] if len(calls) == 1 else None


def _count(case: Case, compared: WeightsCompared, link: RaisedException, call: Location | None) -> Finding:
    odd = _odd(compared.layers, compared.saved)
    place = case.locate(odd.frame) if odd is not None and odd.frame and odd.frame.user else call
    name = odd.layer if odd is not None else compared.layer or compared.model
    source = _base(compared.path) if compared.path else "the given list"
    if compared.layers and compared.saved:
        here, there = len(compared.layers), len(compared.saved)
        message = f"{compared.model or 'the model'} has {here} layers with weights, but {source} has {there}"
        if odd is not None:
            missing = odd in compared.layers
            shapes = " and ".join(_words(shape) for shape in odd.shapes)
            message += f"; {odd.layer} {shapes} is only in the {'model' if missing else 'file'}"
    else:
        message = f"{compared.model or 'the model'} has a different number of weights than it is given: {_line(link)}"
    advice = ["Build the model as it was when the weights were saved."]
    unbuilt = weights.NO_WEIGHTS_YET.pattern.search(link.message) is not None
    if unbuilt:
        advice = ["Build the model first (an `Input`, `build(shape)` or one call): it has no weights yet."]
    return Finding(
        message=f"{prefix(place)}{message}",
        certainty="certain" if unbuilt or odd is not None else "likely",
        location=place,
        culprit=Culprit(kind="layer", name=name or None),
        evidence=[*([_at(call)] if call else []), said(link)],
        advice=advice,
    )


def _odd(layers: list[SavedWeight], saved: list[SavedWeight]) -> SavedWeight | None:
    """The first layer that only one side has, by the shapes of its weights."""
    if not layers or not saved or len(layers) == len(saved):
        return None
    longer, shorter = (layers, saved) if len(layers) > len(saved) else (saved, layers)
    names = {one.layer for one in shorter}
    extra = [one for one in longer if one.layer not in names]
    if len(extra) == len(longer) - len(shorter):
        return extra[0]
    for n, one in enumerate(longer):
        if n >= len(shorter) or one.shapes != shorter[n].shapes:
            return one
    return None


def _at(call: Location) -> Evidence:
    return Evidence(fact="called at", value=f"{call.file}:{call.line}", source="ExceptionRaised")


def _words(shape: list[int]) -> str:
    return f"({', '.join(str(size) for size in shape)}{',' if len(shape) == 1 else ''})"


def _base(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1]


def _line(link: RaisedException) -> str:
    return " ".join(link.message.split())[:200].rstrip(".")
