"""The shape of what a statement makes, as far as the source and the census tell it. Pure.

Numbers in the source are followed through names that are assigned once; operands of a matrix product are looked up in
the census, else in the statement that made them. What cannot be followed is not guessed.
"""

from __future__ import annotations

import ast
from math import prod
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.choice import constants, evaluate, nodes_at
from whydied.diagnose.finding import Location
from whydied.diagnose.footprint import censuses
from whydied.graph.table import element_bytes

_DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "uint8", "int8", "bool")
_PRODUCTS = ("matmul", "dot", "outer")
_ARRAYS = ("np.", "numpy.", "rng.", "generator.")


class Made(NamedTuple):
    shape: list[int]
    dtype: str
    size_bytes: int


def made_by(case: Case, place: Location, at_least_bytes: float) -> Made | None:
    """What a statement makes, where its source gives a shape of at least so many bytes; of several the smallest."""
    source = case.recording.sources.get(place.file)
    tree = source.tree if source else None
    if tree is None:
        return None
    known = constants(tree)
    nodes = nodes_at(case, place)
    written = [_of(shape, _dtype(place.source or "")) for node in nodes if (shape := _numbers(node, known))]
    multiplied = [product for node in nodes if (product := _product(case, tree, known, node))]
    large = [made for made in (*written, *multiplied) if made.size_bytes >= at_least_bytes]
    return min(large, key=lambda made: made.size_bytes, default=None)


def _of(shape: list[int], dtype: str) -> Made:
    return Made(shape, dtype, prod(shape) * (element_bytes(dtype) or 4))


def _numbers(node: ast.AST, known: dict[str, float]) -> list[int] | None:
    """A list of numbers, or the arguments of a call that are all numbers: `zeros((n, m))`, `rand(n, m)`."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.List | ast.Tuple):
        parts = list(node.elts)
    elif isinstance(node, ast.Call):
        parts = list(node.args)
    values = [evaluate(part, known) for part in parts]
    numbers = [int(value) for value in values if value is not None]
    return numbers if numbers and len(numbers) == len(values) and min(numbers) > 0 else None


def _dtype(text: str) -> str:
    """The type that a statement names; else what its library takes when nobody says."""
    named = next((dtype for dtype in _DTYPES if dtype in text), None)
    if named is not None:
        return named
    return "float64" if any(word in text for word in _ARRAYS) else "float32"


def _product(case: Case, tree: ast.Module, known: dict[str, float], node: ast.AST) -> Made | None:
    operands: list[ast.expr] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        operands = [_unscaled(node.left), node.right]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PRODUCTS:
        operands = node.args[:2]
    if len(operands) != 2:
        return None
    left, right = (_operand(case, tree, known, operand) for operand in operands)
    if left is None or right is None or not left.shape or not right.shape:
        return None
    transposed = isinstance(node, ast.Call) and any(word.arg == "transpose_b" for word in node.keywords)
    text = ast.unparse(operands[1])
    turned = transposed or text.endswith((".T", ".transpose()")) or "transpose(" in text
    columns = right.shape[0] if turned or len(right.shape) == 1 else right.shape[-1]
    rows = left.shape if len(left.shape) == 1 else left.shape[:-1]
    return _of([*rows, columns], left.dtype)


def _unscaled(node: ast.expr) -> ast.expr:
    """`2 * a` has the shape of `a`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Constant):
        return node.right
    return node


def _operand(case: Case, tree: ast.Module, known: dict[str, float], operand: ast.expr) -> Made | None:
    while True:
        if isinstance(operand, ast.Attribute) and operand.attr in ("T", "mT"):
            operand = operand.value
        elif isinstance(operand, ast.Call) and ast.unparse(operand.func).endswith("transpose"):
            operand = operand.args[0] if operand.args else operand.func
        else:
            break
    name = ast.unparse(operand)
    return known_in(case, name) or _assigned(tree, known, name)


def known_in(case: Case, name: str) -> Made | None:
    """An array or tensor that the last census that knows it found under a name."""
    for _, census in reversed(censuses(case)):
        for group in census.groups:
            if group.shape is not None and any(holder.path == name for holder in group.holders):
                return _of([extent or 0 for extent in group.shape], group.dtype or "float32")
    return None


def _assigned(tree: ast.Module, known: dict[str, float], name: str) -> Made | None:
    """The shape in the only statement that assigns a name."""
    values = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(ast.unparse(target) == name for target in node.targets)
    ]
    if len(values) != 1:
        return None
    text = ast.unparse(values[0])
    shapes = [shape for node in ast.walk(values[0]) if (shape := _numbers(node, known))]
    return _of(max(shapes, key=len), _dtype(text)) if shapes else None
