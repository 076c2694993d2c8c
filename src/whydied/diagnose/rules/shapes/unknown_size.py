"""A size was asked for that is not known until the step runs: `x.shape[0]` is None in a function that is traced.

## What it detects
An op that was given None among the sizes of a shape, where the source takes it from the shape of a tensor
(`x.shape[0]`, `x.get_shape()[0]`, `K.int_shape(x)[0]`), in the failing statement or in the assignment of a name there;
a weight that a layer's `build` makes with the whole shape of the input, which begins with the batch; a data set whose
elements have no shape at all, because a Python function (`tf.numpy_function`, `from_generator`) makes them.

## Why it happens
A `tf.function`, a loss, a metric or a layer's `call` is traced once for batches of any size: the first axis has no
number then. `x.shape` is what is known at that time, `tf.shape(x)` what it will be.

## Evidence
The exception, and the expression of the source with the recorded shape of its tensor.

## How it is proved
The recorded shape has None at that place: certain. Where the tensor was not recorded: likely.

## Fix
`tf.shape(x)[0]` in its place; in a reshape with no other open size `-1`; for a weight `input_shape[1:]`.

## References
TensorFlow documentation: guide/tensor, About shapes.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.advice import Advice, Way, advised, capital, changes_of, source_at
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, evidence_of, framework_error, shape_words
from whydied.diagnose.errors.ops.stated_shapes import stated_shapes
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import Frame
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee, own_names
from whydied.source.edits.edit import over
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.text import Source
from whydied.source.trees import across, function_at, nodes_on, scope_at, walk
from whydied.texts import shapes_and_types

_NONE = shapes_and_types.NONE_AMONG_SIZES.pattern
_SHAPELESS = ("numpy_function", "py_function", "py_func", "from_generator")

ROLE = "explanation"


class _Size(NamedTuple):
    """The size of an axis of a tensor, as the source asks for it."""

    node: ast.Subscript
    tensor: str
    axis: int
    frame: Frame


def check(case: Case) -> Finding | None:
    error = framework_error(case)
    if error is not None and (lost := _lost_in_data(case, error)) is not None:
        return lost
    weight = _weight_of_batch(case, error) if error is not None else None
    if weight is not None or error is None or not _NONE.search(error.message):
        return weight
    found = [(size, _shape(error, size.tensor)) for size in _sizes(error)]
    unknown = [(size, shape) for size, shape in found if shape is None or _at(shape, size.axis) is None]
    if not unknown:
        return None
    size, shape = unknown[0]
    place = case.locate(size.frame)
    told = f" {shape_words(shape)}" if shape is not None else ""
    advice = _advice(error, size, len(unknown))
    return Finding(
        message=(
            f"{prefix(place)}`{ast.unparse(size.node)}` is None: the size of axis {size.axis} of `{size.tensor}`{told} "
            "is not known while the function is traced"
        ),
        certainty="certain" if shape is not None else "likely",
        location=place,
        culprit=Culprit(kind="tensor", name=size.tensor, shape=shape),
        evidence=evidence_of(error),
        advice=advice.sentences,
        changes=advice.changes,
    )


def _lost_in_data(case: Case, error: FrameworkError) -> Finding | None:
    """A data set whose elements have no shape, because a Python function or a generator makes them: a layer met such
    a tensor."""
    lost = [one for one in error.of_role("element") if one.shape is None and one.type.endswith("TensorSpec")]
    met = [one for one in error.of_role("input", "operand") if one.shape is None and "Tensor" in one.type]
    if not lost or not met or not error.facts.call or any(one.kind == "op" for one in lost[0].sources):
        # Where the op is known that made it, it is told as one of unknown rank.
        return None
    maker = _maker(case)
    if maker is None:
        return None
    file, call = maker
    function = function_at(case.project[file].tree, call.lineno)
    frame = Frame(file=file, line=call.lineno, function=function.name if function else "<module>", user=True)
    place, name = case.locate(frame), callee(call)
    ways = stated_shapes(error, case.project[file], frame)
    failing = f"`{error.facts.call}`" + (f" on {line_words(error.facts.place)}" if error.facts.place else "")
    return Finding(
        message=(
            f"{prefix(place)}what `{ast.unparse(call.func)}` gives has no static shape, so the layers of the model "
            f"cannot be built in {failing}"
        ),
        certainty="likely",
        location=place,
        culprit=Culprit(kind="tensor", name=ast.unparse(call)[:80]),
        evidence=evidence_of(error),
        advice=[f"{capital(ways[0].words)}." if ways else _shape_told(case.project[file], call, name)],
        changes=changes_of("operand", ways),
    )


def _maker(case: Case) -> tuple[str, ast.Call] | None:
    """The only call of the program that makes what has no shape."""
    calls = [one for one in across(case.project, ast.Call) if callee(one[1]) in _SHAPELESS]
    open_ones = [
        one for one in calls if not {"output_shapes", "output_signature"} & {word.arg for word in one[1].keywords}
    ]
    return open_ones[0] if len(open_ones) == 1 else None


def _shape_told(source: Source, call: ast.Call, name: str) -> str:
    if name == "from_generator":
        return "Say the shapes: `output_signature=(tf.TensorSpec(shape, dtype), …)` with those of one element."
    made = [one for one in walk(source.tree, ast.Assign) if one.value is call and isinstance(one.targets[0], ast.Name)]
    target = ast.unparse(made[0].targets[0]) if made else "its result"
    function = ast.unparse(call.args[0]) if call.args else "the function"
    return f"Say its shape below this line: `{target}.set_shape(…)`, with the shape of what `{function}` returns."


def _weight_of_batch(case: Case, error: FrameworkError) -> Finding | None:
    """A weight that a layer makes with the whole shape of its input, the batch included."""
    place, source = error.facts.place, source_at(error.sources, error.facts.place)
    function = function_at(source.tree, place.line) if source is not None and place is not None else None
    given = [party.shape for party in error.of_role("input") if party.shape]
    if source is None or place is None or function is None or function.name != "build" or len(given) != 1:
        return None
    whole = [
        one
        for node in nodes_on(source, place.line)
        if isinstance(node, ast.Call) and callee(node) == "add_weight"
        for one in (*node.args, *(word.value for word in node.keywords))
        if isinstance(one, ast.Name) and one.id in own_names(function)
    ]
    shape = given[0] or []
    if len(whole) != 1 or not shape or shape[0] is not None or None in shape[1:] or len(shape) < 2:
        return None
    name, where = whole[0].id, case.locate(place)
    words = f"`{name}[1:]` is the shape of one sample, {shape_words(shape[1:])}"
    advice = advised(f"{words}.", "operand", Way(words, [over(source, place.file, whole[0], f"{name}[1:]")]))
    return Finding(
        message=f"{prefix(where)}`{name}` {shape_words(shape)} begins with the batch, whose size is not known, and a "
        "weight needs all of its sizes",
        certainty="certain",
        location=where,
        culprit=Culprit(kind="tensor", name=name, shape=shape),
        evidence=evidence_of(error),
        advice=advice.sentences,
        changes=advice.changes,
    )


def _sizes(error: FrameworkError) -> list[_Size]:
    """The sizes that the failing statement takes from shapes, itself or through a name."""
    place, source = error.facts.place, source_at(error.sources, error.facts.place)
    if source is None or place is None:
        return []
    found = [_Size(*one, place) for node in nodes_on(source, place.line) for one in _asked(node)]
    for node in nodes_on(source, place.line):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            made = last_assignment(node.id, scope_at(source.tree, place.line), place.line)
            frame = Frame(file=place.file, line=made.lineno, function=place.function, user=True) if made else None
            if made is not None and frame is not None and isinstance(made, ast.Assign):
                found += [_Size(*one, frame) for one in _asked(made.value)]
    return found


def _asked(node: ast.AST) -> list[tuple[ast.Subscript, str, int]]:
    """`x.shape[0]`, `x.get_shape()[0]`, `x.shape.as_list()[0]`, `K.int_shape(x)[0]`."""
    if not isinstance(node, ast.Subscript):
        return []
    try:
        axis = ast.literal_eval(node.slice)
    except ValueError:
        return []
    tensor = _tensor(node.value)
    return [(node, ast.unparse(tensor), axis)] if tensor is not None and isinstance(axis, int) else []


def _tensor(shape: ast.expr) -> ast.expr | None:
    """The tensor whose shape an expression is."""
    if isinstance(shape, ast.Attribute) and shape.attr == "shape":
        return shape.value
    if not isinstance(shape, ast.Call):
        return None
    if callee(shape) == "int_shape" and len(shape.args) == 1:
        return shape.args[0]
    owner = shape.func.value if isinstance(shape.func, ast.Attribute) else None
    if callee(shape) == "get_shape":
        return owner
    return _tensor(owner) if callee(shape) == "as_list" and owner is not None else None


def _shape(error: FrameworkError, text: str) -> Shape | None:
    """The recorded shape of a tensor of the failing statement, by its words."""
    parties = [party.shape for party in error.of_role("operand", "input") if party.text == text]
    operands = [one.shape for one in error.link.operands if one.text == text]
    return next((shape for shape in (*parties, *operands) if shape is not None), None)


def _at(shape: Shape, axis: int) -> int | None:
    return shape[axis] if -len(shape) <= axis < len(shape) else 0


def _advice(error: FrameworkError, size: _Size, unknown: int) -> Advice:
    source = source_at(error.sources, size.frame)
    assert source is not None
    named = library_name(source, size.frame.file, "tensorflow.shape")
    code, why = f"{named.text}({size.tensor})[{size.axis}]", "is the size that the batch will have"
    if unknown == 1 and _is_reshape(source, size):
        code, named, why = "-1", named._replace(needed=[]), "leaves it to the reshape"
    edits = [*named.needed, over(source, size.frame.file, size.node, code)]
    return advised(f"`{code}` in place of `{ast.unparse(size.node)}` {why}.", "operand", edits)


def _is_reshape(source: Source, size: _Size) -> bool:
    """Whether the size stands in the shape of a reshape that has no other open one."""
    for call in nodes_on(source, size.frame.line):
        if isinstance(call, ast.Call) and callee(call) == "reshape" and call.args:
            sizes = call.args[-1].elts if isinstance(call.args[-1], ast.Tuple | ast.List) else []
            if any(ast.unparse(one) == ast.unparse(size.node) for one in sizes):
                return not any(ast.unparse(one) == "-1" for one in sizes)
    return False
