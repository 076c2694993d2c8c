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
from whydied.source.trees import walk, written

_MAKERS = frozenset({"to_categorical", "one_hot"})
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


def _sparse(source: Source, file: str, node: ast.AST) -> Edit | None:
    """The loss, by its name as a text or as a class or function of Keras."""
    if isinstance(node, ast.Constant) and node.value in _LOSSES:
        return over(source, file, node, f'"{_LOSSES[node.value]}"')
    if isinstance(node, ast.Attribute) and node.attr in _LOSSES:
        return over(source, file, node, f"{written_in(source, node.value)}.{_LOSSES[node.attr]}")
    return None
