"""Calls that make an array or tensor of a shape that the source gives them: `np.zeros((n, m))`, `rng.normal(size=n)`.
Pure.

Numbers are followed through names that are assigned once. What cannot be followed is not guessed.
"""

from __future__ import annotations

import ast
from math import prod

from whydied.source.calls import callee
from whydied.source.numbers import evaluate

DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "uint8", "int8", "bool")
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


def shape_made(node: ast.AST, numbers: dict[str, float]) -> list[int] | None:
    """The shape that a call of a known maker of arrays is given: `zeros((n, m))`, `rand(n, m)`, `normal(size=n)`."""
    if not isinstance(node, ast.Call) or any(isinstance(given, ast.Starred) for given in node.args):
        return None
    name, owner = callee(node), _owner(node)
    if name in _NOT_MADE:
        return None
    words = {word.arg: word.value for word in node.keywords}
    # numpy.random.gamma(shape=2.0, size=n): there `shape` is a parameter of the distribution.
    given = words.get("size") or (None if name in _GAMMAS and owner != "tensors" else words.get("shape"))
    if given is not None:
        return _extents([given], numbers)
    if name in _EACH_EXTENT or (name == "reshape" and owner == "object"):
        return _extents(node.args, numbers)
    if name == "eye" or (name == "identity" and owner == "arrays"):
        return _square(node, words, numbers)
    at = _position(node, name, owner)
    return _extents(node.args[at : at + 1], numbers) if at is not None else None


def buffer_made(node: ast.AST, numbers: dict[str, float]) -> list[int] | None:
    """The bytes of `bytearray(n)` and `bytes(n)` of Python itself."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1:
        return None
    is_buffer = node.func.id in ("bytearray", "bytes") and not isinstance(node.args[0], ast.List | ast.Tuple)
    return _extents(node.args, numbers) if is_buffer else None


def dtype_in(text: str) -> str | None:
    """The type that a statement names."""
    return next((dtype for dtype in DTYPES if dtype in text), None)


def dtype_of(text: str) -> str:
    """The type that a statement names; else what its library takes when nobody says."""
    named = dtype_in(text)
    if named is not None:
        return named
    if not any(word in text for word in _ARRAYS):
        return "float32"
    return "int64" if any(word in text for word in _INTEGERS) else "float64"


def _square(call: ast.Call, words: dict[str | None, ast.expr], numbers: dict[str, float]) -> list[int] | None:
    """The shape of `eye(n)` and `eye(n, m)`."""
    wide = call.args[1:2] or [words[word] for word in ("M", "num_columns") if word in words]
    rows = _extents(call.args[:1], numbers)
    columns = _extents(wide, numbers) if wide else rows
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


def _extents(parts: list[ast.expr], numbers: dict[str, float]) -> list[int] | None:
    """A shape as it is written: `(n, m)`, `n`, or `n, m`."""
    if len(parts) == 1 and isinstance(parts[0], ast.List | ast.Tuple):
        parts = parts[0].elts
    found: list[int] = []
    for part in parts:
        value = evaluate(part, numbers)
        if not isinstance(value, int) or value <= 0:
            return None
        found.append(value)
    return found if found and prod(found) < _MOST_ELEMENTS else None


def _owner(call: ast.Call) -> str:
    """Whose function a call is: "arrays" (numpy), "tensors" (TensorFlow, Keras), or "object" where that is not
    said: a generator of random numbers, an array, a function that was imported by its name."""
    node: ast.AST = call.func
    while isinstance(node, ast.Attribute):
        node = node.value
    root = node.id if isinstance(node, ast.Name) and node is not call.func else ""
    return "arrays" if root in _NUMPY else "tensors" if root in _TENSORFLOW else "object"
