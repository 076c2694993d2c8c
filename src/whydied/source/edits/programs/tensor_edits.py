"""Edits of expressions whose tensors have no values yet. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple, TypeGuard

from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import module_names
from whydied.source.edits.programs.numpy_operations import IN_TENSORFLOW
from whydied.source.edits.statement_edits import statement_at
from whydied.source.text import Source
from whydied.source.trees import dotted_name, function_at, nodes_on, walk, written

_KEYWORDS = {"axis", "keepdims"}


def as_tensors(source: Source, file: str, line: int) -> list[Edit]:
    """`x.numpy()` as `x`, and functions of NumPy as those of TensorFlow, in one statement. Nothing where one of them
    has no counterpart."""
    if "tf" not in module_names(source):
        return []
    if isinstance(statement_at(source, line), ast.If | ast.While):
        # Its condition would still be asked for a value.
        return []
    wrapped = _in_python(source, file, line)
    if wrapped:
        return wrapped
    edits: list[Edit] = []
    for node in nodes_on(source, line):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "numpy" and not node.args:
            edits.append(over(source, file, node, written_in(source, node.func.value)))
        elif (dotted_name(node.func) or "").startswith(("np.", "numpy.")):
            new = IN_TENSORFLOW.get(node.func.attr)
            if new is None or not {word.arg for word in node.keywords} <= _KEYWORDS:
                return []
            edits.append(over(source, file, node.func, f"tf.{new}"))
    return edits


class Unpacked(NamedTuple):
    """The result of one call, unpacked into several names; `edits` leave all but the `first` out, where they are not
    used."""

    call: str
    first: str
    names: int
    edits: list[Edit]


def unpacked(source: Source, file: str, line: int) -> Unpacked | None:
    for node in nodes_on(source, line):
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        value = node.value if isinstance(node, ast.Assign) else None
        if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Call):
            continue
        first, others = written(target.elts[0]), {one.id for one in target.elts[1:] if isinstance(one, ast.Name)}
        scope = function_at(source.tree, line) or source.tree
        used = {one.id for one in walk(scope, ast.Name) if isinstance(one.ctx, ast.Load)}
        edits = [] if others & used else [over(source, file, target, first)]
        return Unpacked(written_in(source, value), first, len(target.elts), edits)
    return None


def _in_python(source: Source, file: str, line: int) -> list[Edit]:
    """`f(x.numpy(), y.numpy())` inside of `tf.py_function`, where f is not of NumPy or TensorFlow and needs arrays."""
    for node in nodes_on(source, line):
        if not isinstance(node, ast.Call) or (dotted_name(node.func) or "x.numpy").startswith(("np.", "tf.")):
            continue
        parts = [*node.args, *(word.value for word in node.keywords)]
        read = [one.func.value for one in parts if _is_read(one) and isinstance(one.func, ast.Attribute)]
        if read and all(isinstance(one, ast.Name) for one in read) and not _is_read(node):
            names = ", ".join(dict.fromkeys(written(one) for one in read))
            text = f"tf.py_function(lambda {names}: {written_in(source, node)}, [{names}], tf.float32)"
            function = function_at(source.tree, line)
            if function is not None and function.name == "update_state":
                # Its result is assigned to a variable, which asks for a shape.
                text = f"tf.ensure_shape({text}, [])"
            return [over(source, file, node, text)]
    return []


def _is_read(node: ast.AST) -> TypeGuard[ast.Call]:
    """`x.numpy()`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "numpy"


def in_lambda(source: Source, file: str, line: int, name: str) -> list[Edit]:
    """`f(x, …)` of a Keras tensor as a Lambda layer that is called on it: of the innermost call of TensorFlow whose
    first argument has the tensor in it and no other has."""
    calls = [
        node
        for node in nodes_on(source, line)
        if isinstance(node, ast.Call) and (dotted_name(node.func) or "").startswith("tf.") and node.args
    ]
    found = [call for call in calls if ".keras." not in written(call.func) and _has(call.args[0], name)]
    if len(found) != 1 or any(_has(one, name) for one in [*found[0].args[1:], *(k.value for k in found[0].keywords)]):
        return []
    call = found[0]
    keras = "tf.keras" if "keras" not in module_names(source) else "keras"
    given, function = written_in(source, call.args[0]), written_in(source, call.func)
    others = [written_in(source, one) for one in call.args[1:]]
    others += [written_in(source, one) for one in call.keywords]
    inner = f"lambda x: {function}({', '.join(['x', *others])})" if others else function
    return [over(source, file, call, f"{keras}.layers.Lambda({inner})({given})")]


def _has(node: ast.AST, name: str) -> bool:
    return any(written(one) == name for one in walk(node, ast.expr))
