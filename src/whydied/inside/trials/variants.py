"""The failing expression of a statement with one part in another form, as code that can be evaluated and as the place
of the source that it changes; runs in the user's process, after an exception.

Invariant: only what computes is evaluated: names, attributes, items, operators, and calls of Python's own functions and
of the libraries for numbers that neither read nor write anything outside of the process. A call of the program's own
code, a training, a session or a file in the expression means that there are no variants.
"""

from __future__ import annotations

import ast
import copy
import difflib
import inspect
import itertools
import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from whydied.inside.guest.lookup import Missing, evaluate
from whydied.inside.guest.value_facts import describe
from whydied.inside.trials.forms import Form, forms, of_anything

MOST_VARIANTS = 60
MOST_PARTS = 8
MOST_SWAPPED = 4
MOST_NAMED = 6
_TYPES = (
    *("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "bool", "str", "object"),
    *("string", "same", "valid", "channels_last", "channels_first", "mean", "sum", "max", "min", "nearest", "bilinear"),
)
LARGEST_BYTES = 16 << 20
_LIBRARIES = frozenset(
    {
        *("builtins", "numpy", "tensorflow", "keras", "tf_keras", "pandas", "math", "operator", "_operator"),
        *("posixpath", "genericpath", "collections", "itertools", "re", "datetime"),
    }
)
_BUILTINS = frozenset(
    {
        *("abs", "all", "any", "bool", "bytes", "complex", "dict", "divmod", "enumerate", "filter", "float", "format"),
        *("frozenset", "int", "iter", "len", "list", "map", "max", "min", "next", "pow", "range", "repr", "reversed"),
        *("round", "set", "slice", "sorted", "str", "sum", "tuple", "zip"),
    }
)
_ACTS = re.compile(
    r"(?i)fit|train|evaluate|predict|save|load|write|read|open|dump|export|restore|download|get_file|remove|delete|"
    r"run|exec|system|sleep|show|plot|summary|print|input|to_(csv|json|pickle|hdf|parquet|excel)|tofile|memmap|"
    r"repeat|generator|numpy_function|py_function|device|strategy"
)


class Variant(NamedTuple):
    """`part` is the expression that is replaced, `text` what stands in its place; `code` evaluates the whole."""

    part: ast.expr
    text: str
    cost: float
    code: ast.Expression | ast.Module


class Scope(NamedTuple):
    """Where a failing expression is evaluated: its frame, and its variables with those that stand for arguments."""

    frame: FrameType
    names: dict[str, Any]

    def value(self, node: ast.AST | None) -> Any:
        return evaluate(node, self.frame, self.names)

    def graph(self, node: ast.AST) -> AbstractContextManager[Any]:
        """The graph that the tensors of an expression belong to, as the one that is being built."""
        for one in ast.walk(node):
            value: Any = self.value(one) if isinstance(one, ast.Name | ast.Attribute) else None
            kind = type(value)
            if kind.__module__.startswith("tensorflow.") and kind.__name__ in ("SymbolicTensor", "Tensor"):
                opened: AbstractContextManager[Any] = value.graph.as_default()
                return opened
        return nullcontext()


def variants(node: ast.AST, scope: Scope) -> list[Variant]:
    """The cheapest first; none where evaluating the expression would do more than compute."""
    whole = _evaluated(node)
    if whole is None or not _computes(whole, scope):
        return []
    modules = modules_of(scope.frame.f_globals)
    found: list[Variant] = []
    for part in _parts(node):
        value = scope.value(part)
        if isinstance(value, ModuleType) or (describe(value).size_bytes or 0) > LARGEST_BYTES:
            continue
        for form in forms(value, modules) if not isinstance(value, Missing) else of_anything(modules):
            made = _with(node, part, form)
            if made is not None:
                found.append(made)
    more = [*_near_texts(node), *_types_of_others(_parts(node), scope, modules)]
    found += [made for part, form in more if (made := _with(node, part, form)) is not None]
    found += _of_call(node, scope)
    return sorted(found, key=lambda one: one.cost)[:MOST_VARIANTS]


def _parts(node: ast.AST) -> list[ast.expr]:
    """What may be another form of itself, the nearest to the failing operation first."""
    near: list[ast.expr] = []
    if isinstance(node, ast.Subscript):
        near = [node.value, node.slice]
    elif isinstance(node, ast.Attribute):
        near = [node.value]
    elif isinstance(node, ast.BinOp):
        near = [node.left, node.right]
    elif isinstance(node, ast.Compare):
        near = [node.left, *node.comparators]
    elif isinstance(node, ast.UnaryOp):
        near = [node.operand]
    elif isinstance(node, ast.Call):
        function = [node.func.value] if isinstance(node.func, ast.Attribute) else [node.func]
        near = [*node.args, *(word.value for word in node.keywords), *function]
    elif isinstance(node, ast.For):
        near = [node.iter]
    elif isinstance(node, ast.Assign | ast.AugAssign):
        near = [node.value]
    inner = [
        part
        for one in near
        for part in ast.walk(one)
        if part is not one and isinstance(part, ast.Name | ast.Attribute | ast.Subscript)
    ]
    found: list[ast.expr] = []
    for one in [*near, *inner]:
        if isinstance(one, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.BinOp):
            found.append(one)
    return found[:MOST_PARTS]


def _evaluated(node: ast.AST) -> ast.expr | None:
    """The expression that has to be evaluated for a node."""
    if isinstance(node, ast.For):
        return node.iter
    if isinstance(node, ast.Assign | ast.AugAssign):
        return node.value
    return node if isinstance(node, ast.expr) else None


def _with(node: ast.AST, part: ast.expr, form: Form) -> Variant | None:
    plain = ast.unparse(part)
    text = form.text.replace("{}", f"({plain})" if isinstance(part, ast.BinOp) else plain)
    try:
        replaced = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    return Variant(part, text, form.cost, _code(_Replaced(part, replaced).visit(_shallow(node))))


class _Replaced(ast.NodeTransformer):
    """One node in the place of another; the tree of the source stays as it is."""

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


def _shallow(node: ast.AST) -> ast.AST:
    """A loop without its body: its first turn begins with taking an item apart."""
    if isinstance(node, ast.For):
        first = ast.parse("next(iter(_))", mode="eval").body
        assert isinstance(first, ast.Call)
        inner = first.args[0]
        assert isinstance(inner, ast.Call)
        inner.args = [node.iter]
        return ast.Assign(targets=[node.target], value=first)
    return node


def _code(node: ast.AST) -> ast.Expression | ast.Module:
    made: ast.Expression | ast.Module
    if isinstance(node, ast.stmt):
        made = ast.Module(body=[node], type_ignores=[])
    else:
        assert isinstance(node, ast.expr)
        made = ast.Expression(node)
    return ast.fix_missing_locations(made)


def _types_of_others(parts: list[ast.expr], scope: Scope, modules: dict[str, str]) -> Iterator[tuple[ast.expr, Form]]:
    """A tensor in the type of another one: whole numbers as floats rather than floats as whole numbers, and what a
    function made itself rather than what it was given."""
    known = [(one, describe(scope.value(one)).dtype) for one in parts if isinstance(one, ast.Name | ast.Attribute)]
    given = scope.frame.f_code.co_varnames[: scope.frame.f_code.co_argcount]
    for one, dtype in known:
        for other, wanted in known if "tensorflow" in modules else ():
            if dtype is None or wanted is None or dtype == wanted:
                continue
            cost = 1.1 if not dtype.startswith("float") else 1.15 if wanted.startswith("float") else 1.35
            cost += 0.06 if ast.unparse(one) in given else 0.0
            yield one, Form(f"{modules['tensorflow']}.cast({{}}, {ast.unparse(other)}.dtype)", cost)


def _near_texts(node: ast.AST) -> Iterator[tuple[ast.expr, Form]]:
    """A written text as the nearest of those that the libraries know: the name of a type, a loss, an activation."""
    texts = [one for one in ast.walk(node) if isinstance(one, ast.Constant)]
    for one in texts[:MOST_PARTS]:
        if isinstance(one.value, str) and one.value:
            known = difflib.get_close_matches(one.value, _known_texts(), 2, 0.7)
            yield from ((one, Form(repr(near), 1.0 + 0.1 * n)) for n, near in enumerate(known) if near != one.value)


def _known_texts() -> set[str]:
    found = set(_TYPES)
    for module in ("losses", "activations", "optimizers", "metrics", "initializers"):
        library = sys.modules.get(f"keras.{module}") or sys.modules.get(f"tf_keras.{module}")
        found |= {name for name in vars(library) if not name.startswith("_")} if library is not None else set()
    return found


def _by_name(node: ast.Call, scope: Scope) -> Iterator[list[str]]:
    """A text that is given by its place, given to another parameter that takes texts or nothing by default."""
    try:
        known = inspect.signature(scope.value(node.func)).parameters.values()
    except (TypeError, ValueError):
        return
    named = {word.arg for word in node.keywords}
    free = [one.name for one in known if one.name not in named and isinstance(one.default, str | None)]
    given = [ast.unparse(one) for one in node.args]
    for at, one in enumerate(node.args):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            rest = [*given[:at], *given[at + 1 :]]
            yield from ([*rest, f"{name}={given[at]}"] for name in free[:MOST_NAMED] if name != "self")


def _of_call(node: ast.AST, scope: Scope) -> Iterator[Variant]:
    """Arguments of a call in another order, put together or given by name."""
    if not isinstance(node, ast.Call) or any(isinstance(one, ast.Starred) for one in node.args):
        return
    given = [ast.unparse(one) for one in node.args]
    words = [ast.unparse(one) for one in node.keywords]
    orders: list[tuple[list[str], float]] = []
    if 2 <= len(given) <= MOST_SWAPPED:
        both = ", ".join(given)
        named = _place_of_name(node, scope)
        pairs = [one for one in itertools.combinations(range(len(given)), 2) if named not in one]
        orders += [(_swapped(given, *pair), 1.1) for pair in pairs]
        orders += [([f"zip({both})"], 1.3), ([f"[{both}]"], 1.3), ([f"({both})"], 1.4)]
        if len(given) > 2:
            orders.append(([f"[{given[0]}, {given[1]}]", *given[2:]], 1.2))
    orders += [(order, 1.1 + 0.01 * n) for n, order in enumerate(_by_name(node, scope))]
    orders += [(_unwrapped(given, n), 1.3) for n, one in enumerate(node.args) if _is_single(one)]
    for order, cost in orders:
        text = f"{ast.unparse(node.func)}({', '.join([*order, *words])})"
        yield Variant(node, text, cost, _code(ast.parse(text, mode="eval").body))


def _place_of_name(node: ast.Call, scope: Scope) -> int | None:
    """Which argument by position is the name of an op: it takes anything, so that it is taken says nothing."""
    try:
        taken = list(inspect.signature(scope.value(node.func)).parameters)
    except (TypeError, ValueError):
        return None
    return taken.index("name") if "name" in taken else None


def _swapped(given: list[str], first: int, second: int) -> list[str]:
    order = list(given)
    order[first], order[second] = order[second], order[first]
    return order


def _is_single(node: ast.expr) -> bool:
    """A list or tuple with one item."""
    return isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 1


def _unwrapped(given: list[str], at: int) -> list[str]:
    inner = given[at][1:-1].rstrip(",") if given[at][:1] in "[(" else given[at]
    return [inner if n == at else one for n, one in enumerate(given)]


def modules_of(names: dict[str, Any]) -> dict[str, str]:
    """NumPy and TensorFlow under the names that a module has for them."""
    found: dict[str, str] = {}
    for name, value in list(names.items()):
        module = value.__name__ if isinstance(value, ModuleType) and not name.startswith("_") else ""
        if module in ("numpy", "tensorflow") or (module.startswith("tensorflow.") and module.endswith(".compat.v1")):
            found.setdefault(module.partition(".")[0], name)
    return found


def _computes(whole: ast.expr, scope: Scope) -> bool:
    for node in ast.walk(whole):
        if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda | ast.ListComp):
            return False
        if isinstance(node, ast.SetComp | ast.DictComp | ast.GeneratorExp):
            return False
        if isinstance(node, ast.Call) and not _may_be_called(node.func, scope):
            return False
        if isinstance(node, ast.Attribute) and not _is_read(node, scope):
            return False
        if isinstance(node, ast.BinOp | ast.Compare | ast.Subscript) and not _operands_are_known(node, scope):
            return False
    return True


def _may_be_called(function: ast.expr, scope: Scope) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if _ACTS.search(name):
        return False
    value = scope.value(function)
    if isinstance(value, Missing):
        return isinstance(function, ast.Attribute) and _is_computed(function.value, scope)
    if isinstance(value, type):
        return _library_of(value) in _LIBRARIES and (value.__module__ != "builtins" or value.__name__ in _BUILTINS)
    module = getattr(value, "__module__", None) or type(getattr(value, "__self__", None)).__module__
    root = module.partition(".")[0] if isinstance(module, str) else ""
    if root == "builtins" and not isinstance(function, ast.Attribute):
        return name in _BUILTINS or not callable(value)
    # What cannot be called at all may be looked at for what can.
    return root in _LIBRARIES or not callable(value)


def _is_read(node: ast.Attribute, scope: Scope) -> bool:
    """Whether an attribute is had without a property of the program's own."""
    return not isinstance(scope.value(node), Missing) or _is_computed(node.value, scope)


def _is_computed(base: ast.expr, scope: Scope) -> bool:
    """Whether a value whose method is called is one of a library: by itself, or as the result of its function."""
    value = scope.value(base)
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0] in _LIBRARIES
    if not isinstance(value, Missing):
        return _library_of(type(value)) in _LIBRARIES
    if isinstance(base, ast.Call):
        return _may_be_called(base.func, scope)
    return isinstance(base, ast.Subscript | ast.Attribute) and _is_computed(base.value, scope)


def _operands_are_known(node: ast.AST, scope: Scope) -> bool:
    """Operators of a class of the program's own run its code."""
    for part in ast.iter_child_nodes(node):
        value = scope.value(part) if isinstance(part, ast.Name | ast.Attribute | ast.Subscript) else None
        if value is not None and not isinstance(value, Missing) and not _is_of_library(value):
            return False
    return True


def _is_of_library(value: Any) -> bool:
    kind = type(value)
    if _library_of(kind) in _LIBRARIES:
        return True
    own = type.__dict__["__dict__"].__get__(kind)
    # An object of the program's that has no operators of its own: asking it for an item only fails.
    return not any(name in own for name in ("__getitem__", "__getattr__", "__add__", "__call__", "__iter__"))


def _library_of(kind: type) -> str:
    return str(kind.__module__).partition(".")[0]
