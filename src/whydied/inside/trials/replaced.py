"""A tree of the source with one node in the place of another, and as code; runs in the user's process. Pure.

Invariant: the tree that is given stays as it is.
"""

from __future__ import annotations

import ast
import copy
from typing import Any


class Replaced(ast.NodeTransformer):
    """One node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> Any:
        if node is self._old:
            return self._new
        return self.generic_visit(copy.copy(node))

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, name, [self.visit(one) if isinstance(one, ast.AST) else one for one in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node


def code_of(node: ast.AST) -> ast.Expression | ast.Module:
    made: ast.Expression | ast.Module
    if isinstance(node, ast.stmt):
        made = ast.Module(body=[node], type_ignores=[])
    else:
        assert isinstance(node, ast.expr)
        made = ast.Expression(node)
    return ast.fix_missing_locations(made)
