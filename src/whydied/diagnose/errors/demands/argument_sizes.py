"""One argument of a call against another: lengths and the time axis, a cut and the picture, classes and labels.
Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.advice import Way, advised, either
from whydied.diagnose.errors.demands.demand import Entry, Scene, Told, shown
from whydied.diagnose.errors.framework_error import shape_words
from whydied.records import Party
from whydied.source.assignments import last_assignment
from whydied.source.calls import method_calls
from whydied.source.edits.call_edits import calls_at, replace_expression, set_argument
from whydied.source.edits.edit import Edit
from whydied.source.trees import located, scope_at
from whydied.texts import demands


def _steps(scene: Scene) -> Told | None:
    """The lengths that CTC was given, against the time steps of what the network gives."""
    lengths = scene.argument("input_length", "logit_length", "sequence_length")
    output = scene.argument("y_pred", "logits", "inputs")
    most = int(scene.said.match["most"])
    if lengths is None or lengths.highest is None or lengths.highest <= most:
        return None
    steps = f"{shown(output, 'the output')} {shape_words(output.shape)}" if output is not None else "the output"
    factor = lengths.highest // most if most and lengths.highest % most == 0 else 0
    least = f"{lengths.lowest} to " if lengths.lowest not in (None, lengths.highest) else ""
    shorter = f", 1 for every {factor}" if factor > 1 else ""
    maker = scene.made_at(lengths)
    edits = _replaced(scene, lengths, f"{lengths.text} // {factor}") if factor > 1 else None
    where = f" (made on {line_words(maker)})" if maker is not None else ""
    return Told(
        f"{shown(lengths, 'the argument')}{where} holds lengths of {least}{lengths.highest}, but {steps} has only "
        f"{most} time steps{shorter}; expected lengths of the network's output, not of its input",
        advised(
            f"Divide the lengths by what the network's strides and poolings divide the time axis by: "
            f"`{lengths.text} // {factor}`."
            if factor > 1 and lengths.text
            else "Give the number of time steps that the network puts out for each row.",
            "argument",
            edits,
        ),
        culprit=lengths.text,
    )


def _labels(scene: Scene) -> Told | None:
    needs, has = scene.said.match["needs"], scene.said.match["has"]
    return Told(
        f"a label needs {needs} time steps (one for each symbol, and one between equal ones), and the output has {has} "
        "for it",
        advised(
            "Let the network shorten the time axis less (smaller strides and poolings), or leave out rows whose labels "
            "are longer than their output.",
            "argument",
        ),
    )


def _crop(scene: Scene) -> Told | None:
    value, size = scene.argument("value"), scene.argument("size")
    if value is None or not value.shape:
        return None
    given = [call.args[1] for call in scene.calls("random_crop", "stateless_random_crop") if len(call.args) > 1]
    wanted = ast.unparse(given[0]) if given else size.text if size is not None else ""
    return Told(
        f"{shown(value, 'the picture')} {shape_words(value.shape)} is smaller than the cut {wanted}",
        advised(
            f"Enlarge it first: `tf.image.resize_with_crop_or_pad({value.text or 'picture'}, height, width)` with at "
            "least the sizes of the cut, or cut less.",
            "argument",
        ),
        culprit=value.text,
    )


def _box(scene: Scene) -> Told | None:
    side = scene.said.match["side"]
    picture = scene.argument("image")
    offset, target = scene.argument(f"offset_{side}"), scene.argument(f"target_{side}")
    if picture is None or offset is None or target is None or offset.highest is None or target.highest is None:
        return None
    axis = (-2 if side == "width" else -3) if len(picture.shape or []) >= 3 else 0
    size = (picture.shape or [None])[axis] if axis else None
    if size is None or offset.highest + target.highest <= size:
        return None
    return Told(
        f"the cut ends at {side} {offset.highest} + {target.highest} = {offset.highest + target.highest}, but "
        f"{shown(picture, 'the picture')} {shape_words(picture.shape)} has {size}",
        advised(f"`target_{side}` may be at most {size - offset.highest} there.", "argument"),
        culprit=picture.text,
    )


def _columns(scene: Scene) -> Told | None:
    values, number = scene.argument("input", "predictions"), scene.argument("k")
    has, needs = scene.said.match["has"], scene.said.match["needs"]
    if values is None:
        return None
    edits = _replaced(scene, number, has) if number is not None else None
    return Told(
        f"{shown(values, 'the input')} {shape_words(values.shape)} has {has} columns, and k is {needs}",
        advised(f"`k` may be at most {has} there.", "argument", edits),
        culprit=values.text,
    )


def _classes(scene: Scene) -> Told | None:
    classes, what = int(scene.said.match["classes"]), scene.said.match["what"]
    values = scene.argument("y_true" if what == "labels" else "y_pred", what)
    if values is None or values.highest is None or values.highest < classes:
        return None
    return Told(
        f"{shown(values, what)} has the class {values.highest}, but `num_classes` is {classes}: the classes are 0 to "
        f"{classes - 1}",
        either(
            "argument",
            [
                Way(f"`num_classes={values.highest + 1}` if {values.highest} is a class"),
                Way(f"subtract 1 if the classes of {shown(values, 'the data')} begin at 1")
                if values.lowest == 1
                else Way(f"leave {values.highest} out if it marks what is not to count (`ignore_class` of MeanIoU)"),
            ],
        ),
        culprit=values.text,
    )


def _array(scene: Scene) -> Told | None:
    """A TensorArray, by the line that makes it."""
    index, size = int(scene.said.match["index"]), scene.said.match["size"]
    place, source = scene.said.place, scene.source
    names = [base.id for base, _ in method_calls(scene.calls(), ("write",)) if isinstance(base, ast.Name)]
    if place is None or source is None or len(names) != 1:
        return None
    scope = scope_at(source.tree, place.line)
    made = next((one for one in ast.walk(scope) if _makes_array(one, names[0])), None) or last_assignment(
        names[0], scope, place.line
    )
    line = getattr(made, "lineno", 0)
    calls = calls_at(source, line, "TensorArray") if line else []
    if len(calls) != 1:
        return None
    at = located(scene.case.sources, place.file, line)
    edit = set_argument(source, place.file, calls[0], "dynamic_size", 2, "True")
    return Told(
        f"`{names[0]}` is made with {size} places, and {line_words(place)} writes to place {index}, counted from 0",
        advised(
            f"Give it at least {index + 1} places, or let it grow: `dynamic_size=True`.",
            "argument",
            [edit] if edit is not None else None,
        ),
        place=at,
        culprit=names[0],
    )


def _makes_array(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.Assign) or not any(
        isinstance(one, ast.Name) and one.id == name for one in node.targets
    ):
        return False
    made = node.value
    return isinstance(made, ast.Call) and ast.unparse(made.func).endswith("TensorArray")


def _replaced(scene: Scene, party: Party, text: str) -> list[Edit] | None:
    place, source = scene.said.place, scene.source
    if place is None or source is None or not party.text:
        return None
    edit = replace_expression(source, place.file, place.line, party.text, text)
    return [edit] if edit is not None else None


ENTRIES = (
    Entry(demands.CTC_STEPS.pattern, _steps),
    Entry(demands.CTC_LABELS.pattern, _labels),
    Entry(demands.CROP_SIZE.pattern, _crop),
    Entry(demands.BOX_SIZE.pattern, _box),
    Entry(demands.TOO_FEW_COLUMNS.pattern, _columns),
    Entry(demands.LABEL_BOUND.pattern, _classes),
    Entry(demands.ARRAY_FULL.pattern, _array),
)
