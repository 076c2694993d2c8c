"""The shape and type of what an expression makes from arrays that the census knows. Pure.

A list of arrays that `np.array` joins, a picture's bytes divided by 255.0 (which makes float64 of them), a conversion:
each is followed as NumPy and TensorFlow would compute it. What cannot be followed is not guessed.
"""

from __future__ import annotations

import ast
from math import prod
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.memory.memory_over_time import censuses
from whydied.graph.op_table import element_bytes
from whydied.source.trees import written

_JOINING = {"array", "asarray", "stack", "asanyarray", "ascontiguousarray", "constant", "convert_to_tensor"}
_LENGTHENING = {"concatenate", "concat", "vstack"}
_SAME_SHAPE = {
    "abs",
    "exp",
    "log",
    "sqrt",
    "square",
    "tanh",
    "sin",
    "cos",
    "copy",
    "log1p",
    "clip",
    "nan_to_num",
    "sign",
}
_CONVERTING = {"astype", "cast", "float32", "float64", "float16"}
_DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "uint8", "int8", "bool")
_DEEPEST = 12


class Made(NamedTuple):
    """An array or tensor that a statement makes."""

    shape: list[int]
    dtype: str
    size_bytes: int


class Several(NamedTuple):
    """So many arrays of one shape in a list."""

    number: int
    each: Made


def made(shape: list[int], dtype: str) -> Made:
    return Made(shape, dtype, prod(shape) * (element_bytes(dtype) or 4))


def known_in(case: Case, name: str) -> Made | None:
    """An array or tensor that the last census that knows it found under a name."""
    found = _found(case, name)
    return found if isinstance(found, Made) else None


def derived(case: Case, node: ast.AST) -> Made | None:
    """What an expression makes that is not already there under a name."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Constant):
        return None
    value = _value(case, node, _DEEPEST)
    return value if isinstance(value, Made) else None


def _found(case: Case, name: str) -> Made | Several | None:
    for _, census in reversed(censuses(case)):
        for group in census.groups:
            holder = next((one for one in group.holders if one.path == name), None)
            if holder is None or group.shape is None:
                continue
            each = made([extent or 0 for extent in group.shape], group.dtype or "float32")
            count = round(group.count * holder.share)
            return Several(count, each) if count > 1 and (holder.length or 0) > 1 else each
    return None


def _value(case: Case, node: ast.AST, depth: int) -> Made | Several | None:
    if not depth:
        return None
    if isinstance(node, ast.Name | ast.Attribute):
        return _found(case, written(node))
    if isinstance(node, ast.UnaryOp):
        return _value(case, node.operand, depth - 1)
    if isinstance(node, ast.BinOp):
        return _computed(case, node, depth)
    if isinstance(node, ast.Subscript):
        return _widened(case, node, depth)
    return _called(case, node, depth) if isinstance(node, ast.Call) else None


def _widened(case: Case, node: ast.Subscript, depth: int) -> Made | None:
    """`x[:, None, :]`, `x[..., np.newaxis]`: the same elements with axes of one; any other index is not followed."""
    given = _value(case, node.value, depth - 1)
    if not isinstance(given, Made) or not is_widened(node):
        return None
    parts = _indices(node)
    taken = sum(isinstance(part, ast.Slice) for part in parts)
    rest = list(given.shape)
    shape: list[int] = []
    for part in parts:
        if _is_new_axis(part):
            shape.append(1)
        elif isinstance(part, ast.Slice) and rest and part.lower is part.upper is part.step is None:
            shape.append(rest.pop(0))
        elif isinstance(part, ast.Constant) and part.value is ...:
            shape += [rest.pop(0) for _ in range(max(0, len(given.shape) - taken))]
        else:
            return None
    return made([*shape, *rest], given.dtype)


def is_widened(node: ast.AST) -> bool:
    """Whether an expression gives an array new axes by its index."""
    return isinstance(node, ast.Subscript) and any(_is_new_axis(part) for part in _indices(node))


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_new_axis(node: ast.AST) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or written(node).rpartition(".")[2] == "newaxis"


def _broadcast(arrays: list[Made]) -> list[int] | None:
    """The shape that arrays have together; None where they do not fit."""
    longest = max(len(one.shape) for one in arrays)
    shape = [1] * longest
    for one in arrays:
        for at, extent in enumerate(one.shape, longest - len(one.shape)):
            if extent != 1 and shape[at] not in (1, extent):
                return None
            shape[at] = max(shape[at], extent)
    return shape


def _computed(case: Case, node: ast.BinOp, depth: int) -> Made | None:
    if isinstance(node.op, ast.MatMult):
        return None
    sides = [_value(case, side, depth - 1) for side in (node.left, node.right)]
    arrays = [side for side in sides if isinstance(side, Made)]
    numbers = [side for side in (node.left, node.right) if _is_number(side)]
    widened = any(is_widened(side) for side in (node.left, node.right))
    if not arrays or (widened and len(arrays) + len(numbers) < 2):
        return None
    # What is not known beside an array is a mean or a deviation: of fewer elements, and rarely of a wider type.
    shape = _broadcast(arrays)
    if shape is None:
        return None
    dtype = max((one.dtype for one in arrays), key=lambda name: ("float" in name, element_bytes(name)))
    real = isinstance(node.op, ast.Div) or any(_is_real(number) for number in numbers)
    return made(shape, _floating(dtype) if real else dtype)


def _floating(dtype: str) -> str:
    """What NumPy makes of a type in a true division, or beside a Python float."""
    if "float" in dtype:
        return dtype
    return "float64"


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _is_real(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_real(node.operand)
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _called(case: Case, node: ast.Call, depth: int) -> Made | None:
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    method = (isinstance(function, ast.Attribute) and not node.args) or name == "astype"
    operand = function.value if method and isinstance(function, ast.Attribute) else node.args[0] if node.args else None
    given = _value(case, operand, depth - 1) if operand is not None else None
    if given is None:
        return None
    told = _told_dtype(node, name)
    if isinstance(given, Several):
        shape = _joined(name, given)
        return made(shape, told or given.each.dtype) if shape else None
    if name in _CONVERTING:
        return made(given.shape, told or given.dtype)
    if name in _SAME_SHAPE or name in _JOINING:
        return made(given.shape, told or given.dtype)
    return None


def _joined(name: str, given: Several) -> list[int] | None:
    if name in _JOINING:
        return [given.number, *given.each.shape]
    if name in _LENGTHENING and given.each.shape:
        return [given.number * given.each.shape[0], *given.each.shape[1:]]
    return None


def _told_dtype(node: ast.Call, name: str) -> str | None:
    """The type that a call names: `astype("float32")`, `dtype=np.float32`, `tf.cast(x, tf.float32)`."""
    if name in _DTYPES:
        return name
    words = [word.value for word in node.keywords if word.arg == "dtype"]
    if name in ("astype", "cast"):
        words += node.args[-1:]
    for word in words:
        text = word.value if isinstance(word, ast.Constant) and isinstance(word.value, str) else written(word)
        for dtype in _DTYPES:
            if text.rpartition(".")[2] == dtype:
                return dtype
        if text == "float":
            return "float64"
    return None
