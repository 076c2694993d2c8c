"""One-hot rows of labels left as the labels that they were made of, for a loss that takes these. Pure.

Rows are one-hot by what makes them: `to_categorical`, rows of an identity matrix, zeros that are set to one at the
place of the label. They are followed through the functions that return them to the `fit` that gets them as targets, in
a program with one such loss; an edit is only for rows that nothing but calls of Keras and splits of the data reads.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import bound_arguments, callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.memory.scaled_in_model import is_only_fed
from whydied.source.edits.statement_edits import statement_at
from whydied.source.numbers import evaluate
from whydied.source.text import Source
from whydied.source.trees import across, function_at, nodes_on, scope_at, walk, within, written

_MAKERS = frozenset({"to_categorical", "one_hot"})
_BINARY = frozenset({"binary_crossentropy", "BinaryCrossentropy"})
_LOSSES = {
    "categorical_crossentropy": "sparse_categorical_crossentropy",
    "CategoricalCrossentropy": "SparseCategoricalCrossentropy",
}
_COPYING = frozenset({"fit", "evaluate", "predict", "train_on_batch", "from_tensor_slices", "from_tensors"})
"""Calls that make a tensor of the whole array that they are given."""
_DEEPEST = 3


class Encoded(NamedTuple):
    """One-hot rows that `fit` gets as targets: `labels` are the words of what they are made of, at the place where the
    rows get the name that `fit` is given; `edits` leave them out, where that can be written."""

    labels: str
    loss_file: str
    loss_line: int
    edits: list[Edit]


class _Rows(NamedTuple):
    file: str
    name: str
    value: ast.expr
    labels: ast.expr | None


def encoded_targets(sources: Mapping[str, Source], file: str, line: int) -> Encoded | None:
    rows = _rows(sources[file], file, line)
    if rows is None or rows.labels is None:
        return None
    way = _way(sources, rows)
    losses = [(where, node) for where, node in across(sources, ast.expr) if _loss(node)]
    last = way[-1]
    if len(losses) != 1 or last.labels is None or not _is_target(sources[last.file], last.name):
        return None
    where, node = losses[0]
    change = _sparse(sources[where], where, node)
    plain = last is not rows or not isinstance(last.value, ast.Call) or callee(last.value) in _MAKERS
    alone = plain and is_only_fed(sources[last.file], last.name) and _used_once(sources, way)
    kept = over(sources[last.file], last.file, last.value, written_in(sources[last.file], last.labels))
    return Encoded(written(last.labels), where, node.lineno, [kept, change] if alone and change is not None else [])


def is_copied(sources: Mapping[str, Source], file: str, line: int) -> bool:
    """Whether what a statement makes goes to a call that makes a tensor of all of it."""
    node = statement_at(sources[file], line) if file in sources else None
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return False
    last = _way(sources, _Rows(file, node.targets[0].id, node.value, None))[-1]
    given = [one for call in _calls(sources[last.file], _COPYING) for one in ast.walk(call)]
    return any(isinstance(one, ast.Name) and one.id == last.name for one in given)


def _rows(source: Source, file: str, line: int) -> _Rows | None:
    node = statement_at(source, line)
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return None
    name, value = node.targets[0].id, node.value
    if isinstance(value, ast.Call) and callee(value) in _MAKERS and value.args:
        return _Rows(file, name, value, value.args[0])
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Call):
        labels = value.slice if callee(value.value) in ("eye", "identity") else None
        return _Rows(file, name, value, labels) if not isinstance(labels, ast.Slice | ast.Tuple | None) else None
    if not isinstance(value, ast.Call) or callee(value) != "zeros" or not value.args:
        return None
    shape = value.args[0]
    counted = shape.elts[0] if isinstance(shape, ast.Tuple | ast.List) and len(shape.elts) == 2 else None
    ones = [one for one in within(scope_at(source.tree, line)) if _sets_one(one, name)]
    return _Rows(file, name, value, _counted(counted)) if counted is not None and len(ones) == 1 else None


def _sets_one(node: ast.AST, name: str) -> bool:
    """`rows[i, label] = 1`, or `rows[i][label] = 1`."""
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    if not isinstance(node, ast.Assign) or not isinstance(target, ast.Subscript) or evaluate(node.value, {}) != 1:
        return False
    inner = target.value
    if isinstance(inner, ast.Subscript):
        return written(inner.value) == name and not isinstance(target.slice, ast.Slice)
    place = target.slice.elts if isinstance(target.slice, ast.Tuple) else []
    return written(inner) == name and len(place) == 2 and not any(isinstance(one, ast.Slice) for one in place)


def _counted(node: ast.expr) -> ast.expr | None:
    """What `len(y)`, `y.shape[0]` or `y.size` counts."""
    if isinstance(node, ast.Call) and callee(node) == "len" and len(node.args) == 1:
        return node.args[0]
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        return node.value.value if evaluate(node.slice, {}) == 0 else None
    return node.value if isinstance(node, ast.Attribute) and node.attr == "size" else None


def _way(sources: Mapping[str, Source], rows: _Rows) -> list[_Rows]:
    """The names that an array has, from the one it is made with on: through the only call of a function that returns
    it."""
    found = [rows]
    for _ in range(_DEEPEST):
        last = found[-1]
        function = function_at(sources[last.file].tree, last.value.lineno)
        returned = function is not None and any(
            one.value is not None and written(one.value) == last.name for one in walk(function, ast.Return)
        )
        calls = [one for one in across(sources, ast.Call) if function is not None and callee(one[1]) == function.name]
        if function is None or not returned or len(calls) != 1:
            break
        where, call = calls[0]
        node = statement_at(sources[where], call.lineno)
        if not isinstance(node, ast.Assign) or node.value is not call or not isinstance(node.targets[0], ast.Name):
            break
        labels = bound_arguments(call, function).get(written(last.labels)) if last.labels is not None else None
        found.append(_Rows(where, node.targets[0].id, call, labels))
    return found


def _used_once(sources: Mapping[str, Source], way: list[_Rows]) -> bool:
    """Whether nothing else makes one-hot rows for the same loss."""
    makers = [one for _, one in across(sources, ast.Call) if callee(one) in _MAKERS]
    return len(makers) == (1 if isinstance(way[0].value, ast.Call) and callee(way[0].value) in _MAKERS else 0)


def _calls(source: Source, names: frozenset[str]) -> list[ast.Call]:
    return [one for one in walk(source.tree, ast.Call) if callee(one) in names]


def _is_target(source: Source, name: str) -> bool:
    """Whether a name is what a `fit` gets as its targets, itself or as a part of it after a split."""
    split = {
        target
        for node in walk(source.tree, ast.Assign)
        if isinstance(node.value, ast.Call) and callee(node.value) == "train_test_split"
        and any(written(one) == name for one in node.value.args)
        for target in map(written, node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else [])
    }  # fmt: skip
    for call in _calls(source, frozenset({"fit"})):
        given = passed_argument(call, "y") or passed_argument(call, "1")
        while isinstance(given, ast.Subscript):
            given = given.value
        if given is not None and written(given) in {name, *split}:
            return True
    return False


def labels_kept(sources: Mapping[str, Source], file: str, line: int) -> list[Edit]:
    """`y = to_categorical(labels, n)` as `y = labels`, and the loss that goes with it."""
    found = encoded_targets(sources, file, line)
    return found.edits if found is not None else []


def encoded_name(source: Source, line: int) -> str | None:
    """What the only call of the statement at a line that makes one-hot rows is given, where that is a name."""
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) in _MAKERS]
    given = calls[0].args[0] if len(calls) == 1 and calls[0].args else None
    return written(given) if isinstance(given, ast.Name | ast.Attribute) else None


def is_per_label(source: Source) -> bool:
    """Whether each output is a label of its own: all losses that a program names are binary cross entropies."""
    texts = [one.value for one in walk(source.tree, ast.Constant) if isinstance(one.value, str)]
    names = {*texts, *(one.attr for one in walk(source.tree, ast.Attribute))}
    return bool(names & _BINARY) and not any("categorical_cross" in one or "CategoricalCross" in one for one in names)


def not_encoded(source: Source, file: str, line: int) -> Edit | None:
    """`y = to_categorical(x)` as `y = x`."""
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) in _MAKERS]
    return over(source, file, calls[0], written_in(source, calls[0].args[0])) if encoded_name(source, line) else None


def _loss(node: ast.AST) -> bool:
    return (isinstance(node, ast.Constant) and node.value in _LOSSES) or (
        isinstance(node, ast.Attribute) and node.attr in _LOSSES
    )


def _sparse(source: Source, file: str, node: ast.AST) -> Edit | None:
    """The loss, by its name as a text or as a class or function of Keras."""
    if isinstance(node, ast.Constant) and node.value in _LOSSES:
        return over(source, file, node, f'"{_LOSSES[node.value]}"')
    if isinstance(node, ast.Attribute) and node.attr in _LOSSES:
        return over(source, file, node, f"{written_in(source, node.value)}.{_LOSSES[node.attr]}")
    return None
