"""The shape and type of what a statement makes, from arrays that are known by their names. Pure.

A list of arrays that `np.array` joins, a picture's bytes divided by 255.0 (which makes float64 of them), a conversion,
a matrix product: each is followed as NumPy and TensorFlow would compute it. What cannot be followed is not guessed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from whydied.source.arrays.array_makers import DTYPES, buffer_made, dtype_of, shape_made
from whydied.source.calls import callee, passed_argument
from whydied.source.location import Location
from whydied.source.numbers import constants
from whydied.source.text import Source
from whydied.source.trees import nodes_at, tree_of, walk, written

_PRODUCTS = ("matmul", "dot", "outer")
_JOINING = {"array", "asarray", "stack", "asanyarray", "ascontiguousarray", "constant", "convert_to_tensor"}
_LENGTHENING = {"concatenate", "concat", "vstack"}
_SAME_SHAPE = {"abs", "exp", "log", "sqrt", "square", "tanh", "sin", "cos", "copy", "log1p", "clip", "nan_to_num"}
_SAME_SHAPE |= {"sign", "astype", "cast", "float32", "float64", "float16"}
_COMPARING = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
_COMPARING |= {"logical_and", "logical_or", "logical_xor"}
_PAIRING = {"add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "squared_difference"}
"""Functions of two arrays, element by element."""
_DEEPEST = 12


class Array(NamedTuple):
    """An array or tensor."""

    shape: list[int]
    dtype: str


class ArrayList(NamedTuple):
    """So many arrays of one shape in a list."""

    number: int
    each: Array


Known = Callable[[str], Array | ArrayList | None]
"""What a variable or attribute holds."""


def arrays_made(sources: Mapping[str, Source], place: Location, known: Known) -> list[Array]:
    """What a statement may make, as far as it can be followed."""
    tree = tree_of(sources, place.file)
    numbers = constants(tree)
    nodes, dtype = nodes_at(sources, place), dtype_of(place.source or "")
    return [
        *(Array(shape, dtype) for node in nodes if (shape := shape_made(node, numbers))),
        *(product for node in nodes if (product := _product(node, tree, numbers, known))),
        *(Array(size, "uint8") for node in nodes if (size := buffer_made(node, numbers))),
        *(computed for node in nodes if (computed := array_computed(node, known))),
    ]


def array_computed(node: ast.AST, known: Known) -> Array | None:
    """What an expression makes that is not already there under a name."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Constant):
        return None
    value = _value(node, known, _DEEPEST)
    return value if isinstance(value, Array) else None


def written_rank(tree: ast.Module, name: str) -> int | None:
    """How many axes the array of a name has, where all that the file assigns to it are makers of arrays."""
    numbers = constants(tree)
    values = [one.value for one in walk(tree, ast.Assign) if name in map(written, one.targets)]
    ranks = {len(shape) if (shape := shape_made(value, numbers)) else None for value in values}
    return ranks.pop() if len(ranks) == 1 else None


def is_widened(node: ast.AST) -> bool:
    """Whether an expression gives an array new axes by its index."""
    return isinstance(node, ast.Subscript) and any(_is_new_axis(part) for part in _indices(node))


def _value(node: ast.AST, known: Known, depth: int) -> Array | ArrayList | None:
    if not depth:
        return None
    if isinstance(node, ast.Name | ast.Attribute):
        return known(written(node))
    if isinstance(node, ast.UnaryOp):
        return _value(node.operand, known, depth - 1)
    if isinstance(node, ast.BinOp):
        return _operated(node, known, depth)
    if isinstance(node, ast.Subscript):
        return _widened(node, known, depth)
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        return _paired([node.left, *node.comparators], "bool", known, depth)
    if isinstance(node, ast.Call) and len(node.args) == 2 and callee(node) in _COMPARING | _PAIRING:
        return _paired(node.args, "bool" if callee(node) in _COMPARING else None, known, depth)
    return _called(node, known, depth) if isinstance(node, ast.Call) else None


def _widened(node: ast.Subscript, known: Known, depth: int) -> Array | None:
    """`x[:, None, :]`, `x[..., np.newaxis]`: the same elements with axes of one; any other index is not followed."""
    given = _value(node.value, known, depth - 1)
    if not isinstance(given, Array) or not is_widened(node):
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
    return Array([*shape, *rest], given.dtype)


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_new_axis(node: ast.AST) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or written(node).rpartition(".")[2] == "newaxis"


def _broadcast(arrays: list[Array]) -> list[int] | None:
    """The shape that arrays have together; None where they do not fit."""
    longest = max(len(one.shape) for one in arrays)
    shape = [1] * longest
    for one in arrays:
        for at, extent in enumerate(one.shape, longest - len(one.shape)):
            if extent != 1 and shape[at] not in (1, extent):
                return None
            shape[at] = max(shape[at], extent)
    return shape


def _operated(node: ast.BinOp, known: Known, depth: int) -> Array | None:
    if isinstance(node.op, ast.MatMult):
        return None
    sides = [_value(side, known, depth - 1) for side in (node.left, node.right)]
    arrays = [side for side in sides if isinstance(side, Array)]
    numbers = [side for side in (node.left, node.right) if _is_number(side, (int, float))]
    widened = any(is_widened(side) for side in (node.left, node.right))
    if not arrays or (widened and len(arrays) + len(numbers) < 2):
        return None
    # What is not known beside an array is a mean or a deviation: of fewer elements, and rarely of a wider type.
    shape = _broadcast(arrays)
    if shape is None:
        return None
    dtype = max((one.dtype for one in arrays), key=lambda name: ("float" in name, _bits(name)))
    # NumPy makes float64 of whole numbers in a true division, and beside a Python float.
    real = isinstance(node.op, ast.Div) or any(_is_number(number, float) for number in numbers)
    return Array(shape, "float64" if real and "float" not in dtype else dtype)


def _paired(nodes: list[ast.expr], dtype: str | None, known: Known, depth: int) -> Array | None:
    """Two arrays together, element by element; both must be known."""
    arrays = [side for node in nodes if isinstance(side := _value(node, known, depth - 1), Array)]
    shape = _broadcast(arrays) if len(arrays) == 2 else None
    if shape is None:
        return None
    return Array(shape, dtype or max((one.dtype for one in arrays), key=lambda name: ("float" in name, _bits(name))))


def _bits(dtype: str) -> int:
    found = re.search(r"\d+$", dtype)
    return int(found[0]) if found else 8


def _is_number(node: ast.AST, kind: type | tuple[type, ...]) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand, kind)
    return isinstance(node, ast.Constant) and isinstance(node.value, kind)


def _called(node: ast.Call, known: Known, depth: int) -> Array | None:
    function, name = node.func, callee(node)
    method = (isinstance(function, ast.Attribute) and not node.args) or name == "astype"
    operand = function.value if method and isinstance(function, ast.Attribute) else node.args[0] if node.args else None
    given = _value(operand, known, depth - 1) if operand is not None else None
    if given is None:
        return None
    named = _named_dtype(node, name)
    if isinstance(given, ArrayList):
        shape = _joined(name, given)
        return Array(shape, named or given.each.dtype) if shape else None
    return Array(given.shape, named or given.dtype) if name in _SAME_SHAPE | _JOINING else None


def _joined(name: str, given: ArrayList) -> list[int] | None:
    if name in _JOINING:
        return [given.number, *given.each.shape]
    if name in _LENGTHENING and given.each.shape:
        return [given.number * given.each.shape[0], *given.each.shape[1:]]
    return None


def _named_dtype(node: ast.Call, name: str) -> str | None:
    """The type that a call names: `astype("float32")`, `dtype=np.float32`, `tf.cast(x, tf.float32)`."""
    if name in DTYPES:
        return name
    words = [passed_argument(node, "dtype"), *(node.args[-1:] if name in ("astype", "cast") else [])]
    for word in words:
        if word is None:
            continue
        text = word.value if isinstance(word, ast.Constant) and isinstance(word.value, str) else written(word)
        if text.rpartition(".")[2] in DTYPES:
            return text.rpartition(".")[2]
        if text == "float":
            return "float64"
    return None


def _product(node: ast.AST, tree: ast.Module, numbers: dict[str, float], known: Known) -> Array | None:
    """What a matrix product makes. Its operands are looked up, else taken from the statement that made them."""
    operands: list[ast.expr] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        operands = [_unscaled(node.left), node.right]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PRODUCTS:
        operands = node.args[:2]
    if len(operands) != 2:
        return None
    left, right = (_operand(operand, tree, numbers, known) for operand in operands)
    if left is None or right is None or not left.shape or not right.shape:
        return None
    transposed = isinstance(node, ast.Call) and any(word.arg == "transpose_b" for word in node.keywords)
    text = written(operands[1])
    turned = transposed or text.endswith((".T", ".transpose()")) or "transpose(" in text
    columns = right.shape[0] if turned or len(right.shape) == 1 else right.shape[-1]
    rows = left.shape if len(left.shape) == 1 else left.shape[:-1]
    return Array([*rows, columns], left.dtype)


def _unscaled(node: ast.expr) -> ast.expr:
    """`2 * a` has the shape of `a`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Constant):
        return node.right
    return node


def _operand(operand: ast.expr, tree: ast.Module, numbers: dict[str, float], known: Known) -> Array | None:
    while True:
        if isinstance(operand, ast.Attribute) and operand.attr in ("T", "mT"):
            operand = operand.value
        elif isinstance(operand, ast.Call) and written(operand.func).endswith("transpose"):
            operand = operand.args[0] if operand.args else operand.func
        else:
            break
    name = written(operand)
    there = known(name)
    return there if isinstance(there, Array) else _made_once(name, tree, numbers)


def _made_once(name: str, tree: ast.Module, numbers: dict[str, float]) -> Array | None:
    """The array in the only statement that assigns a name."""
    values = [node.value for node in walk(tree, ast.Assign) if any(written(target) == name for target in node.targets)]
    if len(values) != 1:
        return None
    # What was made and then reshaped in a way that cannot be followed has another shape.
    calls = walk(values[0], ast.Call)
    if any(callee(call) == "reshape" and shape_made(call, numbers) is None for call in calls):
        return None
    shapes = [shape for call in calls if (shape := shape_made(call, numbers))]
    return Array(max(shapes, key=len), dtype_of(written(values[0]))) if shapes else None
