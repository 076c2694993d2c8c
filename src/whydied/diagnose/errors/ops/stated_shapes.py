"""The shapes of what a Python function gives to a graph, stated as the model's ends have them. Pure.

A function that runs outside of the graph gives tensors without a shape. Which result is the input and which the target
is told by their order; whether they are batched already is decided by a trial.
"""

from __future__ import annotations

import ast
import itertools

from whydied.diagnose.errors.advice import Way
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, shape_words
from whydied.diagnose.errors.misfit import is_sparse
from whydied.diagnose.errors.model_ends import input_layer, last_layer
from whydied.records import Frame
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, line_after, over, statement, written_in
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.text import Source
from whydied.source.trees import nodes_on

MOST = 4
PYTHON_FUNCTIONS = ("numpy_function", "py_function", "py_func")


def stated_shapes(error: FrameworkError, source: Source, made: Frame) -> list[Way]:
    """The shapes after the line that made what has none, the likeliest first."""
    nodes = nodes_on(source, made.line)
    calls = [one for one in nodes if isinstance(one, ast.Call) and callee(one) in PYTHON_FUNCTIONS]
    count = _count(calls[0]) if len(calls) == 1 else 0
    choices = _shapes(error, count)
    ways = []
    for shapes in choices[:MOST]:
        found = _written(source, made, nodes, calls[0], shapes)
        if found is not None:
            words, edits = found
            ways.append(Way(f"state the shape of what it gives, as the model takes it: {words}", edits))
    return ways


def _count(call: ast.Call) -> int:
    """How many results are declared."""
    declared = passed_argument(call, "Tout") or passed_argument(call, "2")
    if isinstance(declared, ast.Tuple | ast.List):
        return len(declared.elts)
    return 1 if isinstance(declared, ast.Attribute | ast.Constant) else 0


def _shapes(error: FrameworkError, count: int) -> list[list[Shape]]:
    """For each result its shape: of one sample, then of a batch."""
    entrance, end = input_layer(error), last_layer(error)
    wanted = error.facts.wanted
    taken = (entrance.output_shape if entrance is not None else None) or (wanted.shape if wanted is not None else None)
    given = end.output_shape if end is not None else None
    lost = [role for role in ("element", "label") if any(one.shape is None for one in error.of_role(role))]
    numbers: list[Shape] = [[None]]
    targets = numbers if is_sparse(error) or not error.facts.loss or not given else [given, *numbers]
    of_role: dict[str, list[Shape]] = {"element": [taken] if taken else [], "label": targets}
    roles = ["element", "label"] if count == 2 else lost if len(lost) == count == 1 else []
    if not roles or not all(of_role[role] for role in roles):
        return []
    batched = [list(chosen) for chosen in itertools.product(*(of_role[role] for role in roles))]
    return [*([shape[1:] for shape in shapes] for shapes in batched), *batched]


def _written(
    source: Source, made: Frame, nodes: list[ast.AST], call: ast.Call, shapes: list[Shape]
) -> tuple[str, list[Edit]] | None:
    """Below an assignment to plain names, around a single result, or between a call and its `return`."""
    assigned = next((one for one in nodes if isinstance(one, ast.Assign) and one.value is call), None)
    if assigned is not None and len(assigned.targets) == 1:
        target = assigned.targets[0]
        names = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        plain = [one.id for one in names if isinstance(one, ast.Name)]
        if len(plain) != len(shapes):
            return None
        lines = _lines(plain, shapes)
        first = source.lines[source.span(made.line)[0] - 1]
        gap = f"\n{first[: len(first) - len(first.lstrip())]}"
        return _words(lines), [line_after(source, made.file, made.line, gap.join(lines))]
    if len(shapes) == 1:
        named = library_name(source, made.file, "tensorflow.ensure_shape")
        code = f"{named.text}({written_in(source, call)}, {shape_words(shapes[0])})"
        return f"`{code}`", [*named.needed, over(source, made.file, call, code)]
    returned = next((one for one in nodes if isinstance(one, ast.Return) and one.value is call), None)
    if returned is None:
        return None
    lines = _lines(["features", "label"], shapes)
    text = "\n".join([f"features, label = {written_in(source, call)}", *lines, "return features, label"])
    return _words(lines), [statement(source, made.file, returned.lineno, text)]


def _lines(names: list[str], shapes: list[Shape]) -> list[str]:
    return [f"{name}.set_shape({shape_words(shape)})" for name, shape in zip(names, shapes, strict=True)]


def _words(lines: list[str]) -> str:
    return "; ".join(f"`{line}`" for line in lines)
