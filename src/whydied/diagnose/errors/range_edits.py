"""Edits for values out of range: of the data where they are passed or made, of the layer that is too small. Pure."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.errors.advice import source_at
from whydied.diagnose.errors.framework_error import framework_error
from whydied.diagnose.errors.ranges import Bad
from whydied.diagnose.finding import Location
from whydied.records import Frame
from whydied.source.calls import callee, receiver
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes import layer_edits
from whydied.source.edits.shapes.loss_edits import SPARSE, compiled_loss, ignoring_loss
from whydied.source.edits.shapes.passed_data import likewise
from whydied.source.edits.shapes.value_edits import filled_edits, made_edits, use_edits
from whydied.source.trees import nodes_on

_CALLS = ("fit", "evaluate", "train_on_batch", "test_on_batch", "predict", "predict_on_batch")
_LAYER = re.compile(r"(?P<type>\w+) '(?P<name>[^']*)'")


def values(bad: Bad, case: Case, place: Location | None, role: str, code: str) -> list[Edit] | None:
    """The data in the call into Keras that they are passed to as x or y, and in the calls behind it, else where the
    program makes them."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None or bad.source == "ExceptionRaised" or (bad.is_batch and not bad.origin):
        return None
    name = bad.origin or bad.name
    passed = None if bad.origin else use_edits(source, place.file, place.line, name, code, _CALLS)
    if not passed:
        return made_edits(source, place.file, place.line, name, code)
    model = receiver(case.sources, place, ("fit",))
    later = likewise(source, place.file, place.line, model, role, code, name) if model is not None else []
    return list(dict.fromkeys([*passed, *later]))


def clipped(case: Case, bad: Bad, place: Location | None, high: int) -> list[Edit] | None:
    """The data held within a range, once they are made."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None or bad.source == "ExceptionRaised" or not bad.name.isidentifier():
        return None
    return filled_edits(source, place.file, place.line, bad.name, f"np.clip({{x}}, 0, {high})")


def size(case: Case, limit: str, made: Frame | None, word: str, was: int, wanted: int) -> list[Edit] | None:
    """The size of the layer that is too small."""
    known, source = _LAYER.match(limit), source_at(case.sources, made)
    if known is None or source is None or made is None:
        return None
    settings = {word: str(was)} if was else {}
    layer = layer_edits.Made(known["type"], known["name"], settings)
    call = layer_edits.layer_call(source, made.line, layer, [layer])
    if call is None:
        return None
    if was and wanted == was + 1:
        given = layer_edits.argument_of(call, layer.type, word)
        one = layer_edits.set_one_more(source, made.file, call, layer.type, word, wanted)
        if one is None and word == "input_dim" and isinstance(given, ast.Name):
            # Of a function that makes several tables: a row that nobody asks for does no harm.
            one = [over(source, made.file, given, f"{given.id} + 1")]
        return one
    return layer_edits.set_setting(source, made.file, call, layer.type, word, str(wanted))


class Exchanged(NamedTuple):
    """`words` is the call with its numbers for each other, which has `rows` rows."""

    words: str
    rows: int
    edits: list[Edit]


def exchanged(case: Case, bad: Bad) -> Exchanged | None:
    """An Embedding whose width is as many rows as the ids need, while its rows are not enough."""
    error, source = framework_error(case), source_at(case.sources, bad.made)
    known = _LAYER.match(bad.limit)
    layers = [one for one in (error.facts.layers if error is not None else []) if known and one.name == known["name"]]
    if source is None or bad.made is None or len(layers) != 1 or layers[0].type != "Embedding" or bad.greatest is None:
        return None
    width = layers[0].output_shape[-1] if layers[0].output_shape else None
    calls = [one for one in nodes_on(source, bad.made.line) if isinstance(one, ast.Call) and callee(one) == "Embedding"]
    if width is None or width != int(bad.greatest) + 1 or len(calls) != 1 or len(calls[0].args) != 2:
        return None
    first, second = calls[0].args
    edits = [
        over(source, bad.made.file, first, written_in(source, second)),
        over(source, bad.made.file, second, written_in(source, first)),
    ]
    return Exchanged(f"Embedding({written_in(source, second)}, {written_in(source, first)})", width, edits)


def ignoring(case: Case, value: str) -> list[Edit] | None:
    """A loss that passes one label over."""
    error = framework_error(case)
    frame = error.facts.compiled if error is not None else None
    source = source_at(case.sources, frame)
    return ignoring_loss(source, frame.file, frame.line, value) if source is not None and frame is not None else None


def of_two_classes(case: Case) -> list[Edit] | None:
    """The loss of a single output in the place of one over classes."""
    error = framework_error(case)
    frame = error.facts.compiled if error is not None else None
    source = source_at(case.sources, frame)
    if source is None or frame is None:
        return None
    return compiled_loss(source, frame.file, frame.line, SPARSE, "binary_crossentropy")
