"""The shape of what a statement makes, as far as the source and the census tell it. Pure.

Numbers in the source are followed through names that are assigned once; operands of a matrix product are looked up in
the census, else in the statement that made them. What cannot be followed is not guessed.
"""

from __future__ import annotations

import ast
from math import prod

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.expression_shapes import Made, derived, known_in, made
from whydied.source.numbers import constants, evaluate
from whydied.source.trees import nodes_at, tree_of, written

_DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "uint8", "int8", "bool")
_PRODUCTS = ("matmul", "dot", "outer")
_ARRAYS = ("np.", "numpy.", "rng.", "generator.")
_INTEGERS = ("randint(", "integers(", "permutation(", "arange(")
_NUMPY = {"np", "numpy", "jnp", "tnp"}
_TENSORFLOW = {"tf", "tensorflow", "keras", "ops", "K"}
_SHAPE_FIRST = {"zeros", "ones", "empty", "full", "random_sample", "standard_normal", "standard_exponential"}
_SHAPE_FIRST |= {"random", "ranf", "ndarray", "random_normal", "random_uniform", "truncated_normal"}
_EACH_EXTENT = {"rand", "randn"}
_COUNTED = {"arange", "permutation"}
_TENSORS_FIRST = {"normal", "uniform", "gamma", "poisson", "binomial", "randint", "fill", "uniform_full_int"}
_TENSORS_FIRST |= {"stateless_normal", "stateless_uniform", "stateless_truncated_normal"}
_SIZE_AT = {
    1: {"poisson", "exponential", "rayleigh", "chisquare", "geometric", "pareto", "weibull", "standard_gamma"}
    | {"choice"},
    2: {"normal", "uniform", "randint", "integers", "random_integers", "lognormal", "laplace", "logistic", "gumbel"}
    | {"beta", "gamma", "binomial", "negative_binomial", "linspace", "logspace"},
    3: {"triangular", "hypergeometric"},
}
"""Which argument of numpy's functions is the size."""
_GAMMAS = {"gamma", "standard_gamma"}
_NOT_MADE = {"Input", "InputLayer", "placeholder", "TensorSpec", "InputSpec", "KerasTensor", "ShapeDtypeStruct"}
"""What takes a shape and makes nothing of that size."""
_MOST_ELEMENTS = 1 << 63


def made_by(case: Case, place: Location, at_least_bytes: float) -> Made | None:
    """What a statement makes, where its source gives a shape of at least so many bytes; of several the smallest."""
    tree = tree_of(case.sources, place.file)
    known = constants(tree)
    nodes = nodes_at(case.sources, place)
    told = [made(shape, _dtype(place.source or "")) for node in nodes if (shape := _made(node, known))]
    multiplied = [product for node in nodes if (product := _product(case, tree, known, node))]
    buffers = [buffer for node in nodes if (buffer := _buffer(node, known))]
    followed = [value for node in nodes if (value := derived(case, node))]
    large = [one for one in (*told, *multiplied, *buffers, *followed) if one.size_bytes >= at_least_bytes]
    return min(large, key=lambda one: one.size_bytes, default=None)


def made_exactly(case: Case, place: Location) -> Made | None:
    """What a statement makes, where it assigns the array that one call of a known maker gives: `v = np.zeros(n)`."""
    for node in nodes_at(case.sources, place):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            shape = _made(node.value, constants(tree_of(case.sources, place.file)))
            return made(shape, _dtype(place.source or "")) if shape else None
    return None


def _made(node: ast.AST, known: dict[str, float]) -> list[int] | None:
    """The shape that a call of a known maker of arrays is given: `zeros((n, m))`, `rand(n, m)`, `normal(size=n)`."""
    if not isinstance(node, ast.Call) or any(isinstance(given, ast.Starred) for given in node.args):
        return None
    name, owner = _callee(node), _owner(node)
    if name in _NOT_MADE:
        return None
    words = {word.arg: word.value for word in node.keywords}
    # numpy.random.gamma(shape=2.0, size=n): there `shape` is a parameter of the distribution.
    given = words.get("size") or (None if name in _GAMMAS and owner != "tensors" else words.get("shape"))
    if given is not None:
        return _extents([given], known)
    if name in _EACH_EXTENT or (name == "reshape" and owner == "object"):
        return _extents(node.args, known)
    if name == "eye" or (name == "identity" and owner == "arrays"):
        return _square(node, words, known)
    at = _position(node, name, owner)
    return _extents(node.args[at : at + 1], known) if at is not None else None


def _buffer(node: ast.AST, known: dict[str, float]) -> Made | None:
    """`bytearray(n)` and `bytes(n)` of Python itself."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1:
        return None
    extents = _extents(node.args, known) if node.func.id in ("bytearray", "bytes") else None
    return made(extents, "uint8") if extents and not isinstance(node.args[0], ast.List | ast.Tuple) else None


def _square(call: ast.Call, words: dict[str | None, ast.expr], known: dict[str, float]) -> list[int] | None:
    """The shape of `eye(n)` and `eye(n, m)`."""
    wide = call.args[1:2] or [words[word] for word in ("M", "num_columns") if word in words]
    rows = _extents(call.args[:1], known)
    columns = _extents(wide, known) if wide else rows
    return [*rows, *columns] if rows and columns and "batch_shape" not in words else None


def _position(call: ast.Call, name: str, owner: str) -> int | None:
    """Which argument of a call is the shape."""
    if name in _SHAPE_FIRST:
        return 0
    # numpy broadcasts without memory.
    if name == "reshape" or (name == "broadcast_to" and owner == "tensors"):
        return 1
    if name in _COUNTED:
        # With more arguments they are a beginning, an end and a step.
        return 0 if len(call.args) == 1 else None
    if owner == "tensors":
        return 0 if name in _TENSORS_FIRST else None
    if owner == "object" and call.args and isinstance(call.args[0], ast.Tuple | ast.List):
        return 0 if name in _TENSORS_FIRST else None
    return next((at for at, names in _SIZE_AT.items() if name in names), None)


def _extents(parts: list[ast.expr], known: dict[str, float]) -> list[int] | None:
    """A shape as it is written: `(n, m)`, `n`, or `n, m`."""
    if len(parts) == 1 and isinstance(parts[0], ast.List | ast.Tuple):
        parts = parts[0].elts
    numbers: list[int] = []
    for part in parts:
        value = evaluate(part, known)
        if not isinstance(value, int) or value <= 0:
            return None
        numbers.append(value)
    return numbers if numbers and prod(numbers) < _MOST_ELEMENTS else None


def _callee(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _owner(call: ast.Call) -> str:
    """Whose function a call is: "arrays" (numpy), "tensors" (TensorFlow, Keras), or "object" where that is not
    said: a generator of random numbers, an array, a function that was imported by its name."""
    node: ast.AST = call.func
    while isinstance(node, ast.Attribute):
        node = node.value
    root = node.id if isinstance(node, ast.Name) and node is not call.func else ""
    return "arrays" if root in _NUMPY else "tensors" if root in _TENSORFLOW else "object"


def dtype_in(text: str) -> str | None:
    """The type that a statement names."""
    return next((dtype for dtype in _DTYPES if dtype in text), None)


def _dtype(text: str) -> str:
    """The type that a statement names; else what its library takes when nobody says."""
    named = dtype_in(text)
    if named is not None:
        return named
    if not any(word in text for word in _ARRAYS):
        return "float32"
    return "int64" if any(word in text for word in _INTEGERS) else "float64"


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
    text = written(operands[1])
    turned = transposed or text.endswith((".T", ".transpose()")) or "transpose(" in text
    columns = right.shape[0] if turned or len(right.shape) == 1 else right.shape[-1]
    rows = left.shape if len(left.shape) == 1 else left.shape[:-1]
    return made([*rows, columns], left.dtype)


def _unscaled(node: ast.expr) -> ast.expr:
    """`2 * a` has the shape of `a`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Constant):
        return node.right
    return node


def _operand(case: Case, tree: ast.Module, known: dict[str, float], operand: ast.expr) -> Made | None:
    while True:
        if isinstance(operand, ast.Attribute) and operand.attr in ("T", "mT"):
            operand = operand.value
        elif isinstance(operand, ast.Call) and written(operand.func).endswith("transpose"):
            operand = operand.args[0] if operand.args else operand.func
        else:
            break
    name = written(operand)
    return known_in(case, name) or _assigned(tree, known, name)


def _assigned(tree: ast.Module, known: dict[str, float], name: str) -> Made | None:
    """The shape in the only statement that assigns a name."""
    values = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(written(target) == name for target in node.targets)
    ]
    if len(values) != 1:
        return None
    # What was made and then reshaped in a way that cannot be followed has another shape.
    calls = [node for node in ast.walk(values[0]) if isinstance(node, ast.Call)]
    if any(_callee(call) == "reshape" and _made(call, known) is None for call in calls):
        return None
    shapes = [shape for call in calls if (shape := _made(call, known))]
    return made(max(shapes, key=len), _dtype(written(values[0]))) if shapes else None
