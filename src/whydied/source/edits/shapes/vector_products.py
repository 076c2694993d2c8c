"""The products of matrices and vectors in one scope, written as such: `tf.linalg.matvec` for `tf.matmul`. Pure.

A program that computes with vectors of one axis does so in every line: an axis more for the operand of the line that
failed only moves the failure. With a product that takes vectors everything else keeps its shape.

Invariant: the number of axes of every operand of every product in the scope is known, from what was recorded of some
and from how the others are written; where one is not, nothing is offered.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.assignments import assigned
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source
from whydied.source.trees import scope_at, walk, written

_SHAPED = frozenset(
    {"zeros", "ones", "random_normal", "normal", "random_uniform", "uniform", "truncated_normal", "placeholder", "fill"}
    | {"get_variable", "empty"}
)
_SHAPE_SECOND = frozenset({"placeholder", "get_variable", "reshape"})
_SAME = frozenset(
    {"sigmoid", "tanh", "relu", "exp", "log", "abs", "square", "sqrt", "Variable", "softmax", "identity", "cast", "elu"}
    | {"softplus", "negative", "dropout", "constant", "zeros_like", "ones_like", "clip_by_value", "sign"}
)
_PAIRED = frozenset({"add", "subtract", "multiply", "divide", "maximum", "minimum"})
_DEEPEST = 30


class VectorProducts(NamedTuple):
    """`lines` are those of the products, `vectors` their operands of one axis, as they are written."""

    lines: list[int]
    vectors: list[str]
    edits: list[Edit]
    function: str


def vector_products(source: Source, file: str, line: int, known: Mapping[str, int]) -> VectorProducts | None:
    """All products of the scope around a line that have an operand of one axis, as `matvec`. `known` are the numbers of
    axes that were recorded, by the words of the source. None where the product of the line itself is not among them, or
    it is the only one."""
    scope = scope_at(source.tree, line)
    calls = [call for call in walk(scope, ast.Call) if callee(call) == "matmul" and len(call.args) == 2]
    axes = _Axes(scope, known)
    chosen: list[tuple[ast.Call, ast.expr, str]] = []
    for call in calls:
        left, right = (axes.of(one) for one in call.args)
        matrix, vector = (call.args[0], call.args[1]) if right == 1 else (call.args[1], call.args[0])
        if left is None or right is None or (left, right) == (1, 1) or (call.keywords and 1 in (left, right)):
            return None
        if 1 in (left, right):
            function = written(call.func).removesuffix("matmul").removesuffix("linalg.") + "linalg.matvec"
            turned = "" if right == 1 else ", transpose_a=True"
            text = f"{function}({written_in(source, matrix)}, {written_in(source, vector)}{turned})"
            chosen.append((call, vector, text))
    lines = sorted({call.lineno for call, _, _ in chosen})
    at = source.span(line)
    nested = any(inner is not call and inner in calls for call, _, _ in chosen for inner in walk(call, ast.Call))
    if len(lines) < 2 or nested or not any(at[0] <= one <= at[1] for one in lines):
        return None
    return VectorProducts(
        lines,
        list(dict.fromkeys(written(vector) for _, vector, _ in chosen)),
        [over(source, file, call, text) for call, _, text in chosen],
        chosen[0][2].partition("(")[0],
    )


class _Axes:
    """How many axes an expression has, were each product one that takes vectors; None where that is not known."""

    def __init__(self, scope: ast.AST, known: Mapping[str, int]) -> None:
        self._scope = scope
        self._known = dict(known)
        self._asked: set[str] = set()

    def of(self, node: ast.expr, depth: int = 0) -> int | None:
        text = written(node)
        if text in self._known:
            return self._known[text]
        if depth > _DEEPEST:
            return None
        found = self._name(node.id, depth) if isinstance(node, ast.Name) else self._made(node, depth)
        if found is not None and isinstance(node, ast.Name):
            self._known[text] = found
        return found

    def _name(self, name: str, depth: int) -> int | None:
        """All assignments of a name must agree; one that is computed from the name itself adds nothing."""
        if name in self._asked:
            return None
        self._asked.add(name)
        try:
            values = [one.value for one in assigned(name, self._scope)]
            plain = [self.of(value, depth + 1) for value in values if not _mentions(value, name)]
            known = {one for one in plain if one is not None}
            if not plain or None in plain or len(known) != 1:
                return None
            self._known[name] = found = known.pop()
            again = {self.of(value, depth + 1) for value in values if _mentions(value, name)}
            if again <= {found}:
                return found
            del self._known[name]
            return None
        finally:
            self._asked.discard(name)

    def _made(self, node: ast.expr, depth: int) -> int | None:
        if isinstance(node, ast.Constant):
            return 0 if isinstance(node.value, int | float) else None
        if isinstance(node, ast.UnaryOp):
            return self.of(node.operand, depth + 1)
        if isinstance(node, ast.BinOp):
            return self._widest([node.left, node.right], depth)
        if isinstance(node, ast.List):
            inner = self.of(node.elts[0], depth + 1) if node.elts else None
            return inner + 1 if inner is not None else None
        return self._call(node, depth) if isinstance(node, ast.Call) else None

    def _call(self, call: ast.Call, depth: int) -> int | None:
        name = callee(call)
        if name in _SHAPED or name == "reshape":
            shape = passed_argument(call, "shape") or passed_argument(call, "1" if name in _SHAPE_SECOND else "0")
            return len(shape.elts) if isinstance(shape, ast.List | ast.Tuple) else None
        if name in _SAME and call.args:
            return self.of(call.args[0], depth + 1)
        if name in _PAIRED and len(call.args) == 2:
            return self._widest(call.args, depth)
        if name == "matmul" and len(call.args) == 2:
            widths = [self.of(one, depth + 1) for one in call.args]
            return None if None in widths else 1 if 1 in widths else 2
        return None

    def _widest(self, nodes: list[ast.expr], depth: int) -> int | None:
        found = [self.of(one, depth + 1) for one in nodes]
        known = [one for one in found if one is not None]
        return max(known) if len(known) == len(found) else None


def _mentions(value: ast.expr, name: str) -> bool:
    return any(one.id == name for one in walk(value, ast.Name))
