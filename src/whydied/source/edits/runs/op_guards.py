"""Edits that keep an op inside of its domain: the argument of a logarithm above zero, the divisor of a division away
from it. Pure.

An op is found by its own expression in one statement. Several of the same kind there are all guarded, unless one lies
in another; what is guarded already is left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.text import Source
from whydied.source.trees import last_name, nodes_on, walk

SMALL = 1e-2
"""A number up to this size that is added to an argument is a guard."""
_GUARDS = frozenset({"maximum", "minimum", "clip", "clip_by_value", "relu", "softplus"})
_ABOVE = "{of}.maximum({x}, {by})"
_BELOW = "{of}.minimum({x}, {by})"


class Guard(NamedTuple):
    """What is done, in words, and how."""

    title: str
    edits: list[Edit]


class _Around(NamedTuple):
    """What is written around the argument of a function, and what that does."""

    functions: tuple[str, ...]
    text: str
    by: str
    title: str


_LOG = _Around(("log", "log10", "log2"), _ABOVE, "1e-7", "Keep the argument of the logarithm above zero")
_ROOT = _Around(("sqrt",), _ABOVE, "1e-12", "Keep the argument of the root above zero")
_INSIDE = "{of}.{clip}({x}, -1 + 1e-6, 1 - 1e-6)"
_FORWARD = {
    "Log": _LOG,
    "Log1p": _Around(("log1p",), _ABOVE, "-1 + 1e-7", "Keep the argument of the logarithm above -1"),
    "Sqrt": _ROOT,
    "Rsqrt": _Around(("rsqrt",), _ABOVE, "1e-12", "Keep the argument of the root above zero"),
    "Exp": _Around(("exp",), _BELOW, "80.0", "Bound the argument of the exponential"),
    "Expm1": _Around(("expm1",), _BELOW, "80.0", "Bound the argument of the exponential"),
    "Acos": _Around(("acos", "arccos"), _INSIDE, "", "Keep the argument inside of -1 to 1"),
    "Asin": _Around(("asin", "arcsin"), _INSIDE, "", "Keep the argument inside of -1 to 1"),
    "Atanh": _Around(("atanh", "arctanh"), _INSIDE, "", "Keep the argument inside of -1 to 1"),
    "Acosh": _Around(("acosh", "arccosh"), _ABOVE, "1 + 1e-6", "Keep the argument above one"),
}
_BACKWARD = {"SqrtGrad": _ROOT, "RsqrtGrad": _FORWARD["Rsqrt"], "Reciprocal": _LOG}
_SQUARING = frozenset({"Square", "Pow", "Mul", "Mean", "Sum", "SquaredDifference"})
_DIVISIONS = frozenset({"RealDiv", "Div", "Xdivy"})
_DIVIDES = ("divide", "truediv", "true_divide", "div")


def guarded(
    source: Source, file: str, line: int, op: str, *, backward: bool = False, dtype: str = "float32"
) -> Guard | None:
    """The guard of a TensorFlow op that the statement at a line makes; `backward` where its derivative went wrong.
    `dtype` is the type of its result: a number alone becomes float32 where a function takes it first."""
    nodes = [node for node in nodes_on(source, line) if isinstance(node, ast.expr | ast.AugAssign)]
    if backward and (arcs := _arcs(source, file, nodes)) is not None:
        return arcs
    if op in _DIVISIONS:
        found = _divisions(source, file, nodes, dtype)
        return found or (_wrapped(source, file, nodes, _LOG) if backward else None)
    if op == "Pow":
        return _powers(source, file, nodes)
    around = (_BACKWARD if backward else _FORWARD).get(op)
    if around is None:
        return None
    return _wrapped(source, file, nodes, around) or (_norm(source, file, nodes) if backward else None)


def bounded(source: Source, file: str, line: int, op: str) -> Guard | None:
    """The argument of a square, a power or a sum over one at a line, limited to what float32 can square."""
    nodes = [node for node in nodes_on(source, line) if isinstance(node, ast.expr)]
    tensorflow = name_of(source, "tensorflow")
    inner = [node.args[0] for node in nodes if isinstance(node, ast.Call) and callee(node) == "square" and node.args]
    inner += [node.left for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)]
    bare = [one for one in inner if not is_guarded(one) and not isinstance(one, ast.Constant)]
    if tensorflow is None or op not in _SQUARING or len(bare) != 1:
        return None
    text = f"{tensorflow}.clip_by_value({written_in(source, bare[0])}, -1e15, 1e15)"
    return Guard("Limit what is squared", [over(source, file, bare[0], text)])


def guarded_count(source: Source, file: str, line: int) -> Guard | None:
    """What is computed from a number of steps at a line, with that kept at 1 or above: the argument of a root or of a
    logarithm, or a divisor."""
    nodes = [node for node in nodes_on(source, line) if isinstance(node, ast.expr | ast.AugAssign)]
    title = "Keep the number of steps at 1 or above"
    for functions in (("rsqrt", "sqrt"), ("log", "log10", "log2")):
        found = _wrapped(source, file, nodes, _Around(functions, _ABOVE, "1.0", title))
        if found is not None:
            return found
    tensorflow = name_of(source, "tensorflow")
    edits = [
        over(source, file, below, f"{tensorflow}.maximum({written_in(source, below)}, 1.0)")
        for _, _, below in divisions(nodes)
        if tensorflow is not None
    ]
    return Guard(title, edits) if edits else None


def guarded_numpy(source: Source, file: str, line: int, op: str) -> Guard | None:
    """The same for what NumPy says that it was doing: `divide`, `log`, `sqrt`."""
    if op in ("divide", "true_divide", "scalar divide"):
        nodes = [node for node in nodes_on(source, line) if isinstance(node, ast.expr | ast.AugAssign)]
        return _divisors(source, file, nodes, name_of(source, "numpy"))
    return guarded(source, file, line, {"log": "Log", "log10": "Log", "log2": "Log"}.get(op, op.capitalize()))


def _arcs(source: Source, file: str, nodes: list[ast.expr | ast.AugAssign]) -> Guard | None:
    """The argument of an arc cosine or sine away from -1 and 1, where its derivative is infinite. One that is clipped
    to exactly that is clipped a little further inside."""
    around = _FORWARD["Acos"]._replace(functions=("acos", "arccos", "asin", "arcsin", "atanh", "arctanh"))
    edits = []
    for node in nodes:
        if isinstance(node, ast.Call) and callee(node) in around.functions and node.args:
            inner = node.args[0]
            if isinstance(inner, ast.Call) and callee(inner) in ("clip_by_value", "clip") and len(inner.args) == 3:
                edits += [
                    over(source, file, bound, text)
                    for bound, text in zip(inner.args[1:], ("-1 + 1e-6", "1 - 1e-6"), strict=True)
                    if written_in(source, bound).lstrip("-").rstrip(".0") == "1"
                ]
    return Guard(around.title, edits) if edits else _wrapped(source, file, nodes, around)


def _wrapped(source: Source, file: str, nodes: list[ast.expr | ast.AugAssign], around: _Around) -> Guard | None:
    """The first argument of each call of the functions, written anew."""
    edits = []
    for node in nodes:
        if not isinstance(node, ast.Call) or callee(node) not in around.functions or not node.args:
            continue
        if not isinstance(node.func, ast.Attribute) or is_guarded(node.args[0]):
            continue
        if isinstance(node.args[0], ast.Constant):
            continue
        of = written_in(source, node.func.value)
        of = of.removesuffix(".math") or of
        clip = "clip_by_value" if of == name_of(source, "tensorflow") else "clip"
        text = around.text.format(of=of, x=written_in(source, node.args[0]), by=around.by, clip=clip)
        edits.append(over(source, file, node.args[0], text))
    return Guard(around.title, edits) if edits else None


def _divisions(source: Source, file: str, nodes: list[ast.expr | ast.AugAssign], dtype: str) -> Guard | None:
    """`a / b` as a division that gives 0 where `b` is 0; where nothing has one, a small number beside the divisor."""
    title = "Guard the division against a divisor of zero"
    edits = []
    for node, above, below in divisions(nodes):
        of = _no_nan(source, nodes)
        bare = isinstance(above, ast.Constant) and dtype != "float32"
        if of is None or bare or isinstance(node, ast.AugAssign):
            return _divisors(source, file, nodes, None)
        first = written_in(source, above)
        if isinstance(above, ast.Constant) and type(above.value) is int:
            first = f"{above.value}.0"
        edits.append(over(source, file, node, f"{of}({first}, {written_in(source, below)})"))
    return Guard(title, edits) if edits else None


def _no_nan(source: Source, nodes: list[ast.expr | ast.AugAssign]) -> str | None:
    """The division without NaN that the statement's own library has."""
    tensorflow = name_of(source, "tensorflow")
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == "ops":
            return f"{written_in(source, node)}.divide_no_nan"
    return f"{tensorflow}.math.divide_no_nan" if tensorflow else None


def _divisors(source: Source, file: str, nodes: list[ast.expr | ast.AugAssign], numpy: str | None) -> Guard | None:
    """With a divisor that is not zero: where NumPy is at work 1 in the place of 0, else a small number is added."""
    edits = []
    for node, _, below in divisions(nodes):
        text = written_in(source, below)
        if numpy and _is_stored(below):
            edits.append(over(source, file, below, f"{numpy}.where({text} == 0, 1, {text})"))
            continue
        bare = isinstance(below, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
        inner = text if bare else f"({text})"
        sum_ = f"{inner} + 1e-8"
        edits.append(over(source, file, below, sum_ if isinstance(node, ast.AugAssign) else f"({sum_})"))
    return Guard("Guard the division against a divisor of zero", edits) if edits else None


def _is_stored(node: ast.expr) -> bool:
    """Whether a divisor is a value of the data. One that is computed, such as a deviation, may miss 0 by a rounding
    error: a small number beside it helps there, too."""
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and not walk(node, ast.Call)


def divisions(
    nodes: list[ast.expr | ast.AugAssign],
) -> Iterator[tuple[ast.expr | ast.AugAssign, ast.expr, ast.expr]]:
    """The divisions with what is above and below the line; a number and what is guarded already cannot be zero."""
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            above, below = node.left, node.right
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            above, below = node.target, node.value
        elif isinstance(node, ast.Call) and callee(node) in _DIVIDES and len(node.args) == 2:
            above, below = node.args
        else:
            continue
        if not _is_number(below) and not is_guarded(below):
            yield node, above, below


def _is_number(node: ast.expr) -> bool:
    """A number, or a function of numbers: `log(10.0)`."""
    if isinstance(node, ast.Call):
        return bool(node.args) and all(_is_number(given) for given in node.args) and not node.keywords
    return isinstance(node, ast.Constant)


def _powers(source: Source, file: str, nodes: list[ast.expr | ast.AugAssign]) -> Guard | None:
    tensorflow = name_of(source, "tensorflow")
    bases = [node.left for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)]
    bases += [node.args[0] for node in nodes if isinstance(node, ast.Call) and callee(node) == "pow" and node.args]
    bases = [base for base in bases if not isinstance(base, ast.Constant) and not is_guarded(base)]
    if tensorflow is None or not bases:
        return None
    edits = [over(source, file, base, f"{tensorflow}.maximum({written_in(source, base)}, 1e-7)") for base in bases]
    return Guard("Keep the base of the power above zero", edits)


def _norm(source: Source, file: str, nodes: list[ast.expr | ast.AugAssign]) -> Guard | None:
    """A norm written out, with a small number under its root."""
    tensorflow = name_of(source, "tensorflow")
    edits = []
    for node in nodes:
        if not isinstance(node, ast.Call) or callee(node) != "norm" or len(node.args) != 1 or tensorflow is None:
            continue
        if any(word.arg not in ("axis", "keepdims") for word in node.keywords):
            return None
        rest = "".join(f", {written_in(source, word)}" for word in node.keywords)
        squares = f"{tensorflow}.square({written_in(source, node.args[0])})"
        edits.append(over(source, file, node, f"{tensorflow}.sqrt({tensorflow}.reduce_sum({squares}{rest}) + 1e-12)"))
    return Guard("Put a small number under the root of the norm", edits) if edits else None


def is_guarded(node: ast.expr) -> bool:
    """Whether an argument is kept away from zero already."""
    if isinstance(node, ast.Call):
        return callee(node) in _GUARDS
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return any(_is_small(part) for part in (node.left, node.right))
    return False


def _is_small(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and 0 < node.value <= SMALL
    return "eps" in last_name(node).lower() if isinstance(node, ast.Name | ast.Attribute) else False


def replaced_numbers(
    source: Source, file: str, tree: ast.AST, wanted: Callable[[ast.expr], bool], text: str
) -> list[Edit]:
    """The expressions of a part of the source that are wanted, outer ones only, each written as `text`."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.expr) and wanted(node)]
    inner = {id(part) for node in found for part in walk(node, ast.expr) if part is not node}
    return [over(source, file, node, text) for node in found if id(node) not in inner]
