"""One-hot rows of labels left as the labels that they were made of, for a loss that takes these. Pure.

Only for rows that nothing but calls of Keras and splits of the data reads, in a program with one such loss.
"""

from __future__ import annotations

import ast

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.memory.scaled_in_model import is_only_fed
from whydied.source.edits.statement_edits import statement_at
from whydied.source.text import Source
from whydied.source.trees import nodes_on, walk, written

_MAKERS = frozenset({"to_categorical", "one_hot"})
_BINARY = frozenset({"binary_crossentropy", "BinaryCrossentropy"})
_LOSSES = {
    "categorical_crossentropy": "sparse_categorical_crossentropy",
    "CategoricalCrossentropy": "SparseCategoricalCrossentropy",
}


def labels_kept(source: Source, file: str, line: int) -> list[Edit]:
    """`y = to_categorical(labels, n)` as `y = labels`, and the loss that goes with it."""
    node = statement_at(source, line)
    call = node.value if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    if (
        not isinstance(call, ast.Call)
        or callee(call) not in _MAKERS
        or not call.args
        or not isinstance(node, ast.Assign)
    ):
        return []
    makers = [one for one in walk(source.tree, ast.Call) if callee(one) in _MAKERS]
    losses = [edit for one in ast.walk(source.tree) if (edit := _sparse(source, file, one)) is not None]
    if len(makers) != 1 or len(losses) != 1 or not is_only_fed(source, written(node.targets[0])):
        return []
    return [over(source, file, call, written_in(source, call.args[0])), losses[0]]


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


def _sparse(source: Source, file: str, node: ast.AST) -> Edit | None:
    """The loss, by its name as a text or as a class or function of Keras."""
    if isinstance(node, ast.Constant) and node.value in _LOSSES:
        return over(source, file, node, f'"{_LOSSES[node.value]}"')
    if isinstance(node, ast.Attribute) and node.attr in _LOSSES:
        return over(source, file, node, f"{written_in(source, node.value)}.{_LOSSES[node.attr]}")
    return None
