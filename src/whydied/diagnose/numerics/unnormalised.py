"""A logarithm of what should be a probability and is the plain output of a layer or of a product. Pure.

What tells is the value, which is negative, and the recorded graph, in which the argument is a sum or a product.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Location
from whydied.diagnose.numerics.bad_steps import Step
from whydied.diagnose.numerics.bad_value_place import op_place
from whydied.graph.op_table import Op, Table
from whydied.records import FoundOp, Frame, GraphRecorded, OpInput
from whydied.source.calls import callee
from whydied.source.trees import across, nodes_at

_LOGARITHMS = {"Log": 0, "Xlogy": 1}
"""Ops that take one, with the position of its argument."""
_SIGNED = {
    "Tanh": "tanh",
    "Elu": "elu",
    "Selu": "selu",
    "LeakyRelu": "leaky_relu",
    "Softsign": "softsign",
    "Sin": "sin",
    "Cos": "cos",
}
"""Activations whose values can be negative."""
_LINEAR = frozenset({"Add", "AddV2", "BiasAdd", "MatMul", "BatchMatMulV2", "Conv2D", "Conv1D"})
_PASSING = frozenset({"Identity", "Reshape", "Squeeze", "ExpandDims", "StridedSlice", "Cast"})
"""Ops that leave the values as they are."""
_SUMS = frozenset({"Add", "AddV2", "Sub"})


class Unnormalised(NamedTuple):
    """Where the argument was made: `words` are `the output of Dense "bins" (line 39 of train.py)`, and `layer` the
    layer's class, where one made it."""

    location: Location
    words: str
    layer: str = ""
    activation: str = ""
    """The activation that was applied, where one was that does not make a probability."""
    positive: bool = False
    """Whether it is meant to be any positive number, such as a scale or a rate, and not a probability."""


def unnormalised(case: Case, step: Step, op: FoundOp) -> Unnormalised | None:
    """What a logarithm was given, where that is negative and no activation has been applied to it."""
    position = _LOGARITHMS.get(op.op)
    if position is None or position >= len(op.inputs):
        return None
    given = op.inputs[position]
    if not any(value.startswith("-") and value != "-0" for value in given.at_bad):
        return None
    if given.made_by:
        found = _replayed(case, step, given)
        return found._replace(positive=given.divides or _counts(step, given)) if found is not None else None
    for recorded in case.principal.all(GraphRecorded) if case.principal else []:
        table = case.recording.graphs.table(recorded.file)
        for function in table.functions if table is not None else ():
            for one in function.ops:
                if table is not None and one.name == given.name:
                    return _made(case, table, _origin(function.ops, one))
    return None


def _counts(step: Step, given: OpInput) -> bool:
    """Whether the targets go beyond one, so that what is compared with them is not a probability. Of several outputs
    whole numbers may be classes."""
    fed = step.taken.capture.fed if step.taken.capture is not None else []
    single = given.numbers is not None and given.numbers.shape[-1:] in ([], [1])
    targets = [one.numbers for one in fed if one.name == "y" and (single or one.dtype.startswith("float"))]
    return any(numbers is not None and (numbers.greatest or 0.0) > 1.0 for numbers in targets)


def _replayed(case: Case, step: Step, given: OpInput) -> Unnormalised | None:
    """As the replay has seen it."""
    if given.made_by not in _LINEAR and given.made_by not in _SIGNED:
        return None
    activation = _SIGNED.get(given.made_by, "")
    made = given.made_at
    name, built = (made.layer, made.layer_made) if made is not None else ("", None)
    place, layer = op_place(case, step, made), ""
    if built is not None:
        where = case.locate(built)
        classes = [callee(call) for call in nodes_at(case.sources, where) if isinstance(call, ast.Call)]
        own = {node.name for _, node in across(case.sources, ast.ClassDef)}
        library = [one for one in classes if one[:1].isupper() and one not in own]
        # What a layer of the program's own computes has its own line.
        place, layer = (where, library[0]) if len(library) == 1 else (place, "")
    if place is None:
        return None
    words = f'the output of layer "{name}" ({line_words(place)})' if name else f"what {line_words(place)} computes"
    return Unnormalised(place, words, layer, activation)


def _origin(ops: tuple[Op, ...], op: Op) -> Op:
    """Back through what leaves the values as they are, or adds a constant such as an epsilon."""
    while op.inputs:
        if op.type in _PASSING:
            op = ops[op.inputs[0][0]]
            continue
        sides = [ops[at] for at, _ in op.inputs] if op.type in _SUMS and len(op.inputs) == 2 else []
        varying = [side for side in sides if side.type != "Const"]
        if len(varying) != 1:
            break
        op = varying[0]
    return op


def _made(case: Case, table: Table, op: Op) -> Unnormalised | None:
    if op.type not in _LINEAR and op.type not in _SIGNED:
        return None
    activation = _SIGNED.get(op.type, "")
    if op.layer >= 0 and table.layers[op.layer].file:
        layer = table.layers[op.layer]
        place = case.locate(Frame(file=layer.file, line=layer.line, function=layer.function, user=True))
        return Unnormalised(
            place, f'the output of {layer.type} "{layer.name}" ({line_words(place)})', layer.type, activation
        )
    if op.line >= 0:
        line = table.lines[op.line]
        place = case.locate(Frame(file=line.file, line=line.line, function=line.function, user=True))
        return Unnormalised(place, f"what {line_words(place)} computes", activation=activation)
    return None
