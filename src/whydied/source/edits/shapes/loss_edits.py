"""Edits of the loss that a model is compiled with, and of other names that a statement calls. Pure."""

from __future__ import annotations

import ast

from whydied.source.assignments import assigned
from whydied.source.calls import callee
from whydied.source.edits.call_edits import add_argument, calls_at
from whydied.source.edits.edit import Edit, end_of, line_before, over, written_in
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.text import Source
from whydied.source.trees import last_name, nodes_on, scope_at, walk

SPARSE, DENSE = "sparse_categorical_crossentropy", "categorical_crossentropy"
_METRICS = {SPARSE: "sparse_categorical_accuracy", DENSE: "categorical_accuracy"}


def compiled_loss(source: Source, file: str, line: int, old: str, new: str) -> list[Edit] | None:
    """Another loss in the `compile` at a line, as text or as a class; a metric that goes with the old one is changed
    with it."""
    loss = _loss(source, line)
    if new not in (SPARSE, DENSE, "binary_crossentropy") and loss is not None and _names(loss, old):
        # The arguments of a cross entropy are not those of another loss.
        return [over(source, file, loss, f'"{new}"')]
    edits = _renamed(source, file, loss, old, new) if loss is not None else None
    metrics = next((word.value for word in _compile(source, line).keywords if word.arg == "metrics"), None)
    if not edits or metrics is None or old not in _METRICS or new not in _METRICS:
        return edits or None
    return [*edits, *_renamed(source, file, metrics, _METRICS[old], _METRICS[new])]


def _compile(source: Source, line: int) -> ast.Call:
    calls = calls_at(source, line, "compile")
    return calls[0] if len(calls) == 1 else ast.Call(ast.Name(""), [], [])


def _loss(source: Source, line: int) -> ast.expr | None:
    """The loss in the only `compile` at a line; of a name what it was assigned."""
    call = _compile(source, line)
    loss = next((word.value for word in call.keywords if word.arg == "loss"), call.args[1] if call.args[1:] else None)
    if isinstance(loss, ast.Name):
        made = assigned(loss.id, scope_at(source.tree, line)) or assigned(loss.id, source.tree)
        loss = made[0].value if len(made) == 1 else None
    # Of a dict or a list it is not known which one is meant.
    return loss if isinstance(loss, ast.Constant | ast.Call | ast.Attribute) else None


def loss_line(source: Source, line: int) -> int:
    """The line that makes the loss which the `compile` at a line is given; that line itself where it is written
    there."""
    loss = _loss(source, line)
    return loss.lineno if loss is not None else line


def _names(loss: ast.expr, name: str) -> bool:
    called = loss.func if isinstance(loss, ast.Call) else loss
    return getattr(called, "value", None) == name or last_name(called) in (name, _class_of(name))


def called_name(source: Source, file: str, line: int, old: str, new: str) -> list[Edit] | None:
    """Another function or method in the place of the only one of a name that the statement at a line calls:
    `padded_batch` for `batch`."""
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call)]
    found = [node.func for node in calls if isinstance(node.func, ast.Attribute) and node.func.attr == old]
    return _renamed(source, file, found[0], old, new, inner=False) if len(found) == 1 else None


def _renamed(source: Source, file: str, node: ast.expr, old: str, new: str, inner: bool = True) -> list[Edit]:
    """A name as text, as a function or as a class (`CategoricalCrossentropy`)."""
    names = {old: new, _class_of(old): _class_of(new)}
    edits: list[Edit] = []
    for one in walk(node, ast.expr) if inner else [node]:
        if isinstance(one, ast.Constant) and one.value == old:
            edits.append(over(source, file, one, written_in(source, one).replace(old, new)))
        elif isinstance(one, ast.Attribute) and one.attr in names:
            line, column = end_of(source, one)
            edits.append(Edit(file, (line, column - len(one.attr)), (line, column), names[one.attr]))
        elif isinstance(one, ast.Name) and one.id in names:
            edits += [over(source, file, one, names[one.id]), *_imported(source, file, one.id, names[one.id])]
    return edits


def _imported(source: Source, file: str, old: str, new: str) -> list[Edit]:
    for node in walk(source.tree, ast.ImportFrom):
        if any(alias.name == old for alias in node.names) and not any(alias.name == new for alias in node.names):
            return [line_before(source, file, node.lineno, f"from {node.module} import {new}")]
    return []


def _class_of(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def ignoring_loss(source: Source, file: str, line: int, value: str) -> list[Edit] | None:
    """The loss over class numbers in the `compile` at a line, with one of them passed over."""
    loss = _loss(source, line)
    if isinstance(loss, ast.Constant) and loss.value == SPARSE:
        named = library_name(source, file, f"keras.losses.{_class_of(SPARSE)}")
        return [*named.needed, over(source, file, loss, f"{named.text}(ignore_class={value})")]
    if isinstance(loss, ast.Call) and callee(loss) == _class_of(SPARSE):
        return [add_argument(source, file, loss, f"ignore_class={value}")]
    return None
