"""The failing expression of a statement with one part in another form, as code that can be evaluated and as the place
of the source that it changes; runs in the user's process, after an exception.

Invariant: only what computes is evaluated: names, attributes, items, operators, and calls of Python's own functions and
of the libraries for numbers that neither read nor write anything outside of the process. A call of the program's own
code, a training, a session or a file in the expression means that there are no variants.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import itertools
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

from whydied.inside.guest.lookup import Missing, attribute
from whydied.inside.guest.value_facts import describe
from whydied.inside.trials.computing import Scope, computes
from whydied.inside.trials.forms import Form, forms, is_number, of_anything
from whydied.inside.trials.replaced import Replaced, code_of

MOST_VARIANTS = 60
MOST_PARTS = 8
MOST_SWAPPED = 4
MOST_NAMED = 6
_TYPES = (
    *("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "bool", "str", "object"),
    *("string", "same", "valid", "channels_last", "channels_first", "mean", "sum", "max", "min", "nearest", "bilinear"),
)
LARGEST_BYTES = 16 << 20
MOST_ITEMS = 200
LARGEST_COST = 1.3


class Variant(NamedTuple):
    """`part` is the expression that is replaced, `text` what stands in its place; `code` evaluates the whole."""

    part: ast.expr
    text: str
    cost: float
    code: ast.Expression | ast.Module


def variants(node: ast.AST, scope: Scope) -> list[Variant]:
    """The cheapest first; none where evaluating the expression would do more than compute."""
    whole = _evaluated(node)
    return changed(node, scope) if whole is not None and computes(whole, scope) else []


def changed(node: ast.AST, scope: Scope) -> list[Variant]:
    """The same of an expression that is known to compute."""
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
    more = [*_near_texts(node), *_unquoted(node), *_other_axes(node), *_types_of_others(_parts(node), scope, modules)]
    more += [*_items_with(node, scope), *_left_over(node, scope)]
    found += [made for part, form in more if (made := _with(node, part, form)) is not None]
    found += [*_of_call(node, scope), *_instances(node, scope), *_of_parent(node, scope)]
    for inner in [one for part in _parts(node) for one in ast.walk(part) if isinstance(one, ast.Call)][:MOST_PARTS]:
        exchanged = [_with(node, inner, Form(one.text, one.cost)) for one in _orders(inner, scope)]
        found += [one for one in exchanged if one is not None]
    return sorted(found, key=lambda one: one.cost)[:MOST_VARIANTS]


def whole_forms(node: ast.expr, value: Any, scope: Scope) -> list[Variant]:
    """Of what an assignment gives a name: the value itself in another form."""
    found = [Form("{}()", 1.0)] if isinstance(value, type) and isinstance(node, ast.Name | ast.Attribute) else []
    if not isinstance(value, Missing | ModuleType) and (describe(value).size_bytes or 0) <= LARGEST_BYTES:
        kept = [one for one in forms(value, modules_of(scope.frame.f_globals)) if one.cost <= LARGEST_COST]
        found += [one for one in kept if not one.text.startswith(("len(", "str(", "range("))]
    made = [_with(node, node, form) for form in found if not isinstance(node, ast.Constant)]
    made += [_with(node, part, form) for part, form in (*_unquoted(node), *_near_texts(node))]
    return [one for one in made if one is not None]


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
    return Variant(part, text, form.cost, code_of(Replaced(part, replaced).visit(_shallow(node))))


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


def _unquoted(node: ast.AST) -> Iterator[tuple[ast.expr, Form]]:
    """A written text that says a number, as that number."""
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and is_number(one.value):
            yield one, Form(one.value.strip(), 0.9)


def _other_axes(node: ast.AST) -> Iterator[tuple[ast.expr, Form]]:
    for word in node.keywords if isinstance(node, ast.Call) else ():
        if word.arg == "axis" and isinstance(word.value, ast.Constant | ast.UnaryOp):
            written = ast.unparse(word.value)
            yield from ((word.value, Form(other, 1.15)) for other in ("0", "1", "2", "-1") if other != written)


def _items_with(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.expr, Form]]:
    """The only item of a list that has the attribute that is asked of the list."""
    if not isinstance(node, ast.Attribute):
        return
    value = scope.value(node.value)
    if isinstance(value, Missing):
        # A property of a library's object: each item is tried.
        yield from ((node.value, Form(f"{{}}[{at}]", 1.0)) for at in range(MOST_NAMED))
    items = list(enumerate(value[:MOST_ITEMS])) if type(value) in (list, tuple) else []
    having = [at for at, one in items if not isinstance(attribute(one, node.attr), Missing)]
    if len(having) == 1:
        yield node.value, Form(f"{{}}[{having[0]}]", 1.0)


def _left_over(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.expr, Form]]:
    """For an argument, a parameter of the function that nothing in it uses."""
    code = scope.frame.f_code
    if not isinstance(node, ast.Call) or code.co_name == "<module>":
        return
    given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    unused = [name for name in given if name not in scope.used and name not in ("self", "cls")]
    for one in node.args:
        if isinstance(one, ast.Name) and len(unused) == 1 and one.id != unused[0]:
            yield one, Form(unused[0], 1.05)


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
        orders += [(_swapped(given, *pair), 0.95 if len(given) == 2 else 1.1) for pair in pairs]
        orders += [([f"zip({both})"], 1.3), ([f"[{both}]"], 1.3), ([f"({both})"], 1.4)]
        if len(given) > 2:
            orders.append(([f"[{given[0]}, {given[1]}]", *given[2:]], 1.2))
    orders += [(order, 1.1 + 0.01 * n) for n, order in enumerate(_by_name(node, scope))]
    orders += [(_unwrapped(given, n), 1.3) for n, one in enumerate(node.args) if _is_single(one)]
    for order, cost in orders:
        text = f"{ast.unparse(node.func)}({', '.join([*order, *words])})"
        yield Variant(node, text, cost, code_of(ast.parse(text, mode="eval").body))


def _orders(node: ast.Call, scope: Scope) -> Iterator[Variant]:
    """The same arguments in another order."""
    same = sorted(map(ast.dump, node.args))
    for one in _of_call(node, scope):
        made = one.code.body if isinstance(one.code, ast.Expression) else None
        if isinstance(made, ast.Call) and sorted(map(ast.dump, made.args)) == same:
            yield one


def _instances(node: ast.AST, scope: Scope) -> Iterator[Variant]:
    """A class whose objects can be called, called in the place of one."""
    kind = scope.value(node.func) if isinstance(node, ast.Call) else None
    if isinstance(node, ast.Call) and isinstance(kind, type) and "__call__" in _members(kind):
        made = _with(node, node.func, Form("{}()", 0.95))
        if made is not None:
            yield made


def _of_parent(node: ast.AST, scope: Scope) -> Iterator[Variant]:
    """`super` that was not called; in what is evaluated its arguments have to be written out."""
    first = scope.frame.f_code.co_varnames[:1]
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and scope.value(one.value) is super:
            written = ast.parse(f"super(__class__, {first[0]})", mode="eval").body if first else None
            if written is not None and "__class__" in scope.names:
                yield Variant(one.value, "super()", 0.9, code_of(Replaced(one.value, written).visit(node)))


def _members(kind: type) -> set[str]:
    parents = type.__dict__["__mro__"].__get__(kind)
    return {name for one in parents for name in type.__dict__["__dict__"].__get__(one)}


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
