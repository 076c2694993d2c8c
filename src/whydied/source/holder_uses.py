"""Whether a program uses what it gathers in a named holder, or only fills it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.calls import callee
from whydied.source.holder_fills import HolderName
from whydied.source.text import Source
from whydied.source.trees import nodes_of

_NO_USE = frozenset({"len", "print", "id", "type", "isinstance", "getsizeof", "del"})
_TAKING = frozenset({"get", "items", "values", "pop", "popitem", "popleft"})


def is_used(path: str, sources: Mapping[str, Source]) -> bool:
    """Whether a statement hands the holder to a function, goes through it, returns it or takes items from it."""
    name = HolderName.of(path)
    if name is None:
        return False
    return any(
        name.is_written(used)
        for source in sources.values()
        for node, _ in nodes_of(source.tree)
        for used in _used(node)
    )


def _used(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        taken = [node.func.value] if isinstance(node.func, ast.Attribute) and node.func.attr in _TAKING else []
        return taken if callee(node) in _NO_USE else [*taken, *node.args, *(word.value for word in node.keywords)]
    if isinstance(node, ast.For | ast.comprehension):
        return [node.iter]
    if isinstance(node, ast.Return | ast.Yield):
        return [node.value] if node.value is not None else []
    if isinstance(node, ast.Starred):
        return [node.value]
    return [node.value] if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) else []
